package rows

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// free is the plan of a fit that needs no memory.
type free struct{}

func (free) Plan(gram.Shape) (gram.Plan, error) { return gram.Plan{}, nil }

// Rows of weight zero are left out, and errors count them.
func TestWeighted(t *testing.T) {
	dense := mat.NewDense(5, 2, []float64{0, 1, 2, 0, 4, 5, 0, 7, 8, 9})
	y, w := []float64{10, 11, 12, 13, 14}, []float64{0, 2, 1, 0, .5}
	want := mat.NewDense(3, 2, []float64{2, 0, 4, 5, 8, 9})
	for _, x := range []mat.Matrix{dense, sparse.FromDense(dense), dense.T().T()} {
		some, targets, weights, kept, err := Weighted(free{}, gram.Run{}, x, y, w)
		if err != nil || !mat.Equal(some, want) || !slices.Equal(targets, []float64{11, 12, 14}) ||
			!slices.Equal(weights, []float64{2, 1, .5}) || !slices.Equal(kept, []int{1, 2, 4}) {
			t.Errorf("%T: %v, %v, %v, %v, %v", x, some, targets, weights, kept, err)
		}
		if _, _, _, _, err := Weighted(free{}, gram.Run{MemoryLimit: 20}, x, y, w); !errors.As(err, new(*gram.MemoryError)) {
			t.Errorf("%T: %v, want that the copy exceeds the memory limit", x, err)
		}
		if same, _, _, kept, err := Weighted(free{}, gram.Run{MemoryLimit: 20}, x, y, []float64{1, 2, 3, 4, 5}); same != x || kept != nil || err != nil {
			t.Errorf("%T without a weight of zero: %v, %v", x, kept, err)
		}
	}
	at := func(what string, row int, x mat.Matrix, y, w []float64) {
		t.Helper()
		_, _, _, _, err := Weighted(free{}, gram.Run{}, x, y, w)
		var bad *gram.DataError
		if !errors.As(err, &bad) || bad.Row != row {
			t.Errorf("%s: %v", what, err)
		}
	}
	x := mat.DenseCopyOf(dense)
	x.Set(3, 1, math.NaN())
	at("a number", 3, x, y, w)
	at("a target", 4, dense, []float64{1, 2, 3, 4, math.Inf(1)}, w)
	at("a weight", 4, dense, y, []float64{0, 1, 1, 1, -1})
	at("all weights", 0, dense, y, make([]float64, 5))
	at("too few weights", 4, dense, y, make([]float64, 4))
}

// Numbers and parts of rows go to the rows that were kept and back.
func TestKeptRows(t *testing.T) {
	kept := []int{1, 2, 4}
	index, err := Places("Index", []int{2, 4}, kept)
	if err != nil || !slices.Equal(index, []int{1, 2}) {
		t.Errorf("places %v, %v", index, err)
	}
	if Renumber(index, kept); !slices.Equal(index, []int{2, 4}) {
		t.Errorf("numbers %v", index)
	}
	var wrong *gram.ConfigError
	if _, err := Places("Index", []int{3}, kept); !errors.As(err, &wrong) || wrong.Field != "Index" {
		t.Errorf("a row that was left out: %v", err)
	}
	s := Start[None]{Kept: kept, all: mat.NewDense(5, 1, []float64{6, 5, 5, 7, 5})}
	first := func(_ []int, x mat.Matrix) []int { return []int{int(x.At(0, 0)), int(x.At(1, 0))} }
	if got := s.Labels([]int{0, 1, 2}, nil, first); !slices.Equal(got, []int{6, 0, 1, 7, 2}) {
		t.Errorf("parts %v", got)
	}
	if got := s.Labels([]int{0, 1, 2}, []int{9, 0, 1, 9, 2}, first); !slices.Equal(got, []int{9, 0, 1, 9, 2}) {
		t.Errorf("parts %v where they are given", got)
	}
}
