package reference_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/divide/bka"
	"github.com/gramworks/gram/algos/lowrank/meka"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// [S16] (3.1): G̃ has the entries of G within the parts, and zeros between them.
func TestBlockKernelApproximation(t *testing.T) {
	x, label := groups(31, 13, 2, 3)
	k := kernel.Laplacian{Gamma: 0.4}
	diagonalBlocks := func(label []int) *mat.Dense {
		g := gramMatrix(k, x, x)
		for i, a := range label {
			for j, b := range label {
				if a != b {
					g.Set(i, j, 0)
				}
			}
		}
		return g
	}
	agree(t, "[S16] (3.1) of labels", solve.Matrix(bka.Of(k, x, label)), diagonalBlocks(label))
	centers := normal(32, 3, 2, 2)
	near := make([]int, 13)
	for i := range near {
		near[i] = nearestOf(x.RawRowView(i), centers)
	}
	for _, c := range []struct {
		name  string
		given kmeans.Partition
		label []int
	}{
		{"[S16] (3.1) of given labels", kmeans.Partition{Labels: label}, label},
		{"[S16] (3.1) of given centers", kmeans.Partition{Router: kmeans.NewModel(centers)}, near},
	} {
		a, err := bka.Config{Kernel: k, Partition: bka.Partition{Given: c.given}}.Fit(t.Context(), x)
		if err != nil {
			t.Fatal(c.name, err)
		}
		v := normal(33, 13, 2, 1)
		got := mat.NewDense(13, 2, nil)
		a.Apply(got, v)
		agree(t, c.name+", G̃·v", got, times(diagonalBlocks(c.label), v))
	}
}

// [S16] (3.12), Algorithm 1: G̃ = W·L·Wᵀ, the links by least squares on samples, and the
// nearest positive semi-definite matrix with the same range.
func TestMEKA(t *testing.T) {
	const n, parts = 21, 3
	x, label := groups(41, n, 2, parts)
	z := normal(42, 5, 2, 1.5)
	k := kernel.Gaussian{Gamma: 0.15}
	member := members(label, parts)
	var landmarks []*mat.Dense
	var samples []meka.Sample
	for s, of := range member {
		landmarks = append(landmarks, pick(x, of[:3]))
		samples = append(samples, meka.Sample{Rows: of[1:6]})
		if s == 1 {
			samples[s].Weights = []float64{1, 2, 0.5, 1, 3}
		}
	}
	centers := meansOf(x, label, parts)
	// defined is W, block by block, and L.
	defined := func(rank int, epsilon float64, roots []*mat.Dense) (w, l *mat.Dense, feature func(x *mat.Dense, s int) *mat.Dense) {
		feature = func(x *mat.Dense, s int) *mat.Dense {
			u := landmarks[s]
			if roots != nil {
				return times(gramMatrix(k, x, u), roots[s])
			}
			half := spectral(gramMatrix(k, u, u), func(j int, v float64) float64 {
				if j < rank {
					return 1 / math.Sqrt(v)
				}
				return 0
			})
			return times(gramMatrix(k, x, u), half)
		}
		width := 3
		if roots != nil {
			_, width = roots[0].Dims()
		}
		w, l = mat.NewDense(n, parts*width, nil), identity(parts*width)
		inverse := make([]*mat.Dense, parts)
		for s, of := range member {
			f := feature(x, s)
			for _, i := range of {
				for j := range width {
					w.Set(i, s*width+j, f.At(i, j))
				}
			}
			v := samples[s]
			weight := v.Weights
			if weight == nil {
				weight = constant(len(v.Rows), 1)
			}
			root := make([]float64, len(weight))
			for b, v := range weight {
				root[b] = math.Sqrt(v)
			}
			inverse[s] = times(pseudoInverse(times(diagonal(root), pick(f, v.Rows)), 1e-12), diagonal(root))
		}
		for s := range parts {
			for u := range s {
				if epsilon > 0 && math.Exp(-k.Gamma*square(centers.RawRowView(s), centers.RawRowView(u))) <= epsilon {
					continue
				}
				link := times(inverse[s], gramMatrix(k, pick(x, samples[s].Rows), pick(x, samples[u].Rows)), inverse[u].T())
				l.Slice(s*width, (s+1)*width, u*width, (u+1)*width).(*mat.Dense).Copy(link)
				l.Slice(u*width, (u+1)*width, s*width, (s+1)*width).(*mat.Dense).Copy(link.T())
			}
		}
		return w, l, feature
	}
	between := []float64{}
	for s := range parts {
		for u := range s {
			between = append(between, math.Exp(-k.Gamma*square(centers.RawRowView(s), centers.RawRowView(u))))
		}
	}
	slices.Sort(between)
	roots := []*mat.Dense{normal(43, 3, 2, 1), normal(44, 3, 2, 1), normal(45, 3, 2, 1)}
	for _, c := range []struct {
		name  string
		rank  int
		c     meka.Config
		roots []*mat.Dense
	}{
		{"[S16] Algorithm 1", 3, meka.Config{}, nil},
		{"[S16] Algorithm 1, bases of rank 2", 2, meka.Config{Rank: 2}, nil},
		{"[S16] Algorithm 1, a pair of clusters below ε", 3, meka.Config{Epsilon: (between[0] + between[1]) / 2}, nil},
		{"[S16] Algorithm 1, given bases", 2, meka.Config{}, roots},
	} {
		c.c.Kernel, c.c.Cut = k, 1e-12
		c.c.Given = meka.Given{Partition: kmeans.Partition{Labels: label}, Landmarks: landmarks, Roots: c.roots, Samples: samples}
		w, l, feature := defined(c.rank, c.c.Epsilon, c.roots)
		raw := c.c
		raw.NoRepair = true
		before, err := raw.Fit(t.Context(), x)
		if err != nil {
			t.Fatal(c.name, err)
		}
		g := times(w, l, w.T())
		agree(t, c.name+", (3.12) W·L·Wᵀ", solve.Matrix(before.Operator()), g)
		m, err := c.c.Fit(t.Context(), x)
		if err != nil {
			t.Fatal(c.name, err)
		}
		positive := spectral(g, func(_ int, v float64) float64 { return max(0, v) })
		agree(t, c.name+", Q(RLRᵀ)₊Qᵀ", solve.Matrix(m.Operator()), positive)
		first, after := m.Spectrum()
		agree(t, c.name+", eigenvalues before the repair", column(first), column(largest(g, len(first))))
		agree(t, c.name+", and after it", column(after), column(largest(positive, len(after))))
		// W and L are shown in the basis with orthogonal columns.
		links := m.Links()
		total, _ := links.Dims()
		shown, at := mat.NewDense(n, total, nil), 0
		for s := range parts {
			rows, f := m.Operator().Basis(s)
			_, width := f.Dims()
			for b, i := range rows {
				for j := range width {
					shown.Set(i, at+j, f.At(b, j))
				}
			}
			at += width
		}
		agree(t, c.name+", W and L that are shown", times(shown, links, shown.T()), positive)
		// New rows: the basis of the nearest center, and the same links.
		var all mat.Dense
		all.Stack(x, z)
		extended := mat.NewDense(n+5, w.RawMatrix().Cols, nil)
		extended.Slice(0, n, 0, w.RawMatrix().Cols).(*mat.Dense).Copy(w)
		for i := range 5 {
			s := nearestOf(z.RawRowView(i), centers)
			f := feature(z.Slice(i, i+1, 0, 2).(*mat.Dense), s)
			_, width := f.Dims()
			for j := range width {
				extended.Set(n+i, s*width+j, f.At(0, j))
			}
		}
		// F with L₊ = FFᵀ: z is a combination of the rows of W of its cluster.
		cross := times(extended.Slice(n, n+5, 0, w.RawMatrix().Cols), pseudoInverse(w, 1e-12), positive)
		phi := m.Map(nil, z)
		own := m.Map(nil, x)
		for i := range n { // rows that the nearest mean sends elsewhere have other features
			if nearestOf(x.RawRowView(i), centers) != label[i] {
				for j := range 5 {
					cross.Set(j, i, mat.Dot(phi.RowView(j), own.RowView(i)))
				}
			}
		}
		agreeWithin(t, c.name+", φ(z)ᵀφ(x) of new rows", times(phi, own.T()), cross, 1e-8)
	}
}

// largest are the k eigenvalues of a that are largest in size, ascending.
func largest(a *mat.Dense, k int) []float64 {
	n, _ := a.Dims()
	var all []float64
	spectral(a, func(_ int, v float64) float64 { all = append(all, v); return v })
	slices.SortFunc(all, func(a, b float64) int { return int(math.Copysign(1, math.Abs(b)-math.Abs(a))) })
	all = all[:min(k, n)]
	slices.Sort(all)
	return all
}
