package meka

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

var gauss = kernel.Gaussian{Gamma: 0.3}

func fit(t *testing.T, c Config, x mat.Matrix) *Model {
	t.Helper()
	m, err := c.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// blobs returns n rows in four clusters of different size and width.
func blobs(n int) *mat.Dense {
	x, _ := gen.Blobs(n, 4, 4, 1, 3)
	for i := range n {
		if i%3 == 0 {
			for j := range 4 {
				x.Set(i, j, x.At(i, j)*0.5)
			}
		}
	}
	return x
}

// kernelMatrix computes the kernel matrix from the kernel's definition.
func kernelMatrix(k kernel.Kernel, x *mat.Dense) *mat.SymDense {
	n, _ := x.Dims()
	g := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			g.SetSym(i, j, k.Eval(x.RawRowView(i), x.RawRowView(j)))
		}
	}
	return g
}

// dense builds W·L·Wᵀ from the parts of o, by the definition.
func dense(o *Operator) *mat.SymDense {
	type place struct{ s, a int }
	at := make([]place, o.n)
	for s, member := range o.member {
		for a, i := range member {
			at[i] = place{s, a}
		}
	}
	l := func(s, j, t, k int) float64 {
		if j < o.links.linked(s) && k < o.links.linked(t) {
			return o.links.l.At(o.links.first[s]+j, o.links.first[t]+k)
		}
		if s == t && j == k {
			return 1
		}
		return 0
	}
	g := mat.NewSymDense(o.n, nil)
	for a := range o.n {
		for b := range a + 1 {
			s, t := at[a].s, at[b].s
			var v float64
			for j, wj := range o.w[s].RawRowView(at[a].a) {
				for k, wk := range o.w[t].RawRowView(at[b].a) {
					v += wj * l(s, j, t, k) * wk
				}
			}
			g.SetSym(a, b, v)
		}
	}
	return g
}

func eigenvalues(g *mat.SymDense) []float64 {
	var e mat.EigenSym
	e.Factorize(g, false)
	return e.Values(nil)
}

func distance(a, b mat.Matrix) float64 {
	return mat.Norm(sub(a, b), 2)
}

// The configurations of the dense oracle.
var oracle = map[string]Config{
	"default":       {Clusters: 4, Rank: 12},
	"k-means":       {Clusters: 4, Rank: 12, Basis: KMeansNystrom},
	"randomised":    {Clusters: 3, Rank: 8, Columns: 5, Basis: RandomizedNystrom},
	"proportional":  {Clusters: 5, Rank: 9, Ranks: Proportional},
	"pooled":        {Clusters: 5, Rank: 9, Ranks: PooledEigenvalues},
	"threshold":     {Clusters: 4, Rank: 12, Epsilon: 1e-2},
	"all cut":       {Clusters: 4, Rank: 12, Epsilon: 2},
	"balanced":      {Clusters: 4, Rank: 12, Balance: 1.1},
	"small cut":     {Clusters: 4, Rank: 15, Cut: 1e-4, Rho: gram.Set(1.)},
	"large cut":     {Clusters: 4, Rank: 12, Cut: 0.5},
	"one cluster":   {Clusters: 1, Rank: 20},
	"tiny clusters": {Clusters: 40, Rank: 12},
	"laplacian":     {Clusters: 4, Rank: 12, Kernel: kernel.Laplacian{Gamma: 0.2}},
	"polynomial":    {Clusters: 3, Rank: 10, Kernel: kernel.Polynomial{Degree: 2, Offset: 1}},
}

func TestAgainstDense(t *testing.T) {
	algotest.Serial(t)
	const n = 150
	x := blobs(n)
	for name, c := range oracle {
		t.Run(name, func(t *testing.T) {
			if c.Kernel == nil {
				c.Kernel = gauss
			}
			g := kernelMatrix(c.Kernel, x)
			raw := c
			raw.NoRepair = true
			before, after := fit(t, raw, x), fit(t, c, x)
			a, b := dense(before.Operator()), dense(after.Operator())
			scale := mat.Norm(g, 2)
			ea, eb := distance(g, a), distance(g, b)
			t.Logf("error %.4f before, %.4f after; λmin %.3g before, %.3g after", ea/scale, eb/scale, before.Stats().MinEigen, after.Stats().Repaired)
			if !(eb <= ea+1e-9*scale) {
				t.Errorf("the repair raises the error from %g to %g", ea/scale, eb/scale)
			}
			va, vb := eigenvalues(a), eigenvalues(b)
			top := vb[n-1]
			if !(vb[0] >= -1e-12*top) {
				t.Errorf("the smallest eigenvalue after the repair is %g of %g", vb[0], top)
			}
			// The reported smallest eigenvalue is on the range of W.
			if s := before.Stats(); s.MinEigen < 0 && !(math.Abs(s.MinEigen-va[0]) <= 1e-9*top) || !(math.Abs(s.MaxEigen-va[n-1]) <= 1e-9*top) {
				t.Errorf("reported eigenvalues %g to %g, they are %g to %g", s.MinEigen, s.MaxEigen, va[0], va[n-1])
			}
			negative := 0
			for _, v := range va {
				if v < -1e-9*top {
					negative++
				}
			}
			if s := after.Stats(); s.Clipped < negative || s.Clipped > n/2 {
				t.Errorf("%d eigenvalues clipped, %d were negative", s.Clipped, negative)
			}
			if s := after.Stats(); s.MinEigen < 0 && s.Repaired != 0 || s.Repaired < 0 {
				t.Errorf("smallest eigenvalue %g before and %g after the repair", s.MinEigen, s.Repaired)
			}
			for _, m := range []*Model{before, after} {
				checkModel(t, m.Operator(), dense(m.Operator()), scale)
			}
			// Features give the operator of the rows they are mapped from.
			at, err := after.At(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			phi := after.Map(nil, x)
			var want mat.Dense
			want.Mul(phi, phi.T())
			if d := distance(&want, dense(at)); !(d <= 1e-10*scale) {
				t.Errorf("features and operator differ by %g", d/scale)
			}
			if c.Balance == 0 {
				if d := distance(&want, b); !(d <= 1e-10*scale) {
					t.Errorf("features and operator on the training rows differ by %g", d/scale)
				}
			}
			// Sums of ranks, and storage.
			var ranks int
			s := after.Stats()
			for k, r := range s.Ranks {
				ranks += r
				if r > s.Sizes[k] || r < min(1, s.Sizes[k]) || s.Linked[k] > r {
					t.Errorf("cluster %d: rank %d, %d linked, %d rows", k, r, s.Linked[k], s.Sizes[k])
				}
			}
			if cfg := after.Config(); ranks > cfg.Clusters*cfg.Rank {
				t.Errorf("the ranks add up to %d", ranks)
			}
		})
	}
}

// checkModel compares products, rows and eigenvalues of o with g.
func checkModel(t *testing.T, o *Operator, g *mat.SymDense, scale float64) {
	t.Helper()
	n := o.Dim()
	for _, cols := range []int{1, 3} {
		v := algotest.Problem(5, n, cols, 2).X.(*mat.Dense)
		got := mat.NewDense(n, cols, nil)
		o.Apply(got, v)
		var want mat.Dense
		want.Mul(g, v)
		if !mat.EqualApprox(got, &want, 1e-11*scale) {
			t.Errorf("product with %d columns differs by %g", cols, distance(got, &want))
		}
	}
	index := append(rng.New(3, 0).Perm(n), 0, 0, 17)
	got := mat.NewDense(len(index), n, nil)
	o.Rows(got, index)
	for b, i := range index {
		for j := range n {
			if !(math.Abs(got.At(b, j)-g.At(i, j)) <= 1e-11*scale) {
				t.Fatalf("row %d, column %d is %g, want %g", i, j, got.At(b, j), g.At(i, j))
			}
		}
	}
	values, err := o.Eigenvalues(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	all := eigenvalues(g)
	if len(values) > n {
		t.Fatalf("%d eigenvalues of a matrix of order %d", len(values), n)
	}
	// The others are zero.
	values = append(values, make([]float64, n-len(values))...)
	slices.Sort(values)
	for i, v := range values {
		if !(math.Abs(v-all[i]) <= 1e-10*scale) {
			t.Fatalf("eigenvalue %d is %g, want %g", i, v, all[i])
		}
	}
}

// With all rows of the clusters as landmarks and sample, and blocks that the
// bases span, the approximation is exact; so are the diagonal blocks always then.
func TestFullRankIsExact(t *testing.T) {
	algotest.Serial(t)
	x := blobs(120)
	c := Config{Kernel: kernel.Gaussian{Gamma: 0.05}, Clusters: 3, Rank: 120, Cut: 1e-9}
	g := kernelMatrix(c.Kernel, x)
	if e := distance(g, dense(fit(t, c, x).Operator())) / mat.Norm(g, 2); !(e < 1e-6) {
		t.Errorf("relative error %g at full rank", e)
	}
	c = Config{Kernel: gauss, Clusters: 3, Rank: 120, NoRepair: true}
	g = kernelMatrix(c.Kernel, x)
	m := fit(t, c, x)
	h := dense(m.Operator())
	for _, member := range m.op.member {
		for _, i := range member {
			for _, j := range member {
				if !(math.Abs(g.At(i, j)-h.At(i, j)) < 1e-9) {
					t.Fatalf("entry %d, %d within a cluster is %g, want %g", i, j, h.At(i, j), g.At(i, j))
				}
			}
		}
	}
}

// A kernel of rank four is found exactly from any sample.
func TestLowRankKernelIsExact(t *testing.T) {
	x := blobs(300)
	for name, c := range map[string]Config{"nystrom": {}, "k-means": {Basis: KMeansNystrom}, "pooled": {Ranks: PooledEigenvalues}} {
		c.Kernel, c.Clusters, c.Rank = kernel.Linear{}, 3, 6
		m := fit(t, c, x)
		g := kernelMatrix(c.Kernel, x)
		if e := distance(g, dense(m.Operator())) / mat.Norm(g, 2); !(e < 1e-8) || !slices.Equal(m.Stats().Ranks, []int{4, 4, 4}) {
			t.Errorf("%s: relative error %g, ranks %v", name, e, m.Stats().Ranks)
		}
	}
}

// The links solve the least-squares problem on their sample: no other link with
// the same columns does better. As the sample is all rows here, the residual is
// orthogonal to the columns with links.
func TestLinksAreLeastSquares(t *testing.T) {
	x := blobs(150)
	m := fit(t, Config{Kernel: gauss, Clusters: 3, Rank: 10, Rho: gram.Set(1000.), NoRepair: true, Cut: 1e-6}, x)
	g, h := kernelMatrix(gauss, x), dense(m.Operator())
	o := m.Operator()
	for s, a := range o.member {
		for u, b := range o.member {
			if s == u {
				continue
			}
			r := mat.NewDense(len(a), len(b), nil)
			for i := range a {
				for j := range b {
					r.Set(i, j, g.At(a[i], b[j])-h.At(a[i], b[j]))
				}
			}
			var half, grad mat.Dense
			half.Mul(o.w[s].T(), r)
			grad.Mul(&half, o.w[u])
			ls, lu := o.links.linked(s), o.links.linked(u)
			if ls == 0 || lu == 0 {
				t.Fatal("a cluster without links")
			}
			if d := mat.Norm(grad.Slice(0, ls, 0, lu), 2); !(d < 1e-8) {
				t.Errorf("clusters %d and %d: the gradient of the least-squares problem is %g", s, u, d)
			}
		}
	}
}

func TestPrincipalBasis(t *testing.T) {
	m := fit(t, Config{Kernel: gauss, Clusters: 4, Rank: 10}, blobs(300))
	for s, w := range m.Operator().w {
		var a mat.Dense
		a.Mul(w.T(), w)
		k, _ := a.Dims()
		for i := range k {
			for j := range k {
				if i != j && !(math.Abs(a.At(i, j)) < 1e-12*a.At(0, 0)) {
					t.Fatalf("cluster %d: columns %d and %d have the inner product %g", s, i, j, a.At(i, j))
				}
			}
			if i > 0 && !(a.At(i, i) <= a.At(i-1, i-1)*(1+1e-12)) {
				t.Fatalf("cluster %d: column %d is longer than the one before", s, i)
			}
		}
	}
}

// A threshold cuts the links of clusters whose centers are far apart.
func TestEpsilon(t *testing.T) {
	x := blobs(300)
	c := Config{Kernel: gauss, Clusters: 6, Rank: 10, NoRepair: true} // a repair links all
	center := fit(t, c, x).Clusters().Centers()
	var values []float64
	for s := range 6 {
		for u := range s {
			values = append(values, gauss.Eval(center.RawRowView(s), center.RawRowView(u)))
		}
	}
	slices.Sort(values)
	for want, e := range map[int]float64{15: 0, 10: values[4], 5: values[9], 0: values[14]} {
		c.Epsilon = e
		m := fit(t, c, x)
		if m.Stats().Links != want {
			t.Errorf("ε %g: %d links, want %d", e, m.Stats().Links, want)
		}
		o, linked := m.Operator(), m.Linked()
		if len(linked) != want {
			t.Errorf("ε %g: linked are %v, want %d pairs", e, linked, want)
		}
		for s := range o.member {
			for u := range s {
				cut := gauss.Eval(center.RawRowView(s), center.RawRowView(u)) <= e
				l := o.links.l.Slice(o.links.first[s], o.links.first[s+1], o.links.first[u], o.links.first[u+1])
				if zero := mat.Norm(l, 2) == 0; zero != cut {
					t.Errorf("ε %g: clusters %d and %d are linked: %t", e, s, u, !zero)
				}
				if slices.Contains(linked, [2]int{u, s}) == cut {
					t.Errorf("ε %g: linked are %v", e, linked)
				}
			}
		}
	}
}

// Rows are drawn as often as their chances say, and weighted equations of a
// sample stand for those of all rows.
func TestByLeverage(t *testing.T) {
	m := fit(t, Config{Kernel: gauss, Clusters: 1, Rank: 5}, blobs(200))
	w := m.Operator().w[0]
	sigma := make([]float64, 5)
	for j := range sigma {
		sigma[j] = mat.Norm(w.ColView(j), 2)
	}
	var all, mean mat.Dense
	all.Mul(w.T(), w)
	mean.Scale(0, &all)
	const repeats, want = 4000, 20
	r := rng.New(1, 0)
	for range repeats {
		index, weight := byLeverage(w, sigma, want, r)
		if !slices.IsSorted(index) || len(slices.Compact(slices.Clone(index))) != len(index) || len(index) > want+1 {
			t.Fatalf("rows %v", index)
		}
		v := mat.NewDense(len(index), 5, nil)
		for b, i := range index {
			for j, a := range w.RawRowView(i) {
				v.Set(b, j, a*math.Sqrt(weight[b]))
			}
		}
		var g mat.Dense
		g.Mul(v.T(), v)
		g.Scale(1./repeats, &g)
		mean.Add(&mean, &g)
	}
	for i := range 5 {
		for j := range 5 {
			if d := math.Abs(mean.At(i, j)-all.At(i, j)) / (sigma[i] * sigma[j]); !(d < 0.03) {
				t.Errorf("entry %d, %d of the mean of W_vᵀW_v is off by %.3f", i, j, d)
			}
		}
	}
	if index, weight := byLeverage(w, sigma, 200, r); len(index) != 200 || weight[7] != 1 {
		t.Errorf("%d of 200 rows when all are wanted", len(index))
	}
}

// A row of weight 2 in a sample counts as two rows.
func TestSampleWeightsAreRepetitions(t *testing.T) {
	const n = 40
	x := mat.NewDense(n+3, 3, nil)
	x.Slice(0, n, 0, 3).(*mat.Dense).Copy(algotest.Problem(4, n, 3, 2).X)
	label := make([]int, n+3)
	for i := range n {
		label[i] = i % 2
	}
	for k := range 3 { // rows 0, 2 and 4 once more
		x.SetRow(n+k, x.RawRowView(2*k))
	}
	var landmarks []*mat.Dense
	for s := range 2 {
		landmarks = append(landmarks, rows.Dense(gram.Of(x), []int{s, s + 8, s + 16}))
	}
	features := func(of Sample) *mat.Dense {
		c := Config{Kernel: gauss, Given: Given{Landmarks: landmarks, Samples: []Sample{of, {Rows: []int{1, 3, 5, 7, 9}}}}}
		c.Given.Labels = label
		m := fit(t, c, x)
		phi := m.Map(nil, x)
		var g mat.Dense
		g.Mul(phi, phi.T())
		return &g
	}
	twice := features(Sample{Rows: []int{0, 2, 4, 6, 8, 10, n, n + 1, n + 2}})
	some := []int{0, 2, 4, 6, 8, 10}
	if got := features(Sample{Rows: some, Weights: []float64{2, 2, 2, 1, 1, 1}}); !mat.EqualApprox(got, twice, 1e-10) {
		t.Error("rows of weight 2 are not two rows")
	}
	if got := features(Sample{Rows: some}); mat.EqualApprox(got, twice, 1e-4) {
		t.Error("the weights do not matter")
	}
}

// Roots that are given fit their landmarks and the rank, and are the ranks.
func TestGivenRoots(t *testing.T) {
	const n = 40
	x := algotest.Problem(4, n, 3, 2).X
	label := make([]int, n)
	for i := range n {
		label[i] = i % 2
	}
	u := []*mat.Dense{rows.Dense(gram.Of(x), []int{0, 8, 16}), rows.Dense(gram.Of(x), []int{1, 9})}
	root := func(m, k int) *mat.Dense {
		r := mat.NewDense(m, k, nil)
		for j := range min(m, k) {
			r.Set(j, j, 1)
		}
		return r
	}
	config := func(landmarks []*mat.Dense, roots ...*mat.Dense) Config {
		c := Config{Kernel: gauss, Given: Given{Landmarks: landmarks, Roots: roots}}
		c.Given.Labels = label
		return c
	}
	good := config(u, root(3, 2), root(2, 2))
	if _, m := fit(t, good, x).Dims(); m != 4 {
		t.Errorf("%d features", m)
	}
	pooled, low := good, good
	pooled.Ranks, low.Rank = PooledEigenvalues, 1
	for name, c := range map[string]Config{
		"other rows": config(u, root(2, 2), root(2, 2)), "no landmarks": config([]*mat.Dense{u[0], nil}, root(3, 2), root(2, 2)),
		"ranks by eigenvalues": pooled, "a lower rank": low, "one cluster": config(u, root(3, 2)),
	} {
		var refused *gram.ConfigError
		if _, err := c.Fit(t.Context(), x); !errors.As(err, &refused) || !strings.Contains(err.Error(), "Roots") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestApportion(t *testing.T) {
	for _, c := range []struct {
		total int
		size  []int
	}{
		{10, []int{50, 30, 20}},
		{100, []int{1, 2, 300, 0, 40}},
		{7, []int{1, 1, 1, 1, 1, 1, 1000}},
		{3, []int{1, 1, 1, 1, 1, 1, 1000}},
		{50, []int{3, 4}},
	} {
		got := apportion(c.total, c.size)
		var sum, n, inhabited int
		for s, v := range got {
			sum += v
			n += c.size[s]
			inhabited += min(1, c.size[s])
			if v > c.size[s] || v < min(1, c.size[s]) {
				t.Errorf("%d among %v: %v", c.total, c.size, got)
			}
		}
		if want := min(n, max(c.total, inhabited)); sum != want {
			t.Errorf("%d among %v: %v adds up to %d, want %d", c.total, c.size, got, sum, want)
		}
	}
	if got := apportion(10, []int{50, 30, 20}); !slices.Equal(got, []int{5, 3, 2}) {
		t.Errorf("10 among 50, 30, 20: %v", got)
	}
}

// An eigenvalue of a few landmarks counts for as many rows as they stand for.
func TestPool(t *testing.T) {
	of := func(values ...float64) clusterBasis {
		m := len(values)
		return clusterBasis{u: mat.NewDense(m, 1, nil), root: mat.NewDense(m, m, nil), values: values}
	}
	all := []clusterBasis{of(3, 2, 1, .5), of(3, 2, 1, .5), {}, of(9, .1)}
	pool(all, []int{4, 40, 0, 2}, 7)
	var got []int
	for _, b := range all {
		got = append(got, b.rank())
	}
	if want := []int{2, 4, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("ranks %v, want %v", got, want)
	}
}

// Rows whose nearest center is that of a cluster without rows belong to the
// cluster nearest to it.
func TestRowsOfEmptyClusters(t *testing.T) {
	x := blobs(200)
	m := fit(t, Config{Kernel: gauss, Clusters: 4, Rank: 5}, x)
	before := m.assign(nil, gram.Of(x))
	m.basis[2].root = nil
	c := m.Clusters().Centers()
	next := 0
	for s := range 4 {
		if s != 2 && mat.Norm(sub(c.RowView(s), c.RowView(2)), 2) < mat.Norm(sub(c.RowView(next), c.RowView(2)), 2) {
			next = s
		}
	}
	for i, s := range m.assign(nil, gram.Of(x)) {
		if want := before[i]; want == 2 && s != next || want != 2 && s != want {
			t.Fatalf("row %d of cluster %d is put to %d; %d is nearest to the one without rows", i, want, s, next)
		}
	}
}

func sub(a, b mat.Matrix) *mat.Dense {
	var d mat.Dense
	d.Sub(a, b)
	return &d
}

// More clusters than different rows: some are empty.
func TestEmptyClusters(t *testing.T) {
	base := blobs(5)
	x := mat.NewDense(100, 4, nil)
	for i := range 100 {
		x.SetRow(i, base.RawRowView(i%5))
	}
	c := Config{Kernel: gauss, Clusters: 12, Rank: 4}
	m := fit(t, c, x)
	if !slices.Contains(m.Stats().Sizes, 0) {
		t.Fatal("no cluster is empty")
	}
	g := kernelMatrix(gauss, x)
	if e := distance(g, dense(m.Operator())) / mat.Norm(g, 2); !(e < 1e-7) {
		t.Errorf("relative error %g with five different rows in %v", e, m.Stats().Sizes)
	}
	z := mat.NewDense(100, 4, nil) // near the centers, in no particular cluster
	z.Add(x, algotest.Problem(3, 100, 4, 3).X)
	phi := m.Map(nil, z)
	for i := range 100 {
		if v := mat.Norm(phi.RowView(i), 2); v-v != 0 {
			t.Fatalf("row %d has a feature that is not finite", i)
		}
	}
}

func TestSparseRows(t *testing.T) {
	x := blobs(200)
	c := Config{Kernel: gauss, Clusters: 3, Rank: 10}
	a, b := dense(fit(t, c, x).Operator()), dense(fit(t, c, sparse.FromDense(x)).Operator())
	if d := distance(a, b); !(d < 1e-8*mat.Norm(a, 2)) {
		t.Errorf("sparse and dense rows differ by %g", d)
	}
}

func TestCertificate(t *testing.T) {
	var plans [3]gram.Plan
	for rows := range plans {
		var err error
		if plans[rows], err = (Config{Kernel: gauss, Certificate: rows}).Plan(gram.Shape{N: 600, D: 3}); err != nil {
			t.Fatal(err)
		}
	}
	if without, one, two := plans[0].Flops, plans[1].Flops, plans[2].Flops; !(without < one && one < two && two-one < 1.1*(one-without)) {
		t.Errorf("%g flops without a certificate, %g with one of one row, %g of two", without, one, two)
	}
	x := blobs(600)
	m := fit(t, Config{Kernel: gauss, Clusters: 4, Rank: 10, Certificate: 300}, x)
	want, err := solve.RelativeError(context.Background(), gauss, x, m.Operator(), solve.ErrorOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Stats().Error; got.Rows != 300 || !(math.Abs(got.Value-want.Value) < 4*got.StdError+1e-12) {
		t.Errorf("the certificate says %+v, the error is %g", got, want.Value)
	}
}

func TestErrors(t *testing.T) {
	x := algotest.Problem(8, 30, 3, 3).X
	for name, c := range map[string]Config{
		"Kernel":       {Rank: 3},
		"Kernel.Gamma": {Kernel: kernel.Gaussian{Gamma: -1}},
		"Clusters":     {Kernel: gauss, Clusters: 31},
		"Rank":         {Kernel: gauss, Rank: 31},
		"Basis":        {Kernel: gauss, Basis: 3},
		"Ranks":        {Kernel: gauss, Ranks: 3},
		"Columns":      {Kernel: gauss, Columns: -1},
		"Rho":          {Kernel: gauss, Rho: gram.Set(-1.)},
		"Epsilon":      {Kernel: gauss, Epsilon: math.NaN()},
		"Cut":          {Kernel: gauss, Cut: 1},
		"Balance":      {Kernel: gauss, Balance: 0.5},
		"Certificate":  {Kernel: gauss, Certificate: -1},
	} {
		_, err := c.Fit(context.Background(), x)
		var ce *gram.ConfigError
		if !errors.As(err, &ce) || ce.Field != name {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := c.Plan(gram.Shape{N: 30, D: 3}); !errors.As(err, &ce) || ce.Field != name {
			t.Errorf("%s: error %v of the plan", name, err)
		}
	}
	m := fit(t, Config{Kernel: gauss, Clusters: 2, Rank: 3, NoRepair: true}, x)
	if m.HasFeatures() {
		t.Error("features without a repair")
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for features without a repair")
		}
	}()
	m.Map(nil, x)
}

// On the data of the paper, at its settings: below the honest figures' upper
// end for every seed.
func TestRealData(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir, err := dataset.FindDir()
	if err != nil {
		t.Skip("no data: ", err)
	}
	train, test, err := dir.Load("pendigits", dataset.Options{Storage: dataset.Dense})
	if err != nil {
		t.Skip("no data: ", err)
	}
	if train, err = train.Append(test); err != nil {
		t.Fatal(err)
	}
	s, err := dataset.MinMax(train.X, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	x := s.Apply(train.X)
	k := kernel.Gaussian{Gamma: 2}
	for seed := range uint64(3) {
		run := gram.Run{Seed: seed}
		m := fit(t, Config{Kernel: k, Clusters: 5, Rank: 128, Run: run}, x)
		e, err := solve.RelativeError(context.Background(), k, x, m.Operator(), solve.ErrorOptions{MaxRows: 500, Run: run})
		if err != nil {
			t.Fatal(err)
		}
		st := m.Stats()
		t.Logf("seed %d: error %.4f, λmin %.3g → %.3g of %.4g, linked %v, seconds %.2f %.2f %.2f %.2f", seed, e.Value,
			st.MinEigen, st.Repaired, st.MaxEigen, st.Linked, st.ClusterSeconds, st.BasisSeconds, st.LinkSeconds, st.RepairSeconds)
		if !(e.Value <= 0.085) {
			t.Errorf("relative error %.4f", e.Value)
		}
	}
}
