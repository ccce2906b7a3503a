package calibration

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/modelfile"
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
		var copies, big []float64
		var copied []int
		for i := range n {
			s := r.NormFloat64()
			if r.Float64() < 1/(1+math.Exp(-2*s+.5)) {
				class[i] = 1
			}
			scores.Set(i, 0, s)
			w[i] = float64(1 + r.IntN(3))
			for range int(w[i]) {
				copies, big, copied = append(copies, s), append(big, 1e6*s), append(copied, class[i])
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
			s    []float64
			unit float64
		}{{copies, 1}, {big, 1e6}} {
			same := must.Have(Fit(Platt, mat.NewDense(len(v.s), 1, v.s), labels(copied, 2), false, nil))(t)
			h := same.Sigmoids()[0]
			near(t, "A", h.A*v.unit, g.A, 1e-6*(1+math.Abs(g.A)))
			near(t, "B", h.B, g.B, 1e-6*(1+math.Abs(g.B)))
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
