package kmeans

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/algotest"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"gonum.org/v1/gonum/mat"
)

// With the linear kernel kernel k-means is k-means: from its result, k-means
// finds nothing to improve, and the objectives agree.
func TestKernelKMeansWithLinearKernel(t *testing.T) {
	x, truth := blobs(1, 200, 3, 4, 0.5, 0)
	w := make([]float64, 200)
	r := rng.New(2, 0)
	for i := range w {
		w[i] = float64(1 + r.IntN(3))
	}
	for _, weights := range [][]float64{nil, w} {
		m, err := Kernel{Kernel: kernel.Linear{}, K: 4, Starts: 5, Tol: 1e-300}.FitWeighted(context.Background(), x, weights)
		if err != nil {
			t.Fatal(err)
		}
		if !samePartition(m.Labels(), truth) {
			t.Error("not the clusters that are there")
		}
		means, total := mat.NewDense(4, 3, nil), make([]float64, 4)
		for i, c := range m.Labels() {
			wi := 1.0
			if weights != nil {
				wi = weights[i]
			}
			total[c] += wi
			for j := range 3 {
				means.Set(c, j, means.At(c, j)+wi*x.At(i, j))
			}
		}
		for c := range 4 {
			for j := range 3 {
				means.Set(c, j, means.At(c, j)/total[c])
			}
		}
		if got, want := m.Stats().Objective, objectiveOf(x, means, m.Labels(), weights); !(math.Abs(got-want) < 1e-9*want+1e-9) {
			t.Errorf("objective %g, that of k-means is %g", got, want)
		}
		other, _ := blobs(1, 400, 3, 4, 0.5, 0)
		for i, c := range m.Assign(nil, other) {
			best := 0
			for k := range 4 {
				if rowDistance(other, i, means, k) < rowDistance(other, i, means, best) {
					best = k
				}
			}
			if c != best {
				t.Fatalf("row %d is assigned to %d, the nearest mean is %d", i, c, best)
			}
		}
	}
}

func TestKernelKMeansObjectiveNeverIncreases(t *testing.T) {
	x := algotest.Problem(3, 300, 3, 3).X.(*mat.Dense)
	for _, k := range []kernel.Kernel{kernel.Gaussian{Gamma: 1}, kernel.Laplacian{Gamma: 0.5}} {
		m, err := Kernel{Kernel: k, K: 12, Tol: 1e-300}.Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
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

// k-means on the rows of a factor is kernel k-means.
func TestKernelKMeansByFactor(t *testing.T) {
	x := dataset.Rings(300, 2, 0.05, 1).X.(*mat.Dense)
	k := kernel.Polynomial{Degree: 2, Offset: 0}
	m, err := Kernel{Kernel: k, K: 2, Starts: 20}.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	// ⟨x,y⟩² has the features (x₁², √2x₁x₂, x₂²).
	phi := mat.NewDense(300, 3, nil)
	for i := range 300 {
		a, b := x.At(i, 0), x.At(i, 1)
		phi.SetRow(i, []float64{a * a, math.Sqrt2 * a * b, b * b})
	}
	factor, err := Config{K: 2, Starts: 20}.Fit(context.Background(), phi)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := m.Stats().Objective, factor.Stats().Objective; !(math.Abs(a-b) < 1e-6*b) {
		t.Errorf("objective %g by the kernel, %g by its factor", a, b)
	}
	if e := metric.PairError(m.Labels(), factor.Labels()); !(e <= 1e-12) {
		t.Errorf("pair error %g between the kernel's and the factor's clusters", e)
	}
}

func TestKernelKMeansOfPrecomputedKernel(t *testing.T) {
	x, truth := blobs(5, 90, 2, 3, 0.3, 0)
	g := kernel.Gaussian{Gamma: 0.05}
	k := kernel.Columns(func(dst []float64, j int) {
		for i := range dst {
			dst[i] = g.Eval(x.RawRowView(i), x.RawRowView(j))
		}
	}, 90)
	m, err := Kernel{Kernel: k, K: 3, Starts: 5}.Fit(context.Background(), kernel.Indices(90))
	if err != nil {
		t.Fatal(err)
	}
	if !samePartition(m.Labels(), truth) {
		t.Error("not the clusters that are there")
	}
}

func TestTree(t *testing.T) {
	x, _ := blobs(6, 900, 3, 9, 1, 0)
	m, err := Tree{Branch: 3, Leaf: 100, Depth: 6}.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	st := m.Stats()
	if st.Leaves != m.Leaves() || sum(st.Sizes) != 900 || st.Leaves != 1+(st.Nodes-1)/3*2 {
		t.Errorf("statistics %+v", st)
	}
	for l, size := range st.Sizes {
		if size > 100 && st.Depth < 6 {
			t.Errorf("leaf %d has %d rows", l, size)
		}
	}
	if !slices.Equal(m.Assign(nil, x), m.Labels()) {
		t.Error("Assign differs from Labels")
	}
	// Levels are nested partitions.
	last := make([]int, m.Leaves())
	for depth := range st.Depth + 1 {
		part, parts := m.Level(depth)
		if depth == 0 && parts != 1 || depth == st.Depth && parts != m.Leaves() || slices.Max(part) != parts-1 {
			t.Errorf("level %d has %d parts", depth, parts)
		}
		for a := range part {
			for b := range part {
				if part[a] == part[b] && last[a] != last[b] {
					t.Errorf("level %d is not nested in the one above", depth)
				}
			}
		}
		last = part
	}
	// Copies of one row cannot be split.
	if m, err := (Tree{Leaf: 5}).Fit(context.Background(), mat.NewDense(50, 2, nil)); err != nil || m.Leaves() != 1 {
		t.Errorf("%d leaves for copies of one row (%v)", m.Leaves(), err)
	}
	var ce *gram.ConfigError
	for _, c := range []Tree{{Branch: 1}, {Depth: -1}, {Leaf: -1}, {Split: Config{Tol: -1}}} {
		if _, err := c.Fit(context.Background(), x); !errors.As(err, &ce) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
}

func TestVoronoi(t *testing.T) {
	x := algotest.Problem(7, 400, 3, 3).X.(*mat.Dense)
	var diameter float64
	for i := range 400 {
		for j := range i {
			diameter = max(diameter, math.Sqrt(rowDistance(x, i, x, j)))
		}
	}
	last := 0
	for _, alpha := range []float64{1, 0.5, 0.25} {
		m, err := Voronoi{Alpha: alpha}.Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		k, _ := m.Centers().Dims()
		if k < last {
			t.Errorf("alpha %g: %d parts, fewer than with a larger radius", alpha, k)
		}
		last = k
		for i, c := range m.Labels() {
			if d := math.Sqrt(rowDistance(x, i, m.Centers(), c)); !(d <= alpha*diameter*(1+1e-9)) {
				t.Fatalf("alpha %g: row %d is %g from its centre, the diameter is %g", alpha, i, d, diameter)
			}
			for o := range k {
				if !(rowDistance(x, i, m.Centers(), o) >= rowDistance(x, i, m.Centers(), c)*(1-1e-9)) {
					t.Fatalf("alpha %g: row %d is nearer to another centre", alpha, i)
				}
			}
		}
		// Centres are further apart than the radius, which is at least half of
		// alpha times the diameter.
		for a := range k {
			for b := range a {
				if d := math.Sqrt(rowDistance(m.Centers(), a, m.Centers(), b)); !(d >= alpha*diameter/2*(1-1e-9)) {
					t.Errorf("alpha %g: centres %d and %d are %g apart", alpha, a, b, d)
				}
			}
		}
	}
	if m, err := (Voronoi{Alpha: 0.01, MaxParts: 7}).Fit(context.Background(), x); err != nil || len(m.Stats().Sizes) != 7 {
		t.Errorf("%d parts, want 7 (%v)", len(m.Stats().Sizes), err)
	}
}

func TestRandom(t *testing.T) {
	for _, c := range [][2]int{{1, 1}, {10, 3}, {10, 10}, {101, 4}} {
		s := sizes(Random(c[0], c[1], 5), c[1])
		if slices.Max(s)-slices.Min(s) > 1 || sum(s) != c[0] {
			t.Errorf("%d rows in %d parts: sizes %v", c[0], c[1], s)
		}
	}
	if slices.Equal(Random(50, 5, 1), Random(50, 5, 2)) {
		t.Error("the seed does not matter")
	}
}

func ExampleConfig() {
	x := mat.NewDense(6, 1, []float64{1, 2, 3, 11, 12, 13})
	m, err := Config{K: 2, Starts: 3}.Fit(context.Background(), x)
	if err != nil {
		panic(err)
	}
	a := m.Assign(nil, mat.NewDense(2, 1, []float64{0, 20}))
	fmt.Printf("centres %.0f and %.0f, objective %.0f\n", m.Centers().At(a[0], 0), m.Centers().At(a[1], 0), m.Stats().Objective)
	// Output: centres 2 and 12, objective 4
}

func ExampleKernel() {
	x := mat.NewDense(6, 1, []float64{1, 2, 3, 11, 12, 13})
	m, err := Kernel{Kernel: kernel.Gaussian{Gamma: 0.1}, K: 2, Starts: 3}.Fit(context.Background(), x)
	if err != nil {
		panic(err)
	}
	l := m.Labels()
	fmt.Println(l[0] == l[1] && l[1] == l[2], l[3] == l[4] && l[4] == l[5], l[0] != l[3])
	// Output: true true true
}

func ExampleTree() {
	x := mat.NewDense(8, 1, []float64{0, 1, 10, 11, 100, 101, 110, 111})
	m, err := Tree{Branch: 2, Leaf: 2, Split: Config{Starts: 5}}.Fit(context.Background(), x)
	if err != nil {
		panic(err)
	}
	_, parts := m.Level(1)
	fmt.Println(m.Leaves(), "leaves,", parts, "parts at level 1, sizes", m.Stats().Sizes)
	// Output: 4 leaves, 2 parts at level 1, sizes [2 2 2 2]
}

func ExampleVoronoi() {
	x := mat.NewDense(5, 1, []float64{0, 1, 2, 9, 10})
	m, err := Voronoi{Alpha: 0.3}.Fit(context.Background(), x)
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Stats().Sizes)
	// Output: [2 3]
}
