package rfm

import (
	"bytes"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// categories returns rows of some numbers and then categories with so many levels each, as columns of 0 and 1; the first level of a category
// has more than half of the rows, one row in twenty has none, and some rows have other numbers there.
func categories(n, numbers int, levels []int, others bool, seed uint64) (x, y *mat.Dense, groups [][]int) {
	r, effect := rng.New(seed, 3), rng.New(1, 4)
	d := numbers
	var strength [][]float64
	for _, k := range levels {
		var group []int
		own := make([]float64, k)
		for j := range k {
			group = append(group, d+j)
			own[j] = effect.NormFloat64()
		}
		groups, strength = append(groups, group), append(strength, own)
		d += k
	}
	x, y = mat.NewDense(n, d, nil), mat.NewDense(n, 2, nil)
	for i := range n {
		sum := 0.
		for k := range numbers {
			v := r.NormFloat64()
			x.Set(i, k, v)
			sum += math.Sin(v + float64(k))
		}
		for g, group := range groups {
			k := r.IntN(2*len(group)) % (len(group) + r.IntN(2)*(1-len(group)))
			switch {
			case r.IntN(20) == 0:
				continue
			case others && r.IntN(15) == 0:
				for _, j := range group {
					x.Set(i, j, math.Round(8*r.Float64())/8)
				}
				continue
			}
			x.Set(i, group[k], 1)
			sum += strength[g][k]
		}
		y.Set(i, 0, math.Sin(sum))
		y.Set(i, 1, sum*sum/4)
	}
	return x, y, groups
}

// standardized subtracts the means of the columns and divides by their deviations.
func standardized(x *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	out := mat.NewDense(n, d, nil)
	for k := range d {
		mean, square := mat.Sum(x.ColView(k))/float64(n), 0.
		for i := range n {
			square += (x.At(i, k) - mean) * (x.At(i, k) - mean)
		}
		for i := range n {
			out.Set(i, k, (x.At(i, k)-mean)/math.Sqrt(max(square/float64(n), 1e-300)))
		}
	}
	return out
}

// With tables of the distances of levels all that a fit computes is what it is with products of the columns: distances, coefficients, metrics of
// two rounds, the held-out loss, and predictions of rows with known and unknown levels and of rows that have other numbers there.
func TestLevelsAreProducts(t *testing.T) {
	const n = 160
	for name, of := range map[string]struct {
		numbers          int
		levels           []int
		others, standard bool
	}{
		"codes":        {3, []int{3, 12}, false, false},
		"other rows":   {3, []int{3, 12}, true, false},
		"standardized": {2, []int{2, 15}, true, true},
		"no numbers":   {0, []int{5, 7}, true, false},
	} {
		x, y, groups := categories(n+60, of.numbers, of.levels, of.others, 5)
		if of.standard {
			x = standardized(x)
		}
		_, d := x.Dims()
		train, other := x.Slice(0, n, 0, d).(*mat.Dense), mat.DenseCopyOf(x.Slice(n, n+60, 0, d))
		other.Set(0, d-1, .3) // neither of the levels
		c := Config{Given: Given{Groups: groups}}
		l := c.layout(train)
		if len(l.coded()) != len(groups) {
			t.Fatalf("%s: %d categories", name, len(l.coded()))
		}
		w := make([]float64, n)
		for i := range w {
			w[i] = 1 + float64(i%3)
		}
		own := func(l *layout) *part {
			p := l.part(train, y.Slice(0, n, 0, 2).(*mat.Dense), w, 1, gram.Run{}.Meter())
			p.held, p.want = other, y.Slice(n, n+60, 0, 2).(*mat.Dense)
			return p
		}
		for _, metric := range []Metric{Full, Diagonal, Manhattan} {
			p, plain := own(l), own(&layout{d: d, groups: c.groups(d)})
			at, _ := c.start(t.Context(), metric, d, l)
			want, _ := c.start(t.Context(), metric, d, plain.layout)
			for round := range 3 {
				f := must.Have(p.fit(t.Context(), at, 2, true, 1e-2))(t)
				for i := range n {
					for j := range i {
						eval := distance(metric, want, train, i, j)
						if v := p.space.At(i, j); !(math.Abs(v-eval) <= 1e-12*max(1, eval)) && !(math.Abs(v*v-eval*eval) <= 1e-14) {
							t.Fatalf("%s, %v, round %d: distance of %d and %d is %v, not %v", name, metric, round, i, j, v, eval)
						}
					}
				}
				g := must.Have(plain.fit(t.Context(), want, 2, true, 1e-2))(t)
				if e, off := apart(f.alpha, g.alpha), math.Abs(f.loss-g.loss)/g.loss; !(e <= 1e-9) || !(off <= 1e-9) {
					t.Errorf("%s, %v, round %d: coefficients apart by %v, losses by %v", name, metric, round, e, off)
				}
				usual := &trial{metric: metric, length: 2, lambda: 1e-2}
				m := c.model(p, f, usual, Stats{})
				values := m.PredictAll(nil, other)
				if e := apart(values, c.model(plain, g, usual, Stats{}).PredictAll(nil, other)); !(e <= 1e-9) {
					t.Errorf("%s, %v, round %d: predictions apart by %v", name, metric, round, e)
				}
				alike(t, name, m, other, values)
				next, wanted := must.Have(p.agop(t.Context(), f, metric == Full))(t), must.Have(plain.agop(t.Context(), g, metric == Full))(t)
				if e := apart(l.whole(next), plain.layout.whole(wanted)); !(e <= 1e-8) {
					t.Errorf("%s, %v, round %d: metrics apart by %v", name, metric, round, e)
				}
				at, _ = newMapping(t.Context(), metric, l.parts(plain.layout.whole(wanted)))
				want, _ = newMapping(t.Context(), metric, wanted)
				for k := range at.values {
					if !(math.Abs(at.values[k]-want.values[k]) <= 1e-9) {
						t.Errorf("%s, %v: eigenvalues %v, not %v", name, metric, at.values, want.values)
					}
				}
			}
		}
	}
}

// distance is that of two rows by definition.
func distance(metric Metric, at mapping, x *mat.Dense, i, j int) float64 {
	var diff mat.Dense
	_, d := x.Dims()
	diff.Sub(x.Slice(i, i+1, 0, d), x.Slice(j, j+1, 0, d))
	z := at.rows(&diff).RawRowView(0)
	sum := 0.
	for _, v := range z {
		if metric == Manhattan {
			sum += math.Abs(v)
		} else {
			sum += v * v
		}
	}
	if metric == Manhattan {
		return sum
	}
	return math.Sqrt(sum)
}

// alike checks that the machine on mapped rows, the program in float32 and the model from a file are the function of m.
func alike(t *testing.T, name string, m *Model, x, values *mat.Dense) {
	t.Helper()
	var z, square mat.Dense
	root := m.Map()
	z.Mul(x, root)
	if e := apart(m.Machine().PredictAll(nil, &z), values); !(e <= 1e-6) {
		t.Errorf("%s: the machine is apart by %v", name, e)
	}
	square.Mul(root, root.T())
	if e := apart(&square, m.Metric()); !(e <= 1e-11) {
		t.Errorf("%s: the map's product is apart from the metric by %v", name, e)
	}
	n, k := values.Dims()
	small, short := must.Have(m.Program32())(t), program.Rows[float32](x)
	got := gram.Rows[float32]{Data: make([]float32, n*k), N: n, D: k, Stride: k}
	small.Rows(got, gram.Dense(short))
	single := mat.NewDense(n, k, nil)
	for i := range n {
		for l, v := range got.Row(i) {
			single.Set(i, l, float64(v))
		}
	}
	if e := apart(single, values); !(e <= 1e-3) {
		t.Errorf("%s: float32 is apart by %v", name, e)
	}
	var b bytes.Buffer
	must.Do(t, modelfile.Write(&b, m))
	f := must.Have(modelfile.Read(bytes.NewReader(b.Bytes())))(t)
	if again := must.Have(Decode(f))(t); !mat.Equal(again.PredictAll(nil, x), values) {
		t.Errorf("%s: the model from a file is another one", name)
	}
}

// A row without a level has the distance of a row of zeros, whatever levels there were, and a row with NaN has no value.
func TestUnknownLevel(t *testing.T) {
	x, y, groups := categories(200, 2, []int{6}, false, 3)
	for i := range 200 {
		if mat.Sum(x.Slice(i, i+1, 2, 8)) == 0 {
			x.Set(i, 2, 1) // all levels are known
		}
	}
	for _, metric := range []Metric{Full, Diagonal, Manhattan} {
		c := Config{Metric: metric, Length: gram.Set(1.), Lambda: gram.Set(.01), Rounds: gram.Set(2), Given: Given{Groups: groups}}
		m := must.Have(c.FitAll(t.Context(), x, y, nil))(t)
		row := mat.NewDense(2, 8, []float64{.3, -.2, 0, 0, 0, 0, 0, 0, .3, math.NaN(), 1, 0, 0, 0, 0, 0})
		got := m.PredictAll(nil, row)
		metricOf := m.Metric()
		want := append([]float64{}, m.levels.bias...)
		n, _ := m.levels.alpha.Dims()
		for j := range n {
			sum, diff := 0., mat.NewVecDense(8, nil)
			diff.SubVec(row.RowView(0), x.RowView(j))
			if metric == Manhattan {
				for k := range 8 {
					sum += math.Sqrt(metricOf.At(k, k)) * math.Abs(diff.AtVec(k))
				}
			} else {
				sum = math.Sqrt(mat.Inner(diff, metricOf, diff))
			}
			for l := range want {
				want[l] += m.levels.alpha.At(j, l) * math.Exp(-sum/m.levels.length)
			}
		}
		for l, v := range want {
			if !(math.Abs(got.At(0, l)-v) <= 1e-9) || !math.IsNaN(got.At(1, l)) {
				t.Errorf("%v: %v, not %v and NaN", metric, mat.Formatted(got), want)
			}
		}
	}
}

// Columns that are given as a group and hold many different rows are computed as columns, and so are groups that a given metric joins.
func TestNoLevels(t *testing.T) {
	x, _ := problem(60, 4, 2)
	if l := (Config{Given: Given{Groups: [][]int{{0, 1}, {3}}}}).layout(x); len(l.coded()) > 0 || l.numbers != nil {
		t.Errorf("%+v", l)
	}
	x, _, groups := categories(60, 2, []int{3, 4}, false, 2)
	joined := mat.NewSymDense(9, nil)
	joined.SetSym(1, 3, .5)
	if l := (Config{Given: Given{Groups: groups, Metric: joined}}).layout(x); len(l.coded()) != 1 || len(l.numbers) != 5 || l.categories[0].columns[0] != 5 {
		t.Errorf("%+v", l)
	}
}

// A fit with categories gives the same bits for any workers; a metric of one category finds its levels, and a tree takes categories.
func TestLevelsFit(t *testing.T) {
	x, y, groups := categories(300, 2, []int{8, 3}, true, 6)
	for _, leaf := range []int{1000, 100} {
		c := Config{Rounds: gram.Set(2), Leaf: gram.Set(leaf), Given: Given{Groups: groups}}
		var first *mat.Dense
		for _, workers := range []int{1, 3} {
			c.Workers = workers
			m := must.Have(c.FitAll(t.Context(), x, y, nil))(t)
			some := m
			if m.Leaves() != nil {
				some = m.Leaves()[0]
			}
			if some.levels == nil || (m.Leaves() == nil) != (leaf == 1000) {
				t.Fatalf("%d leaves, no categories", len(m.Leaves()))
			}
			if sum := mat.Sum(mat.NewVecDense(13, m.Importance())); !(math.Abs(sum-1) <= 1e-12) {
				t.Errorf("importances have the sum %v", sum)
			}
			values := m.PredictAll(nil, x)
			if first == nil {
				first = values
			} else if !mat.Equal(first, values) {
				t.Errorf("leaf %d: other bits with %d workers", leaf, workers)
			}
		}
	}
}

// A file of a model with categories whose content was changed is refused, or is a model that predicts.
func TestLevelsCorrupted(t *testing.T) {
	x, y, groups := categories(60, 2, []int{4, 3}, true, 6)
	for _, metric := range []Metric{Full, Manhattan} {
		c := Config{Metric: metric, Length: gram.Set(1.), Lambda: gram.Set(.1), Rounds: gram.Set(1), Given: Given{Groups: groups}}
		t.Run(metric.String(), func(t *testing.T) {
			algotest.AtGeneric(t, func() {
				m := must.Have(c.FitAll(t.Context(), x, y, nil))(t)
				algotest.Corrupted(t, m, func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) }, x)
			})
		})
	}
}

// The plan of a fit with categories depends on the number of levels by the blocks of the metric alone.
func TestLevelsPlan(t *testing.T) {
	const n, levels = 1000, 300
	groups := [][]int{{}, {}}
	for k := range 2 * levels {
		groups[k/levels] = append(groups[k/levels], 8+k)
	}
	c := Config{Metric: Diagonal, Length: gram.Set(1.), Lambda: gram.Set(.1)}
	plan := func(d int) gram.Plan { return must.Have(c.Plan(gram.Shape{N: n, D: d}))(t) }
	products, ten := plan(8+2*levels), plan(10)
	c.Given.Groups = groups
	if p := plan(8 + 2*levels); !(math.Abs(p.Flops-ten.Flops) <= 1e-3*ten.Flops) || !(p.Flops < products.Flops/2) {
		t.Errorf("%g flops, %g for ten columns, %g by products", p.Flops, ten.Flops, products.Flops)
	}
	diagonal := plan(8 + 2*levels)
	c.Metric = Full
	if p := plan(8 + 2*levels); !(p.Flops >= diagonal.Flops+4*2*levels*levels*levels) || p.ModelBytes < diagonal.ModelBytes+8*2*levels*levels {
		t.Errorf("%+v, and with a diagonal %+v", p, diagonal)
	}
}

// The largest eigenvalues of the block of many levels are those of a full decomposition, as far as they are printed.
func TestTopOfBlock(t *testing.T) {
	const d = smallBlock + 20
	r := rng.New(3, 3)
	root := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			root.Set(i, j, r.NormFloat64()/float64(1+j))
		}
	}
	m := square{full: mat.NewDense(d, d, nil)}
	m.full.Mul(root, root.T())
	var want mat.EigenSym
	want.Factorize(mat.NewSymDense(d, m.full.RawMatrix().Data), false)
	for k, v := range must.Have(m.top(t.Context()))(t) {
		if w := want.Values(nil)[d-1-k]; !(math.Abs(v-w) <= 1e-5*w) {
			t.Errorf("eigenvalue %d is %v, not %v", k, v, w)
		}
	}
}
