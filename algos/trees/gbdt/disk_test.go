package gbdt

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// scratch returns an empty file.
func scratch(t *testing.T) *os.File {
	t.Helper()
	f := must.Have(os.Create(filepath.Join(t.TempDir(), "bins")))(t)
	t.Cleanup(func() { f.Close() })
	return f
}

// onDisk fits the rows of d, which are added in pieces, with bins that follow from the sample.
func onDisk(t *testing.T, c Config, d *dataset.Set, sample mat.Matrix, block int) (modelfile.Model, error) {
	t.Helper()
	b, err := c.NewBins(t.Context(), sample, d.Labels.Names)
	if err != nil {
		return nil, err
	}
	s, err := b.newDisk(t.Context(), scratch(t), block)
	if err != nil {
		return nil, err
	}
	n, _ := d.Dims()
	for lo := 0; lo < n; lo += 1500 {
		var rows []int
		for i := lo; i < min(lo+1500, n); i++ {
			rows = append(rows, i)
		}
		part := d.Select(rows)
		if err := s.Add(part.X, part.Value, part.Labels.Class); err != nil {
			return nil, err
		}
	}
	if d.Value != nil {
		return s.FitValues(t.Context())
	}
	return s.Fit(t.Context())
}

// gapped returns rows with categories in the columns 0 and 3, and missing cells in 1 and 3.
func gapped(n, levels int) *dataset.Set {
	d := dataset.Friedman1(n, 5, .5, 1)
	x := d.X.(*mat.Dense)
	for i := range n {
		row := x.RawRowView(i)
		row[0], row[3] = math.Floor(float64(levels)*row[0]), math.Floor(3*row[3])
		if i%7 == 0 {
			row[1] = math.NaN()
		}
		if i%11 == 0 {
			row[3] = dataset.UnknownLevel
		}
	}
	return d
}

// common sets three quarters of a column to 0, so that its histogram is summed over the others where rows are in memory.
func common(d *dataset.Set) *dataset.Set {
	x := d.X.(*mat.Dense)
	n, _ := x.Dims()
	for i := range n {
		if i%4 != 0 {
			x.Set(i, 3, 0)
		}
	}
	return d
}

// The trees of rows on disk are those of the same rows in memory, bit for bit, for values and for
// classes, in one block or in several.
func TestDisk(t *testing.T) {
	const n = 9000
	for _, test := range []struct {
		name string
		d    *dataset.Set
		c    Config
	}{
		{"values", dataset.Friedman1(n, 6, .5, 1), Config{Rounds: 6}},
		{"two classes", dataset.Rings(n, 2, .2, 1), Config{Rounds: 6, MaxLeaves: 50, MinRows: 5}},
		{"three classes", dataset.Rings(n, 3, .2, 1), Config{Rounds: 4, MaxDepth: 4}},
		{"some columns", dataset.Friedman1(n, 8, .5, 1), Config{Rounds: 5, ColumnSample: .5, Bins: 30, MaxLeaves: 9}},
		{"many levels", gapped(n, 700), Config{Rounds: 6, Columns: []Column{{Levels: 700}, {Missing: true}, {}, {Levels: 3}, {}}}},
		{"categories and gaps", gapped(n, 12), Config{Rounds: 6, Columns: []Column{{Levels: 12}, {Missing: true}, {}, {Levels: 3}, {}}}},
		{"a common value", common(dataset.Friedman1(n, 6, .5, 1)), Config{Rounds: 6}},
		{"few rows", dataset.Friedman1(30, 5, .5, 1), Config{Rounds: 3, MinRows: 3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := test.c
			c.Seed = 7
			var want modelfile.Model
			var err error
			if test.d.Value != nil {
				want, err = c.FitValues(t.Context(), test.d.X, test.d.Value, nil)
			} else {
				want, err = c.Fit(t.Context(), test.d.X, test.d.Labels, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, block := range []int{leastBlock, maxBlock} {
				have := must.Have(onDisk(t, c, test.d, test.d.X, block))(t)
				var a, b bytes.Buffer
				must.Do(t, errors.Join(modelfile.Write(&a, want), modelfile.Write(&b, have)))
				if !bytes.Equal(a.Bytes(), b.Bytes()) {
					t.Errorf("blocks of %d rows: the model differs", block)
				}
				stats := func(m modelfile.Model) []float64 { return m.(interface{ Stats() Stats }).Stats().Objective }
				if !slices.Equal(stats(want), stats(have)) {
					t.Errorf("blocks of %d rows: objectives %v, want %v", block, stats(have), stats(want))
				}
			}
		})
	}
}

// Cuts from a sample give about the model of all rows.
func TestDiskSample(t *testing.T) {
	d := dataset.Friedman1(6000, 6, .5, 1)
	c := Config{Rounds: 20}
	want := must.Have(c.FitValues(t.Context(), d.X, d.Value, nil))(t)
	have := must.Have(onDisk(t, c, d, d.X.(*mat.Dense).Slice(0, 1000, 0, 6), maxBlock))(t)
	mse := func(m *Regressor) (sum float64) {
		for i, v := range m.Predict(nil, d.X) {
			sum += (v - d.Value[i]) * (v - d.Value[i])
		}
		return sum / 6000
	}
	if a, b := mse(have.(*Regressor)), mse(want); !(a < 1.05*b) {
		t.Errorf("mean squared error %v with cuts from a sample, %v with those of all rows", a, b)
	}
}

// Blocks of small values are as good as others, unless all blocks are; too large ones are refused.
func TestDiskRange(t *testing.T) {
	d := dataset.Friedman1(500, 5, .5, 1)
	for _, c := range []struct {
		first, second float64
		row           int
	}{{1e-90, 1, -1}, {1, 1e-90, -1}, {1e-90, 2e-90, 500}, {1, 1e80, 0}} {
		s, err := Config{Rounds: 2}.NewDisk(t.Context(), d.X, nil, scratch(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []float64{c.first, c.second} {
			if err == nil {
				err = s.Add(d.X, slices.Repeat([]float64{v}, 500), nil)
			}
		}
		if err == nil {
			_, err = s.FitValues(t.Context())
		}
		var bad *gram.DataError
		if errors.As(err, &bad) != (c.row >= 0) || bad == nil && err != nil || bad != nil && bad.Row != c.row {
			t.Errorf("%v, then %v: %v", c.first, c.second, err)
		}
	}
}

// What needs all rows at once is refused, as are rows that do not fit, and a fit that ends early returns
// the finished rounds.
func TestDiskErrors(t *testing.T) {
	d := dataset.Friedman1(500, 5, .5, 1)
	for _, test := range []struct {
		field string
		c     Config
	}{
		{"RowSample", Config{RowSample: .5}},
		{"Holdout", Config{Holdout: .2}},
		{"Exact", Config{Exact: true}},
		{"Criterion", Config{Criterion: DirectLoss}},
		{"Bins", Config{Bins: 300}},
		{"Columns", Config{Columns: make([]Column, 4)}},
	} {
		var refused *gram.ConfigError
		if _, err := test.c.NewDisk(t.Context(), d.X, nil, scratch(t)); !errors.As(err, &refused) || refused.Field != test.field {
			t.Errorf("%s: %v", test.field, err)
		}
	}
	var much *gram.MemoryError
	if _, err := (Config{Run: gram.Run{MemoryLimit: 1e6}}).NewDisk(t.Context(), d.X, nil, scratch(t)); !errors.As(err, &much) {
		t.Errorf("a limit of 1 MB: %v", err)
	}
	s := must.Have(Config{}.NewDisk(t.Context(), d.X, nil, scratch(t)))(t)
	if err := s.Add(mat.NewDense(1, 4, nil), []float64{1}, nil); err == nil || !strings.Contains(err.Error(), "columns") {
		t.Errorf("four columns: %v", err)
	}
	if _, err := s.FitValues(t.Context()); err == nil {
		t.Error("a model of no rows")
	}
	s = must.Have((Config{Rounds: 50}).NewDisk(t.Context(), d.X, nil, scratch(t)))(t)
	must.Do(t, s.Add(d.X, d.Value, nil))
	for last := range int32(20) { // in every step of a round
		m, err := s.FitValues(&ending{Context: t.Context(), last: 300 + last})
		rounds := m.Stats().Rounds
		if losses := len(m.Stats().Objective); !errors.Is(err, context.Canceled) || rounds < 1 || rounds >= 50 || losses != rounds+1 {
			t.Errorf("a fit that was ended: %v after %d rounds with %d losses", err, rounds, losses)
		}
	}
}

// ending is a context that ends when it was asked a number of times.
type ending struct {
	context.Context
	asked atomic.Int32
	last  int32
}

// Err returns context.Canceled in the end.
func (e *ending) Err() error {
	if e.asked.Add(1) > e.last {
		return context.Canceled
	}
	return nil
}
