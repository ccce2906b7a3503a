package reference_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/lowrank/fastnys"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/pseudo"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/structured"
	"gonum.org/v1/gonum/mat"
)

// [S16] §4.1, (4.3)–(4.6): C̄ = [C, C'], G ≈ C̄W̄C̄ᵀ, W̄ = C̄_I†·G_II·(C̄_I†)ᵀ.
func TestPseudoLandmarks(t *testing.T) {
	const n, m = 15, 3
	x, u, v := normal(11, n, 2, 1), normal(12, m, 2, 1), normal(13, 4, 2, 1)
	k := kernel.Laplacian{Gamma: 0.5}
	gauss := kernel.Gaussian{Gamma: 0.5}
	pairs := [][2]int{{0, 0}, {1, 2}, {2, 0}}
	// bound is κ at a bound of ‖x−v_t‖ from the distances to the landmarks, (4.5).
	bound := func(of func(low, high float64) float64) *mat.Dense {
		c := mat.NewDense(n, 4, nil)
		for i := range n {
			for s := range 4 {
				low, high := 0.0, math.Inf(1)
				for j := range m {
					a, b := math.Sqrt(square(x.RawRowView(i), u.RawRowView(j))), math.Sqrt(square(v.RawRowView(s), u.RawRowView(j)))
					low, high = max(low, math.Abs(a-b)), min(high, a+b)
				}
				r := of(low, high)
				c.Set(i, s, math.Exp(-gauss.Gamma*r*r))
			}
		}
		return c
	}
	products := func(k kernel.Kernel) *mat.Dense {
		c, p := gramMatrix(k, x, u), mat.NewDense(n, len(pairs), nil)
		for i := range n {
			for s, q := range pairs {
				p.Set(i, s, c.At(i, q[0])*c.At(i, q[1]))
			}
		}
		return p
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	some := []int{0, 2, 3, 5, 6, 8, 9, 11, 12, 14}
	for _, c := range []struct {
		name string
		c    pseudo.Config
		more *mat.Dense
		on   []int
	}{
		{"[S16] (4.5) lower bound", pseudo.Config{Kernel: gauss, Kind: pseudo.Lower, Given: pseudo.Given{Points: v}}, bound(func(low, _ float64) float64 { return low }), all},
		{"[S16] (4.5) upper bound", pseudo.Config{Kernel: gauss, Kind: pseudo.Upper, Given: pseudo.Given{Points: v}}, bound(func(_, high float64) float64 { return high }), all},
		{"[S16] (4.5) middle", pseudo.Config{Kernel: gauss, Kind: pseudo.Mid, Given: pseudo.Given{Points: v}}, bound(func(low, high float64) float64 { return (low + high) / 2 }), all},
		{"[S16] (4.6) products of given pairs", pseudo.Config{Kernel: k, Given: pseudo.Given{Pairs: pairs}}, products(k), all},
		{"[S16] (4.6) polynomial kernel, fitted to a given index set", pseudo.Config{Kernel: kernel.Polynomial{Degree: 3, Offset: 1}, Given: pseudo.Given{Pairs: pairs, Sample: some}}, products(kernel.Polynomial{Degree: 3, Offset: 1}), some},
	} {
		c.c.Landmarks, c.c.Cut = landmark.Fixed{U: u}, 1e-12
		f, err := c.c.Fit(t.Context(), x)
		if err != nil {
			t.Fatal(c.name, err)
		}
		var cbar mat.Dense
		cbar.Augment(gramMatrix(c.c.Kernel, x, u), c.more)
		agree(t, c.name+", C̄", f.Columns().Map(nil, x), &cbar)
		inverse := pseudoInverse(pick(&cbar, c.on), 1e-13)
		w := times(inverse, gramMatrix(c.c.Kernel, pick(x, c.on), pick(x, c.on)), inverse.T())
		// W̄ of a Gaussian and of a Laplacian is positive semi-definite; round-off is not.
		op, err := f.Operator(t.Context(), x)
		if err != nil {
			t.Fatal(c.name, err)
		}
		agree(t, c.name+", Algorithm 2, G̃ = C̄W̄C̄ᵀ", solve.Matrix(op), times(&cbar, w, cbar.T()))
	}
}

// haarMatrix is H₂ₙ = [H ⊗ (1 1); I ⊗ (1 −1)].
func haarMatrix(n int) *mat.Dense {
	h := mat.NewDense(1, 1, []float64{1})
	for d := 1; d < n; d *= 2 {
		var a, b mat.Dense
		a.Kronecker(h, mat.NewDense(1, 2, []float64{1, 1}))
		b.Kronecker(identity(d), mat.NewDense(1, 2, []float64{1, -1}))
		var next mat.Dense
		next.Stack(&a, &b)
		h = &next
	}
	return h
}

// walsh is the Hadamard matrix with its rows sorted by the number of sign changes.
func walsh(n int) *mat.Dense {
	h := sylvester(n)
	order, changes := make([]int, n), make([]int, n)
	for i := range n {
		order[i] = i
		for j := 1; j < n; j++ {
			if h.At(i, j) != h.At(i, j-1) {
				changes[i]++
			}
		}
	}
	slices.SortFunc(order, func(a, b int) int { return changes[a] - changes[b] })
	return pick(h, order)
}

// [S16] §4.2: landmarks u = H_q ∘ v.
func TestFastNystrom(t *testing.T) {
	const d = 6
	x, seeds := normal(21, 12, d, 0.7), normal(22, 3, d, 0.7)
	center := mat.Row(nil, 0, meansOf(x, make([]int, 12), 1))
	for _, c := range []struct {
		name string
		c    fastnys.Config
		h    *mat.Dense
		move bool // the data are centered
	}{
		{"[S16] (4.11) Haar", fastnys.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, Rows: 2, NoCenter: true}, haarMatrix(8), false},
		{"[S16] (4.12) Hadamard in sequency order", fastnys.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, Rows: 4, Matrix: structured.Hadamard, NoCenter: true}, walsh(8), false},
		{"[S16] (4.11) centered", fastnys.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, Rows: 2}, haarMatrix(8), true},
		{"[S16] (4.13) polynomial kernel", fastnys.Config{Kernel: kernel.Polynomial{Degree: 2, Offset: 1}, Rows: 2}, haarMatrix(8), false},
	} {
		c.c.Seeds, c.c.NoLearning = landmark.Fixed{U: seeds}, true
		m, err := c.c.Fit(t.Context(), x)
		if err != nil {
			t.Fatal(c.name, err)
		}
		u, at := mat.NewDense(3*c.c.Rows, d, nil), mat.DenseCopyOf(x)
		for g := range 3 {
			for q := range c.c.Rows {
				for j := range d {
					v := seeds.At(g, j)
					if c.move {
						v -= center[j]
					}
					u.Set(g*c.c.Rows+q, j, c.h.At(q, j)*v)
				}
			}
		}
		for i := range 12 {
			for j := range d {
				if c.move {
					at.Set(i, j, at.At(i, j)-center[j])
				}
			}
		}
		columns := gramMatrix(c.c.Kernel, at, u)
		agree(t, c.name+", kernel values with U", m.Landmarks().Map(nil, x), columns)
		op, err := m.Operator(t.Context(), x)
		if err != nil {
			t.Fatal(c.name, err)
		}
		w := gramMatrix(c.c.Kernel, u, u)
		agreeWithin(t, c.name+", Algorithm 3, G̃ = C·W†·Cᵀ", solve.Matrix(op), times(columns, pseudoInverse(w, 1e-13), columns.T()), 1e-8)
	}
}

// [S16] (4.16)–(4.18): the nearest landmark, and the best seed for the rows at it.
func TestLearnedSeeds(t *testing.T) {
	const n, d, b = 9, 4, 2
	x, seeds := normal(23, n, d, 1), normal(24, 2, d, 1)
	h := haarMatrix(d)
	set := structured.New(structured.Haar, gram.View(seeds), b)
	products := mat.NewDense(n, 2*b, nil)
	set.Forward(gram.View(products), gram.View(x), 1)
	u := mat.NewDense(2*b, d, nil)
	for g := range 2 {
		for q := range b {
			for j := range d {
				u.Set(g*b+q, j, h.At(q, j)*seeds.At(g, j))
			}
		}
	}
	agree(t, "[S16] (4.13) U·x by fast transforms", products, times(x, u.T()))
	norms := make([]float64, 2*b)
	for q := range norms {
		norms[q] = square(u.RawRowView(q), make([]float64, d))
	}
	agree(t, "[S16] (4.16) ‖u_q‖²", column(set.SquaredNorms(nil)), column(norms))
	assign := make([]int, n)
	for i := range assign {
		assign[i] = nearestOf(x.RawRowView(i), u)
	}
	want := mat.DenseCopyOf(seeds)
	for g := range 2 {
		for j := range d {
			var over, under float64
			for i, q := range assign {
				if q/b == g {
					over += h.At(q%b, j) * x.At(i, j)
					under += h.At(q%b, j) * h.At(q%b, j)
				}
			}
			if under > 0 {
				want.Set(g, j, over/under)
			}
		}
	}
	got := mat.DenseCopyOf(seeds)
	set.Update(gram.View(got), gram.View(x), assign)
	agree(t, "[S16] (4.18) the seeds that are best for their rows", got, want)
}
