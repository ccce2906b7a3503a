package reference_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kernelkmeans"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/divide/bka"
	"github.com/gramworks/gram/algos/divide/dckrr"
	"github.com/gramworks/gram/algos/divide/dcpred"
	"github.com/gramworks/gram/algos/divide/dcsvm"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/lowrank/fastnys"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/meka"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/algos/lowrank/pseudo"
	"github.com/gramworks/gram/algos/lowrank/rff"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Ingredients that do not fit are errors that name the field.
func TestIngredientsThatDoNotFit(t *testing.T) {
	const n, d = 20, 2
	x, label := groups(201, n, d, 2)
	y, _ := signs(target(202, x))
	values := target(202, x)
	k := kernel.Gaussian{Gamma: 0.5}
	local := krr.Config{Kernel: k, NoBias: true}
	machine := svm.Config{Kernel: k}
	wide := kmeans.NewModel(normal(203, 2, d+1, 1))
	kk := must.Have(kernelkmeans.Config{Kernel: k, K: 2}.Fit(t.Context(), x))(t)
	divided := func(p kmeans.Partition) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			_, err := dckrr.Config{Local: local, Given: p}.Fit(ctx, x, values, nil)
			return err
		}
	}
	approximate := func(g meka.Given, c meka.Config) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			c.Kernel, c.Given = k, g
			_, err := c.Fit(ctx, x)
			return err
		}
	}
	columns := func(c pseudo.Config) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			c.Kernel, c.M = k, 3
			_, err := c.Fit(ctx, x)
			return err
		}
	}
	waves := func(c rff.Config) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			c.Kernel = k
			_, err := c.Fit(ctx, x)
			return err
		}
	}
	ensemble := func(c nystrom.Ensemble) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			c.Kernel, c.Fitted = k, true
			_, err := c.Fit(ctx, x)
			return err
		}
	}
	parts := kmeans.Partition{Labels: label}
	block := rff.Block{B: []float64{1, -1}, P: []int{1, 0}, G: []float64{1, 2}, Chi: []float64{1, 1}}
	repeated := block
	repeated.P = []int{0, 0}
	short := block
	short.Chi = []float64{1}
	for _, c := range []struct {
		name, field string
		fit         func(ctx context.Context) error
	}{
		{"too few labels", "Given.Labels", divided(kmeans.Partition{Labels: label[1:]})},
		{"a negative label", "Given.Labels", divided(kmeans.Partition{Labels: append([]int{-1}, label[1:]...)})},
		{"a part without a row", "Given.Labels", divided(kmeans.Partition{Labels: append([]int{3}, label[1:]...)})},
		{"a label that the router does not have", "Given.Labels", divided(kmeans.Partition{Labels: append([]int{2}, label[1:]...), Router: kmeans.NewModel(normal(204, 2, d, 1))})},
		{"a router of other columns", "Given.Router", divided(kmeans.Partition{Router: wide})},
		{"another number of parts", "Parts", func(ctx context.Context) error {
			_, err := dckrr.Random{Local: local, Parts: 3, Given: parts}.Fit(ctx, x, values, nil)
			return err
		}},
		{"clusters that are not centers", "Given.Router", func(ctx context.Context) error {
			_, err := bka.SVM{Machine: machine, Partition: bka.Partition{Given: kmeans.Partition{Router: kk}}}.Fit(ctx, x, y, nil)
			return err
		}},
		{"balance of what is given", "Balance", func(ctx context.Context) error {
			_, err := bka.Config{Kernel: k, Partition: bka.Partition{Given: parts, Balance: 2}}.Fit(ctx, x)
			return err
		}},
		{"leaves that are not centers", "Given.Router", func(ctx context.Context) error {
			_, err := dcpred.Config{Kernel: k, Given: kmeans.Partition{Router: kk}}.FitValues(ctx, x, values, nil)
			return err
		}},
		{"labels of a level", "Given.Labels", func(ctx context.Context) error {
			_, _, err := dcsvm.Config{Machine: machine, Given: []kmeans.Partition{{Labels: label[:3]}}}.Fit(ctx, x, y, nil)
			return err
		}},
		{"nothing for a level", "Given", func(ctx context.Context) error {
			_, _, err := dcsvm.Config{Machine: machine, Given: []kmeans.Partition{{}}}.Fit(ctx, x, y, nil)
			return err
		}},
		{"landmarks without a partition", "Given.Landmarks", approximate(meka.Given{Landmarks: []*mat.Dense{x, x}}, meka.Config{})},
		{"landmarks of other columns", "Given.Landmarks", approximate(meka.Given{Partition: parts, Landmarks: []*mat.Dense{normal(1, 2, 3, 1), nil}}, meka.Config{})},
		{"a root without landmarks", "Given.Roots", approximate(meka.Given{Partition: parts, Roots: []*mat.Dense{normal(1, 2, 2, 1), nil}}, meka.Config{})},
		{"a root of other rows", "Given.Roots", approximate(meka.Given{Partition: parts, Landmarks: []*mat.Dense{x, x}, Roots: []*mat.Dense{normal(1, 3, 2, 1), nil}}, meka.Config{})},
		{"a sample of another cluster", "Given.Samples", approximate(meka.Given{Partition: parts, Samples: []meka.Sample{{Rows: []int{1}}, {}}}, meka.Config{})},
		{"weights of a sample", "Given.Samples", approximate(meka.Given{Partition: parts, Samples: []meka.Sample{{Rows: []int{0, 2}, Weights: []float64{1}}, {}}}, meka.Config{})},
		{"pairs of landmarks that are not there", "Given.Pairs", columns(pseudo.Config{Given: pseudo.Given{Pairs: [][2]int{{0, 3}}}})},
		{"pairs for distances", "Given.Pairs", columns(pseudo.Config{Kind: pseudo.Mid, Given: pseudo.Given{Pairs: [][2]int{{0, 1}}}})},
		{"points for products", "Given.Points", columns(pseudo.Config{Given: pseudo.Given{Points: normal(1, 2, d, 1)}})},
		{"points of other columns", "Given.Points", columns(pseudo.Config{Kind: pseudo.Mid, Given: pseudo.Given{Points: normal(1, 2, 3, 1)}})},
		{"rows that are not ascending", "Given.Sample", columns(pseudo.Config{Given: pseudo.Given{Sample: []int{3, 2}}})},
		{"frequencies of other columns", "Given.Omega", waves(rff.Config{Given: rff.Given{Omega: normal(1, 4, 3, 1)}})},
		{"another number of frequencies", "M", waves(rff.Config{M: 5, Given: rff.Given{Omega: normal(1, 4, d, 1)}})},
		{"blocks for others than Fastfood", "Given.Blocks", waves(rff.Config{Given: rff.Given{Blocks: []rff.Block{block}}})},
		{"no permutation", "Given.Blocks[0].P", waves(rff.Config{Frequencies: rff.Fastfood, Given: rff.Given{Blocks: []rff.Block{repeated}}})},
		{"a short diagonal", "Given.Blocks[0].Chi", waves(rff.Config{Frequencies: rff.Fastfood, Given: rff.Given{Blocks: []rff.Block{short}}})},
		{"an expert without landmarks", "Given.Experts", ensemble(nystrom.Ensemble{Given: nystrom.Given{Experts: []landmark.Fixed{{}}}})},
		{"an expert of other columns", "Given.Experts", ensemble(nystrom.Ensemble{Given: nystrom.Given{Experts: []landmark.Fixed{{U: normal(1, 2, 3, 1)}}}})},
		{"held-out rows that are not there", "Given.HeldOut", ensemble(nystrom.Ensemble{Given: nystrom.Given{HeldOut: []int{n}}})},
		{"another number of landmarks than are fixed", "M", func(ctx context.Context) error {
			_, err := nystrom.Config{Kernel: k, M: 4, Landmarks: landmark.Fixed{U: x}}.Fit(ctx, x)
			return err
		}},
		{"another number of seeds than are fixed", "M", func(ctx context.Context) error {
			_, err := fastnys.Config{Kernel: k, Rows: 2, M: 4, Seeds: landmark.Fixed{U: x}}.Fit(ctx, x)
			return err
		}},
		{"a preconditioner of more landmarks than are fixed", "M", func(ctx context.Context) error {
			_, err := krr.Config{Kernel: k, Solver: krr.CG, M: 3, Landmarks: landmark.Fixed{Index: []int{1, 2}}, NoBias: true}.Fit(ctx, x, values, nil)
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var ce *gram.ConfigError
			if err := c.fit(t.Context()); !errors.As(err, &ce) || ce.Field != c.field || ce.Want == "" {
				t.Errorf("error %v, want one of the field %s", err, c.field)
			}
		})
	}
}

// Models return their ingredients in the form in which they are given: a fit with them is
// the same fit.
func TestIngredientsOfModels(t *testing.T) {
	const n = 60
	x, _ := groups(211, n, 3, 3)
	z := normal(212, 10, 3, 2)
	v := target(213, x)
	y, _ := signs(v)
	k := kernel.Gaussian{Gamma: 0.3}
	ctx := t.Context()

	divided := dckrr.Config{Local: krr.Config{Kernel: k, NoBias: true}, Parts: 3, Soft: 2}
	f := must.Have(divided.Fit(ctx, x, v, nil))(t)
	divided.Given = f.Given()
	again := must.Have(divided.Fit(ctx, x, v, nil))(t)
	agree(t, "DC-KRR", again.PredictAll(nil, z), f.PredictAll(nil, z))

	machines := bka.SVM{Machine: svm.Config{Kernel: k}, Partition: bka.Partition{Clusters: 3, Balance: 1.5}}
	s := must.Have(machines.Fit(ctx, x, y, nil))(t)
	machines.Partition = bka.Partition{Given: s.Given()}
	other := must.Have(machines.Fit(ctx, x, y, nil))(t)
	agree(t, "BKA-SVM, the router is a tree", other.Scores(nil, z), s.Scores(nil, z))

	_, stats := must.Have2(dcsvm.Config{Machine: svm.Config{Kernel: k}, Levels: gram.Set(2), Branch: 2}.Fit(ctx, x, y, nil))(t)
	var given []kmeans.Partition
	for _, l := range stats.Levels {
		if l.Labels != nil {
			given = append(given, kmeans.Partition{Labels: l.Labels})
		}
	}
	_, same := must.Have2(dcsvm.Config{Machine: svm.Config{Kernel: k}, Given: given}.Fit(ctx, x, y, nil))(t)
	for l := range given {
		agree(t, "DC-SVM, duals of a level", scalar(same.Levels[l].Objective), scalar(stats.Levels[l].Objective))
	}

	ens := nystrom.Ensemble{Config: nystrom.Config{Kernel: k, M: 5, Landmarks: landmark.Uniform{}}, Fitted: true, HeldOut: 20}
	e := must.Have(ens.Fit(ctx, x))(t)
	ens.M, ens.HeldOut, ens.Given = 0, 0, e.Given()
	e2 := must.Have(ens.Fit(ctx, x))(t)
	agree(t, "ensemble, weights", column(e2.Weights()), column(e.Weights()))

	columns := pseudo.Config{Kernel: k, M: 4, P: 3, Kind: pseudo.Lower, Sample: 30}
	p := must.Have(columns.Fit(ctx, x))(t)
	columns.Given, columns.Landmarks = p.Given(), landmark.Fixed{U: p.Columns().Landmarks()}
	p2 := must.Have(columns.Fit(ctx, x))(t)
	agree(t, "pseudo-landmarks", p2.Map(nil, z), p.Map(nil, z))

	for _, c := range []rff.Config{{}, {Frequencies: rff.Fastfood}} {
		c.Kernel, c.M = k, 7
		w := must.Have(c.Fit(ctx, x))(t)
		c.Given = w.Given()
		w2 := must.Have(c.Fit(ctx, x))(t)
		agree(t, strings.ToUpper(c.Frequencies.String()), w2.Map(nil, z), w.Map(nil, z))
	}
	tree := must.Have(kmeans.Tree{Branch: 2, Leaf: 10}.Fit(ctx, x))(t)
	first, centers := tree.Nodes()
	rebuilt := must.Have(kmeans.NewTree(2, first, centers))(t)
	if !slices.Equal(rebuilt.Assign(nil, z), tree.Assign(nil, z)) {
		t.Error("a tree of the same nodes sends rows elsewhere")
	}
	if _, err := kmeans.NewTree(2, []int{1, 0}, normal(1, 2, 3, 1)); err == nil {
		t.Error("a tree with one child is no error")
	}
	if v := mat.Max(p.Map(nil, z)); math.IsNaN(v) {
		t.Error("NaN")
	}
}
