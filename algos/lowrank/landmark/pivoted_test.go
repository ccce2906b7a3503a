package landmark

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Sets of pivots have the probabilities of rows that are drawn one after another, although
// they are proposed together. The probabilities follow from the definition, by
// elimination of the whole matrix.
func TestPivotProbabilities(t *testing.T) {
	const n, m, draws = 5, 3, 20_000
	x := mat.NewDense(n, 1, []float64{0, 0.1, 0.9, 1, 4})
	w := []float64{1, 2, 1, 0.5, 1}
	k := kernel.Gaussian{Gamma: 1.5}
	want := map[int]float64{}
	var follow func(g *mat.Dense, set, depth int, p float64)
	follow = func(g *mat.Dense, set, depth int, p float64) {
		if depth == m {
			want[set] += p
			return
		}
		var total float64
		for i := range n {
			total += w[i] * g.At(i, i)
		}
		for s := range n {
			if set>>s&1 == 1 {
				continue
			}
			rest := mat.DenseCopyOf(g)
			for i := range n {
				for j := range n {
					rest.Set(i, j, g.At(i, j)-g.At(i, s)*g.At(j, s)/g.At(s, s))
				}
			}
			follow(rest, set|1<<s, depth+1, p*w[s]*g.At(s, s)/total)
		}
	}
	g := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			g.Set(i, j, k.Eval(x.RawRowView(i), x.RawRowView(j)))
		}
	}
	follow(g, 0, 0, 1)
	got := map[int]float64{}
	for seed := range uint64(draws) {
		p := must.Have(RPCholesky{}.Select(t.Context(), k, x, w, m, gram.Run{Seed: seed, Workers: 1}))(t)
		set := 0
		for _, i := range p.Index {
			set |= 1 << i
		}
		got[set] += 1.0 / draws
	}
	for set := range 1 << n {
		if p := want[set]; !(math.Abs(got[set]-p) <= 5*math.Sqrt(p*(1-p)/draws)) {
			t.Errorf("rows %05b have probability %.4f, want %.4f", set, got[set], p)
		}
	}
}

// trace returns the trace of G − C·W†·Cᵀ for rows of x as landmarks.
func trace(x *mat.Dense, index []int) float64 {
	n, _ := x.Dims()
	g := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			g.Set(i, j, gauss.Eval(x.RawRowView(i), x.RawRowView(j)))
		}
	}
	for _, s := range index {
		pivot := g.At(s, s)
		if pivot < 1e-13 {
			continue
		}
		column := mat.Col(nil, s, g)
		for i := range n {
			for j := range n {
				g.Set(i, j, g.At(i, j)-column[i]*column[j]/pivot)
			}
		}
	}
	return mat.Trace(g)
}

// The trace that pivots leave unexplained is the sum of what the factor leaves, and is
// smaller than that of uniform rows if there are groups of different sizes.
func TestPivotsExplain(t *testing.T) {
	d := algotest.Problem(8, 240, 2, 3)
	x := mat.DenseCopyOf(d.X)
	for i := range 200 {
		for j := range 2 {
			x.Set(i, j, 0.05*x.At(i, j))
		}
	}
	var uniform, pivots float64
	for seed := range uint64(3) {
		p := newPivoted(gauss, gram.Of(x), nil, 30, gram.Run{Seed: seed})
		for p.size < 30 && p.step() {
		}
		left := trace(x, p.drawn)
		if !(math.Abs(p.sum()-left) <= 1e-9*240) {
			t.Errorf("the factor leaves %g, elimination %g", p.sum(), left)
		}
		pivots += left
		uniform += trace(x, choose(t, Uniform{}, x, nil, 30, gram.Run{Seed: seed}).Index)
	}
	if !(pivots < uniform/4) {
		t.Errorf("pivots leave %g of the trace, uniform rows %g", pivots, uniform)
	}
}

// Of rows that repeat three different ones three explain all. The other landmarks are drawn from the rows that are left, each once.
func TestPivotsOfRepeatedRows(t *testing.T) {
	x := mat.NewDense(12, 1, nil)
	for i := range 12 {
		x.Set(i, 0, float64(i%3))
	}
	for seed := range uint64(20) {
		p := must.Have(RPCholesky{}.Select(t.Context(), kernel.Gaussian{Gamma: 2}, x, nil, 6, gram.Run{Seed: seed}))(t)
		kinds := map[int]bool{}
		for j, i := range p.Index {
			if j > 0 && i <= p.Index[j-1] {
				t.Fatalf("seed %d: rows %v do not ascend", seed, p.Index)
			}
			kinds[i%3] = true
		}
		if len(p.Index) != 6 || len(kinds) != 3 {
			t.Errorf("seed %d: rows %v, want six with all three values", seed, p.Index)
		}
	}
}
