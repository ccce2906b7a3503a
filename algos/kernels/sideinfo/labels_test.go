package sideinfo

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

// Labels that cannot be used are named by row by every method that takes them,
// and −1 means that the class is not known.
func TestLabels(t *testing.T) {
	d := algotest.Problem(3, 30, 3, 3)
	ctx := context.Background()
	graph := must.Have(Spectral{Rank: 5}.Graph(ctx, d.X))(t)
	fits := map[string]func(y gram.Labels) (bool, error){
		"Config": func(y gram.Labels) (bool, error) {
			m, err := Config{Kernel: gauss, M: 5, Lambda: 1}.Fit(ctx, d.X, y)
			return m != nil, err
		},
		"CSI": func(y gram.Labels) (bool, error) {
			m, err := CSI{Kernel: gauss, M: 5}.Fit(ctx, d.X, y)
			return m != nil, err
		},
		"TwoStage": func(y gram.Labels) (bool, error) { m, err := TwoStage{}.Fit(ctx, d.X, y); return m.Weights != nil, err },
		"Spectral": func(y gram.Labels) (bool, error) { m, err := graph.Features(y); return m != nil, err },
	}
	with := func(at, class int) gram.Labels {
		y := gram.Labels{Class: slices.Clone(d.Labels.Class), Names: d.Labels.Names}
		y.Class[at] = class
		return y
	}
	short, long := gram.Labels{Class: d.Labels.Class[:29], Names: d.Labels.Names}, gram.Labels{Class: append(slices.Clone(d.Labels.Class), 0), Names: d.Labels.Names}
	for name, fit := range fits {
		for _, c := range []struct {
			what string
			y    gram.Labels
			row  int
		}{
			{"class 3 of 3", with(4, 3), 4}, {"class −2", with(17, -2), 17}, {"29 labels", short, 29}, {"31 labels", long, 30},
			{"no class known", gram.Labels{Class: slices.Repeat([]int{-1}, 30), Names: d.Labels.Names}, 0},
		} {
			var de *gram.DataError
			if ok, err := fit(c.y); !errors.As(err, &de) || de.Row != c.row || de.Col != -1 || ok {
				t.Errorf("%s, %s: error %v, want one at the target of row %d and no result", name, c.what, err, c.row)
			}
		}
		if ok, err := fit(with(8, -1)); err != nil || !ok {
			t.Errorf("%s, one class not known: error %v", name, err)
		}
	}
}

// The alignment with a constant matrix, which is zero after centering, is 0.
func TestAlignmentOfNothing(t *testing.T) {
	k, ones := mat.NewDense(3, 3, []float64{2, 1, 0, 1, 2, 0, 0, 0, 1}), mat.NewDense(3, 3, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1})
	for _, v := range []float64{Alignment(k, ones), Alignment(ones, k), Alignment(ones, ones), ratio(0, 0, 1), ratio(0, 1, 0), ratio(0, 0, 0)} {
		if v != 0 {
			t.Errorf("alignment %g", v)
		}
	}
}
