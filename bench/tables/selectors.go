package tables

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/algos/nystrom"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// selectors is no table of a paper: the error of the Nyström method against the
// number of landmarks, for every way of choosing them.
var selectors = Table{
	ID:    "selectors",
	Title: "Relative error of the Nyström method against the number of landmarks, by selector",
	Run:   runSelectors,
	X:     "landmarks m", Y: "relative error", LogX: true, LogY: true,
}

// allSelectors lists the selectors that need nothing but the data.
var allSelectors = []struct {
	name string
	s    landmark.Selector
}{
	{"uniform", landmark.Uniform{}},
	{"column norm", landmark.ColumnNorm{}},
	{"leverage", landmark.Leverage{}},
	{"farthest", landmark.Farthest{}},
	{"k-means", landmark.KMeans{}},
}

func runSelectors(ctx context.Context, env Env, emit func(Row)) error {
	if err := env.parse(env.flags()); err != nil {
		return err
	}
	repeats := env.repeats(3, 1)
	sizes := []int{16, 32, 64, 128, 256, 512}
	if env.Quick {
		sizes = []int{32, 128}
	}
	for _, s := range []kernelSet{
		{"pendigits", unitCube("pendigits"), 0, 2},
		{"ijcnn1", asItIs("ijcnn1"), 0, 1},
		{"usps", asItIs("usps"), 0, 1. / 32},
	} {
		x, ok, err := s.load(env)
		if err != nil {
			return err
		}
		for _, sel := range allSelectors {
			method := lowRank{sel.name, func(ctx context.Context, k kernel.Kernel, x mat.Matrix, m int, run gram.Run) (approximation, error) {
				return fitNystrom(ctx, nystrom.Config{Kernel: k, Landmarks: sel.s, M: m, Run: run}, x)
			}}
			for _, m := range sizes {
				row := Row{Table: "selectors", Dataset: s.name, Method: fmt.Sprintf("%s m=%d", sel.name, m), Metric: "rel_error", Series: sel.name, X: float64(m)}
				if !ok {
					row.Note = noData
					emit(row)
					continue
				}
				n, _ := x.Dims()
				got, err := env.relativeErrors(ctx, method, kernel.Gaussian{Gamma: s.gamma}, x, m, repeats)
				if err != nil {
					return err
				}
				row.Note = notes(fmt.Sprintf("γ %g, %d repeats", s.gamma, repeats), env.errorNote(n))
				emit(got.into(row))
			}
		}
	}
	return nil
}
