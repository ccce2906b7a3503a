package gbdt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// formed is what describes its form in a file.
type formed interface{ Exchange(x *modelfile.Exchange) }

// file is a model file of one.
type file struct{ formed }

func (f file) Encode(w *modelfile.Writer) error { return modelfile.Put(w, f.Exchange) }

// sent writes one value to a file and reads it into another one.
func sent[T formed](t *testing.T, v, into T) T {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, modelfile.Write(&b, file{v}))
	f, err := modelfile.Read(&b)
	if err == nil {
		_, err = modelfile.Get(f, into, T.Exchange)
	}
	if err != nil {
		t.Fatal(err)
	}
	return into
}

// piece is a piece of the rows with its files.
type piece struct {
	rows, scores *os.File
	n, first     int
}

// inPieces fits the rows of d, of which those up to each end are a piece. All that a process tells another one goes through
// files, and sums are merged from the last one on. It returns the passes, too.
func inPieces(t *testing.T, c Config, d *dataset.Set, sample mat.Matrix, ends ...int) (modelfile.Model, int) {
	t.Helper()
	m, passes := must.Have2(fitPieces(t.Context(), t, c, d, sample, ends...))(t)
	return m, passes
}

// fitPieces is inPieces with a context of its own.
func fitPieces(ctx context.Context, t *testing.T, c Config, d *dataset.Set, sample mat.Matrix, ends ...int) (modelfile.Model, int, error) {
	t.Helper()
	made, err := c.NewBins(ctx, sample, d.Labels.Names)
	if err != nil {
		return nil, 0, err
	}
	b := sent(t, made, &Bins{}).With(c.Run)
	counts, total, lo := b.NewCounts(), 0.0, 0
	var pieces []piece
	for _, end := range ends {
		p := piece{scratch(t), scratch(t), end - lo, lo}
		s := b.NewPiece(ctx)
		for lo < end {
			var rows []int
			for ; lo < end && len(rows) < 1500; lo++ {
				rows = append(rows, lo)
			}
			part := d.Select(rows)
			if err := s.Add(p.rows, part.X, part.Value, part.Labels.Class); err != nil {
				return nil, 0, err
			}
		}
		if err := s.Flush(p.rows); err != nil {
			return nil, 0, err
		}
		counts.Merge(sent(t, s.Counts(), b.NewCounts()))
		if total, err = b.OpenPiece(ctx, p.n, p.first).Total(ctx, p.rows, total); err != nil {
			return nil, 0, err
		}
		pieces = append(pieces, p)
	}
	begin := func() *Boosting {
		s := must.Have(b.Boost(counts, total))(t)
		return s
	}
	boosting := begin()
	var rounds []*Round
	passes := 0
	for !boosting.Done() {
		pass := sent(t, boosting.Pass(), b.NewPass())
		passes++
		sums := pass.Sums()
		for k := len(pieces) - 1; k >= 0; k-- {
			p := pieces[k]
			s := b.OpenPiece(ctx, p.n, p.first)
			if pass.Number == 0 {
				// Every other piece makes its scores anew.
				var err error
				if last := len(rounds) - 1; last < 0 || k%2 == 1 {
					err = s.Score(ctx, p.rows, nil, p.scores, boosting.Constants(), rounds...)
				} else {
					err = s.Score(ctx, p.rows, p.scores, p.scores, nil, rounds[last])
				}
				if err != nil {
					return nil, 0, err
				}
			}
			of, err := s.Sum(ctx, p.rows, p.scores, pass)
			if err != nil {
				return nil, 0, err
			}
			if err := sums.Merge(sent(t, of, pass.Sums())); err != nil {
				return nil, 0, err
			}
		}
		r, err := boosting.Step(ctx, sums)
		if err != nil {
			return nil, 0, err
		}
		if r != nil {
			rounds = append(rounds, sent(t, r, b.NewRound()))
			boosting = begin()
			boosting.Continue(len(rounds), rounds[len(rounds)-1])
		}
	}
	return boosting.Model(rounds), passes, nil
}

// inMemory fits the rows of d in memory.
func inMemory(t *testing.T, c Config, d *dataset.Set) (m modelfile.Model) {
	t.Helper()
	var err error
	if d.Value != nil {
		m, err = c.FitValues(t.Context(), d.X, d.Value, nil)
	} else {
		m, err = c.Fit(t.Context(), d.X, d.Labels, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func sameModel(t *testing.T, what string, want, have modelfile.Model) {
	t.Helper()
	var a, b bytes.Buffer
	must.Do(t, errors.Join(modelfile.Write(&a, want), modelfile.Write(&b, have)))
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Errorf("%s: the model differs", what)
	}
}

// counted returns Friedman1 with counts in place of the values.
func counted(n int) *dataset.Set {
	d := dataset.Friedman1(n, 5, .5, 1)
	for i, v := range d.Value {
		d.Value[i] = math.Floor(max(0, v/4))
	}
	return d
}

// Trees that are grown on pieces of the rows, of any sizes, are those of the rows in memory, bit for bit.
func TestPieces(t *testing.T) {
	const n = 5000
	all := os.Getenv("GRAM_LONG") != ""
	mixed := []Column{{Levels: 12}, {Missing: true}, {}, {Levels: 3}, {}}
	for k, test := range []struct {
		name string
		d    *dataset.Set
		c    Config
	}{
		{"values", dataset.Friedman1(n, 6, .5, 1), Config{Rounds: 6}},
		{"two classes", dataset.Rings(n, 2, .2, 1), Config{Rounds: 6, MaxLeaves: 50, MinRows: 5}},
		{"three classes", dataset.Rings(n, 3, .2, 1), Config{Rounds: 4, MaxDepth: 4, ColumnSample: .5}},
		{"some columns", dataset.Friedman1(n, 8, .5, 1), Config{Rounds: 5, ColumnSample: .5, Bins: 30, MaxLeaves: 9}},
		{"many levels", gapped(n, 700), Config{Rounds: 4, Columns: []Column{{Levels: 700}, {Missing: true}, {}, {Levels: 3}, {}}}},
		{"categories and gaps", gapped(n, 12), Config{Rounds: 6, Columns: mixed}},
		{"counts", counted(n), Config{Rounds: 5, Loss: Poisson}},
		{"ordered", dataset.Friedman1(n, 5, .5, 1), Config{Rounds: 5, Monotone: []int{1, 0, 0, 1}}},
		{"from zero, one value", common(dataset.Friedman1(n, 5, .5, 1)), Config{Rounds: 4, FromZero: true}},
		{"a stump that does not grow", dataset.Friedman1(30, 5, .5, 1), Config{Rounds: 4, MinRows: 16}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.c.Seed = 7
			rows, _ := test.d.Dims()
			want := inMemory(t, test.c, test.d)
			for i, ends := range [][]int{{rows}, {1, rows / 3, rows}, {10, 10, rows / 5, rows / 4, rows / 2, rows - 7, rows}} {
				if !all && i != k%3 {
					continue
				}
				have, _ := inPieces(t, test.c, test.d, test.d.X, ends...)
				sameModel(t, fmt.Sprint("pieces up to rows ", ends), want, have)
			}
		})
	}
}

// Where curvatures are rounded by the numbers of the rows, a piece has to know those of its own.
func TestPiecesOfManyRows(t *testing.T) {
	if testing.Short() {
		t.Skip("a million rows")
	}
	const n = 1<<20 + 3000
	d := dataset.Friedman1(n, 5, .5, 1)
	d.X = mat.DenseCopyOf(d.X.(*mat.Dense).Slice(0, n, 0, 2))
	d.Labels.Names = []string{"low", "high"}
	for _, v := range d.Value {
		d.Labels.Class = append(d.Labels.Class, map[bool]int{v > 14: 1}[true])
	}
	d.Value = nil
	sample := d.X.(*mat.Dense).Slice(0, 500, 0, 2)
	c := Config{Rounds: 2, MaxLeaves: 4}
	if !newFixed(gradient{1, .25}, n).spread {
		t.Fatal("curvatures of so many rows are not spread")
	}
	want := must.Have(onDisk(t, c, d, sample, maxBlock))(t)
	have, _ := inPieces(t, c, d, sample, 12345, n/2+1, n)
	sameModel(t, "three pieces", want, have)
}

// A pass over the blocks of a piece ends before the next block when ctx does.
func TestEachLooksAtContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d := dataset.Friedman1(maxBlock+100, 5, .5, 1)
	_, columns := d.X.Dims()
	b := must.Have(Config{}.NewBins(ctx, d.X.(*mat.Dense).Slice(0, 500, 0, columns), nil))(t)
	rows, s := scratch(t), b.NewPiece(ctx)
	must.Do(t, s.Add(rows, d.X, d.Value, nil))
	must.Do(t, s.Flush(rows))
	s = b.OpenPiece(ctx, maxBlock+100, 0)
	used := 0
	err := s.each(ctx, rows, nil, func(_, _ int) error {
		cancel()
		used++
		return nil
	})
	if blocks := s.blocks(); blocks < 2 || used != 1 || err != context.Canceled {
		t.Errorf("%d of %d blocks are used: %v", used, blocks, err)
	}
}
