package conformal

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Intervals cover values with the probability asked for, on average over the choice of the
// calibration rows, also for errors without a mean and a model that is wrong. With 19 rows
// the coverage at .9 is exactly 18/20.
func TestCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, level := range []float64{.5, .9} {
		const n, trials, fresh = 19, 400, 50
		covered := 0
		for range trials {
			draw := func(rows int) (f, y []float64) {
				for range rows {
					v := r.NormFloat64()
					f, y = append(f, 3-v), append(y, v*v+math.Tan(math.Pi*(r.Float64()-.5)))
				}
				return f, y
			}
			p := must.Have(FitValues(draw(n)))(t)
			f, y := draw(fresh)
			low, high := must.Have2(p.Intervals(f, level))(t)
			for i, v := range y {
				if v >= low[i] && v <= high[i] {
					covered++
				}
			}
		}
		if got := float64(covered) / (trials * fresh); !(math.Abs(got-level) < .02) {
			t.Errorf("level %v: %v are covered", level, got)
		}
	}
}

// Sets of classes hold the true class with the probability asked for, by scores of two and
// more classes, by pairs, and by probabilities.
func TestSets(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, c := range []noisy{{2, false}, {4, false}, {4, true}} {
		for _, m := range []*calibration.Map{nil, calibration.Softmax(c.k)} {
			if c.pairs && m != nil {
				m = calibration.NewPairs(c.k, make([]calibration.Sigmoid, 6))
				for f := range m.Sigmoids() {
					m.Sigmoids()[f].A = -.5
				}
			}
			draw := func(n int) (*mat.Dense, []int) {
				x, class := mat.NewDense(n, c.k, nil), make([]int, n)
				for i := range n {
					class[i] = r.IntN(c.k)
					for j := range c.k {
						x.Set(i, j, r.NormFloat64())
					}
					x.Set(i, class[i], x.At(i, class[i])+1)
				}
				return x, class
			}
			x, class := draw(4000)
			p := must.Have(FitClasses(Strengths(c, m, x), class, m != nil))(t)
			x, class = draw(4000)
			strength := Strengths(c, m, x)
			sets := must.Have(p.Sets(strength, .9))(t)
			held, size := 0, 0
			for i, set := range sets {
				size += len(set)
				for _, v := range set {
					if v == class[i] {
						held++
					}
				}
			}
			if got := float64(held) / 4000; !(math.Abs(got-.9) < .02) || !(float64(size)/4000 < .95*float64(c.k)) {
				t.Errorf("%+v: %v are covered by sets of %v classes", c, got, float64(size)/4000)
			}
			var file bytes.Buffer
			must.Do(t, modelfile.Write(&file, p))
			f := must.Have(modelfile.Read(&file))(t)
			again, err := Decode(f)
			if err != nil || !reflect.DeepEqual(again, p) {
				t.Errorf("the predictor that was read differs: %v", err)
			}
		}
	}
}

// noisy has the columns for scores, or their differences for pairs.
type noisy struct {
	k     int
	pairs bool
}

func (c noisy) Classes() []string               { return make([]string, c.k) }
func (c noisy) Predict([]int, mat.Matrix) []int { panic("not called") }
func (c noisy) Pairs() bool                     { return c.pairs }
func (c noisy) Scores(_ *mat.Dense, x mat.Matrix) *mat.Dense {
	if c.k > 2 {
		return mat.DenseCopyOf(x)
	}
	return c.Values(nil, x)
}
func (c noisy) Values(_ *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	out := mat.NewDense(n, c.k*(c.k-1)/2, nil)
	for i := range n {
		f := 0
		for a := range c.k {
			for b := a + 1; b < c.k; b++ {
				out.Set(i, f, x.At(i, b)-x.At(i, a))
				f++
			}
		}
	}
	return out
}

// The quantile is the score of the rank that the definition says; levels without such a
// rank are refused, and so are scores that are not finite.
func TestQuantile(t *testing.T) {
	p := must.Have(FitValues([]float64{4, 0, 0, 0, 0, 0, 0, 0, 0}, []float64{0, 1, -2, 3, 5, -6, 7, 8, 9}))(t)
	for level, want := range map[float64]float64{.1: 1, .2: 2, .9: 9, .85: 9, .45: 5, 1e-9: 1} {
		if got, err := p.Quantile(level); err != nil || got != want {
			t.Errorf("level %v: %v, %v, want %v", level, got, err, want)
		}
	}
	var config *gram.ConfigError
	for _, level := range []float64{0, 1, .95, -1, math.NaN()} {
		if _, err := p.Quantile(level); !errors.As(err, &config) {
			t.Errorf("level %v: %v", level, err)
		}
	}
	if _, err := FitValues([]float64{0, math.NaN()}, []float64{0, 0}); err == nil {
		t.Error("a prediction that is NaN")
	}
	sets := must.Have(FitClasses(mat.NewDense(3, 2, []float64{1, 0, 2, 0, 0, 1}), []int{0, 0, 0}, false))(t)
	if got, err := sets.Sets(mat.NewDense(1, 2, []float64{math.NaN(), 1}), .5); err != nil || len(got[0]) != 0 {
		t.Errorf("a row with NaN has the classes %v, %v", got, err)
	}
}

// A row that fits no class as well as the calibration rows do has its strongest class in the set.
func TestSetsAreNeverEmpty(t *testing.T) {
	for _, probability := range []bool{true, false} {
		p := must.Have(FitClasses(mat.NewDense(4, 3, []float64{.9, .05, .05, .05, .9, .05, .9, .05, .05, .05, .05, .9}), []int{0, 1, 0, 2}, probability))(t)
		sets, err := p.Sets(mat.NewDense(3, 3, []float64{.3, .4, .3, .5, 0, .5, .9, .1, 0}), .5)
		if err != nil || !reflect.DeepEqual(sets, [][]int{{1}, {0}, {0}}) {
			t.Errorf("probabilities %v: the sets are %v, %v", probability, sets, err)
		}
	}
}

// Adaptive sets hold the truth with the given probability among easy rows and among hard ones, where the smallest
// sets do not: half of the rows have a class of probability .96, the other half ten equal ones.
func TestAdaptive(t *testing.T) {
	const n, k = 6000, 10
	r := rand.New(rand.NewPCG(5, 6))
	draw := func() (*mat.Dense, []int) {
		p, class := mat.NewDense(n, k, nil), make([]int, n)
		for i := range n {
			first, top := r.IntN(k), .96
			if i%2 == 1 {
				top = 1. / k
			}
			top += 1e-3 * r.Float64()
			class[i] = (first + 1 + r.IntN(k-1)) % k
			for c := range k {
				p.Set(i, c, (1-top)/(k-1))
			}
			if p.Set(i, first, top); r.Float64() < top {
				class[i] = first
			}
		}
		return p, class
	}
	held, class := draw()
	x, truth := draw()
	covered := func(p *Predictor, err error) (easy, hard float64) {
		if err != nil {
			t.Fatal(err)
		}
		sets := must.Have(p.Sets(x, .9))(t)
		for i, set := range sets {
			if slices.Contains(set, truth[i]) {
				if i%2 == 0 {
					easy++
				} else {
					hard++
				}
			}
		}
		return easy / (n / 2), hard / (n / 2)
	}
	p, err := FitAdaptive(held, class, 7)
	easy, hard := covered(p, err)
	if !(min(easy, hard) > .88) || !(hard < .92) { // the class of .96 is in every set

		t.Errorf("adaptive sets cover %v of the easy rows and %v of the hard ones", easy, hard)
	}
	if easy, hard := covered(FitClasses(held, class, true)); !(min(easy, hard) < .87) {
		t.Errorf("the smallest sets cover %v of the easy rows and %v of the hard ones: there is nothing to adapt", easy, hard)
	}
	// The score of the definition, from the most probable class on; a row draws the same u alone and among others.
	row := []float64{.2, .5, .3}
	q := &Predictor{classes: 3, probability: true, adaptive: true, seed: 7}
	u := q.draw(row)
	if got := q.nonconformity(make([]float64, 3), row); !floats.EqualApprox(got, []float64{.8 + .2*u, .5 * u, .5 + .3*u}, 1e-15) || !(u > 0 && u < 1) {
		t.Errorf("the scores are %v, u is %v", got, u)
	}
	var file bytes.Buffer
	must.Do(t, modelfile.Write(&file, p))
	f := must.Have(modelfile.Read(&file))(t)
	if again, err := Decode(f); err != nil || !reflect.DeepEqual(again, p) || !again.Adaptive() {
		t.Errorf("the predictor that was read differs: %v", err)
	}
}

func ExampleFitValues() {
	predicted := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	actual := []float64{1.1, 1.8, 3.3, 4.4, 4.5, 6.6, 7.7, 8.8, 9.9}
	p, err := FitValues(predicted, actual)
	if err != nil {
		fmt.Println(err)
		return
	}
	low, high, err := p.Intervals([]float64{20}, .8)
	fmt.Printf("%.1f to %.1f, %v\n", low[0], high[0], err)
	// Output: 19.2 to 20.8, <nil>
}

// Intervals of a band cover values with the probability asked for, also where the band is wrong, and are wide where the band is. A band that is
// too wide becomes narrower, and no interval is empty. The predictor is read as it was written.
func TestBand(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, wrong := range []float64{.2, 1, 3} { // factor of the band's width
		const n, trials, fresh, level = 19, 400, 50, .9
		covered, widths := 0, [2]float64{}
		for range trials {
			draw := func(rows int) (low, high, y []float64) {
				for i := range rows {
					scale := float64(1 + i%2*9)
					low, high, y = append(low, -wrong*1.6*scale), append(high, wrong*1.6*scale), append(y, scale*r.NormFloat64())
				}
				return low, high, y
			}
			p := must.Have(FitBand(draw(n)))(t)
			low, high, y := draw(fresh)
			low, high = must.Have2(p.Widened(low, high, level))(t)
			for i, v := range y {
				if low[i] <= v && v <= high[i] {
					covered++
				}
				if !(low[i] <= high[i]) {
					t.Fatalf("the interval %v … %v is empty", low[i], high[i])
				}
				widths[i%2] += high[i] - low[i]
			}
		}
		if share := float64(covered) / trials / fresh; !(math.Abs(share-level) < .02) {
			t.Errorf("a band %g times as wide as it should be covers %v", wrong, share)
		}
		if wrong == 1 && !(widths[1] > 4*widths[0]) {
			t.Errorf("intervals of scattered values are %v wide, others %v", widths[1], widths[0])
		}
	}
	p := must.Have(FitBand([]float64{-2, -2, -2}, []float64{2, 2, 2}, []float64{0, .1, 1.5}))(t)
	var file bytes.Buffer
	must.Do(t, modelfile.Write(&file, p))
	f := must.Have(modelfile.Read(&file))(t)
	read, err := Decode(f)
	if err != nil || !reflect.DeepEqual(read, p) || !read.Band() {
		t.Errorf("read %+v, %v, want %+v", read, err, p)
	}
	if low, high, err := p.Widened([]float64{0}, []float64{1}, .25); err != nil || low[0] != high[0] || low[0] != .5 {
		t.Errorf("an empty interval becomes %v … %v: %v", low, high, err)
	}
	if _, err := FitBand([]float64{math.NaN()}, []float64{1}, []float64{1}); err == nil {
		t.Error("a band of NaN is taken")
	}
	if from, to, err := p.Widened([]float64{0, 1}, []float64{3, 9}, .75); err != nil || !slices.Equal(from, []float64{.5, 1.5}) ||
		!slices.Equal(to, []float64{2.5, 8.5}) {
		t.Errorf("the largest score is -0.5, but the intervals are %v … %v: %v", from, to, err)
	}
	// The scores are the distances to the nearer end, below 0 within the band.
	if q := must.Have(FitBand([]float64{0, 0, 0}, []float64{4, 4, 4}, []float64{1, 6, -3}))(t); !slices.Equal(q.score, []float64{-1, 2, 3}) {
		t.Errorf("the scores of a band are %v", q.score)
	}
}

// A predictor says what it was made of, and refuses what does not belong to it: other rows, other kinds of predictions and
// levels that its rows do not support.
func TestKinds(t *testing.T) {
	two := mat.NewDense(2, 2, []float64{.9, .1, .2, .8})
	values := must.Have(FitValues([]float64{1, 2, 3}, []float64{1, 3, 5}))(t)
	band := must.Have(FitBand([]float64{1, 2, 3}, []float64{2, 3, 4}, []float64{1, 2, 3}))(t)
	scores, probability := must.Have(FitClasses(two, []int{0, 1}, false))(t), must.Have(FitClasses(two, []int{0, 1}, true))(t)
	adaptive := must.Have(FitAdaptive(two, []int{0, 1}, 3))(t)
	for name, c := range map[string]struct {
		p                           *Predictor
		rows, classes               int
		probability, adaptive, band bool
	}{
		"values":      {values, 3, 0, false, false, false},
		"band":        {band, 3, 0, false, false, true},
		"scores":      {scores, 2, 2, false, false, false},
		"probability": {probability, 2, 2, true, false, false},
		"adaptive":    {adaptive, 2, 2, true, true, false},
	} {
		p := c.p
		if p.Rows() != c.rows || p.Classes() != c.classes || p.Probability() != c.probability || p.Adaptive() != c.adaptive ||
			p.Band() != c.band {
			t.Errorf("%s: %+v", name, p)
		}
		makes := map[string]func(level float64) error{
			"intervals": func(level float64) error { _, _, err := p.Intervals([]float64{1}, level); return err },
			"widened":   func(level float64) error { _, _, err := p.Widened([]float64{1}, []float64{2}, level); return err },
			"sets":      func(level float64) error { _, err := p.Sets(two, level); return err },
		}
		own := map[bool]string{true: "sets", false: "intervals"}[c.classes > 0]
		if c.band {
			own = "widened"
		}
		for what, f := range makes {
			if what != own {
				if must.Recovered(func() { _ = f(.5) }) == nil {
					t.Errorf("%s: there are %s", name, what)
				}
				continue
			}
			var config *gram.ConfigError
			if err := f(.99); f(.5) != nil || !errors.As(err, &config) || config.Value != .99 {
				t.Errorf("%s at .99: %v", what, err)
			}
		}
	}
	if none, err := scores.Sets(&mat.Dense{}, .5); err != nil || len(none) != 0 {
		t.Errorf("no rows have the sets %v, %v", none, err)
	}
	three, one := mat.NewDense(2, 3, nil), mat.NewDense(2, 1, nil)
	for what, f := range map[string]func(){
		"too few targets":           func() { _, _ = FitValues([]float64{1, 2}, []float64{1}) },
		"too few predictions":       func() { _, _ = FitValues([]float64{1}, []float64{1, 2}) },
		"no values":                 func() { _, _ = FitValues(nil, nil) },
		"a short band, low":         func() { _, _ = FitBand([]float64{1}, []float64{1, 2}, []float64{1, 2}) },
		"a short band, high":        func() { _, _ = FitBand([]float64{1, 2}, []float64{1}, []float64{1, 2}) },
		"no band":                   func() { _, _ = FitBand(nil, nil, nil) },
		"too many classes of rows":  func() { _, _ = FitClasses(two, []int{0, 1, 1}, true) },
		"no rows":                   func() { _, _ = FitClasses(&mat.Dense{}, nil, true) },
		"one class":                 func() { _, _ = FitClasses(one, []int{0, 0}, true) },
		"adaptive, too few classes": func() { _, _ = FitAdaptive(two, []int{0}, 1) },
		"adaptive, no rows":         func() { _, _ = FitAdaptive(&mat.Dense{}, nil, 1) },
		"adaptive, one class":       func() { _, _ = FitAdaptive(one, []int{0, 0}, 1) },
		"sets of other classes":     func() { _, _ = scores.Sets(three, .5) },
		"a band of other rows":      func() { _, _, _ = band.Widened([]float64{1, 2}, []float64{1}, .5) },
	} {
		if text, ok := must.Recovered(f).(string); !ok || !strings.HasPrefix(text, "conformal: ") {
			t.Errorf("%s: the panic is %q", what, text)
		}
	}
}

// The scores of classes are what the next best class is ahead, and one less the probability. A set has the classes whose
// scores are at most the quantile. A number that is not finite is found in its row.
func TestScores(t *testing.T) {
	strength := mat.NewDense(4, 3, []float64{5, 1, 2, 0, 3, 1, 2, 2, 0, 1, 0, 4})
	p := must.Have(FitClasses(strength, []int{0, 1, 0, 0}, false))(t)
	if !slices.Equal(p.score, []float64{-3, -2, 0, 3}) {
		t.Errorf("the scores are %v", p.score)
	}
	for level, want := range map[float64][][]int{.2: {{2}, {1}}, .6: {{2}, {1}}, .8: {{1, 2}, {1, 2}}} {
		if got, err := p.Sets(mat.NewDense(2, 3, []float64{-1, 2, 2.5, 0, 9, 6}), level); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("level %g: the sets are %v, %v, want %v", level, got, err, want)
		}
	}
	p = must.Have(FitClasses(mat.NewDense(3, 2, []float64{.25, .75, .5, .5, .875, .125}), []int{1, 0, 1}, true))(t)
	if !slices.Equal(p.score, []float64{.25, .5, .875}) {
		t.Errorf("the scores of probabilities are %v", p.score)
	}
	// The number of a row depends on the seed, the probabilities and their order.
	row := []float64{.5, .25, .25}
	draw := func(seed uint64, row ...float64) float64 { return (&Predictor{seed: seed}).draw(row) }
	if u := draw(1, row...); u != draw(1, row...) || u == draw(2, row...) || u == draw(1, .25, .5, .25) ||
		u == draw(1, .5, .25, .125) || u == draw(1, .125, .25, .25) {
		t.Errorf("the number %g does not depend on all", u)
	}
	var bad *gram.DataError
	for name, err := range map[string]error{
		"values":   second(FitValues([]float64{0, 0, math.Inf(1)}, []float64{0, 1, 2})),
		"band":     second(FitBand([]float64{0, 0, 0}, []float64{1, 1, 1}, []float64{1, 1, math.NaN()})),
		"classes":  second(FitClasses(mat.NewDense(3, 2, []float64{0, 1, 0, 1, math.NaN(), 1}), []int{0, 1, 1}, false)),
		"adaptive": second(FitAdaptive(mat.NewDense(3, 2, []float64{0, 1, 0, 1, .5, math.Inf(1)}), []int{0, 1, 1}, 1)),
	} {
		if !errors.As(err, &bad) || bad.Row != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// second returns the error of a call with two results.
func second[T any](_ T, err error) error { return err }

// Strengths are the scores of the classes, for two classes of both signs, for pairs the sums of what speaks for each.
func TestStrengths(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{1, 4, 9, 0, -2, 5})
	for _, c := range []struct {
		noisy
		x    *mat.Dense
		m    *calibration.Map
		want *mat.Dense
	}{
		{noisy{3, false}, x, nil, x},
		{noisy{3, true}, x, nil, mat.NewDense(2, 3, []float64{-3 - 8, 3 - 5, 8 + 5, 2 - 5, -2 - 7, 5 + 7})},
		{noisy{2, false}, mat.NewDense(2, 2, []float64{1, 4, 3, 1}), nil, mat.NewDense(2, 2, []float64{-3, 3, 2, -2})},
		{noisy{2, false}, mat.NewDense(1, 2, []float64{0, math.Log(3)}), calibration.Softmax(2), mat.NewDense(1, 2, []float64{.25, .75})},
	} {
		if got := Strengths(c.noisy, c.m, c.x); !mat.EqualApprox(got, c.want, 1e-15) {
			t.Errorf("%+v: the strengths are %v", c.noisy, mat.Formatted(got))
		}
	}
}

// Files have the version that programs of their time read. Those with parts that do not fit together are refused.
func TestForged(t *testing.T) {
	for version, p := range map[int]*Predictor{
		1: must.Have(FitValues([]float64{1}, []float64{2}))(t),
		2: must.Have(FitAdaptive(mat.NewDense(1, 2, []float64{.5, .5}), []int{0}, 3))(t),
		3: must.Have(FitBand([]float64{1}, []float64{3}, []float64{2}))(t),
	} {
		var b bytes.Buffer
		must.Do(t, modelfile.Write(&b, p))
		f := must.Have(modelfile.Read(&b))(t)
		if got := must.Have(f.Header("conformal", 3, &map[string]any{}))(t); got != version {
			t.Errorf("%+v: version %d, want %d", p, got, version)
		}
	}
	for name, p := range map[string]*Predictor{
		"one class":                  {classes: 1, score: []float64{1}},
		"fewer than none":            {classes: -1, score: []float64{1}},
		"too many classes":           {classes: modelfile.MaxCount + 1, score: []float64{1}},
		"probabilities of values":    {probability: true, score: []float64{1}},
		"adaptive by scores":         {classes: 2, adaptive: true, score: []float64{1}},
		"a band of classes":          {classes: 2, band: true, score: []float64{1}},
		"no rows":                    {},
		"scores that do not ascend":  {classes: 2, score: []float64{1, 0}},
		"a distance below 0":         {score: []float64{-1, 1}},
		"a score that is not finite": {classes: 2, score: []float64{1, math.Inf(1)}},
	} {
		fixture.Misfits(t, name, p, Decode)
	}
}
