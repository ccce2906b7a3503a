package papers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kernelkmeans"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/lowrank/meka"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Figure 3.1c of [S16]: relative error against γ at equal memory, 5 000 rows
// of covtype: low-rank approximations of rank k, the best one of that rank (SVD),
// the block diagonal of n/k clusters (BKA), which has n·k entries if they are of
// equal size, and MEKA of a rank that takes no more than n·k numbers. The paper
// draws curves and prints no figures.
func fig31c(r *run) {
	rank, clusters := r.int("k", 100, 1, "rank"), r.int("c", 5, 1, "clusters of MEKA")
	gammas := cut(r, "γ", []float64{1e-3, 1e-2, 1e-1, 1, 10, 100}, []float64{1e-2, 1, 10, 100})
	count, repeats := cut(r, "rows", 5000, 2000), r.repeats(3, 1)
	cells := func(_ kernelSet, n int) []cell {
		if n > 0 {
			rank = min(rank, n/2)
		}
		return atGammas(append(baselinesNamed("Nys", "KNys"), memoryEfficient("MEKA", meka.Config{Clusters: clusters})), gammas, n, clusters, rank)
	}
	after := func(s kernelSet, x *mat.Dense) {
		for _, gamma := range gammas {
			for _, m := range []struct {
				name  string
				error func(ctx context.Context, g, x *mat.Dense, k int, run gram.Run) float64
			}{{"SVD", bestError}, {"BKA", blockDiagonalError}} {
				row := Row{Dataset: s.name, Metric: "rel_error", Method: fmt.Sprintf("%s γ=%g", m.name, gamma), Series: m.name, X: gamma}
				r.measure([]Row{row}, repeats, func(t *trial) {
					n, _ := x.Dims()
					e := m.error(r.ctx, crossMatrix(kernel.Gaussian{Gamma: gamma}, x, x, r.Workers), x, rank, t.Run)
					t.addValues(t.seconds(), 8*int64(n)*int64(rank), e)
					t.note(fmt.Sprintf("k %d, %d %s", rank, n, covtypeNote))
				})
			}
		}
	}
	r.approximate(approximations{sets: []kernelSet{covtype20k(nil)}, count: count, repeats: repeats, cells: cells, after: after})
}

// bestError is the error of the best approximation of rank k.
func bestError(ctx context.Context, g, _ *mat.Dense, k int, run gram.Run) float64 {
	values, _, err := eig.TopK(ctx, symmetric{g}, k, eig.Options{Tol: 1e-6, Seed: run.Seed})
	fail(err)
	total := mat.Norm(g, 2)
	rest := total * total
	for _, v := range values {
		rest -= v * v
	}
	return math.Sqrt(max(0, rest)) / total
}

// blockDiagonalError returns the relative error of the block diagonal approximation (BKA) with n/k clusters.
func blockDiagonalError(ctx context.Context, g, x *mat.Dense, k int, run gram.Run) float64 {
	n, _ := x.Dims()
	m := must(kmeans.Config{K: max(1, n/k), Balance: 1, Run: run}.Fit(ctx, x))
	return blockError(g, m.Labels())
}

// symmetric is a symmetric matrix as an operator.
type symmetric struct{ *mat.Dense }

// Dim returns the order of the matrix.
func (a symmetric) Dim() int { n, _ := a.Dims(); return n }

// Apply sets dst to the product of the matrix with x.
func (a symmetric) Apply(dst, x *mat.Dense) { dst.Mul(a.Dense, x) }

// blockError is the relative error of the block diagonal approximation of the
// kernel matrix g by a partition: all entries between its parts are lost.
func blockError(g *mat.Dense, label []int) float64 {
	var lost, total float64
	for i, a := range label {
		for j, v := range g.RawRowView(i) {
			total += v * v
			if label[j] != a {
				lost += v * v
			}
		}
	}
	return math.Sqrt(lost / total)
}

// Figure 3.2 of [S16]: relative error of the block diagonal of the kernel
// matrix (BKA) for five parts of 500 rows of covtype and cadata: by k-means, by
// the spectrum of G, by kernel k-means and at random. The paper draws curves and
// prints no figures.
func fig32(r *run) {
	repeats := r.repeats(5, 3)
	const n, parts = 500, 5
	eachSet(r, []kernelSet{covtype20k(nil), onSet(nil, "cadata")}, func(s kernelSet) {
		all := s.load(r)
		for _, p := range partitions {
			for _, gamma := range []float64{.1, .3, 1, 3, 10, 30, 100} {
				row := Row{Dataset: s.name, Method: fmt.Sprintf("%s γ=%g", p.name, gamma), Metric: "rel_error", Series: p.name, X: gamma, Note: fmt.Sprintf("%d rows, %d parts", n, parts)}
				k := kernel.Gaussian{Gamma: gamma}
				r.measure([]Row{row}, repeats, func(t *trial) {
					x := sampled(all, n, t.Seed)
					g := crossMatrix(k, x, x, r.Workers)
					label := p.of(r.ctx, k, x, g, parts, t.Run)
					t.addValues(t.seconds(), 0, blockError(g, label))
				})
			}
		}
	})
}

// partitions are ways to cut rows, with kernel matrix g, into parts.
var partitions = []struct {
	name string
	of   func(ctx context.Context, k kernel.Kernel, x, g *mat.Dense, parts int, run gram.Run) []int
}{
	{"k-means", func(ctx context.Context, _ kernel.Kernel, x, _ *mat.Dense, parts int, run gram.Run) []int {
		return clusterRows(ctx, x, parts, run)
	}},
	// The relaxed ratio association Σ_s 1ᵀG⁽ˢˢ⁾1/n_s at its largest: the rows of
	// the leading eigenvectors of G are clustered by k-means.
	{"spectral", func(ctx context.Context, _ kernel.Kernel, _, g *mat.Dense, parts int, run gram.Run) []int {
		n, _ := g.Dims()
		_, v, err := eig.SymAll(ctx, mat.NewSymDense(n, mat.DenseCopyOf(g).RawMatrix().Data))
		fail(err)
		return clusterRows(ctx, v.Slice(0, n, n-parts, n), parts, run)
	}},
	{"kernel k-means", func(ctx context.Context, k kernel.Kernel, x, _ *mat.Dense, parts int, run gram.Run) []int {
		return must(kernelkmeans.Config{Kernel: k, K: parts, Starts: 10, Run: run}.Fit(ctx, x)).Labels()
	}},
	{"random", func(_ context.Context, _ kernel.Kernel, x, _ *mat.Dense, parts int, run gram.Run) []int {
		n, _ := x.Dims()
		return kmeans.Random(n, parts, run.Seed)
	}},
}

func clusterRows(ctx context.Context, x mat.Matrix, parts int, run gram.Run) []int {
	return must(kmeans.Config{K: parts, Starts: 10, Run: run}.Fit(ctx, x)).Labels()
}

// Table 3.3 of [S16]: numerical rank of the 5×5 blocks of the Gaussian kernel
// matrix of 4 000 rows of ijcnn1, for a partition by k-means and a random one.
// The rank of A counts singular values above max(n,m)·‖A‖₂·10⁻⁶. The paper does
// not give γ: 0.3 is where the diagonal blocks of k-means have its ranks. It does
// not say how parts are numbered either: here they are sorted by the rank of
// their diagonal block, and means are compared.
func table33(r *run) {
	k := kernel.Gaussian{Gamma: r.float("gamma", 0.3, 0, "γ of the Gaussian kernel")}
	n := r.int("n", 4000, 5, "rows")
	repeats := r.repeats(3, 1)
	const parts = 5
	eachSet(r, []kernelSet{onSet(k, "ijcnn1")}, func(s kernelSet) {
		all := s.load(r)
		for _, method := range []string{"k-means", "random"} {
			rows := []Row{{Method: method + ", mean of diagonal"}, {Method: method + ", mean of off-diagonal"}}
			for s := range parts {
				for t := range s + 1 {
					rows = append(rows, Row{Method: fmt.Sprintf("%s, block %d, %d", method, t+1, s+1)})
				}
			}
			for i := range rows {
				rows[i].Dataset, rows[i].Metric = s.name, "rank"
			}
			r.measure(rows, repeats, func(t *trial) {
				x := sampled(all, n, t.Seed)
				used, _ := x.Dims()
				label := clusterRows(r.ctx, x, parts, t.Run)
				if method == "random" {
					label = kmeans.Random(used, parts, t.Seed)
				}
				var diagonal, off float64
				blocks := t.figures[2:]
				for s, row := range blockRanks(r.ctx, k, parted(x, label, parts), r.Workers) {
					for u, rank := range row {
						blocks[u].AddValue(float64(rank), 0, 0)
						if u < s {
							off += float64(rank) / (parts * (parts - 1) / 2)
						}
					}
					diagonal += float64(row[s]) / parts
					blocks = blocks[s+1:]
				}
				t.addValues(t.seconds(), 0, diagonal, off)
				t.note(fmt.Sprintf("γ %g, %d rows", k.Gamma, used))
			})
		}
	})
}

// blockRanks returns the lower triangle of the ranks of the blocks of all pairs of
// parts, which are sorted by the rank of their diagonal block.
func blockRanks(ctx context.Context, k kernel.Kernel, parts []*mat.Dense, workers int) [][]int {
	rank := func(s, t int) int {
		fail(ctx.Err())
		return numericalRank(ctx, crossMatrix(k, parts[s], parts[t], workers), 1e-6)
	}
	order, diagonal := make([]int, len(parts)), make([]int, len(parts))
	for s := range parts {
		order[s], diagonal[s] = s, rank(s, s)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(diagonal[a], diagonal[b]) })
	out := make([][]int, len(parts))
	for s, a := range order {
		for _, b := range order[:s] {
			out[s] = append(out[s], rank(a, b))
		}
		out[s] = append(out[s], diagonal[a])
	}
	return out
}

// Figure 3.3 of [S16]: cosines of the principal angles between the dominant
// left singular subspaces, of dimension k, of a diagonal block G⁽ˢˢ⁾ and an
// off-diagonal block G⁽ˢᵗ⁾: 1 000 rows of covtype with γ 0.1 and of ijcnn1 with γ
// 1, five clusters. The paper draws one random pair of clusters and prints no
// figures; means over all pairs are given here.
func fig33(r *run) {
	const parts = 5
	n, repeats := r.int("n", 1000, parts, "rows"), r.repeats(3, 1)
	ranks := []int{2, 5, 10, 15, 20, 30}
	eachSet(r, []kernelSet{covtype20k(kernel.Gaussian{Gamma: .1}), gauss("ijcnn1", 1)}, func(s kernelSet) {
		all := s.load(r)
		var rows []Row
		for _, rank := range ranks {
			for _, series := range []string{"mean", "least"} {
				rows = append(rows, Row{Dataset: s.name, Method: fmt.Sprintf("%s cosine, k=%d", series, rank), Metric: "cosine", Series: series, X: float64(rank)})
			}
		}
		r.measure(rows, repeats, func(t *trial) {
			x := sampled(all, n, t.Seed)
			label := clusterRows(r.ctx, x, parts, t.Run)
			angles := blockAngles(s.kernel, parted(x, label, parts), ranks, r.Workers)
			t.addValues(t.seconds(), 0, angles...)
			t.note(kernelNote(s.kernel), fmt.Sprintf("%d rows", len(label)))
		})
	})
}

// blockAngles returns, for every rank, the means of the mean cosine and of the least
// one over the pairs of parts with at least that many rows.
func blockAngles(k kernel.Kernel, bases []*mat.Dense, ranks []int, workers int) []float64 {
	out, pairs := make([]float64, 2*len(ranks)), make([]int, len(ranks))
	for a := range bases {
		u := leftVectors(crossMatrix(k, bases[a], bases[a], workers))
		for b := range bases {
			if a == b {
				continue
			}
			v := leftVectors(crossMatrix(k, bases[a], bases[b], workers))
			for i, rank := range ranks {
				if c := cosines(u, v, rank); c != nil {
					out[2*i] += floats.Sum(c) / float64(rank)
					out[2*i+1] += c[rank-1]
					pairs[i]++
				}
			}
		}
	}
	for i, count := range pairs {
		if count == 0 {
			fail(fmt.Errorf("no two clusters of %d rows", ranks[i]))
		}
		out[2*i], out[2*i+1] = out[2*i]/float64(count), out[2*i+1]/float64(count)
	}
	return out
}

// cosines returns those of the angles between the spans of the first k columns of
// u and of v, descending; nil if there are fewer.
func cosines(u, v *mat.Dense, k int) []float64 {
	n, p := u.Dims()
	if _, q := v.Dims(); min(p, q) < k {
		return nil
	}
	var c mat.Dense
	c.Mul(u.Slice(0, n, 0, k).T(), v.Slice(0, n, 0, k))
	return decomposed(&c, mat.SVDNone).Values(nil)
}

// leftVectors returns the left singular vectors of a, the dominant first.
func leftVectors(a *mat.Dense) *mat.Dense {
	var u mat.Dense
	decomposed(a, mat.SVDThin).UTo(&u)
	return &u
}

func decomposed(a *mat.Dense, kind mat.SVDKind) *mat.SVD {
	var svd mat.SVD
	if !svd.Factorize(a, kind) {
		fail(errors.New("a singular value decomposition did not converge"))
	}
	return &svd
}

// numericalRank counts the singular values of a above max(n,m)·‖a‖₂·δ. They are
// the roots of the eigenvalues of a's smaller Gram matrix, exact enough as the
// cut-off's square is far above round-off.
func numericalRank(ctx context.Context, a *mat.Dense, delta float64) int {
	n, m := a.Dims()
	var b mat.SymDense
	if n < m {
		b.SymOuterK(1, a)
	} else {
		b.SymOuterK(1, a.T())
	}
	values, _, err := eig.SymAll(ctx, &b)
	fail(err)
	cut := float64(max(n, m)) * delta
	r := 0
	for r < len(values) && values[len(values)-1-r] > cut*cut*values[len(values)-1] {
		r++
	}
	return r
}
