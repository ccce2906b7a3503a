package gbdt

import (
	"context"
	"os"
	"time"

	"github.com/gramworks/gram"
	"gonum.org/v1/gonum/mat"
)

// Disk fits trees to more rows than memory holds. The rows lie in a file, of which a block is in memory
// at a time: a byte for each cell, which is its bin, or two where a category has more than 255 levels,
// and 8 bytes for the target and for each output.
// The memory that a fit takes does not depend on the number of rows.
//
// The bins follow from a sample of the rows. If the sample is all rows, in their order, and at most
// 200 000, the model has the bits of Fit or FitValues. Where a number may be
// missing, columns have at most 255 bins beside the one of the missing cells.
//
// No rows are held out: without Config.Rounds there are 100. A caller can take the number that Fit chooses on a sample.
//
// A tree grows leaf by leaf as in Fit. A pass over the file sums the histograms of the children of all
// leaves that the tree may split next, so that a tree of 31 leaves takes about eight passes; the trees
// of all classes of a round grow in the same passes. A Disk is a fit of one Piece; see Bins for several. It is not safe
// for concurrent use.
type Disk struct {
	piece *Piece
	file  *os.File
	total float64 // Σy of values
}

// leastBlock and maxBlock bound the number of rows of a block.
const leastBlock, maxBlock = blockChunk, 16 * blockChunk

// NewDisk returns a Disk without rows. names are the classes, nil for values; sample are rows from which
// the bins follow. The file must be empty, open for reading and writing, and is the caller's to remove.
// The settings must not ask for more of the rows than a pass over them gives: RowSample below 1, Holdout,
// Exact, DirectLoss, Given and more than 256 bins are refused.
func (c Config) NewDisk(ctx context.Context, sample mat.Matrix, names []string, file *os.File) (*Disk, error) {
	b, err := c.NewBins(ctx, sample, names)
	if err != nil {
		return nil, err
	}
	return b.NewDisk(ctx, file)
}

// NewDisk returns a Disk without rows with these bins; see Config.NewDisk.
func (b *Bins) NewDisk(ctx context.Context, file *os.File) (*Disk, error) {
	return b.newDisk(ctx, file, maxBlock)
}

// newDisk is NewDisk with blocks of at most so many rows.
func (b *Bins) newDisk(ctx context.Context, file *os.File, size int) (*Disk, error) {
	limit := b.c.MemoryLimit
	for limit > 0 && size > leastBlock && b.bytes(size) > limit/2 {
		size -= blockChunk
	}
	if need := b.bytes(size); limit > 0 && need > limit {
		return nil, &gram.MemoryError{Need: need, Limit: limit}
	}
	s := b.piece(ctx, size)
	s.scores.at = b.blockBytes(size)
	s.rows.stride = s.scores.at + 8*int64(b.k*size)
	s.scores.stride = s.rows.stride
	return &Disk{piece: s, file: file}, nil
}

// Rows returns the number of rows that Add has added.
func (s *Disk) Rows() int { return s.piece.counts.rows }

// Add adds rows with their values, or with their classes if there are names. An error of the data says
// which of these rows it is.
func (s *Disk) Add(x mat.Matrix, y []float64, class []int) error {
	if err := s.piece.Add(s.file, x, y, class); err != nil {
		return err
	}
	for _, v := range y {
		s.total += v
	}
	return nil
}

// Fit trains a classifier on the rows. If ctx ends the fit, Fit returns a model of the finished rounds
// and ctx.Err().
func (s *Disk) Fit(ctx context.Context) (*Classifier, error) {
	if s.piece.names == nil {
		panic("gbdt: the rows have values, not classes")
	}
	m, err := s.boost(ctx)
	if m == nil {
		return nil, err
	}
	return &Classifier{*m, s.piece.names}, err
}

// FitValues trains a regression with the loss Squared or Poisson on the rows. If ctx ends the fit, FitValues returns a model of
// the finished rounds and ctx.Err().
func (s *Disk) FitValues(ctx context.Context) (*Regressor, error) {
	if s.piece.names != nil {
		panic("gbdt: the rows have classes, not values")
	}
	m, err := s.boost(ctx)
	if m == nil {
		return nil, err
	}
	return &Regressor{*m}, err
}

// boost runs the rounds and returns their model. With an error it returns the model of the rounds whose loss is known, or nil if
// there is none.
func (s *Disk) boost(ctx context.Context) (*model, error) {
	b, err := s.piece.Boost(s.piece.counts, s.total)
	if err != nil {
		return nil, err
	}
	if err := s.piece.Flush(s.file); err != nil {
		return nil, err
	}
	begin, meter := time.Now(), s.piece.c.Meter()
	var rounds []*Round
	var losses []float64 // before the first round, and after each one
	known := func(err error) (*model, error) {
		if len(losses) < 2 {
			return nil, err
		}
		m := b.model(rounds[:len(losses)-1], begin)
		m.stats.Objective = losses
		return m, err
	}
	if err := s.piece.Score(ctx, s.file, nil, s.file, b.first); err != nil {
		return nil, err
	}
	for {
		p := b.Pass()
		sums, err := s.piece.Sum(ctx, s.file, s.file, p)
		if err != nil {
			return known(err)
		}
		if p.Number == 0 {
			losses = append(losses, sums.loss/float64(b.n))
		}
		if p.Number == 0 && p.Round > 0 {
			e := gram.Event{Phase: "boosting", Done: int64(p.Round), Total: int64(s.piece.c.Rounds), Objective: losses[p.Round]}
			if b.Done() {
				e.Total = e.Done
			}
			meter.Report(e)
		}
		if b.Done() {
			return known(nil)
		}
		r, err := b.Step(ctx, sums)
		if err != nil {
			return known(err)
		}
		if r != nil {
			rounds = append(rounds, r)
			if err := s.piece.Score(ctx, s.file, s.file, s.file, nil, r); err != nil {
				return known(err)
			}
		}
	}
}
