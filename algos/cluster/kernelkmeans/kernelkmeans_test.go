package kernelkmeans

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

var gauss = kernel.Gaussian{Gamma: 0.3}

// featureDistance is the squared distance in the kernel's space of a point to
// the weighted mean of rows, by its definition.
func featureDistance(k kernel.Kernel, x *mat.Dense, point []float64, rows []int, w []float64) float64 {
	weight := func(i int) float64 {
		if w == nil {
			return 1
		}
		return w[i]
	}
	var total, cross, within float64
	for _, i := range rows {
		total += weight(i)
		cross += weight(i) * k.Eval(point, x.RawRowView(i))
		for _, j := range rows {
			within += weight(i) * weight(j) * k.Eval(x.RawRowView(i), x.RawRowView(j))
		}
	}
	return k.Eval(point, point) - 2*cross/total + within/(total*total)
}

// The clusters of a sample are those of the rows that were drawn; all rows are
// assigned to the nearest mean, and the objective is the weighted sum over all.
func TestOfASample(t *testing.T) {
	const n, k, s = 150, 4, 60
	x := algotest.Problem(3, n, 3, 3).X.(*mat.Dense)
	w := make([]float64, n)
	for i := range w {
		w[i] = float64(i % 3)
	}
	for _, weights := range [][]float64{nil, w} {
		m := must.Have(Config{Kernel: gauss, K: k, Sample: s, Run: gram.Run{Seed: 5}}.FitWeighted(context.Background(), x, weights))(t)
		var kept []int
		for i := range n {
			if weights == nil || weights[i] > 0 {
				kept = append(kept, i)
			}
		}
		index := slices.Sorted(slices.Values(rng.New(5, 0).Perm(len(kept))[:s]))
		rows.Renumber(index, kept)
		groups := make([][]int, k)
		for _, i := range index {
			c := m.Labels()[i]
			groups[c] = append(groups[c], i)
		}
		st := m.Stats()
		var objective float64
		size := make([]int, k)
		for i, label := range m.Labels() {
			if weights == nil || weights[i] > 0 {
				size[label]++
			}
			nearest := math.Inf(1)
			for _, g := range groups {
				nearest = min(nearest, featureDistance(gauss, x, x.RawRowView(i), g, weights))
			}
			// The last assignment of the sample may lie one step behind its means.
			if own := featureDistance(gauss, x, x.RawRowView(i), groups[label], weights); !(own <= nearest+1e-9) && !slices.Contains(index, i) {
				t.Errorf("row %d is %g from its mean, the nearest is %g", i, own, nearest)
			}
			if weights == nil {
				objective += nearest
			} else {
				objective += weights[i] * nearest
			}
		}
		if st.Rows != s || !slices.Equal(st.Sizes, size) || len(st.Trace) != st.Iterations {
			t.Errorf("%+v, want %d rows and sizes %v", st, s, size)
		}
		if !(math.Abs(st.Objective-objective) <= 0.02*objective) {
			t.Errorf("objective %g, by definition %g", st.Objective, objective)
		}
	}
	// There are not more clusters than rows that have a weight.
	few := make([]float64, n)
	few[7] = 1
	_, err := Config{Kernel: gauss, K: k, Sample: s}.FitWeighted(context.Background(), x, few)
	var ce *gram.ConfigError
	if !errors.As(err, &ce) || ce.Field != "K" {
		t.Errorf("one row of weight: %v", err)
	}
}

// Of several starts the best is kept, and MaxIter ends each of them.
func TestStarts(t *testing.T) {
	x := algotest.Problem(7, 120, 2, 3).X
	one := func(starts, maxIter int) kmeans.Stats {
		m := must.Have(Config{Kernel: kernel.Gaussian{Gamma: 4}, K: 9, Starts: starts, MaxIter: maxIter, Tol: 1e-12}.Fit(context.Background(), x))(t)
		return m.Stats()
	}
	best, differ := math.Inf(1), 0
	for starts := 1; starts <= 6; starts++ {
		s := one(starts, 100)
		if !(s.Objective <= best) {
			t.Errorf("%d starts end at %g, fewer at %g", starts, s.Objective, best)
		}
		if s.Objective < best {
			differ++
		}
		best = s.Objective
		if s.Objective != s.Trace[len(s.Trace)-1] {
			t.Errorf("objective %g, the trace ends at %g", s.Objective, s.Trace[len(s.Trace)-1])
		}
	}
	if differ < 2 {
		t.Error("six starts find the same clusters, so that nothing is tested")
	}
	for _, most := range []int{1, 2} {
		if s := one(1, most); s.Iterations != most || len(s.Trace) != most {
			t.Errorf("%d iterations of %d, trace %v", s.Iterations, most, s.Trace)
		}
	}
}

// Copies: there are fewer different rows than clusters, and the empty ones
// attract nothing. Equal distances go to the first cluster.
func TestOfCopies(t *testing.T) {
	x := mat.NewDense(12, 1, nil)
	for i := range 12 {
		x.Set(i, 0, float64(i%2))
	}
	m := must.Have(Config{Kernel: gauss, K: 5}.Fit(context.Background(), x))(t)
	used := 0
	for _, v := range m.Stats().Sizes {
		if v != 0 && v != 6 {
			t.Errorf("sizes %v of two points, six times each", m.Stats().Sizes)
		}
		if v == 6 {
			used++
		}
	}
	if o := m.Stats().Objective; used != 2 || !(math.Abs(o) < 1e-12) {
		t.Errorf("sizes %v with the objective %g", m.Stats().Sizes, o)
	}
	between := m.Assign(nil, mat.NewDense(1, 1, []float64{0.5}))
	if between[0] != min(m.Labels()[0], m.Labels()[1]) {
		t.Errorf("a point in the middle of clusters %d and %d is in %d", m.Labels()[0], m.Labels()[1], between[0])
	}
}

// An empty cluster is given the row that adds most to the objective, but none
// that is alone in its cluster or a copy of its mean.
func TestReseed(t *testing.T) {
	p := &similarities{g: mat.NewDense(5, 5, nil), n: 5, k: 4, w: []float64{1, 1, 2, 1, 1}}
	for i := range 5 {
		p.g.Set(i, i, 1)
	}
	label, dist := []int{0, 0, 0, 1, 0}, []float64{0.5, 0.3, 0.4, 9, 0}
	if moved := p.reseed(label, dist); moved != 2 || !slices.Equal(label, []int{3, 0, 2, 1, 0}) || !slices.Equal(dist, []float64{0, 0.3, 0, 9, 0}) {
		t.Errorf("%d moved, labels %v, distances %v", moved, label, dist)
	}
	label, dist = []int{0, 0, 0, 0, 0}, make([]float64, 5)
	if moved := p.reseed(label, dist); moved != 0 || !slices.Equal(label, make([]int, 5)) {
		t.Errorf("%d copies moved, labels %v", moved, label)
	}
	label, dist = []int{0, 1, 2, 3, 3}, []float64{1, 1, 1, 0.1, 0.2}
	if moved := p.reseed(label, dist); moved != 0 {
		t.Errorf("%d moved although no cluster is empty", moved)
	}
}

func TestErrors(t *testing.T) {
	x := algotest.Problem(3, 30, 3, 3).X
	for _, c := range []struct {
		field string
		c     Config
	}{
		{"Kernel", Config{K: 2}},
		{"Kernel.Gamma", Config{Kernel: kernel.Gaussian{Gamma: -1}, K: 2}},
		{"K", Config{Kernel: gauss, K: -1}},
		{"K", Config{Kernel: gauss, K: 31}},
		{"Starts", Config{Kernel: gauss, K: 2, Starts: -1}},
		{"MaxIter", Config{Kernel: gauss, K: 2, MaxIter: -1}},
		{"Tol", Config{Kernel: gauss, K: 2, Tol: -1}},
		{"Sample", Config{Kernel: gauss, K: 9, Sample: 8}},
	} {
		var ce *gram.ConfigError
		if m, err := c.c.Fit(context.Background(), x); !errors.As(err, &ce) || ce.Field != c.field || m != nil {
			t.Errorf("%s: error %v", c.field, err)
		}
		if _, err := c.c.Plan(gram.Shape{N: 30, D: 3}); !errors.As(err, &ce) || ce.Field != c.field {
			t.Errorf("%s: error %v of the plan", c.field, err)
		}
	}
	m := must.Have(Config{Kernel: gauss, Sample: 8, AllRows: true}.Fit(context.Background(), x))(t)
	if c := m.Config(); c.K != 8 || c.Starts != 1 || c.MaxIter != 100 || c.Tol != 1e-4 || m.Stats().Rows != 30 {
		t.Errorf("defaults %+v on %d rows", c, m.Stats().Rows)
	}
	if c, err := settings.Resolved(Config{Kernel: gauss, K: 2500}, gram.Shape{N: 3000}); err != nil || c.Sample != 2500 {
		t.Errorf("2500 clusters of a sample of %d: %v", c.Sample, err)
	}
	if c, err := settings.Resolved(Config{Kernel: gauss}, gram.Shape{N: 3000}); err != nil || c.Sample != 2000 || c.clustered(3000) != 2000 || c.clustered(90) != 90 {
		t.Errorf("a sample of %d: %v", c.Sample, err)
	}
}

// The kernel matrix of the sample is filled with looks at the context in between.
func TestSampleLooks(t *testing.T) {
	x := algotest.Problem(3, 3072, 300, 3).X
	algotest.Looks(t, 0.45, func(ctx context.Context) error {
		_, err := Config{Kernel: gauss, K: 2, Sample: 3072, MaxIter: 1, Run: gram.Run{Workers: 1}}.Fit(ctx, x)
		return err
	})
}

// With the linear kernel kernel k-means is k-means: it finds the same clusters, with
// the same objective, and assigns further rows to the same means.
func TestWithLinearKernel(t *testing.T) {
	x, truth := gen.Blobs(200, 3, 4, 10, 1)
	other, _ := gen.Blobs(400, 3, 4, 10, 1)
	w := make([]float64, 200)
	r := rng.New(2, 0)
	for i := range w {
		w[i] = float64(1 + r.IntN(3))
	}
	for _, weights := range [][]float64{nil, w} {
		m := must.Have(Config{Kernel: kernel.Linear{}, K: 4, Starts: 5, Tol: 1e-300}.FitWeighted(context.Background(), x, weights))(t)
		flat := must.Have(kmeans.Config{K: 4, Starts: 5, Tol: 1e-300}.FitWeighted(context.Background(), x, weights))(t)
		if metric.PairError(m.Labels(), truth.Class) != 0 {
			t.Error("not the clusters that are there")
		}
		if got, want := m.Stats().Objective, flat.Stats().Objective; !(math.Abs(got-want) < 1e-9*want+1e-9) {
			t.Errorf("objective %g, that of k-means is %g", got, want)
		}
		if e := metric.PairError(m.Assign(nil, other), flat.Assign(nil, other)); e != 0 {
			t.Errorf("further rows are assigned to other means, pair error %g", e)
		}
	}
}

func TestObjectiveNeverIncreases(t *testing.T) {
	x := algotest.Problem(3, 300, 3, 3).X.(*mat.Dense)
	for _, k := range []kernel.Kernel{kernel.Gaussian{Gamma: 1}, kernel.Laplacian{Gamma: 0.5}} {
		m := must.Have(Config{Kernel: k, K: 12, Tol: 1e-300}.Fit(context.Background(), x))(t)
		tr := m.Stats().Trace
		for i := 1; i < len(tr); i++ {
			if !(tr[i] <= tr[i-1]*(1+1e-12)) {
				t.Errorf("%s: objective goes from %g to %g", k.Spec().Name, tr[i-1], tr[i])
			}
		}
		if !slices.Equal(m.Assign(nil, x), m.Labels()) {
			t.Errorf("%s: Assign differs from Labels", k.Spec().Name)
		}
		// The objective by its definition: for every cluster the kernel's
		// trace less the sum over all pairs by the size.
		var want float64
		for c := range 12 {
			var pairs, size float64
			for i, a := range m.Labels() {
				for j, b := range m.Labels() {
					if a == c && b == c {
						pairs += k.Eval(x.RawRowView(i), x.RawRowView(j))
					}
				}
				if a == c {
					want += k.Eval(x.RawRowView(i), x.RawRowView(i))
					size++
				}
			}
			if size > 0 {
				want -= pairs / size
			}
		}
		if got := tr[len(tr)-1]; !(math.Abs(got-want) <= 1e-9*want) {
			t.Errorf("%s: objective %g, by definition %g", k.Spec().Name, got, want)
		}
	}
}

// indefinite is a symmetric function that is the inner product of no features.
type indefinite struct{}

func (indefinite) Eval(x, y []float64) float64 { return math.Sin(5 * x[0] * y[0]) }

func (indefinite) Spec() kernel.Spec { return kernel.Spec{Name: "indefinite"} }

// Where an iteration would raise the objective, which it can for a function that is no kernel, the clusters before it are kept.
func TestIndefinite(t *testing.T) {
	x := gen.Normal(40, 1, 3)
	ended := 0
	for seed := range uint64(20) {
		m := must.Have(Config{Kernel: indefinite{}, K: 3, Tol: 1e-300, Run: gram.Run{Seed: seed}}.Fit(t.Context(), x))(t)
		tr := m.Stats().Trace
		if m.Stats().Reseeded > 0 {
			continue
		}
		for i := 1; i < len(tr); i++ {
			if tr[i] > tr[i-1] {
				t.Errorf("seed %d: objectives %v", seed, tr)
				break
			}
		}
		if m.Stats().Objective != tr[len(tr)-1] || m.Stats().Iterations != len(tr) {
			t.Errorf("seed %d: objective %g after %d iterations, the trace is %v", seed, m.Stats().Objective, m.Stats().Iterations, tr)
		}
		ended++
	}
	if ended == 0 {
		t.Error("every fit has moved rows to empty clusters, so that nothing is tested")
	}
}

// k-means on the rows of a factor is kernel k-means.
func TestByFactor(t *testing.T) {
	x := dataset.Rings(300, 2, 0.05, 1).X.(*mat.Dense)
	k := kernel.Polynomial{Degree: 2, Offset: 0}
	m := must.Have(Config{Kernel: k, K: 2, Starts: 20}.Fit(context.Background(), x))(t)
	// ⟨x,y⟩² has the features (x₁², √2x₁x₂, x₂²).
	phi := mat.NewDense(300, 3, nil)
	for i := range 300 {
		a, b := x.At(i, 0), x.At(i, 1)
		phi.SetRow(i, []float64{a * a, math.Sqrt2 * a * b, b * b})
	}
	factor := must.Have(kmeans.Config{K: 2, Starts: 20}.Fit(context.Background(), phi))(t)
	if a, b := m.Stats().Objective, factor.Stats().Objective; !(math.Abs(a-b) < 1e-6*b) {
		t.Errorf("objective %g by the kernel, %g by its factor", a, b)
	}
	if e := metric.PairError(m.Labels(), factor.Labels()); !(e <= 1e-12) {
		t.Errorf("pair error %g between the kernel's and the factor's clusters", e)
	}
}

func TestOfPrecomputedKernel(t *testing.T) {
	x, truth := gen.Blobs(90, 2, 3, 10, 5)
	g := kernel.Gaussian{Gamma: 0.05}
	k := kernel.Columns(func(dst []float64, j int) {
		for i := range dst {
			dst[i] = g.Eval(x.RawRowView(i), x.RawRowView(j))
		}
	}, 90)
	m := must.Have(Config{Kernel: k, K: 3, Starts: 5}.Fit(context.Background(), kernel.Indices(90)))(t)
	if metric.PairError(m.Labels(), truth.Class) != 0 {
		t.Error("not the clusters that are there")
	}
}

func ExampleConfig() {
	x := mat.NewDense(6, 1, []float64{1, 2, 3, 11, 12, 13})
	m, err := Config{Kernel: kernel.Gaussian{Gamma: 0.1}, K: 2, Starts: 3}.Fit(context.Background(), x)
	if err != nil {
		panic(err)
	}
	l := m.Labels()
	fmt.Println(l[0] == l[1] && l[1] == l[2], l[3] == l[4] && l[4] == l[5], l[0] != l[3])
	// Output: true true true
}
