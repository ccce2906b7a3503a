package calibration

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func labels(class []int, k int) gram.Labels {
	names := make([]string, k)
	for c := range names {
		names[c] = fmt.Sprint("c", c)
	}
	return gram.Labels{Class: class, Names: names}
}

// The sigmoid is where the gradient of the likelihood with Platt's targets vanishes, and it
// does not depend on the unit of the scores. A weight counts like copies of the row.
func TestPlatt(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{2, 7, 300} {
		scores, class, w := mat.NewDense(n, 1, nil), make([]int, n), make([]float64, n)
		var copies, big, low []float64
		var copied []int
		for i := range n {
			s := r.NormFloat64()
			if r.Float64() < 1/(1+math.Exp(-2*s+.5)) {
				class[i] = 1
			}
			scores.Set(i, 0, s)
			w[i] = float64(1 + r.IntN(3))
			for range int(w[i]) {
				copies, big, low, copied = append(copies, s), append(big, 1e6*s), append(low, 1e200*(s-9)), append(copied, class[i])
			}
		}
		class[0], copied[0] = 1-class[1], 1-class[1]
		for k := range int(w[0]) {
			copied[k] = class[0]
		}
		m := must.Have(Fit(Platt, scores, labels(class, 2), false, w))(t)
		g := m.Sigmoids()[0]
		var yes, no, ga, gb float64
		for _, c := range copied {
			yes += float64(c)
			no += float64(1 - c)
		}
		for i, s := range copies {
			target := 1 / (no + 2)
			if copied[i] == 1 {
				target = (yes + 1) / (yes + 2)
			}
			d := target - 1/(1+math.Exp(g.A*s+g.B))
			ga, gb = ga+s*d, gb+d
		}
		near(t, fmt.Sprintf("gradient at %d rows", n), math.Hypot(ga, gb), 0, 1e-7*float64(n))
		for _, v := range []struct {
			s           []float64
			unit, shift float64
		}{{copies, 1, 0}, {big, 1e6, 0}, {low, 1e200, 9}} {
			same := must.Have(Fit(Platt, mat.NewDense(len(v.s), 1, v.s), labels(copied, 2), false, nil))(t)
			h := same.Sigmoids()[0]
			near(t, "A", h.A*v.unit, g.A, 1e-6*(1+math.Abs(g.A)))
			near(t, "B", h.B, g.B+v.shift*g.A, 1e-6*(1+math.Abs(g.B)+v.shift*math.Abs(g.A)))
		}
	}
	// Scores without information give the frequency, smoothed.
	m := must.Have(Fit(Platt, mat.NewDense(4, 1, nil), labels([]int{0, 1, 1, 1}, 2), false, nil))(t)
	near(t, "probability without information", m.Probabilities(nil, mat.NewDense(1, 1, nil)).At(0, 1), (3*4./5+1./3)/4, 1e-9)
}

// Pooling adjacent violators gives max over j ≤ i of min over k ≥ i of the mean of the rows
// j … k, where rows of one score count together.
func TestIsotonic(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 60 {
		n := 2 + r.IntN(40)
		scores, class, w := mat.NewDense(n, 1, nil), make([]int, n), make([]float64, n)
		for i := range n {
			v := r.IntN(12)
			scores.Set(i, 0, float64(v))
			w[i] = float64(1+r.IntN(4)) / 2
			if r.IntN(12) < v {
				class[i] = 1
			}
		}
		class[0] = 1 - class[1]
		m := must.Have(Fit(Isotonic, scores, labels(class, 2), false, w))(t)
		mean := func(lo, hi float64) float64 {
			var yes, all float64
			for i := range n {
				if s := scores.At(i, 0); s >= lo && s <= hi {
					all += w[i]
					yes += w[i] * float64(class[i])
				}
			}
			return yes / all
		}
		values := mat.Col(nil, 0, scores)
		slices.Sort(values)
		values = slices.Compact(values)
		var total float64
		for _, v := range w {
			total += v
		}
		p := m.Probabilities(nil, mat.NewDense(len(values), 1, values))
		for i, v := range values {
			want := 0.0
			for _, lo := range values[:i+1] {
				least := 1.0
				for _, hi := range values[i:] {
					least = min(least, mean(lo, hi))
				}
				want = max(want, least)
			}
			near(t, fmt.Sprintf("value at %v", v), p.At(i, 1), min(max(want, 1/(total+2)), 1-1/(total+2)), 1e-12)
		}
		// Between two scores the function is linear, beyond them constant.
		for i := range values[1:] {
			half := m.Probabilities(nil, mat.NewDense(1, 1, []float64{(values[i] + values[i+1]) / 2}))
			near(t, "value between two scores", half.At(0, 1), (p.At(i, 1)+p.At(i+1, 1))/2, 1e-12)
		}
		far := m.Probabilities(nil, mat.NewDense(2, 1, []float64{-1e308, math.Inf(1)}))
		near(t, "value below", far.At(0, 1), p.At(0, 1), 0)
		near(t, "value above", far.At(1, 1), p.At(len(values)-1, 1), 0)
	}
}

// No other temperature has a larger likelihood, for a class score, a single score and pairs.
func TestTemperature(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, c := range []struct {
		classes int
		pairs   bool
	}{{2, false}, {4, false}, {4, true}} {
		const n = 300
		columns := functions(c.classes, c.pairs)
		scores, class := mat.NewDense(n, columns, nil), make([]int, n)
		for i := range n {
			class[i] = r.IntN(c.classes)
			for f := range columns {
				v := 3 * r.NormFloat64()
				switch {
				case columns == 1:
					v += float64(2*class[i] - 1)
				case c.pairs:
					if a, b := pairOf(f, c.classes); class[i] == a {
						v--
					} else if class[i] == b {
						v++
					}
				case f == class[i]:
					v++
				}
				scores.Set(i, f, v)
			}
		}
		m := must.Have(Fit(Temperature, scores, labels(class, c.classes), c.pairs, nil))(t)
		loss := func(beta float64) float64 {
			var sum float64
			for i, own := range class {
				row := scores.RawRowView(i)
				switch {
				case columns == 1:
					sum += math.Log1p(math.Exp(-beta * row[0] * float64(2*own-1)))
				case c.pairs:
					for f, v := range row {
						if a, b := pairOf(f, c.classes); own == a {
							sum += math.Log1p(math.Exp(beta * v))
						} else if own == b {
							sum += math.Log1p(math.Exp(-beta * v))
						}
					}
				default:
					var z float64
					for _, v := range row {
						z += math.Exp(beta * v)
					}
					sum += math.Log(z) - beta*row[own]
				}
			}
			return sum
		}
		beta := -m.Sigmoids()[0].A
		h := 1e-4 * beta
		near(t, fmt.Sprintf("%+v: derivative at %v", c, beta), (loss(beta+h)-loss(beta-h))/(2*h), 0, 1e-4)
		if !(beta > 0 && loss(beta) < loss(0)) {
			t.Errorf("%+v: beta is %v", c, beta)
		}
	}
	// Scores that always tell the class, and scores that never do.
	for _, c := range []struct {
		s    []float64
		want float64
	}{{[]float64{-1, -2, 1, 3}, 1}, {[]float64{1, 2, -1, -3}, .5}, {[]float64{0, 0, 0, 0}, .5}} {
		m := must.Have(Fit(Temperature, mat.NewDense(4, 1, c.s), labels([]int{0, 0, 1, 1}, 2), false, nil))(t)
		near(t, fmt.Sprintf("probability at %v", c.s), m.Probabilities(nil, mat.NewDense(1, 1, []float64{3})).At(0, 1), c.want, 1e-9)
	}
}

// Coupling solves the linear system of its conditions, and finds probabilities again from
// those within pairs.
func TestCouple(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 40 {
		k := 2 + r.IntN(9)
		within := make([]float64, functions(k, true))
		for f := range within {
			within[f] = r.Float64()
		}
		p := make([]float64, k)
		newCoupling(len(p)).solve(p, within)
		// The conditions are Qp = λ·1 and 1ᵀp = 1.
		a, b := mat.NewDense(k+1, k+1, nil), mat.NewVecDense(k+1, nil)
		b.SetVec(k, 1)
		f := 0
		for i := range k {
			a.Set(i, k, 1)
			a.Set(k, i, 1)
			for j := i + 1; j < k; j++ {
				rji := within[f]
				a.Set(i, i, a.At(i, i)+rji*rji)
				a.Set(j, j, a.At(j, j)+(1-rji)*(1-rji))
				a.Set(i, j, -rji*(1-rji))
				a.Set(j, i, -rji*(1-rji))
				f++
			}
		}
		var want mat.VecDense
		must.Do(t, want.SolveVec(a, b))
		for i, v := range p {
			near(t, fmt.Sprintf("class %d of %d", i, k), v, want.AtVec(i), 1e-9)
		}
		f = 0
		var sum float64
		for i := range p {
			p[i] = .05 + r.Float64()
			sum += p[i]
		}
		for i := range k {
			p[i] /= sum
		}
		for i := range k {
			for j := i + 1; j < k; j++ {
				within[f] = p[j] / (p[i] + p[j])
				f++
			}
		}
		again := make([]float64, k)
		newCoupling(len(again)).solve(again, within)
		for i, v := range again {
			near(t, "probability found again", v, p[i], 1e-9)
		}
	}
	// Pairs that are sure give a class that is sure, in a number of steps that is bounded.
	p := make([]float64, 30)
	within := make([]float64, functions(30, true))
	for f := range within {
		within[f] = 1
	}
	newCoupling(len(p)).solve(p, within)
	if !(p[29] > .999) {
		t.Errorf("the last class wins all pairs and has probability %v", p[29])
	}
}

// sums has a score for each class, or a function for each pair of classes, that is the sum
// of some columns and some noise.
type sums struct {
	k     int
	pairs bool
	odds  bool // scores of classes are log odds against the rest
	scale float64
}

func (s sums) Classes() []string                              { return labels(nil, s.k).Names }
func (s sums) Predict([]int, mat.Matrix) []int                { panic("not called") }
func (s sums) Pairs() bool                                    { return s.pairs }
func (s sums) Scores(_ *mat.Dense, x mat.Matrix) *mat.Dense   { return s.values(x) }
func (s sums) Values(dst *mat.Dense, x mat.Matrix) *mat.Dense { return s.values(x) }
func (s sums) values(x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	out := mat.NewDense(n, functions(s.k, s.pairs), nil)
	for i := range n {
		for f := range out.RawRowView(i) {
			v := x.At(i, f%s.k)
			switch {
			case s.k == 2:
				v = x.At(i, 1) - x.At(i, 0)
			case s.pairs:
				a, b := pairOf(f, s.k)
				v = x.At(i, b) - x.At(i, a)
			case s.odds:
				var rest float64
				for c := range s.k {
					if c != f {
						rest += math.Exp(x.At(i, c))
					}
				}
				v -= math.Log(rest)
			}
			out.Set(i, f, s.scale*v)
		}
	}
	return out
}

// Cross-fitted maps of every kind make probabilities that agree with frequencies on other
// rows, whatever the scale of the scores. The classes are drawn from the softmax of the
// columns, so that the best log loss is known.
func TestCrossFit(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	draw := func(n, k int) (*mat.Dense, []int, *mat.Dense) {
		x, class, p := mat.NewDense(n, k, nil), make([]int, n), mat.NewDense(n, k, nil)
		for i := range n {
			for c := range k {
				x.Set(i, c, 1.5*r.NormFloat64())
			}
			softmaxInto(p.RawRowView(i), x.RawRowView(i), 1)
			u := r.Float64()
			for u > p.At(i, class[i]) && class[i] < k-1 {
				u -= p.At(i, class[i])
				class[i]++
			}
		}
		return x, class, p
	}
	for _, c := range []sums{{k: 2, scale: 20}, {k: 3, scale: 20}, {k: 3, pairs: true, scale: .05}} {
		x, class, _ := draw(4000, c.k)
		y := labels(class, c.k)
		other, truth, best := draw(6000, c.k)
		for kind := Platt; kind <= Temperature; kind++ {
			c.odds = kind != Temperature
			folds := crossval.Folds(4000, 5, class, 1)
			m := must.Have(CrossFit(t.Context(), kind, y, nil, folds, func(context.Context, crossval.Split) (gram.Classifier, error) { return c, nil },
				func(index []int) mat.Matrix { return gram.Of(x).Select(index) }))(t)
			known := &Classifier{c, m}
			if got := Calibrated(known).Calibration(); got != m {
				t.Errorf("the map is %v, want %v", got, m)
			}
			p := known.Probabilities(nil, other)
			for i := range 6000 {
				near(t, "sum of the probabilities", mat.Sum(p.RowView(i)), 1, 1e-9)
			}
			if e := metric.CalibrationError(p, truth, 15); !(e < .035) {
				t.Errorf("%+v, %v: calibration error %.4f", c, kind, e)
			}
			if got, want := metric.LogLoss(p, truth), metric.LogLoss(best, truth); !(got < want+.06) {
				t.Errorf("%+v, %v: log loss %.4f, of the true probabilities %.4f", c, kind, got, want)
			}
			if raw := metric.CalibrationError(Softmax(c.k).Probabilities(nil, (sums{k: c.k, scale: 20}).values(other)), truth, 15); !(raw > .1) {
				t.Errorf("%+v: the scores are calibrated as they are: %.4f", c, raw)
			}
			// The stored map is the same.
			var file bytes.Buffer
			must.Do(t, modelfile.Write(&file, m))
			f := must.Have(modelfile.Read(&file))(t)
			again := must.Have(Decode(f))(t)
			if !mat.Equal(p, again.Probabilities(nil, Scores(c, other))) || again.Kind() != kind || again.Classes() != c.k || again.Pairs() != c.pairs {
				t.Errorf("%+v, %v: the map that was read says something else", c, kind)
			}
		}
	}
}

// A row of weight k is k copies of the row that are held out together, for maps of every kind.
func TestCrossFitWeightsAreCopies(t *testing.T) {
	const n, k = 90, 3
	r := rand.New(rand.NewPCG(7, 7))
	x, class, w := mat.NewDense(n, k, nil), make([]int, n), make([]float64, n)
	for i := range n {
		class[i], w[i] = r.IntN(k), float64(1+i%3)
		for c := range k {
			x.Set(i, c, r.NormFloat64())
		}
		x.Set(i, class[i], x.At(i, class[i])+1)
	}
	var copies, classes []int
	for i := range n {
		for range int(w[i]) {
			copies, classes = append(copies, i), append(classes, class[i])
		}
	}
	together := crossval.Groups(copies, 3, 1)
	once := func(places []int) (rows []int) {
		for _, p := range places {
			rows = append(rows, copies[p])
		}
		return slices.Compact(rows)
	}
	var splits []crossval.Split
	for _, s := range together {
		splits = append(splits, crossval.Split{Train: once(s.Train), Held: once(s.Held)})
	}
	for _, c := range []sums{{k: k, scale: 2}, {k: k, pairs: true, scale: .5}} {
		fit := func(kind Kind, class []int, w []float64, splits []crossval.Split, row func(i int) int) *mat.Dense {
			m := must.Have(CrossFit(t.Context(), kind, labels(class, k), w, splits, func(context.Context, crossval.Split) (gram.Classifier, error) { return c, nil },
				func(index []int) mat.Matrix {
					rows := make([]int, len(index))
					for at, i := range index {
						rows[at] = row(i)
					}
					return gram.Of(x).Select(rows)
				}))(t)
			return m.Probabilities(nil, Scores(c, x))
		}
		for kind := Platt; kind <= Temperature; kind++ {
			c.odds = kind != Temperature
			itself := func(i int) int { return i }
			got, want := fit(kind, class, w, splits, itself), fit(kind, classes, nil, together, func(i int) int { return copies[i] })
			if !mat.EqualApprox(got, want, 1e-7) {
				t.Errorf("%+v, %v: a weight is not copies of the row", c, kind)
			}
			if mat.EqualApprox(got, fit(kind, class, nil, splits, itself), 1e-4) {
				t.Errorf("%+v, %v: the weights change next to nothing, so that the test cannot fail", c, kind)
			}
		}
	}
}

// A row with NaN has no probabilities, infinite scores have some, and classes without rows
// and scores that are not finite are refused.
func TestEdges(t *testing.T) {
	p := Softmax(3).Probabilities(nil, mat.NewDense(3, 3, []float64{1, math.NaN(), 2, math.Inf(1), 0, 0, math.Inf(-1), math.Inf(-1), math.Inf(-1)}))
	for c, want := range []float64{1, 0, 0} {
		near(t, "probability beside infinity", p.At(1, c), want, 0)
		near(t, "probability of equals", p.At(2, c), 1./3, 1e-15)
		if v := p.At(0, c); v == v {
			t.Errorf("a row with NaN has probability %v", v)
		}
	}
	var config *gram.ConfigError
	if _, err := Fit(Platt, mat.NewDense(2, 1, nil), labels([]int{1, 1}, 2), false, nil); !errors.As(err, &config) {
		t.Errorf("a class without rows: %v", err)
	}
	if _, err := Fit(Kind(9), mat.NewDense(2, 1, nil), labels([]int{0, 1}, 2), false, nil); !errors.As(err, &config) {
		t.Errorf("a kind that does not exist: %v", err)
	}
	var data *gram.DataError
	if _, err := Fit(Platt, mat.NewDense(2, 1, []float64{0, math.NaN()}), labels([]int{0, 1}, 2), false, nil); !errors.As(err, &data) {
		t.Errorf("a score that is NaN: %v", err)
	}
	for k := Platt; k <= Temperature; k++ {
		if got, err := ParseKind(k.String()); err != nil || got != k {
			t.Errorf("%v: %v, %v", k, got, err)
		}
	}
	if _, err := ParseKind("plat"); err == nil {
		t.Error("plat is a kind")
	}
}

// Each function of a map is fitted to its own rows as a map of two classes is: a class against the rest, or a pair. Rows
// without weight do not count.
func TestFunctions(t *testing.T) {
	const n, k = 60, 3
	r := rand.New(rand.NewPCG(8, 8))
	class, w := make([]int, n), make([]float64, n)
	for i := range n {
		class[i], w[i] = r.IntN(k), float64(i%4)
	}
	probe := mat.NewDense(5, 1, []float64{-2, -.5, .1, .7, 3})
	for _, pairs := range []bool{false, true} {
		scores := mat.NewDense(n, functions(k, pairs), nil)
		scores.Apply(func(i, f int, _ float64) float64 { return r.NormFloat64() + float64(class[i]*(f+1)%k) }, scores)
		for kind := Platt; kind <= Isotonic; kind++ {
			m := must.Have(Fit(kind, scores, labels(class, k), pairs, w))(t)
			for f := range functions(k, pairs) {
				first, second := -1, f // the rest, and the class
				if pairs {
					first, second = [][2]int{{0, 1}, {0, 2}, {1, 2}}[f][0], [][2]int{{0, 1}, {0, 2}, {1, 2}}[f][1]
				}
				var s, weights []float64
				var own []int
				for i, c := range class {
					if w[i] > 0 && (!pairs || c == first || c == second) {
						own = append(own, map[bool]int{true: 1}[c == second])
						s, weights = append(s, scores.At(i, f)), append(weights, w[i])
					}
				}
				two := must.Have(Fit(kind, mat.NewDense(len(s), 1, s), labels(own, 2), false, weights))(t)
				want := two.Probabilities(nil, probe)
				for i, v := range mat.Col(nil, 0, probe) {
					near(t, fmt.Sprintf("%v, pairs %v, function %d at %g", kind, pairs, f, v), m.function(f, v), want.At(i, 1), 1e-12)
				}
			}
		}
	}
	// Scores that always tell the class are multiplied by 10⁴ divided by their largest difference.
	for _, c := range []struct {
		scores *mat.Dense
		k      int
		pairs  bool
		widest float64
	}{
		{mat.NewDense(3, 1, []float64{-5, 2, 1}), 2, false, 5},
		{mat.NewDense(3, 3, []float64{7, 1, 1, 0, 1, -1, 2, 2, 3}), 3, false, 6},
		{mat.NewDense(3, 3, []float64{-1, -2, 900, 1, 900, -3, 900, 1, 4}), 3, true, 4}, // 900 is of a pair without the class
	} {
		m := must.Have(Fit(Temperature, c.scores, labels([]int{0, 1, c.k - 1}, c.k), c.pairs, nil))(t)
		near(t, fmt.Sprintf("slope of %d classes, pairs %v", c.k, c.pairs), m.Sigmoids()[0].A, -1e4/c.widest, 1e-9)
	}
}

// Sigmoids of pairs find the probabilities again of which the scores are the logarithms of the odds.
func TestNewPairs(t *testing.T) {
	p := []float64{.2, .7, .1}
	sigmoids := []Sigmoid{{-1, 0}, {-2, 0}, {-1, .5}}
	m := NewPairs(3, sigmoids)
	sigmoids[0].A = 9 // the map has its own
	scores := mat.NewDense(1, 3, []float64{math.Log(p[1] / p[0]), math.Log(p[2]/p[0]) / 2, math.Log(p[2]/p[1]) + .5})
	if got := m.Probabilities(nil, scores).RawRowView(0); !floats.EqualApprox(got, p, 1e-9) || !m.Pairs() || m.Classes() != 3 ||
		m.Kind() != Platt {
		t.Errorf("the probabilities are %v, want %v", got, p)
	}
	if two := NewPairs(2, []Sigmoid{{-1, 0}}); two.Pairs() {
		t.Error("two classes have a function of a pair")
	} else {
		near(t, "probability of two", two.Probabilities(nil, mat.NewDense(1, 1, []float64{math.Log(4)})).At(0, 1), .8, 1e-15)
	}
	for _, c := range []struct {
		g       Sigmoid
		s, want float64
	}{{Sigmoid{1, 0}, 1000, 0}, {Sigmoid{1, 0}, -1000, 1}, {Sigmoid{0, 0}, math.Inf(1), .5}, {Sigmoid{-1, math.Log(3)}, 0, .25},
		{Sigmoid{-1, -math.Log(3)}, 0, .75}} {
		near(t, fmt.Sprintf("%v at %g", c.g, c.s), c.g.At(c.s), c.want, 1e-15)
	}
}

// Probabilities go to the destination. Where every function says that the class is impossible, all are equal.
func TestDestination(t *testing.T) {
	far := &Map{classes: 3, sigmoids: []Sigmoid{{-1, 0}, {-1, 0}, {-1, 0}}}
	dst := mat.NewDense(2, 3, nil)
	if got := far.Probabilities(dst, mat.NewDense(2, 3, []float64{-1e4, -1e4, -1e4, 1e4, -1e4, 1e4})); got != dst ||
		!mat.EqualApprox(dst, mat.NewDense(2, 3, []float64{1. / 3, 1. / 3, 1. / 3, .5, 0, .5}), 1e-15) {
		t.Errorf("the probabilities are %v", mat.Formatted(dst))
	}
	if none := far.Probabilities(nil, &mat.Dense{}); !none.IsEmpty() {
		t.Errorf("no rows have the probabilities %v", none)
	}
	wide := must.Have(Fit(Isotonic, mat.NewDense(2, 1, []float64{-1.5e308, 1.5e308}), labels([]int{0, 1}, 2), false, nil))(t)
	near(t, "probability between far scores", wide.Probabilities(nil, mat.NewDense(1, 1, nil)).At(0, 1), .5, 1e-15)
	scores := mat.NewDense(2, 3, nil)
	y := labels([]int{0, 1}, 3)
	for what, f := range map[string]func(){
		"scores of other classes": func() { far.Probabilities(nil, mat.NewDense(2, 2, nil)) },
		"a destination, rows":     func() { far.Probabilities(mat.NewDense(3, 3, nil), scores) },
		"a destination, columns":  func() { far.Probabilities(mat.NewDense(2, 2, nil), scores) },
		"too few sigmoids":        func() { NewPairs(3, make([]Sigmoid, 2)) },
		"one class":               func() { NewPairs(1, nil) },
		"fit to too few classes":  func() { _, _ = Fit(Platt, scores, labels([]int{0}, 3), false, nil) },
		"fit to one class":        func() { _, _ = Fit(Platt, mat.NewDense(2, 1, nil), labels([]int{0, 0}, 1), false, nil) },
		"fit to other columns":    func() { _, _ = Fit(Platt, mat.NewDense(2, 2, nil), y, false, nil) },
		"fit to too few weights":  func() { _, _ = Fit(Platt, scores, y, false, []float64{1}) },
		"no splits":               func() { _, _ = CrossFit(t.Context(), Platt, y, nil, nil, nil, nil) },
	} {
		if text, ok := must.Recovered(f).(string); !ok || !strings.HasPrefix(text, "calibration: ") {
			t.Errorf("%s: the panic is %q", what, text)
		}
	}
	if (&Classifier{Classifier: sums{k: 3}}).Classes() == nil || Pairs(struct{ gram.Classifier }{sums{k: 3, pairs: true}}) ||
		!Pairs(sums{k: 3, pairs: true}) || Pairs(sums{k: 3}) {
		t.Error("a classifier has functions of pairs that it does not tell, or the other way round")
	}
}

// The error of a training ends cross-fitting, also beside a model, and so does a class without weight.
func TestCrossFitErrors(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{0, 1, 1, 0, 2, 1, 1, 3})
	rows := func(index []int) mat.Matrix { return gram.Of(x).Select(index) }
	trouble := errors.New("trouble")
	folds, trained := crossval.Folds(4, 2, nil, 1), 0
	y := labels([]int{0, 1, 0, 1}, 2)
	_, err := CrossFit(t.Context(), Platt, y, nil, folds, func(context.Context, crossval.Split) (gram.Classifier, error) {
		trained++
		return sums{k: 2, scale: 1}, trouble
	}, rows)
	if !errors.Is(err, trouble) || trained != 1 {
		t.Errorf("%v after %d trainings", err, trained)
	}
	var config *gram.ConfigError
	easy := func(context.Context, crossval.Split) (gram.Classifier, error) { return sums{k: 2, scale: 1}, nil }
	if _, err := CrossFit(t.Context(), Platt, y, []float64{1, 0, 1, 0}, folds, easy, rows); !errors.As(err, &config) || config.Value != "c1" {
		t.Errorf("a class without weight: %v", err)
	}
}

// Parts of a map that do not fit together are refused.
func TestForged(t *testing.T) {
	half := []float64{.5}
	three := []Sigmoid{{-1, 0}, {-1, 0}, {-1, 0}}
	for name, m := range map[string]*Map{
		"a kind that does not exist": {kind: 3, classes: 2, sigmoids: three[:1]},
		"one class":                  {classes: 1, sigmoids: three[:1]},
		"a pair of two":              {classes: 2, pairs: true, sigmoids: three[:1]},
		"too few sigmoids":           {classes: 3, sigmoids: three[:2]},
		"too few pairs":              {classes: 4, pairs: true, sigmoids: three},
		"too many temperatures":      {kind: Temperature, classes: 3, sigmoids: three},
		"a temperature below 0":      {kind: Temperature, classes: 3, sigmoids: []Sigmoid{{1, 0}}},
		"a temperature with offset":  {kind: Temperature, classes: 3, sigmoids: []Sigmoid{{-1, 1}}},
		"no steps":                   {kind: Isotonic, classes: 2},
		"no knots":                   {kind: Isotonic, classes: 3, steps: []steps{{[]float64{1}, half}, {}, {[]float64{1}, half}}},
		"too few functions":          {kind: Isotonic, classes: 3, steps: []steps{{[]float64{1}, half}}},
		"more than certain":          {kind: Isotonic, classes: 2, steps: []steps{{[]float64{1}, []float64{1.1}}}},
		"less than impossible":       {kind: Isotonic, classes: 2, steps: []steps{{[]float64{1}, []float64{-.1}}}},
		"equal scores":               {kind: Isotonic, classes: 2, steps: []steps{{[]float64{1, 1}, []float64{.1, .2}}}},
		"steps down":                 {kind: Isotonic, classes: 2, steps: []steps{{[]float64{1, 2}, []float64{.2, .1}}}},
		"too few probabilities":      {kind: Isotonic, classes: 2, steps: []steps{{[]float64{1, 2}, half}}},
	} {
		fixture.Misfits(t, name, m, Decode)
	}
}

func ExampleFit() {
	scores := mat.NewDense(6, 1, []float64{-3, -2, -1, 1, 2, 3})
	y := gram.Labels{Class: []int{0, 0, 1, 0, 1, 1}, Names: []string{"no", "yes"}}
	m, err := Fit(Platt, scores, y, false, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range []float64{-2, 0, 2} {
		fmt.Printf("score %+.0f: probability of yes %.2f\n", s, m.Probabilities(nil, mat.NewDense(1, 1, []float64{s})).At(0, 1))
	}
	// Output:
	// score -2: probability of yes 0.32
	// score +0: probability of yes 0.50
	// score +2: probability of yes 0.68
}
