package kmeans

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/clusters"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

func TestTree(t *testing.T) {
	x, _ := blobs(6, 900, 3, 9, 1, 0)
	m := must.Have(Tree{Branch: 3, Leaf: 100, Depth: 6}.Fit(context.Background(), x))(t)
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

// A plan counts the levels down to nodes of Leaf rows, but not more than Depth, and a division of all rows for each.
func TestTreePlan(t *testing.T) {
	s := gram.Shape{N: 6400, D: 10}
	one := must.Have(Config{K: 4}.Plan(s))(t)
	for _, c := range []struct{ depth, leaf, levels int }{{20, 100, 3}, {3, 100, 3}, {2, 100, 2}, {1, 1, 1}, {20, 6400, 0}, {20, 6399, 1}, {20, 99, 4}} {
		p := must.Have(Tree{Branch: 4, Depth: c.depth, Leaf: c.leaf}.Plan(s))(t)
		model := int64(12*10)<<(2*c.levels) + 8*6400
		if want := float64(c.levels) * one.Flops; p.Flops != want || p.ModelBytes != model || p.PeakBytes != one.PeakBytes+8*6400*10+24*6400+model-8*6400 {
			t.Errorf("%d levels down to %d rows: %+v, want %g flops and a model of %d bytes", c.depth, c.leaf, p, want, model)
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
		m := must.Have(Voronoi{Alpha: alpha}.Fit(context.Background(), x))(t)
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
		// Centers are further apart than the radius, which is at least half of
		// alpha times the diameter.
		for a := range k {
			for b := range a {
				if d := math.Sqrt(rowDistance(m.Centers(), a, m.Centers(), b)); !(d >= alpha*diameter/2*(1-1e-9)) {
					t.Errorf("alpha %g: centres %d and %d are %g apart", alpha, a, b, d)
				}
			}
		}
	}
	// The model holds settings with which its centers are those of k-means.
	c := Voronoi{Alpha: 0.5, Run: gram.Run{Workers: 3, Seed: 5}}
	m := must.Have(c.Fit(context.Background(), x))(t)
	parts, _ := m.Centers().Dims()
	st, of := m.Stats(), m.Config()
	if of.K != parts || !of.AllRows || of.Workers != 3 || of.Seed != 5 {
		t.Errorf("settings %+v of %d parts", of, parts)
	}
	if want := objectiveOf(x, m.Centers(), m.Labels(), nil); st.Rows != 400 || !(math.Abs(st.Objective-want) <= 1e-9*want) || st.Seconds <= 0 ||
		!slices.Equal(st.Sizes, clusters.Sizes(m.Labels(), parts)) {
		t.Errorf("statistics %+v, the objective is %g", st, want)
	}
	if m, err := (Voronoi{Alpha: 0.01, MaxParts: 7}).Fit(context.Background(), x); err != nil || len(m.Stats().Sizes) != 7 {
		t.Errorf("%d parts, want 7 (%v)", len(m.Stats().Sizes), err)
	}
}

func TestRandom(t *testing.T) {
	for _, c := range [][2]int{{1, 1}, {10, 3}, {10, 10}, {101, 4}} {
		s := clusters.Sizes(Random(c[0], c[1], 5), c[1])
		if slices.Max(s)-slices.Min(s) > 1 || sum(s) != c[0] {
			t.Errorf("%d rows in %d parts: sizes %v", c[0], c[1], s)
		}
	}
	if slices.Equal(Random(50, 5, 1), Random(50, 5, 2)) {
		t.Error("the seed does not matter")
	}
	for _, k := range []int{0, -1, 4} {
		if p := must.Recovered(func() { Random(3, k, 1) }); p != "kmeans: the number of parts is not between 1 and the number of rows" {
			t.Errorf("3 rows in %d parts: panic %v", k, p)
		}
	}
}

func ExampleConfig() {
	x := mat.NewDense(6, 1, []float64{1, 2, 3, 11, 12, 13})
	m, err := Config{K: 2, Starts: 3}.Fit(context.Background(), x)
	if err != nil {
		panic(err)
	}
	a := m.Assign(nil, mat.NewDense(2, 1, []float64{0, 20}))
	fmt.Printf("centers %.0f and %.0f, objective %.0f\n", m.Centers().At(a[0], 0), m.Centers().At(a[1], 0), m.Stats().Objective)
	// Output: centers 2 and 12, objective 4
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
