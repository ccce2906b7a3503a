package sideinfo

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// someLabels hides every third class.
func someLabels(n int) (*mat.Dense, gram.Labels) {
	x, y := gen.Blobs(n, 3, 3, 3, 4)
	for i := range n {
		if i%3 == 2 {
			y.Class[i] = -1
		}
	}
	return x, y
}

// KKT: the gradient is 0 where v > 0 and not negative where v = 0.
func TestNonNegative(t *testing.T) {
	for seed := range uint64(50) {
		r := rng.New(seed, 0)
		n, rank := 1+r.IntN(15), 1+r.IntN(20)
		f := gen.Normal(rank, n, seed)
		var a mat.SymDense
		a.SymOuterK(1, f.T())
		target := gen.Normal(rank, 1, seed+100)
		var b mat.Dense
		b.Mul(f.T(), target) // in the range of A
		v := nonNegative(&a, mat.Col(nil, 0, &b))
		for i := range n {
			g := -b.At(i, 0)
			for j := range n {
				g += a.At(i, j) * v[j]
			}
			if v[i] < 0 || !(g > -1e-9) || v[i] > 0 && !(math.Abs(g) < 1e-9) {
				t.Errorf("seed %d: v_%d = %g with the gradient %g", seed, i, v[i], g)
			}
		}
	}
}

func TestTwoStage(t *testing.T) {
	x, y := someLabels(45)
	c := TwoStage{Gammas: []float64{0.01, 0.1, 0.5, 2, 20}}
	m := must.Have(c.Fit(context.Background(), x, y))(t)
	index, class, _ := labeled(x, y)
	xl := mat.NewDense(len(index), 3, nil)
	for k, i := range index {
		xl.SetRow(k, x.RawRowView(i))
	}
	ideal := idealOf(class)
	reached := Alignment(fixture.KernelMatrix(m, xl, xl), ideal)
	r := rng.New(1, 0)
	for range 300 {
		other := Mixture{c.Gammas, make([]float64, 5)}
		for k := range other.Weights {
			other.Weights[k] = max(0, m.Weights[k]+0.1*r.NormFloat64())
		}
		if a := Alignment(fixture.KernelMatrix(other, xl, xl), ideal); !(a <= reached+1e-12) {
			t.Fatalf("alignment %g with %v, but %g with %v", reached, m.Weights, a, other.Weights)
		}
	}
	for _, g := range c.Gammas {
		if a := Alignment(fixture.KernelMatrix(kernel.Gaussian{Gamma: g}, xl, xl), ideal); !(a <= reached) {
			t.Errorf("γ = %g alone has alignment %g, the combination %g", g, a, reached)
		}
	}
	c.Independent = true
	m = must.Have(c.Fit(context.Background(), x, y))(t)
	for k, g := range c.Gammas {
		want := Alignment(fixture.KernelMatrix(kernel.Gaussian{Gamma: g}, xl, xl), ideal) / Alignment(fixture.KernelMatrix(kernel.Gaussian{Gamma: c.Gammas[0]}, xl, xl), ideal)
		if got := m.Weights[k] / m.Weights[0]; !(math.Abs(got-want) < 1e-10) {
			t.Errorf("independent weight %d is %g of the first, want %g", k, got, want)
		}
	}
	b := kernel.Against[float64](m, x)
	k := mat.NewDense(45, 45, nil)
	b.Fill(gram.View(k), gram.Of(x))
	if !mat.EqualApprox(k, fixture.KernelMatrix(m, x, x), 1e-12) {
		t.Error("the kernel's block differs from Eval")
	}
}

func TestClusterKernel(t *testing.T) {
	x, _ := someLabels(40)
	k := fixture.KernelMatrix(gauss, x, x)
	a := mat.NewSymDense(40, nil)
	for i := range 40 {
		for j := range 40 {
			a.SetSym(i, j, k.At(i, j)/math.Sqrt(mat.Sum(k.RowView(i))*mat.Sum(k.RowView(j))))
		}
	}
	var e mat.EigenSym
	e.Factorize(a, true)
	var u mat.Dense
	e.VectorsTo(&u)
	values := e.Values(nil)
	const rank = 7
	for transfer, f := range map[Transfer]func(float64) float64{
		LinearStep: func(v float64) float64 { return v },
		Step:       func(float64) float64 { return 1 },
		Power:      func(v float64) float64 { return v * v * v },
	} {
		g := must.Have(ClusterKernel{Kernel: gauss, Rank: rank, Transfer: transfer, Exponent: 3}.Features(context.Background(), x))(t)
		var got mat.Dense
		got.Mul(g, g.T())
		want := mat.NewDense(40, 40, nil)
		for j := 40 - rank; j < 40; j++ {
			var o mat.Dense
			o.Outer(f(values[j]), u.ColView(j), u.ColView(j))
			want.Add(want, &o)
		}
		diagonal := make([]float64, 40)
		for i := range diagonal {
			diagonal[i] = want.At(i, i)
		}
		want.Apply(func(i, j int, v float64) float64 { return v / math.Sqrt(diagonal[i]*diagonal[j]) }, want)
		if !mat.EqualApprox(&got, want, 1e-8) {
			t.Errorf("transfer %d: the kernel is not the one of the definition", transfer)
		}
	}
	// A linear kernel has rows with a negative sum.
	var de *gram.DataError
	if _, err := (ClusterKernel{Kernel: kernel.Linear{}}).Features(context.Background(), x); !errors.As(err, &de) {
		t.Errorf("negative row sums: %v", err)
	}
}

func TestSpectral(t *testing.T) {
	x, y := someLabels(60)
	g := must.Have(Spectral{Neighbors: 6, Rank: 12}.Graph(context.Background(), x))(t)
	// The eigenvectors of the Laplacian from its definition.
	near := func(i int) []int {
		order := make([]int, 0, 60)
		for j := range 60 {
			if j != i {
				order = append(order, j)
			}
		}
		d := func(j int) (s float64) {
			for k, v := range x.RawRowView(i) {
				s += (v - x.At(j, k)) * (v - x.At(j, k))
			}
			return s
		}
		slices.SortFunc(order, func(a, b int) int {
			if d(a) < d(b) {
				return -1
			}
			return 1
		})
		return order[:6]
	}
	l := mat.NewSymDense(60, nil)
	for i := range 60 {
		for _, j := range near(i) {
			l.SetSym(i, j, -1)
		}
	}
	for i := range 60 {
		var degree float64
		for j := range 60 {
			if j != i {
				degree -= l.At(i, j)
			}
		}
		l.SetSym(i, i, degree)
	}
	var e mat.EigenSym
	e.Factorize(l, false)
	for j, v := range e.Values(nil)[:12] {
		if !(math.Abs(v-g.values[j]) < 1e-4) {
			t.Errorf("eigenvalue %d is %g, want %g", j, g.values[j], v)
		}
		var lv mat.VecDense
		lv.MulVec(l, g.vectors.ColView(j))
		lv.AddScaledVec(&lv, -v, g.vectors.ColView(j))
		if !(mat.Norm(&lv, 2) < 1e-3) {
			t.Errorf("eigenvector %d has a residual of %g", j, mat.Norm(&lv, 2))
		}
	}
	// Order and optimality: no other ordered weights are better aligned.
	index, class, _ := labeled(x, y)
	mu := g.weights(index, class)
	sign := idealOf(class)
	sign.Apply(func(_, _ int, v float64) float64 { return 2*v - 1 }, sign)
	alignment := func(mu []float64) float64 {
		k := mat.NewDense(len(index), len(index), nil)
		for a, i := range index {
			for b, j := range index {
				var sum float64
				for m, w := range mu {
					sum += w * g.vectors.At(i, m) * g.vectors.At(j, m)
				}
				k.Set(a, b, sum)
			}
		}
		return dot(k, sign) / math.Sqrt(dot(k, k))
	}
	best := alignment(mu)
	r := rng.New(3, 0)
	for range 200 {
		other := slices.Clone(mu)
		other[0] = max(0, other[0]*(1+0.2*r.NormFloat64()))
		for m := 1; m < len(other); m++ {
			other[m] = max(0, other[m]+0.1*mu[1]*r.NormFloat64())
		}
		slices.Sort(other[1:])
		slices.Reverse(other[1:])
		if a := alignment(other); !(a <= best*(1+1e-10)) {
			t.Fatalf("alignment %g, but %g with %v", best, a, other)
		}
	}
	for m := 2; m < len(mu); m++ {
		if !(mu[m] <= mu[m-1]) || !(mu[m] >= 0) {
			t.Errorf("weights %v are not in order", mu)
		}
	}
	f := must.Have(g.Features(y))(t)
	if s := dot(f, f); !(math.Abs(s-60) < 1e-9) {
		t.Errorf("the trace is %g", s)
	}
}

// The complete graph has the normalized Laplacian of the kernel's matrix.
func TestSpectralComplete(t *testing.T) {
	x, y := someLabels(40)
	g := must.Have(Spectral{Kernel: gauss, Rank: 9}.Graph(context.Background(), x))(t)
	k := fixture.KernelMatrix(gauss, x, x)
	l := mat.NewSymDense(40, nil)
	for i := range 40 {
		for j := range 40 {
			l.SetSym(i, j, -k.At(i, j)/math.Sqrt(mat.Sum(k.RowView(i))*mat.Sum(k.RowView(j))))
		}
	}
	for i := range 40 {
		l.SetSym(i, i, 1+l.At(i, i))
	}
	var e mat.EigenSym
	e.Factorize(l, false)
	for j, v := range e.Values(nil)[:9] {
		var lv mat.VecDense
		lv.MulVec(l, g.vectors.ColView(j))
		lv.AddScaledVec(&lv, -v, g.vectors.ColView(j))
		if !(math.Abs(v-g.values[j]) < 1e-6) || !(mat.Norm(&lv, 2) < 1e-3) {
			t.Errorf("eigenvalue %d is %g with a residual of %g, want %g", j, g.values[j], mat.Norm(&lv, 2), v)
		}
	}
	if _, err := g.Features(y); err != nil {
		t.Error(err)
	}
	var de *gram.DataError
	if _, err := (Spectral{Kernel: kernel.Linear{}}).Graph(context.Background(), x); !errors.As(err, &de) {
		t.Errorf("negative row sums: %v", err)
	}
}

// greedy chooses pivots by trying each of them, from the definition of the
// objective.
func greedy(k *mat.Dense, index, class []int, kappa float64, count int) []int {
	n, _ := k.Dims()
	target := idealTargets(class)
	objective := func(pivots []int) float64 {
		// K − GGᵀ by Schur complements.
		r := mat.DenseCopyOf(k)
		g := mat.NewDense(n, len(pivots), nil)
		for c, p := range pivots {
			d := r.At(p, p)
			for i := range n {
				g.Set(i, c, r.At(i, p)/math.Sqrt(d))
			}
			var o mat.Dense
			o.Outer(1, g.ColView(c), g.ColView(c))
			r.Sub(r, &o)
		}
		j := (1 - kappa) * mat.Trace(r) / mat.Trace(k)
		// The residual of the least-squares problem by an eigendecomposition.
		f := mat.NewDense(len(index), len(pivots), nil)
		col := make([]float64, len(index))
		for c := range pivots {
			for a, i := range index {
				col[a] = g.At(i, c)
			}
			centerVec(col)
			f.SetCol(c, col)
		}
		var svd mat.SVD
		svd.Factorize(f, mat.SVDThin)
		var u, c mat.Dense
		svd.UTo(&u)
		c.Mul(u.T(), target)
		return j + kappa*(dot(target, target)-dot(&c, &c))/dot(target, target)
	}
	var chosen []int
	for len(chosen) < count {
		best, at := math.Inf(1), -1
		for p := range n {
			if slices.Contains(chosen, p) {
				continue
			}
			if j := objective(append(slices.Clone(chosen), p)); j < best {
				best, at = j, p
			}
		}
		chosen = append(chosen, at)
	}
	return chosen
}

func idealTargets(class []int) *mat.Dense {
	y := mat.NewDense(len(class), slices.Max(class)+1, nil)
	for i, k := range class {
		y.Set(i, k, 1)
	}
	_, c := y.Dims()
	for k := range c {
		col := mat.Col(nil, k, y)
		centerVec(col)
		y.SetCol(k, col)
	}
	return y
}

// With all columns ahead in sight the pivots are those of the greedy choice, and
// the features are Nyström's for these landmarks.
func TestCSI(t *testing.T) {
	x, y := someLabels(24)
	index, class, _ := labeled(x, y)
	for _, kappa := range []float64{0.1, 0.99} {
		m := must.Have(CSI{Kernel: gauss, M: 6, Kappa: gram.Set(kappa), Look: 24}.Fit(context.Background(), x, y))(t)
		want := greedy(fixture.KernelMatrix(gauss, x, x), index, class, kappa, 6)
		for k, i := range want {
			if !slices.Equal(m.Landmarks().RawRowView(k), x.RawRowView(i)) {
				t.Errorf("κ = %g: pivot %d is not row %d, which is the best", kappa, k, i)
			}
		}
		g := m.Map(nil, x)
		var got, c, w, s mat.Dense
		got.Mul(g, g.T())
		kk := fixture.KernelMatrix(gauss, x, x)
		c.ReuseAs(24, 6)
		for k, i := range want {
			c.SetCol(k, mat.Col(nil, i, kk))
		}
		w.CloneFrom(fixture.KernelMatrix(gauss, m.Landmarks(), m.Landmarks()))
		must.Do(t, s.Solve(&w, c.T()))
		var k mat.Dense
		k.Mul(&c, &s)
		if !mat.EqualApprox(&got, &k, 1e-8) {
			t.Errorf("κ = %g: the features are not Nyström's", kappa)
		}
	}
	// A short look ahead still decomposes K: all pivots give K itself.
	m := must.Have(CSI{Kernel: gauss, M: 24, Look: 3}.Fit(context.Background(), x, y))(t)
	g := m.Map(nil, x)
	var k mat.Dense
	k.Mul(g, g.T())
	if !mat.EqualApprox(&k, fixture.KernelMatrix(gauss, x, x), 1e-7) {
		t.Error("24 pivots of 24 rows do not give K")
	}
	// Equal rows: the rank is that of the others.
	double := mat.NewDense(24, 3, nil)
	for i := range 24 {
		double.SetRow(i, x.RawRowView(i%5))
	}
	m = must.Have((CSI{Kernel: gauss, M: 24}).Fit(context.Background(), double, y))(t)
	if r := m.Stats().Rank; r != 5 {
		t.Errorf("rank %d of 5 different rows", r)
	}
	// Nothing is left to look at after as many columns as the rank: of orthogonal rows it is the shorter one, not the
	// longer one, that tells the classes of the labeled rows.
	axes := mat.NewDense(24, 2, nil)
	for i := range 24 {
		if y.Class[i] = i % 2; i == 23 {
			axes.Set(i, 0, 2)
			y.Class[i] = -1
		} else if i%2 == 1 {
			axes.Set(i, 1, 1)
		}
	}
	m = must.Have((CSI{Kernel: kernel.Linear{}, M: 1}).Fit(context.Background(), axes, y))(t)
	if u := m.Landmarks().RawRowView(0); !slices.Equal(u, []float64{0, 1}) {
		t.Errorf("the pivot is %v, want the row that tells the classes", u)
	}
}

func TestBaselinesErrors(t *testing.T) {
	d := algotest.Problem(3, 30, 3, 3)
	ctx := context.Background()
	none := gram.Labels{Class: slices.Repeat([]int{-1}, 30), Names: []string{"a", "b"}}
	one := gram.Labels{Class: make([]int, 30), Names: []string{"a"}}
	graph := must.Have(Spectral{Rank: 5}.Graph(ctx, d.X))(t)
	fits := map[string]func(y gram.Labels) (mat.Matrix, error){
		"CSI": func(y gram.Labels) (mat.Matrix, error) {
			m, err := CSI{Kernel: gauss, M: 5}.Fit(ctx, d.X, y)
			if m == nil {
				return nil, err
			}
			return m.Map(nil, d.X), err
		},
		"TwoStage": func(y gram.Labels) (mat.Matrix, error) {
			m, err := TwoStage{}.Fit(ctx, d.X, y)
			return mat.NewVecDense(max(1, len(m.Weights)), append(m.Weights, make([]float64, max(0, 1-len(m.Weights)))...)), err
		},
		"Spectral": func(y gram.Labels) (mat.Matrix, error) {
			g, err := graph.Features(y)
			if g == nil {
				return nil, err
			}
			return g, err
		},
	}
	var de *gram.DataError
	for name, fit := range fits {
		if _, err := fit(none); !errors.As(err, &de) {
			t.Errorf("%s without labels: %v", name, err)
		}
		m, err := fit(one)
		if name == "TwoStage" {
			if !errors.As(err, &de) {
				t.Errorf("%s with one class: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s with one class: %v", name, err)
			continue
		}
		if v := mat.Sum(m); v-v != 0 {
			t.Errorf("%s with one class: not finite", name)
		}
	}
	var ce *gram.ConfigError
	for field, err := range map[string]error{
		"M":         second(CSI{Kernel: gauss, M: 31}.Fit(ctx, d.X, one)),
		"Kappa":     second(CSI{Kernel: gauss, Kappa: gram.Set(2.)}.Fit(ctx, d.X, one)),
		"Look":      second(CSI{Kernel: gauss, Look: -1}.Fit(ctx, d.X, one)),
		"Rank":      second(ClusterKernel{Kernel: gauss, Rank: 31}.Features(ctx, d.X)),
		"Transfer":  second(ClusterKernel{Kernel: gauss, Transfer: 9}.Features(ctx, d.X)),
		"Exponent":  second(ClusterKernel{Kernel: gauss, Exponent: -1}.Features(ctx, d.X)),
		"Kernel":    second(ClusterKernel{}.Features(ctx, d.X)),
		"Neighbors": second(Spectral{Neighbors: 30}.Graph(ctx, d.X)),
		"Gammas":    second(TwoStage{Gammas: []float64{-1}}.Fit(ctx, d.X, one)),
	} {
		if !errors.As(err, &ce) || ce.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestCSIContract(t *testing.T) {
	at := func(n int, run gram.Run) CSI {
		c := CSI{Kernel: gauss, M: min(8, n), Run: run}
		if n > 700 {
			c.M = 120
		}
		return c
	}
	algotest.Check(t, algotest.Subject{
		Kind: algotest.Unsupervised,
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			n, _ := d.X.Dims()
			y := gram.Labels{Class: make([]int, n), Names: []string{"a", "b"}}
			for i := range y.Class {
				y.Class[i] = i % 2
			}
			return algotest.Fitted(at(n, run).Fit(ctx, d.X, y))
		},
		Plan:   func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).Plan(s) },
		Decode: func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
		Golden: "csi.v1.gram",
		Long:   gram.Shape{N: 1000, D: 8},
		Memory: gram.Shape{N: 3000, D: 8},
	})
}

// A pivot that no labeled row has a part of adds nothing to the basis of the labeled rows.
func TestCSIPivotBesideLabels(t *testing.T) {
	x := mat.NewDense(5, 3, []float64{1, 0, 0, 0, 1, 0, -1, 1, 0, 2, 1, 0, 0, 0, 3})
	c := must.Have(settings.Resolved(CSI{Kernel: kernel.Linear{}, M: 3, Look: 5}, gram.Shape{N: 5}))(t)
	p := newPivots(c, gram.Of(x), []int{0, 1, 2, 3}, []int{0, 1, 1, 0}, 2)
	for k, pivot := range []struct{ row, rank int }{{4, 0}, {3, 1}, {0, 2}} {
		must.Do(t, p.lookAhead(t.Context()))
		p.take(pivot.row)
		if p.rank != pivot.rank {
			t.Fatalf("%d vectors in the basis after %d pivots, want %d", p.rank, k+1, pivot.rank)
		}
	}
	q := first(p.q, p.rank)
	var square mat.Dense
	square.Mul(q, q.T())
	if !mat.EqualApprox(&square, mat.NewDense(2, 2, []float64{1, 0, 0, 1}), 1e-12) {
		t.Errorf("the basis has the products\n%v", mat.Formatted(&square))
	}
	features := p.model().Map(nil, x)
	var k, want mat.Dense
	k.Mul(features, features.T())
	want.Mul(x, x.T())
	if !mat.EqualApprox(&k, &want, 1e-12) {
		t.Errorf("the kernel of the features is\n%v", mat.Formatted(&k))
	}
}

// With all columns ahead in sight LLᵀ = K − GGᵀ after every pivot.
func TestCSILooksAhead(t *testing.T) {
	x, y := someLabels(20)
	index, class, _ := labeled(x, y)
	c := must.Have(settings.Resolved(CSI{Kernel: gauss, M: 8, Look: 20}, gram.Shape{N: 20}))(t)
	p := newPivots(c, gram.Of(x), index, class, 3)
	for range 8 {
		must.Do(t, p.lookAhead(t.Context()))
		at := must.Have(p.best(t.Context()))(t)
		p.take(at)
		k := fixture.KernelMatrix(gauss, x, x)
		for i := range 20 {
			for j := range 20 {
				sum := k.At(i, j)
				for c := range p.chosen {
					sum -= p.g.At(c, i) * p.g.At(c, j)
				}
				for c := range p.ahead {
					sum -= p.look.At(c, i) * p.look.At(c, j)
				}
				if !(math.Abs(sum) < 1e-8) {
					t.Fatalf("%d pivots: element %d, %d is off by %g", len(p.chosen), i, j, sum)
				}
			}
		}
	}
}

// The plan of a cluster kernel is that of its definition.
func TestClusterKernelPlan(t *testing.T) {
	p := must.Have(ClusterKernel{Kernel: kernel.Gaussian{Gamma: 1}, Rank: 7}.Plan(gram.Shape{N: 100, D: 5}))(t)
	if p.Flops != 2*100*100*5+8*7*100*100+32*7*7*100 || p.PeakBytes != 8*(100*100+100*5+5*100*7) || p.ModelBytes != 8*100*7 || !p.FullKernel {
		t.Errorf("the plan is %+v", p)
	}
}
