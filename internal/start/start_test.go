package start

import (
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/algotest"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// planner is a Config that records what it is asked.
type planner struct {
	shape *gram.Shape
	peak  int64
	err   error
}

func (p planner) Plan(s gram.Shape) (gram.Plan, error) {
	*p.shape = s
	return gram.Plan{PeakBytes: p.peak}, p.err
}

// Fit plans for the shape of every kind of matrix, counts the copy of those that are
// copied, holds both against the limit, and returns the same cells.
func TestFit(t *testing.T) {
	const n, d = 4, 3
	cell := func(i, j int) float64 { return float64((3*i + j) % 5) }
	for name, x := range algotest.Kinds(n, d, cell) {
		var s gram.Shape
		want, copied := gram.Shape{N: n, D: d, Outputs: 7}, int64(8*n*d)
		switch x := x.(type) {
		case *sparse.CSR:
			want.NNZ, copied = int64(x.NNZ()), 0
		case *mat.Dense:
			copied = 0
		}
		got, err := Fit(gram.Run{MemoryLimit: 100 + copied}, planner{&s, 100, nil}, x, 7)
		if err != nil || !mat.Equal(got, x) {
			t.Fatalf("%s: %v", name, err)
		}
		if s != want {
			t.Errorf("%s: planned for %+v, want %+v", name, s, want)
		}
		var me *gram.MemoryError
		if _, err := Fit(gram.Run{MemoryLimit: 99 + copied}, planner{&s, 100, nil}, x, 7); !errors.As(err, &me) || me.Need != 100+copied {
			t.Errorf("%s: error %v under a limit that is a byte too low", name, err)
		}
	}
	var s gram.Shape
	x := mat.NewDense(2, 2, []float64{1, 2, math.NaN(), 4})
	var de *gram.DataError
	if _, err := Fit(gram.Run{}, planner{&s, 1, nil}, x, 1); !errors.As(err, &de) || de.Row != 1 || de.Col != 0 {
		t.Errorf("NaN: %v", err)
	}
	boom := errors.New("boom")
	if _, err := Fit(gram.Run{MemoryLimit: 1}, planner{&s, 100, boom}, x, 1); err != boom {
		t.Errorf("the error of the plan becomes %v", err)
	}
	// The limit comes before the pass over the data.
	var me *gram.MemoryError
	if _, err := Fit(gram.Run{MemoryLimit: 1}, planner{&s, 100, nil}, x, 1); !errors.As(err, &me) {
		t.Errorf("over the limit with NaN: %v", err)
	}
}
