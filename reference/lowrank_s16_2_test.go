package reference_test

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/algos/lowrank/rff"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// [WS01], [S16] chapter 2: G ≈ C·W†_k·Cᵀ.
func TestNystrom(t *testing.T) {
	x, z := normal(1, 14, 3, 1), normal(2, 5, 3, 1)
	index := []int{0, 3, 4, 9, 13}
	own, many := pick(x, index), normal(3, 17, 3, 1)
	for _, c := range []struct {
		name string
		c    nystrom.Config
		u    *mat.Dense
		rank int
	}{
		{"[WS01] C·W⁻¹·Cᵀ, Gaussian, landmarks are rows", nystrom.Config{Kernel: kernel.Gaussian{Gamma: 0.4}, Landmarks: landmark.Fixed{Index: index}}, own, 5},
		{"[WS01] C·W⁻¹·Cᵀ, Laplacian, landmarks are rows", nystrom.Config{Kernel: kernel.Laplacian{Gamma: 0.4}, Landmarks: landmark.Fixed{Index: index}}, own, 5},
		{"[S16] 2, C·W†_k·Cᵀ of rank 3", nystrom.Config{Kernel: kernel.Gaussian{Gamma: 0.4}, Landmarks: landmark.Fixed{U: own}, Rank: 3}, own, 3},
		{"[ZTK08] landmarks that are no rows", nystrom.Config{Kernel: kernel.Gaussian{Gamma: 0.4}, Landmarks: landmark.Fixed{U: z}}, z, 5},
		{"[WS01] more landmarks than rows", nystrom.Config{Kernel: kernel.Laplacian{Gamma: 0.7}, Landmarks: landmark.Fixed{U: many}}, many, 17},
		{"[HMT11] 5.3, randomized, the sketch is all of W", nystrom.Config{Kernel: kernel.Laplacian{Gamma: 0.4}, Landmarks: landmark.Fixed{U: own}, Rank: 3, Core: nystrom.Randomized, Oversample: gram.Set(2)}, own, 3},
	} {
		m, err := c.c.Fit(t.Context(), x)
		if err != nil {
			t.Fatal(c.name, err)
		}
		w := bestRank(gramMatrix(c.c.Kernel, c.u, c.u), c.rank)
		op, err := m.Operator(t.Context(), x)
		if err != nil {
			t.Fatal(c.name, err)
		}
		at := gramMatrix(c.c.Kernel, x, c.u)
		agree(t, c.name+", G̃", solve.Matrix(op), times(at, w, at.T()))
		phi, other := m.Map(nil, x), m.Map(nil, z)
		agree(t, c.name+", φ(z)ᵀφ(x) of new rows", times(other, phi.T()), times(gramMatrix(c.c.Kernel, z, c.u), w, at.T()))
	}
}

// [KMT09]: G ≈ Σ_e μ_e·C_eW_e⁻¹C_eᵀ.
func TestEnsembleNystrom(t *testing.T) {
	const n = 16
	x := normal(4, n, 2, 1)
	k := kernel.Gaussian{Gamma: 0.6}
	rows := [][]int{{0, 5, 9}, {1, 2, 12, 14}}
	held := []int{3, 4, 6, 10, 15}
	given := nystrom.Given{HeldOut: held}
	var experts []*mat.Dense // of all rows
	for _, index := range rows {
		given.Experts = append(given.Experts, landmark.Fixed{Index: index})
		u := pick(x, index)
		c := gramMatrix(k, x, u)
		experts = append(experts, times(c, solution(gramMatrix(k, u, u), c.T())))
	}
	g := gramMatrix(k, x, x)
	// weights minimizes Σ v_ij(G_ij − Σμ_e·G̃_eij)² + ρ‖μ−½‖² over the held-out rows.
	weights := func(off, ridge float64) []float64 {
		inner := func(a, b *mat.Dense) (s float64) {
			for _, i := range held {
				for _, j := range held {
					v := off
					if i == j {
						v = 1
					}
					s += v * a.At(i, j) * b.At(i, j)
				}
			}
			return s
		}
		a, b := mat.NewDense(2, 2, nil), mat.NewDense(2, 1, nil)
		rho := ridge * (inner(experts[0], experts[0]) + inner(experts[1], experts[1])) / 2
		for e := range 2 {
			for f := range 2 {
				a.Set(e, f, inner(experts[e], experts[f]))
			}
			a.Set(e, e, a.At(e, e)+rho)
			b.Set(e, 0, inner(experts[e], g)+rho/2)
		}
		return mat.Col(nil, 0, solution(a, b))
	}
	for _, c := range []struct {
		name string
		c    nystrom.Ensemble
		mu   []float64
	}{
		{"[KMT09] uniform weights", nystrom.Ensemble{}, []float64{0.5, 0.5}},
		{"[KMT09] weights by plain least squares on a validation part", nystrom.Ensemble{Fitted: true, Ridge: gram.Set(0.0), OffDiagonal: gram.Set(1.0)}, weights(1, 0)},
		{"[KMT09] weights by ridge regression, the diagonal as in the whole matrix", nystrom.Ensemble{Fitted: true, Ridge: gram.Set(0.1)}, weights(float64(n-1)/float64(len(held)-1), 0.1)},
	} {
		c.c.Kernel, c.c.Given = k, given
		m, err := c.c.Fit(t.Context(), x)
		if err != nil {
			t.Fatal(c.name, err)
		}
		agree(t, c.name+", μ", column(m.Weights()), column(c.mu))
		op, err := m.Operator(t.Context(), x)
		if err != nil {
			t.Fatal(c.name, err)
		}
		agree(t, c.name+", G̃", solve.Matrix(op), sum(scaled(c.mu[0], experts[0]), scaled(c.mu[1], experts[1])))
	}
}

// sylvester is the Hadamard matrix of that order in natural order: H₂ₙ = [H H; H −H].
func sylvester(n int) *mat.Dense {
	h := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			v := 1.0
			for b := i & j; b > 0; b &= b - 1 {
				v = -v
			}
			h.Set(i, j, v)
		}
	}
	return h
}

// waves are [cos⟨x,ω_j⟩ … , sin⟨x,ω_j⟩ …]/√m for the frequencies in the rows of omega.
func waves(x, omega *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	m, _ := omega.Dims()
	angle := times(x, omega.T())
	phi := mat.NewDense(n, 2*m, nil)
	for i := range n {
		for j := range m {
			s, c := math.Sincos(angle.At(i, j))
			phi.Set(i, j, c/math.Sqrt(float64(m)))
			phi.Set(i, m+j, s/math.Sqrt(float64(m)))
		}
	}
	return phi
}

// [RR07]: [cos, sin]/√m of m frequencies. [LSS13]: S·H·G·Π·H·B/(σ√D).
func TestRandomFeatures(t *testing.T) {
	const gamma = 0.3
	x := normal(5, 6, 3, 1)
	for _, c := range []struct {
		name  string
		c     rff.Config
		omega *mat.Dense
	}{
		{"[RR07] Gaussian", rff.Config{Kernel: kernel.Gaussian{Gamma: gamma}}, normal(6, 7, 3, math.Sqrt(2*gamma))},
		{"[RR07] Laplacian", rff.Config{Kernel: kernel.Laplacian{Gamma: gamma}}, normal(7, 5, 3, 3)},
	} {
		c.c.Given.Omega = c.omega
		m, err := c.c.Fit(t.Context(), x)
		if err != nil {
			t.Fatal(c.name, err)
		}
		phi := waves(x, c.omega)
		agree(t, c.name+", features of given frequencies", m.Map(nil, x), phi)
		op, err := m.Operator(t.Context(), x)
		if err != nil {
			t.Fatal(c.name, err)
		}
		agree(t, c.name+", G̃", solve.Matrix(op), times(phi, phi.T()))
		agree(t, c.name+", frequencies are rows", m.Omega(), c.omega)
	}
	for _, c := range []struct {
		name      string
		d, blocks int
		m         int
	}{
		{"[LSS13] one block, d = D", 4, 1, 4}, {"[LSS13] d padded to D", 3, 1, 4}, {"[LSS13] two blocks, the last cut off", 6, 2, 11},
	} {
		size := 1
		for size < c.d {
			size *= 2
		}
		r := normal(8, 4*c.blocks, size, 1)
		var given []rff.Block
		omega := mat.NewDense(c.blocks*size, c.d, nil)
		for b := range c.blocks {
			block := rff.Block{G: r.RawRowView(4 * b), B: make([]float64, size), P: make([]int, size), Chi: make([]float64, size)}
			for j := range size {
				block.B[j] = math.Copysign(1, r.At(4*b+1, j))
				block.P[j] = (3*j + b) % size // 3 and the power of two have no common divisor
				block.Chi[j] = math.Abs(r.At(4*b+2, j)) + 1
			}
			given = append(given, block)
			shuffle := mat.NewDense(size, size, nil)
			for j, p := range block.P {
				shuffle.Set(j, p, 1)
			}
			s := make([]float64, size)
			for j := range s {
				s[j] = block.Chi[j] / mat.Norm(column(block.G), 2) * math.Sqrt(2*gamma) / math.Sqrt(float64(size))
			}
			h := sylvester(size)
			v := times(diagonal(s), h, diagonal(block.G), shuffle, h, diagonal(block.B))
			omega.Slice(b*size, (b+1)*size, 0, c.d).(*mat.Dense).Copy(v)
		}
		x := normal(9, 5, c.d, 1)
		m, err := rff.Config{Kernel: kernel.Gaussian{Gamma: gamma}, Frequencies: rff.Fastfood, M: c.m, Given: rff.Given{Blocks: given}}.Fit(t.Context(), x)
		if err != nil {
			t.Fatal(c.name, err)
		}
		want := mat.DenseCopyOf(omega.Slice(0, c.m, 0, c.d))
		agree(t, c.name+", the frequencies S·H·G·Π·H·B/(σ√D)", m.Omega(), want)
		agree(t, c.name+", features", m.Map(nil, x), waves(x, want))
		again := m.Given().Blocks[c.blocks-1]
		agree(t, c.name+", χ is shown", column(again.Chi), column(given[c.blocks-1].Chi))
	}
}
