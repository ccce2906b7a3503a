package gbdt

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/hist"
	"github.com/gramworks/gram/internal/bins"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Piece is the rows of a piece of the data, of which a block is in memory at a time. The rows lie in a file, with a
// byte for each cell, which is its bin, or two where a category has more than 255 levels, and 8 bytes for the target;
// the scores lie in another one, 8 bytes for each output. A Piece is not safe for concurrent use.
type Piece struct {
	*Bins
	g      *grower
	size   int // rows of a block
	first  int // number of the first row
	counts *Counts

	rows, scores struct{ at, stride int64 } // where the first block is, and how far the next one

	have  int       // rows of the block in memory, which is the last one while rows are added
	cells []uint8   // of that block, d×size: column by column, as in the file
	wide  []uint16  // the same, where a column has more than 256 bins; else nil
	y     []float64 // its targets, or the numbers of its classes
	score []float64 // its scores, row by row
	raw   []byte    // y or score in the file
}

// blockChunk is the number of rows by which the mean loss is summed, of which a block has a multiple.
const blockChunk = grain

// pieceBlock is the number of rows of a block of a piece, which stands in its files.
const pieceBlock = 4 * blockChunk

// Counts is what the rows of a piece are: how many of each class, and the largest value.
type Counts struct {
	rows  int
	class []float64 // rows of each class

	largest    float64 // of the values, in magnitude
	largestRow int
}

// NewCounts returns the counts of no rows.
func (b *Bins) NewCounts() *Counts { return &Counts{class: make([]float64, len(b.names))} }

// Rows returns the number of rows that are counted.
func (c *Counts) Rows() int { return c.rows }

// Merge adds the counts o of the rows that follow.
func (c *Counts) Merge(o *Counts) {
	c.note(o.largest, o.largestRow)
	c.rows += o.rows
	for i, n := range o.class {
		c.class[i] += n
	}
}

// note takes the value of a row behind those that are counted.
func (c *Counts) note(v float64, row int) {
	if math.Abs(v) > math.Abs(c.largest) {
		c.largest, c.largestRow = v, c.rows+row
	}
}

// Exchange describes the counts in a file. Those that are read into must come from Bins.NewCounts.
func (c *Counts) Exchange(x *modelfile.Exchange) {
	x.Header("gbdt.counts", 1, &struct{}{})
	numbers := []int64{int64(c.rows), int64(c.largestRow)}
	x.Int64("rows", &numbers, len(numbers))
	x.Float64("class", &c.class, len(c.class))
	x.Number("largest", &c.largest)
	if x.Reading() {
		x.Require(min(numbers[0], numbers[1]) >= 0 && max(numbers[0], numbers[1]) <= 1<<40, "rows", "%d and %d", numbers[0], numbers[1])
		c.rows, c.largestRow = int(numbers[0]), int(numbers[1])
	}
}

// tooManyRows returns the error for n rows, more than the sums of a fit by passes have room for.
func tooManyRows(n int64) error {
	return settings.Refuse("rows", n, "at most %d, as sums of more do not fit their words", math.MaxInt32)
}

// NewPiece returns a Piece without rows, to which Add adds some.
func (b *Bins) NewPiece(ctx context.Context) *Piece {
	s := b.piece(ctx, pieceBlock)
	s.rows.stride, s.scores.stride = b.blockBytes(s.size), 8*int64(b.k*s.size)
	return s
}

// OpenPiece returns the Piece of so many rows that were added to one before. first is the number of the first one
// among the rows of all pieces.
func (b *Bins) OpenPiece(ctx context.Context, rows, first int) *Piece {
	s := b.NewPiece(ctx)
	s.counts.rows, s.first = rows, first
	return s
}

// piece returns a Piece without rows and places.
func (b *Bins) piece(ctx context.Context, size int) *Piece {
	d := len(b.t.Cuts)
	s := &Piece{Bins: b, size: size, counts: b.NewCounts()}
	t := *b.t
	if b.width > 1 {
		t.Wide, s.wide = make([][]uint16, d), make([]uint16, d*size)
	} else {
		t.Narrow = make([][]uint8, d)
	}
	s.cells, s.y, s.score, s.raw = make([]uint8, b.width*d*size), make([]float64, size), make([]float64, b.k*size), make([]byte, 8*b.k*size)
	s.g = &grower{ctx: ctx, c: b.c, t: &t, k: b.k}
	s.g.rooms(size)
	return s
}

// blockBytes is the number of bytes of the cells and targets of a block in a file.
func (b *Bins) blockBytes(size int) int64 { return int64(size) * int64(b.width*len(b.t.Cuts)+8) }

// Bytes returns the lengths of the files of the rows and of the scores.
func (s *Piece) Bytes() (rows, scores int64) {
	blocks := int64(s.blocks())
	return blocks * s.rows.stride, blocks * s.scores.stride
}

// PieceBytes returns the most memory that a Piece takes with a Pass over it.
func (b *Bins) PieceBytes() int64 { return b.bytes(pieceBlock) }

// bytes returns the most memory that a pass takes: a block with its gradients, and the histograms of the
// leaves of the trees of a round and of the children that are summed.
func (b *Bins) bytes(size int) int64 {
	// Cells of two bytes are there as in the file, too.
	row := b.width*b.width*len(b.t.Cuts) + 16*(b.k+1) + 16*(b.k+1) + 24
	return int64(size)*int64(row) + 2*int64(b.k)*int64(b.c.MaxLeaves)*b.bins*16
}

// blocks returns the number of blocks of the rows.
func (s *Piece) blocks() int { return (s.counts.rows + s.size - 1) / s.size }

// Counts returns what the rows are that were added.
func (s *Piece) Counts() *Counts { return s.counts }

// Add adds rows with their values, or with their classes if there are names, and writes the blocks that are full to the
// file. An error of the data says which of these rows it is.
func (s *Piece) Add(to io.WriterAt, x mat.Matrix, y []float64, class []int) error {
	rows := gram.Of(x)
	n, columns := rows.Dims()
	if d := len(s.t.Cuts); columns != d {
		return settings.Refuse("columns", columns, "%d, as the sample has", d)
	}
	if n > math.MaxInt32-s.counts.rows {
		return tooManyRows(int64(s.counts.rows) + int64(n))
	}
	if err := s.c.checkCells(rows); err != nil {
		return err
	}
	if s.names != nil {
		y = make([]float64, n)
		if len(class) != n {
			return settings.Refuse("classes", len(class), "one for each of %d rows", n)
		}
		for i, c := range class {
			if c < 0 || c >= len(s.names) {
				return settings.Refuse("class", c, "0 … %d", len(s.names)-1)
			}
			y[i] = float64(c)
			s.counts.class[c]++
		}
	} else if err := cmp.Or(check.Block(y, n), s.c.checkCounts(y)); err != nil {
		return err
	}
	dense := x
	if _, ok := rows.Dense(); !ok {
		dense = rows.CSR().Dense()
	}
	all, _ := gram.Of(dense).Dense()
	for lo := 0; lo < n; {
		take := min(n-lo, s.size-s.have)
		err := par.Compute(s.g.ctx, s.g.workers(16*take*columns), columns, 1, func(from, to int) {
			column := make([]float64, take)
			for j := from; j < to; j++ {
				for i := range column {
					column[i] = all.Data[(lo+i)*all.Stride+j]
				}
				if at := j*s.size + s.have; s.wide != nil {
					bins.Put(s.t, s.wide[at:][:take], j, column)
				} else {
					bins.Put(s.t, s.cells[at:][:take], j, column)
				}
			}
		})
		if err != nil {
			return err
		}
		copy(s.y[s.have:], y[lo:lo+take])
		if s.names == nil {
			for i, v := range y[lo : lo+take] {
				s.counts.note(v, i)
			}
		}
		s.have, s.counts.rows, lo = s.have+take, s.counts.rows+take, lo+take
		if s.have == s.size {
			if err := s.Flush(to); err != nil {
				return err
			}
		}
	}
	return nil
}

// Flush writes the rows that were added last to the file. No rows can be added behind them.
func (s *Piece) Flush(to io.WriterAt) error {
	if s.have == 0 {
		return nil
	}
	at := s.rows.at + int64(s.blocks()-1)*s.rows.stride
	for i, v := range s.wide {
		binary.LittleEndian.PutUint16(s.cells[2*i:], v)
	}
	s.have = 0
	if _, err := to.WriteAt(s.cells, at); err != nil {
		return err
	}
	return s.writeNumbers(to, at+int64(len(s.cells)), s.y)
}

func (s *Piece) writeNumbers(to io.WriterAt, at int64, numbers []float64) error {
	raw := s.numbers(len(numbers))
	for i, v := range numbers {
		binary.LittleEndian.PutUint64(raw[8*i:], math.Float64bits(v))
	}
	_, err := to.WriteAt(raw, at)
	return err
}

func (s *Piece) readNumbers(from io.ReaderAt, at int64, numbers []float64) error {
	raw := s.numbers(len(numbers))
	if err := readAll(from, raw, at); err != nil {
		return err
	}
	for i := range numbers {
		numbers[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	return nil
}

// numbers is room for so many numbers in a file.
func (s *Piece) numbers(n int) []byte { return s.raw[:8*n] }

// readAll fills p with what is there from at on.
func readAll(from io.ReaderAt, p []byte, at int64) error {
	if n, err := from.ReadAt(p, at); n < len(p) {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("reading the bins: %w", err)
	}
	return nil
}

// each calls use for all blocks in their order. The cells and targets are then in memory, with n rows from number lo on, and
// the scores if there are some.
func (s *Piece) each(ctx context.Context, rows, scores io.ReaderAt, use func(b, n int) error) error {
	for b := range s.blocks() {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := s.rows.at + int64(b)*s.rows.stride
		if err := readAll(rows, s.cells, at); err != nil {
			return err
		}
		if err := s.readNumbers(rows, at+int64(len(s.cells)), s.y); err != nil {
			return err
		}
		if scores != nil {
			if err := s.readNumbers(scores, s.scores.at+int64(b)*s.scores.stride, s.score); err != nil {
				return err
			}
		}
		n := min(s.size, s.counts.rows-b*s.size)
		s.g.t.N, s.g.first = n, s.first+b*s.size
		for i := range s.wide {
			s.wide[i] = binary.LittleEndian.Uint16(s.cells[2*i:])
		}
		for j := range s.t.Cuts {
			if s.wide != nil {
				s.g.t.Wide[j] = s.wide[j*s.size:][:n]
			} else {
				s.g.t.Narrow[j] = s.cells[j*s.size:][:n]
			}
		}
		if err := use(b, n); err != nil {
			return err
		}
	}
	return nil
}

// Total adds the values to a sum, one after the other.
func (s *Piece) Total(ctx context.Context, rows io.ReaderAt, sum float64) (float64, error) {
	err := s.each(ctx, rows, nil, func(_, n int) error {
		for _, v := range s.y[:n] {
			sum += v
		}
		return nil
	})
	return sum, err
}

// Score writes the scores of the rows to to: those of from, or F₀ if from is nil, with what the trees of rounds add.
// Both may be the same file.
func (s *Piece) Score(ctx context.Context, rows, from io.ReaderAt, to io.WriterAt, constants []float64, rounds ...*Round) error {
	return s.each(ctx, rows, from, func(b, n int) error {
		for i := 0; i < n && from == nil; i++ {
			copy(s.score[i*s.k:], constants)
		}
		for _, r := range rounds {
			for out, t := range r.trees {
				par.Compute(context.Background(), s.g.workers(4*n), n, blockChunk, func(lo, hi int) {
					if s.wide != nil {
						descend(s.score[lo*s.k+out:], s.k, t, s.g.t.Wide, lo, hi)
					} else {
						descend(s.score[lo*s.k+out:], s.k, t, s.g.t.Narrow, lo, hi)
					}
				})
			}
		}
		return s.writeNumbers(to, s.scores.at+int64(b)*s.scores.stride, s.score)
	})
}

// Sum answers a pass for the rows of the piece.
func (s *Piece) Sum(ctx context.Context, rows, scores io.ReaderAt, p *Pass) (*Sums, error) {
	sums := p.Sums()
	s.g.ctx, s.g.fixed = ctx, p.fixed
	var lists []watched
	err := s.each(ctx, rows, scores, func(_, n int) error {
		chunks := make([]float64, (n-1)/grain+1)
		if p.Number == 0 {
			lists = []watched{{rows: all(n)}}
		}
		largest := s.g.evaluateAll(s.loss(n), s.score, lists, chunks)
		sums.rows += int64(n)
		sums.most = sums.most.upTo(hist.Total{G: largest.g, C: largest.c})
		for i := 0; i < len(chunks) && lists != nil; i++ {
			sums.loss += chunks[i]
		}
		of := sums.of
		for out, t := range p.trees {
			s.g.layout(t.columns)
			s.g.word = s.g.words[out]
			lists := [][]int32{all(n)}
			if !t.root {
				lists = s.collect(t, n)
			}
			for i, list := range lists {
				if err := s.add(of[i], list); err != nil {
					return err
				}
			}
			of = of[len(lists):]
		}
		return nil
	})
	return sums, err
}

// add adds the words of some rows of the block to a histogram.
func (s *Piece) add(h []hist.Cell, rows []int32) error {
	g := s.g
	return par.Compute(g.ctx, g.workers(len(rows)*len(g.columns)), len(g.columns), together, func(lo, hi int) {
		g.add(h, rows, g.columns[lo:hi])
	})
}

// loss returns the loss function of the rows of the block that is in memory.
func (s *Piece) loss(rows int) lossFunction {
	if s.names == nil {
		return s.c.ofValues(s.y[:rows])
	}
	class := make([]int, rows)
	for i := range class {
		class[i] = max(0, min(len(s.names)-1, int(s.y[i]))) // a file may have been damaged
	}
	if s.k == 1 {
		return logistic{class}
	}
	return softmax{class, s.k}
}

// collect returns the rows of the block in the children that are summed.
func (s *Piece) collect(t *asked, n int) [][]int32 {
	if s.wide != nil {
		return collect(t, s.g.t.Wide, n)
	}
	return collect(t, s.g.t.Narrow, n)
}

func collect[C bins.Code](t *asked, code [][]C, n int) [][]int32 {
	lists := make([][]int32, len(t.open))
	if len(lists) == 0 {
		return nil
	}
	opened := make([]int, len(t.nodes)) // 1 and more: the opening of the leaf
	for k, o := range t.open {
		opened[o.node] = k + 1
	}
	for i := range n {
		k := opened[arrives(t.tree, code, i)] - 1
		if k < 0 {
			continue
		}
		o := &t.open[k]
		c := code[o.column][i]
		if left := o.goes == nil && int32(c) <= o.bin || o.goes != nil && o.goes[c]; left == o.left {
			lists[k] = append(lists[k], int32(i))
		}
	}
	return lists
}
