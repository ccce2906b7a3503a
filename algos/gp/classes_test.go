package gp

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

func TestClassifierContract(t *testing.T) {
	for _, ard := range []bool{false, true} {
		t.Run(fmt.Sprintf("ard=%v", ard), func(t *testing.T) {
			at := func(run gram.Run) ClassConfig {
				c := ClassConfig{Kernel: kernel.Gaussian{Gamma: .3}, Lambda: gram.Set(.2), Run: run}
				if ard {
					c.ARD, c.ARDRows, c.Lambda = true, 40, gram.Opt[float64]{}
				}
				return c
			}
			s := algotest.Subject{
				RowBytes: 96,
				Kind:     algotest.Classification,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					return algotest.Fitted(at(run).Fit(ctx, d.X, d.Labels, d.Weights))
				},
				Plan:      func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(run).Plan(s) },
				Decode:    func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(DecodeClassifier(f)) },
				Weighted:  true,
				NoProgram: true,
				Memory:    gram.Shape{N: 300, D: 8, Outputs: 3},
				Share:     1, // a factor
			}
			if ard {
				s.Unequal = "widths are learned from rows that are drawn"
				s.Random = []string{"median", "widths"}
			} else {
				s.Exact = func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c := at(run)
					c.Lambda, c.Tol = gram.Set(.1), 1e-9
					return algotest.Fitted(c.Fit(ctx, d.X, d.Labels, d.Weights))
				}
				s.WeightTol = 1e-6
			}
			algotest.Check(t, s)
		})
	}
}

func TestClassSettings(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 3)
	fit := func(c ClassConfig) error {
		_, err := c.Fit(t.Context(), d.X, d.Labels, nil)
		return err
	}
	algotest.Refused(t, ClassConfig{Kernel: kernel.Gaussian{Gamma: 1}}, map[string][]any{"Kernel": {nil}, "Lambda": {0.}}, fit)
	_, err := ClassConfig{Kernel: kernel.Gaussian{Gamma: 1}}.Plan(gram.Shape{D: 3})
	algotest.Names(t, "rows", 0, err)
	table := kernel.Columns(func(dst []float64, j int) { dst[j] = 1 }, 40)
	algotest.Names(t, "Kernel", "columns", fit(ClassConfig{Kernel: table, Lambda: gram.Set(1.)}))
	// Five steps for each function, of 14 values of λ unless it is given or learned with the widths.
	const n = 1000.
	for outputs, functions := range map[int]float64{2: 1, 4: 4} {
		s := gram.Shape{N: 1000, D: 10, Outputs: outputs}
		one := 5 * functions * n * n * n / 3
		c := ClassConfig{Kernel: kernel.Gaussian{Gamma: 1}}
		open := must.Have(c.Plan(s))(t)
		c.Lambda = gram.Set(.1)
		given := must.Have(c.Plan(s))(t)
		if want := 2*n*n*10 + one; !(math.Abs(given.Flops-want) <= 1e-9*want) || !(math.Abs(open.Flops-want-13*one) <= 1e-9*open.Flops) {
			t.Errorf("%d classes: %g flops with a given λ and %g without, want %g and %g", outputs, given.Flops, open.Flops, want, want+13*one)
		}
	}
}

// A kernel of which the rows have only zeros says nothing: the mean is that of the targets, and each class is as likely as the other.
func TestKernelOfZeros(t *testing.T) {
	x := mat.NewDense(6, 2, nil)
	m := must.Have(Config{Kernel: kernel.Linear{}}.Fit(t.Context(), x, []float64{1, 2, 3, 4, 5, 9}, nil))(t)
	if v := m.Predict(nil, mat.NewDense(1, 2, []float64{3, 4}))[0]; !(math.Abs(v-4) <= 1e-12) || !(m.Noise() > 0) || m.Kernel() != (kernel.Linear{}) {
		t.Errorf("mean %v, want 4; noise %v", v, m.Noise())
	}
	y := gram.Labels{Class: []int{0, 0, 0, 0, 0, 1}, Names: []string{"a", "b"}}
	c := must.Have(ClassConfig{Kernel: kernel.Linear{}}.Fit(t.Context(), x, y, nil))(t)
	if p := c.Probabilities(nil, mat.NewDense(1, 2, nil)).RawRowView(0); !(math.Abs(p[0]-.5) <= 1e-12) || !(math.Abs(p[1]-.5) <= 1e-12) {
		t.Errorf("probabilities %v", p)
	}
}

// A classifier of no rows has empty moments and scores, and says what it is of; it has no function of kernel values.
func TestClassifierOfNoRows(t *testing.T) {
	x, two, _, _ := points()
	m := must.Have(ClassConfig{Kernel: kernel.Gaussian{Gamma: 1}, Lambda: gram.Set(.25)}.Fit(t.Context(), x, gram.Labels{Class: two, Names: []string{"a", "b"}}, nil))(t)
	none := &sparse.CSR{D: 2, Ptr: []int{0}}
	mean, variance := m.Moments(none)
	for name, a := range map[string]*mat.Dense{"means": mean, "variances": variance, "scores": m.Scores(nil, none), "probabilities": m.Probabilities(nil, none)} {
		if n, _ := a.Dims(); n != 0 {
			t.Errorf("%d rows of %s", n, name)
		}
	}
	if f, err := m.Function(); err == nil || f.Basis != nil {
		t.Error("a classifier is a function of kernel values")
	}
	if m.Kernel() != (kernel.Gaussian{Gamma: 1}) || m.Dim() != 2 || m.Config().Lambda.Value() != .25 {
		t.Errorf("settings %+v of %d columns", m.Config(), m.Dim())
	}
}

func TestClassDescribed(t *testing.T) { algotest.Described(t, &ClassConfig{}) }

// points are 24 rows in two columns, with two and with three classes, and five rows to predict.
func points() (x *mat.Dense, two, three []int, z *mat.Dense) {
	x = mat.NewDense(24, 2, nil)
	for i := range 24 {
		a, b := math.Sin(1+1.7*float64(i)), math.Cos(2+.9*float64(i*i))
		x.SetRow(i, []float64{a, b})
		class := 0
		if (a*b > 0) != (i%7 == 3) {
			class = 1
		}
		two = append(two, class)
		class = 0
		if a > .3 {
			class++
		}
		if b > 0 {
			class++
		}
		three = append(three, class)
	}
	return x, two, three, mat.NewDense(5, 2, []float64{.1, .2, -.5, .5, .9, .9, 3, 3, -.3, -.8})
}

// Probabilities and likelihoods are those of scikit-learn 1.2.1, whose averages of the logistic function are off by up to some 10⁻⁴.
// GaussianProcessClassifier(ConstantKernel(4, 'fixed')*RBF(0.8, 'fixed'), optimizer=None) printed the numbers; of several
// classes it has the mean of the likelihoods.
func TestPeer(t *testing.T) {
	x, two, three, z := points()
	c := ClassConfig{Kernel: kernel.Gaussian{Gamma: 1 / (2 * .8 * .8)}, Lambda: gram.Set(.25)}
	for _, peer := range []struct {
		y          gram.Labels
		likelihood float64
		p          []float64
	}{
		{gram.Labels{Class: two, Names: []string{"a", "b"}}, -12.605799797389974, []float64{.72026992, .27973008, .79720755, .20279245, .22456784, .77543216,
			.49975205, .50024795, .51459168, .48540832}},
		{gram.Labels{Class: three, Names: []string{"a", "b", "c"}}, 3 * -9.6915581063662, []float64{.36039454, .45498478, .18462068, .30888675, .56676052, .12435273,
			.15871747, .21508209, .62620044, .33325093, .33317387, .3335752, .73948542, .18335747, .0771571}},
	} {
		m, err := c.Fit(t.Context(), x, peer.y, nil)
		if err != nil {
			t.Fatal(err)
		}
		if v := m.Stats().LogLikelihood; !(math.Abs(v-peer.likelihood) <= 1e-6) {
			t.Errorf("likelihood %v, want %v", v, peer.likelihood)
		}
		for i, v := range m.Probabilities(nil, z).RawMatrix().Data {
			if !(math.Abs(v-peer.p[i]) <= 1e-3) {
				t.Errorf("%d classes: probability %d is %v, want %v", len(peer.y.Names), i, v, peer.p[i])
			}
		}
	}
}

// A file of version 1 has the model that a fit to its rows gives.
func TestClassifierFile(t *testing.T) {
	x, two, _, z := points()
	m, err := ClassConfig{Kernel: kernel.Gaussian{Gamma: 1}, Lambda: gram.Set(.25)}.Fit(t.Context(), x, gram.Labels{Class: two, Names: []string{"a", "b"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const path = "testdata/gp-classifier.v1.gram"
	if flag.Lookup("update").Value.String() == "true" {
		if _, err := os.Stat(path); err == nil {
			t.Fatalf("%s exists: a new version gets a new file", path)
		}
		if err := modelfile.Save(path, m); err != nil {
			t.Fatal(err)
		}
	}
	f, err := modelfile.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	back, err := DecodeClassifier(f)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := back.Probabilities(nil, z), m.Probabilities(nil, z); !mat.EqualApprox(got, want, 1e-7) {
		t.Errorf("probabilities %v, want %v", got, want)
	}
	if a, b := back.Classes(), back.Config().Lambda.Value(); fmt.Sprint(a, b) != "[a b] 0.25" {
		t.Errorf("classes %v, lambda %v", a, b)
	}
}

// The probabilities of three rows are near those of the exact posterior, by sums over a lattice, for a process of small deviation, and
// so is the likelihood; the moments are those of inverses at the mode.
func TestExactPosterior(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{-1, .2, 1})
	y := gram.Labels{Class: []int{0, 1, 1}, Names: []string{"a", "b"}}
	k, lambda := kernel.Gaussian{Gamma: .5}, 2.
	m, err := ClassConfig{Kernel: k, Lambda: gram.Set(lambda)}.Fit(t.Context(), x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	z := mat.NewDense(1, 1, []float64{.5})
	c, cross := values(k, x, x), values(k, z, x)
	c.Scale(1/lambda, c)
	cross.Scale(1/lambda, cross)
	precision := inverse(t, c)
	// Sums over f at the rows; at z the function is normal given f.
	weights := product(cross, precision)
	given := 1/lambda - product(weights, cross.T()).At(0, 0)
	determinant, _ := mat.LogDet(c)
	const step = .25 // the sums of functions so smooth are those of integrals
	var total, one float64
	at := make([]float64, 3)
	for at[0] = -5; at[0] < 5; at[0] += step {
		for at[1] = -5; at[1] < 5; at[1] += step {
			for at[2] = -5; at[2] < 5; at[2] += step {
				f := mat.NewDense(3, 1, at)
				density := math.Exp(-.5*product(f.T(), precision, f).At(0, 0) - .5*determinant - 1.5*math.Log(2*math.Pi))
				for i, v := range at {
					density /= 1 + math.Exp(-v*float64(2*y.Class[i]-1))
				}
				mean := product(weights, f).At(0, 0)
				var p, all float64
				for s := -4.; s <= 4; s += .25 {
					all += math.Exp(-s * s / 2)
					p += math.Exp(-s*s/2) / (1 + math.Exp(-mean-s*math.Sqrt(given)))
				}
				total += density * step * step * step
				one += density * step * step * step * p / all
			}
		}
	}
	if v := m.Probabilities(nil, z).At(0, 1); !(math.Abs(v-one/total) <= 5e-3) {
		t.Errorf("probability %v, exactly %v", v, one/total)
	}
	if v := m.Stats().LogLikelihood; !(math.Abs(v-math.Log(total)) <= 2e-2) {
		t.Errorf("likelihood %v, exactly %v", v, math.Log(total))
	}
	mean, variance := m.Moments(z)
	f, _ := m.Moments(x)
	w := mat.NewDense(3, 3, nil)
	g := mat.NewDense(3, 1, nil)
	for i := range 3 {
		q := 1 / (1 + math.Exp(-f.At(i, 0)))
		g.Set(i, 0, float64(y.Class[i])-q)
		w.Set(i, i, 1/(q*(1-q)))
	}
	if v := product(cross, g).At(0, 0); !(math.Abs(v-mean.At(0, 0)) <= 1e-6) {
		t.Errorf("mean %v, want %v", mean.At(0, 0), v)
	}
	c.Add(c, w) // K + W⁻¹
	if v := 1/lambda - product(cross, inverse(t, c), cross.T()).At(0, 0); !(math.Abs(v-variance.At(0, 0)) <= 1e-6) {
		t.Errorf("variance %v, want %v", variance.At(0, 0), v)
	}
}

// The λ that is chosen has a likelihood that is not below those about it, widths are better than one width, and both tell classes apart.
func TestClassChoice(t *testing.T) {
	const n = 150
	r := rng.New(3, 0)
	x, y := mat.NewDense(n, 3, nil), gram.Labels{Class: make([]int, n), Names: []string{"a", "b"}}
	for i := range n {
		x.SetRow(i, []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()})
		if math.Sin(2*x.At(i, 0))+.3*r.NormFloat64() > 0 {
			y.Class[i] = 1
		}
	}
	c := ClassConfig{Kernel: kernel.Gaussian{Gamma: .5}}
	m, err := c.Fit(t.Context(), x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := m.Stats(); !(s.Bound <= 1e-6) || s.Evaluations < 10 {
		t.Errorf("%+v", s)
	}
	for _, f := range []float64{.7, 1.4} {
		c.Lambda = gram.Set(f * m.Config().Lambda.Value())
		other, err := c.Fit(t.Context(), x, y, nil)
		if err != nil || !(other.Stats().LogLikelihood <= m.Stats().LogLikelihood) {
			t.Errorf("likelihood %v for %v times the chosen lambda, %v for that: %v", other.Stats().LogLikelihood, f, m.Stats().LogLikelihood, err)
		}
	}
	wide, err := ClassConfig{Kernel: kernel.Gaussian{Gamma: .5}, ARD: true}.Fit(t.Context(), x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := wide.Kernel().(*kernel.Scaled).Scale(); !(max(s[1], s[2]) < .3*s[0]) || !(wide.Stats().LogLikelihood > m.Stats().LogLikelihood+5) {
		t.Errorf("factors %v, likelihood %v, with one width %v", s, wide.Stats().LogLikelihood, m.Stats().LogLikelihood)
	}
	c = ClassConfig{Kernel: kernel.Gaussian{Gamma: .5}, MaxIter: 1, Lambda: gram.Set(1e-3)}
	early, err := c.Fit(t.Context(), x, y, nil)
	var open *gram.ConvergenceError
	if !errors.As(err, &open) || early == nil || early.Stats().Bound != open.Residual {
		t.Errorf("after one step: %v", err)
	}
	few := x.Slice(0, 30, 0, 3)
	looktest.Every(t, func(ctx context.Context) (any, error) {
		m, err := ClassConfig{Kernel: kernel.Gaussian{Gamma: .5}}.Fit(ctx, few, gram.Labels{Class: y.Class[:30], Names: y.Names}, nil)
		if err != nil {
			return nil, err
		}
		return m.Scores(nil, few), nil
	})
}

func ExampleClassConfig_Fit() {
	x := mat.NewDense(6, 1, []float64{-3, -2, -1, 1, 2, 3})
	y := gram.Labels{Class: []int{0, 0, 0, 1, 1, 1}, Names: []string{"left", "right"}}
	m, err := ClassConfig{Kernel: kernel.Gaussian{Gamma: .2}, Lambda: gram.Set(.1)}.Fit(context.Background(), x, y, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := m.Probabilities(nil, mat.NewDense(3, 1, []float64{2, 0, 20}))
	fmt.Printf("at a row %.2f, between the classes %.2f, far from all rows %.2f\n", p.At(0, 1), p.At(1, 1), p.At(2, 1))
	// Output: at a row 0.84, between the classes 0.50, far from all rows 0.50
}
