package gbml

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/internal/bins"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// problem has n rows of d numbers and labels that depend on them; some labels
// are rare.
func problem(seed uint64, n, d, labels int) (*mat.Dense, *sparse.CSR) {
	r := rng.New(seed, 0)
	x, w := mat.NewDense(n, d, nil), mat.NewDense(d, labels, nil)
	for j := range d {
		for l := range labels {
			w.Set(j, l, r.NormFloat64())
		}
	}
	for i := range n {
		for j := range d {
			x.Set(i, j, math.Round(8*r.NormFloat64())/8)
		}
	}
	var s mat.Dense
	s.Mul(x, w)
	y := mat.NewDense(n, labels, nil)
	for i := range n {
		for l := range labels {
			if s.At(i, l) > 1+0.2*float64(l)+r.NormFloat64() {
				y.Set(i, l, 1)
			}
		}
	}
	return x, sparse.FromDense(y)
}

// forestOf is the forest of a model in double precision.
func forestOf(m *Model) *forest[float64] { return &m.trees.(*part[float64]).forest }

// Every split is the best of all columns and thresholds and every leaf holds the
// Keep largest means, by the definitions on dense residuals, and what the model
// predicts on the rows of the fit is what the fit subtracted.
func TestAgainstDense(t *testing.T) {
	algotest.Serial(t)
	const n, labels = 260, 9
	for seed := range uint64(4) {
		x, y := problem(seed, n, 5, labels)
		c := Config{Trees: 3, Shrinkage: 0.5, Depth: 3, MinRows: 12, Lambda: gram.Set(0.5), Keep: 4, Bins: 256, Projection: leml.Config{Rank: 3}}
		m := must.Have(c.Fit(context.Background(), x, y))(t)
		f := forestOf(m)
		z := make([][]float64, n)
		for i := range z {
			z[i] = make([]float64, 3)
			project(&m.trees.(*part[float64]).p, z[i], gram.Of(x), i)
		}
		res := y.Dense()
		worth := func(rows []int) float64 {
			var v float64
			for l := range labels {
				var s float64
				for _, i := range rows {
					s += res.At(i, l)
				}
				v += s * s
			}
			return v / (c.Lambda.Value() + float64(len(rows)))
		}
		var walk func(at int32, rows []int, depth int)
		walk = func(at int32, rows []int, depth int) {
			best := 0.0
			if depth < 3 {
				for j := range 3 {
					for _, k := range rows {
						var l, r []int
						for _, i := range rows {
							if z[i][j] <= z[k][j] {
								l = append(l, i)
							} else {
								r = append(r, i)
							}
						}
						if len(l) >= 12 && len(r) >= 12 {
							best = max(best, worth(l)+worth(r)-worth(rows))
						}
					}
				}
			}
			child := f.child[at]
			if child >= 0 {
				var l, r []int
				for _, i := range rows {
					if z[i][f.feature[at]] <= f.threshold[at] {
						l = append(l, i)
					} else {
						r = append(r, i)
					}
				}
				if gain := worth(l) + worth(r) - worth(rows); !(gain >= best-1e-10*(1+best)) || len(l) < 12 || len(r) < 12 {
					t.Fatalf("seed %d: a split of %d and %d rows gains %v, the best %v", seed, len(l), len(r), gain, best)
				}
				walk(child, l, depth+1)
				walk(child+1, r, depth+1)
				return
			}
			if !(best <= 1e-10) {
				t.Fatalf("seed %d: a leaf of %d rows at depth %d has a split that gains %v", seed, len(rows), depth, best)
			}
			type mean struct {
				l int
				v float64
			}
			var means []mean
			for l := range labels {
				var s float64
				for _, i := range rows {
					s += res.At(i, l)
				}
				means = append(means, mean{l, s / (c.Lambda.Value() + float64(len(rows)))})
			}
			slices.SortStableFunc(means, func(a, b mean) int {
				if math.Abs(a.v) > math.Abs(b.v)+1e-9 {
					return -1
				}
				if math.Abs(a.v) < math.Abs(b.v)-1e-9 {
					return 1
				}
				return 0
			})
			got := map[int]float64{}
			label, value := f.leaf(^child)
			for q, l := range label {
				got[int(l)] = value[q]
			}
			for k, w := range means {
				v, kept := got[w.l]
				if kept != (k < 4 && math.Abs(w.v) > 1e-12) {
					// Round-off may swap labels that are as good.
					if !(math.Abs(math.Abs(w.v)-math.Abs(means[3].v)) <= 1e-12) {
						t.Fatalf("seed %d: label %d, number %d, is kept: %v", seed, w.l, k, kept)
					}
				} else if kept && !(math.Abs(v-0.5*w.v) <= 1e-12) {
					t.Fatalf("seed %d: label %d has %v, want %v", seed, w.l, v, 0.5*w.v)
				}
			}
			for _, i := range rows {
				for q, l := range label {
					res.Set(i, int(l), res.At(i, int(l))-value[q])
				}
			}
		}
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		for k, root := range f.roots {
			walk(root, all, 0)
			norm := mat.Norm(res, 2)
			if got := m.stats.Loss[k+1]; !(math.Abs(got-norm*norm/n) <= 1e-12*got) {
				t.Fatalf("seed %d: loss %v after tree %d, want %v", seed, got, k, norm*norm/n)
			}
			if !(m.stats.Loss[k+1] <= m.stats.Loss[k]) {
				t.Errorf("the loss rose")
			}
		}
		// F of the rows is Y minus the residual.
		for i, list := range m.Top(nil, x, labels) {
			for _, s := range list {
				if want := y.At(i, s.Label) - res.At(i, s.Label); !(math.Abs(s.Score-want) <= 1e-12) {
					t.Fatalf("row %d, label %d: score %v, want %v", i, s.Label, s.Score, want)
				}
			}
		}
	}
}

// Residuals never have more entries than a row's labels and Keep for each tree.
func TestResidualsStaySparse(t *testing.T) {
	x, y := problem(1, 400, 6, 40)
	m := must.Have(Config{Trees: 5, MinRows: 20, Keep: 3, Projection: leml.Config{Rank: 4}}.Fit(context.Background(), x, y))(t)
	for k, e := range m.Stats().ResidualEntries {
		if limit := y.NNZ() + 400*3*k; e > limit {
			t.Errorf("%d entries after %d trees, at most %d", e, k, limit)
		}
	}
	if s := m.Stats(); s.Trees != 5 || s.Leaves != len(forestOf(m).ptr)-1 || s.Leaves < 10 {
		t.Errorf("%d trees with %d leaves", s.Trees, s.Leaves)
	}
}

// The norms that a sweep carries along equal those of the sums.
func TestSweepNorms(t *testing.T) {
	x, y := problem(5, 300, 2, 30)
	tab := must.Have(bins.Make(context.Background(), 1, gram.Of(x), 64, 1, nil))(t)
	c := Config{Lambda: gram.Set(1.), MinRows: 1}
	g := newGrower(context.Background(), c, tab, 30)
	for i := range g.rows {
		g.rows[i] = int32(i)
	}
	res := newResidual(y)
	for i := range res.blocks[0].value {
		res.blocks[0].value[i] = float64(i%7) - 2.5
	}
	rows := g.rows[40:260]
	g.gather(rows, res)
	got := must.Have(g.best(rows, []int{1}))(t)
	best, at := 0.0, -1
	for b := range tab.Bins(1) - 1 {
		var sums [2][30]float64
		var count [2]float64
		for _, i := range rows {
			side := 0
			if int(tab.Narrow[1][i]) > b {
				side = 1
			}
			count[side]++
			label, value := res.row(i)
			for q, l := range label {
				sums[side][l] += value[q]
			}
		}
		var v, all float64
		for l := range 30 {
			for s := range 2 {
				v += sums[s][l] * sums[s][l] / (1 + count[s])
			}
			all += math.Pow(sums[0][l]+sums[1][l], 2) / (1 + count[0] + count[1])
		}
		if count[0] > 0 && count[1] > 0 && v-all > best+1e-9 {
			best, at = v-all, b
		}
	}
	if got.bin != at || !(math.Abs(got.gain-best) < 1e-9*best) {
		t.Errorf("split after bin %d gains %v, want %d and %v", got.bin, got.gain, at, best)
	}
}

func TestThresholdBetweenFloats(t *testing.T) {
	a := float32(1)
	b := math.Nextafter32(a, 2)
	var f forest[float32]
	m := f.begin()
	f.split(m.root(), 0, float64(a)/2+float64(b)/2, 1)
	if v := f.threshold[0]; !(a <= v && v < b) {
		t.Errorf("threshold %v between %v and %v", v, a, b)
	}
}

// The first trees of a fit are the trees of a smaller one, and nothing else.
func TestFewerTrees(t *testing.T) {
	x, y := problem(4, 120, 6, 9)
	fit := func(trees int) *Model {
		m := must.Have(Config{Trees: trees, MinRows: 5, ColumnSample: .5}.Fit(context.Background(), x, y))(t)
		return m
	}
	a, b := fit(7).First(4), fit(4)
	if !reflect.DeepEqual(forestOf(a), forestOf(b)) {
		t.Error("the first trees are not those of a smaller fit, or more is kept than they need")
	}
	if s := a.Stats(); s.Trees != 4 || s.Leaves != b.Stats().Leaves {
		t.Errorf("%d trees with %d leaves, want 4 with %d", s.Trees, s.Leaves, b.Stats().Leaves)
	}
	got, want := a.Top(nil, x, 5), b.Top(nil, x, 5)
	for i := range got {
		if !slices.Equal(got[i], want[i]) {
			t.Fatalf("row %d: %v, want %v", i, got[i], want[i])
		}
	}
	for _, trees := range []int{-1, 5} {
		if p := must.Recovered(func() { a.First(trees) }); p != "gbml: the model does not have so many trees" {
			t.Errorf("the first %d trees of 4: panic %v", trees, p)
		}
	}
	if none := a.First(0); len(none.Top(nil, x, 5)[0]) != 0 || len(forestOf(none).child) != 0 {
		t.Error("no trees are not empty")
	}
}

// A row visits one leaf of every tree, which has as many labels as the others, and compares once for each level above it.
func TestCost(t *testing.T) {
	for name, c := range map[string]struct {
		leaves []int32 // where the labels of each leaf begin
		trees  int
		want   float64
	}{
		"one leaf":          {[]int32{0, 3}, 1, 3},
		"trees of one leaf": {[]int32{0, 2, 4}, 2, 4},
		"a tree of four":    {[]int32{0, 1, 2, 3, 8}, 1, 4},
		"two trees of two":  {[]int32{0, 1, 2, 3, 4}, 2, 4},
		"no trees":          {[]int32{0}, 0, 0},
	} {
		p := part[float64]{forest: forest[float64]{roots: make([]int32, c.trees), ptr: c.leaves, label: make([]int32, c.leaves[len(c.leaves)-1])}}
		if got := p.cost(9).Flops; got != c.want {
			t.Errorf("%s: %v flops a row, want %v", name, got, c.want)
		}
	}
}

// Rows beyond those that all columns are cut by are drawn from a stream of their own.
func TestBinsAreDrawn(t *testing.T) {
	x := algotest.Problem(3, 200_001, 1, 3).X
	algotest.Draws(t, "many rows", []string{"gbml bins"}, nil, func(run gram.Run) {
		p := projection[float64]{d: 1, k: 1}
		if _, err := p.table(t.Context(), Config{Bins: 4, Run: run}, gram.Of(x)); err != nil {
			t.Error(err)
		}
	})
}

func TestContract(t *testing.T) {
	at := func(run gram.Run) Config {
		return Config{Trees: 4, MinRows: 5, Keep: 3, Projection: leml.Config{Rank: 1, Rounds: 3}, Run: run}
	}
	wrap := algotest.Ranking[*Model](0)
	algotest.Check(t, algotest.Subject{
		Kind: algotest.MultiLabel,
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			return wrap(at(run).Fit(ctx, d.X, d.Tags))
		},
		Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(run).Plan(s) },
		Decode:   func(f *modelfile.File) (*algotest.Model, error) { return wrap(Decode(f)) },
		Golden:   "gbml.v2.gram",
		Older:    []string{"gbml.v1.gram"},
		DenseNaN: true,
		Kept:     20, // trees may grow larger
		Random:   []string{"gbml projection", "seed"},
		Memory:   gram.Shape{N: 100_000, D: 8, Outputs: 5},
	})
}
