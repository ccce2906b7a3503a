package sleec

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// labelSets returns n sets of about four of the labels, in groups.
func labelSets(n, labels int, seed uint64) *sparse.CSR {
	r := rng.New(seed, 0)
	y := &sparse.CSR{N: n, D: labels, Ptr: make([]int, n+1)}
	for i := range n {
		group := r.IntN(labels / 5)
		for l := range labels {
			if p := r.Float64(); l/5 == group && p < 0.6 || p < 0.05 {
				y.Col = append(y.Col, int32(l))
			}
		}
		y.Ptr[i+1] = len(y.Col)
	}
	return y
}

// First is of as many learners as there are, or fewer.
func TestFirst(t *testing.T) {
	p := algotest.Problem(3, 80, 4, 3)
	m := must.Have(Config{Learners: 3, Cluster: 40, Rank: 2, Neighbors: 5, K: 2}.Fit(context.Background(), p.X, p.Tags))(t)
	for k := range 4 {
		if got := len(m.First(k).learners); got != k {
			t.Errorf("the first %d learners are %d", k, got)
		}
	}
	// A row that no cluster is nearest to has no labels, and the others have theirs.
	x := mat.DenseCopyOf(p.X)
	x.Set(7, 2, math.NaN())
	for i, top := range m.Top(nil, x, 3) {
		if want := m.Top(nil, p.X, 3)[i]; i == 7 && len(top) != 0 || i != 7 && !slices.Equal(top, want) {
			t.Errorf("row %d of rows with NaN has the labels %v, want %v", i, top, want)
		}
	}
	// The cost is that of the ways to the clusters and of a mean cluster's embedding.
	p64 := newProgram[float64](m).(*scorer[float64])
	want := 0.
	for l, router := range p64.routers {
		want += router.Cost().Flops
		size := 0
		for _, q := range m.learners[l].clusters {
			size += len(q.v) + len(q.z)
		}
		want += 2 * float64(size) / float64(len(m.learners[l].clusters))
	}
	if got := p64.Cost().Flops; !(math.Abs(got/want-1) < 1e-12) {
		t.Errorf("a row costs %g flops, want %g", got, want)
	}
	for _, k := range []int{-1, 4} {
		if p := must.Recovered(func() { m.First(k) }); p != "sleec: the model does not have so many learners" {
			t.Errorf("the first %d learners of 3: panic %v", k, p)
		}
	}
}

// unitProducts is G from its definition.
func unitProducts(y *sparse.CSR) *mat.SymDense {
	d := y.Dense()
	n, _ := d.Dims()
	for i := range n {
		row := d.RawRowView(i)
		var s float64
		for _, v := range row {
			s += v * v
		}
		for j := range row {
			row[j] /= math.Sqrt(max(s, 1))
		}
	}
	g := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			g.SetSym(i, j, mat.Dot(d.RowView(i), d.RowView(j)))
		}
	}
	return g
}

// Ω holds the diagonal and, for each row, the others of largest inner product, by
// brute force; its values are those of the definition.
func TestNeighbors(t *testing.T) {
	y := labelSets(60, 20, 1)
	c := Config{Neighbors: 7}
	omega := must.Have(c.neighbors(context.Background(), y))(t)
	must.Do(t, omega.Validate())
	g := unitProducts(y)
	want := make([]map[int]bool, y.N)
	for i := range want {
		want[i] = map[int]bool{i: true}
	}
	for i := range y.N {
		var others []int
		for j := range y.N {
			if j != i && g.At(i, j) > 0 {
				others = append(others, j)
			}
		}
		slices.SortFunc(others, func(a, b int) int {
			if d := g.At(i, b) - g.At(i, a); !(math.Abs(d) <= 1e-12) {
				return cmp.Compare(d, 0)
			}
			return cmp.Compare(a, b)
		})
		for _, j := range others[:min(7, len(others))] {
			want[i][j], want[j][i] = true, true
		}
	}
	for i := range y.N {
		col, val := omega.Row(i)
		if len(col) != len(want[i]) {
			t.Errorf("row %d has %d neighbours, want %d", i, len(col), len(want[i]))
		}
		for q, j := range col {
			if !want[i][int(j)] || !(math.Abs(val[q]-g.At(i, int(j))) <= 1e-12) {
				t.Errorf("(%d,%d): %v, want %v of neighbours %v", i, j, val[q], g.At(i, int(j)), want[i])
			}
		}
	}
}

// With all pairs in Ω the embedding is the best of its rank, known from the
// eigenvalues; the objective never rises.
func TestEmbed(t *testing.T) {
	y := labelSets(80, 30, 2)
	g := unitProducts(y)
	values, _ := must.Have2(eig.SymAll(t.Context(), g))(t)
	slices.SortFunc(values, func(a, b float64) int { return cmp.Compare(b, a) })
	for _, r := range []int{3, 10, 40} {
		c, _ := settings.Resolved(Config{Rank: r, Neighbors: y.N, Steps: 300, Tol: 1e-9}, gram.Shape{})
		z, history := must.Have2(c.embed(context.Background(), y, 3))(t)
		for k := 1; k < len(history); k++ {
			if !(history[k] <= history[k-1]) {
				t.Errorf("rank %d: objective rises: %v", r, history)
			}
		}
		var got, want float64
		var m mat.Dense
		m.Mul(z, z.T())
		omega, _ := c.neighbors(context.Background(), y)
		for i := range y.N {
			for j := range y.N {
				e := g.At(i, j) - m.At(i, j)
				if omega.At(i, j) == 0 && g.At(i, j) != 0 {
					t.Fatal("not all pairs of rows with a label in common are in Ω")
				}
				if slices.Contains(omega.Col[omega.Ptr[i]:omega.Ptr[i+1]], int32(j)) {
					got += e * e
				}
			}
		}
		for _, v := range values[r:] {
			want += v * v
		}
		// Pairs without a common label are not in Ω: free, so at most the error of
		// the best approximation of all of G.
		if !(got <= want*(1+1e-6)+1e-9) {
			t.Errorf("rank %d: error %v, best of the whole matrix %v", r, got, want)
		}
		if last := history[len(history)-1]; !(math.Abs(last*float64(omega.NNZ())-got) <= 1e-9*(1+got)) {
			t.Errorf("rank %d: objective %v, computed %v", r, last*float64(omega.NNZ()), got)
		}
	}
}

// V solves the ridge regression.
func TestRegress(t *testing.T) {
	r := rng.New(4, 0)
	x, z := mat.NewDense(40, 7, nil), mat.NewDense(40, 3, nil)
	for i := range 40 {
		for j := range 7 {
			x.Set(i, j, r.NormFloat64())
		}
		for j := range 3 {
			z.Set(i, j, r.NormFloat64())
		}
	}
	c, _ := settings.Resolved(Config{Lambda: gram.Set(0.5)}, gram.Shape{})
	for name, a := range map[string]mat.Matrix{"dense": x, "sparse": sparse.FromDense(x)} {
		v := must.Have(c.regress(context.Background(), gram.Of(a), z))(t)
		var lhs, rhs, want mat.Dense
		lhs.Mul(x.T(), x)
		for j := range 7 {
			lhs.Set(j, j, lhs.At(j, j)+0.5)
		}
		rhs.Mul(x.T(), z)
		must.Do(t, want.Solve(&lhs, &rhs))
		if !mat.EqualApprox(v, &want, 1e-3) {
			t.Errorf("%s: %v, want %v", name, mat.Formatted(v), mat.Formatted(&want))
		}
	}
}

// Predictions are the mean label vectors of the nearest embedded rows of the
// cluster, by brute force.
func TestNearest(t *testing.T) {
	p := algotest.Problem(5, 90, 4, 3)
	m := must.Have(Config{Learners: 2, Cluster: 40, Rank: 6, Neighbors: 10, K: 4}.Fit(context.Background(), p.X, p.Tags))(t)
	for i, list := range m.Top(nil, p.X, m.NumLabels()) {
		want := make([]float64, m.NumLabels())
		for _, l := range m.learners {
			q := &l.clusters[l.parts.Assign(nil, p.X)[i]]
			z := make([]float64, q.r)
			for j := range 4 {
				for k := range z {
					z[k] += p.X.At(i, j) * float64(q.v[j*q.r+k])
				}
			}
			type neighbor struct {
				row  int32
				dist float64
			}
			var near []neighbor
			for s, row := range q.member {
				var d float64
				for k, v := range z {
					e := v - float64(q.z[s*q.r+k])
					d += e * e
				}
				near = append(near, neighbor{row, d})
			}
			slices.SortStableFunc(near, func(a, b neighbor) int { return cmp.Compare(a.dist, b.dist) })
			near = near[:min(4, len(near))]
			for _, a := range near {
				label, _ := m.y.Row(int(a.row))
				for _, l := range label {
					want[l] += 1 / float64(2*len(near))
				}
			}
		}
		got := make([]float64, m.NumLabels())
		for _, s := range list {
			got[s.Label] = s.Score
		}
		for l := range got {
			if !(math.Abs(got[l]-want[l]) <= 1e-5) {
				t.Fatalf("row %d: %v, want %v", i, got, want)
			}
		}
	}
}

func TestContract(t *testing.T) {
	at := func(run gram.Run) Config {
		return Config{Learners: 2, Cluster: 50, Rank: 4, Neighbors: 8, Steps: 4, K: 5, Run: run}
	}
	wrap := algotest.Ranking[*Model](0)
	algotest.Check(t, algotest.Subject{
		Kind: algotest.MultiLabel,
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			return wrap(at(run).Fit(ctx, d.X, d.Tags))
		},
		Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(run).Plan(s) },
		Decode:   func(f *modelfile.File) (*algotest.Model, error) { return wrap(Decode(f)) },
		Golden:   "sleec.v1.gram",
		DenseNaN: true,
		RowBytes: 16, // work space of goroutines, which the collector may take
		Random:   []string{"sleec clusters #", "sleec embedding # #"},
		Memory:   gram.Shape{N: 5_000, D: 8, Outputs: 5},
	})
}

// Steps end with the first that takes less than Tol of the objective off it.
func TestEmbedEnds(t *testing.T) {
	y := labelSets(60, 20, 2)
	for _, tol := range []float64{0.3, 0.05, 1e-3} {
		c, _ := settings.Resolved(Config{Rank: 5, Neighbors: 10, Steps: 100, Tol: tol}, gram.Shape{})
		_, h := must.Have2(c.embed(context.Background(), y, 3))(t)
		if len(h) > 100 {
			t.Errorf("tolerance %g: %d steps", tol, len(h)-1)
		}
		for k := 1; k < len(h); k++ {
			if little := h[k-1]-h[k] <= tol*h[k-1]; little != (k == len(h)-1) {
				t.Errorf("tolerance %g: step %d of %d goes from %g to %g", tol, k, len(h)-1, h[k-1], h[k])
			}
		}
	}
}

// With μ the regression is that of the definition: no step along a random direction lowers the
// objective, which lies below that of the ridge regression; embeddings get nearer to 0.
func TestSparse(t *testing.T) {
	r := rng.New(3, 3)
	x, z := mat.NewDense(80, 6, nil), mat.NewDense(80, 4, nil)
	for i := range 80 {
		for j := range 6 {
			x.Set(i, j, r.NormFloat64())
		}
		for j := range 4 {
			z.Set(i, j, x.At(i, j)*float64(j)/3+.3*r.NormFloat64())
		}
	}
	objective := func(v *mat.Dense, mu float64) float64 {
		var p mat.Dense
		p.Mul(x, v)
		value := 2 * math.Pow(mat.Norm(v, 2), 2)
		for i := range 80 {
			for j := range 4 {
				value += math.Pow(z.At(i, j)-p.At(i, j), 2) + mu*math.Abs(p.At(i, j))
			}
		}
		return value
	}
	c := Config{Lambda: gram.Set(2.)}
	ridge := must.Have(c.regress(t.Context(), gram.Of(x), z))(t)
	for _, samples := range []mat.Matrix{x, sparse.FromDense(x)} {
		c.Mu = .7
		v := must.Have(c.regress(t.Context(), gram.Of(samples), z))(t)
		best := objective(v, c.Mu)
		if !(best < .99*objective(ridge, c.Mu)) {
			t.Errorf("%T: %v, of the ridge regression %v", samples, best, objective(ridge, c.Mu))
		}
		for range 200 {
			moved := mat.DenseCopyOf(v)
			for i := range 6 {
				for j := range 4 {
					moved.Set(i, j, v.At(i, j)+.01*r.NormFloat64())
				}
			}
			if got := objective(moved, c.Mu); !(got > best*(1-1e-4)) {
				t.Fatalf("%T: %v beside %v", samples, got, best)
			}
		}
	}
}
