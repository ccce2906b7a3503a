package tables

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
func fig31c(r *run) error {
	rank, clusters := r.int("k", 100, 1, "rank"), r.int("c", 5, 1, "clusters of MEKA")
	gammas := cut(r, "γ", []float64{1e-3, 1e-2, 1e-1, 1, 10, 100}, []float64{1e-2, 1, 10, 100})
	count, repeats := cut(r, "rows", 5000, 2000), r.repeats(3, 1)
	cells := func(_ kernelSet, n int) []cell {
		if n > 0 {
			rank = min(rank, n/2)
		}
		return atGammas(append(some("Nys", "KNys"), memoryEfficient("MEKA", meka.Config{Clusters: clusters})), gammas, n, clusters, rank)
	}
	after := func(s kernelSet, x *mat.Dense) {
		for _, gamma := range gammas {
			for _, m := range []struct {
				name  string
				error func(context.Context, *mat.Dense, *mat.Dense, int, gram.Run) (float64, error)
			}{{"SVD", bestError}, {"BKA", blockDiagonalError}} {
				row := Row{Dataset: s.name, Metric: "rel_error", Method: fmt.Sprintf("%s γ=%g", m.name, gamma), Series: m.name, X: gamma}
				r.measure(row, repeats, func(t *trial) error {
					n, _ := x.Dims()
					e, err := m.error(r.ctx, crossMatrix(kernel.Gaussian{Gamma: gamma}, x, x, r.Workers), x, rank, t.Run)
					t.figures[0].AddValue(e, t.seconds(), 8*int64(n)*int64(rank))
					t.note(fmt.Sprintf("k %d, %d %s", rank, n, covtypeNote))
					return err
				})
			}
		}
	}
	return r.approximate(approximations{sets: []kernelSet{{name: "covtype", load: covtype20k}}, count: count, repeats: repeats, cells: cells, after: after})
}

// bestError is the error of the best approximation of rank k.
func bestError(ctx context.Context, g, _ *mat.Dense, k int, run gram.Run) (float64, error) {
	values, _, err := eig.TopK(ctx, symmetric{g}, k, eig.Options{Tol: 1e-6, Seed: run.Seed})
	if err != nil {
		return 0, err
	}
	total := mat.Norm(g, 2)
	rest := total * total
	for _, v := range values {
		rest -= v * v
	}
	return math.Sqrt(max(0, rest)) / total, nil
}

// blockDiagonalError is that of BKA with n/k clusters.
func blockDiagonalError(ctx context.Context, g, x *mat.Dense, k int, run gram.Run) (float64, error) {
	n, _ := x.Dims()
	m, err := kmeans.Config{K: max(1, n/k), Balance: 1, Run: run}.Fit(ctx, x)
	if err != nil {
		return 0, err
	}
	return blockError(g, m.Labels()), nil
}

// symmetric is a symmetric matrix as an operator.
type symmetric struct{ *mat.Dense }

func (a symmetric) Dim() int { n, _ := a.Dims(); return n }

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
func fig32(r *run) error {
	repeats := r.repeats(5, 3)
	const n, parts = 500, 5
	return each(r, []kernelSet{{name: "covtype", load: covtype20k}, {name: "cadata", load: unitCube("cadata")}}, func(s kernelSet) {
		all := s.load(r)
		for _, p := range partitions {
			for _, gamma := range []float64{.1, .3, 1, 3, 10, 30, 100} {
				row := Row{Dataset: s.name, Method: fmt.Sprintf("%s γ=%g", p.name, gamma), Metric: "rel_error", Series: p.name, X: gamma, Note: fmt.Sprintf("%d rows, %d parts", n, parts)}
				k := kernel.Gaussian{Gamma: gamma}
				r.measure(row, repeats, func(t *trial) error {
					x := sampled(all, n, t.Seed)
					g := crossMatrix(k, x, x, r.Workers)
					label, err := p.of(r.ctx, k, x, g, parts, t.Run)
					if err == nil {
						t.figures[0].AddValue(blockError(g, label), t.seconds(), 0)
					}
					return err
				})
			}
		}
	})
}

// partitions are ways to cut rows, with kernel matrix g, into parts.
var partitions = []struct {
	name string
	of   func(ctx context.Context, k kernel.Kernel, x, g *mat.Dense, parts int, run gram.Run) ([]int, error)
}{
	{"k-means", func(ctx context.Context, _ kernel.Kernel, x, _ *mat.Dense, parts int, run gram.Run) ([]int, error) {
		return clusterRows(ctx, x, parts, run)
	}},
	{"spectral", spectralPartition},
	{"kernel k-means", func(ctx context.Context, k kernel.Kernel, x, _ *mat.Dense, parts int, run gram.Run) ([]int, error) {
		m, err := kernelkmeans.Config{Kernel: k, K: parts, Starts: 10, Run: run}.Fit(ctx, x)
		if err != nil {
			return nil, err
		}
		return m.Labels(), nil
	}},
	{"random", func(_ context.Context, _ kernel.Kernel, x, _ *mat.Dense, parts int, run gram.Run) ([]int, error) {
		n, _ := x.Dims()
		return kmeans.Random(n, parts, run.Seed), nil
	}},
}

// spectralPartition maximizes the relaxed ratio association Σ_s 1ᵀG⁽ˢˢ⁾1/n_s: the
// rows of the leading eigenvectors of G are clustered by k-means.
func spectralPartition(ctx context.Context, _ kernel.Kernel, _, g *mat.Dense, parts int, run gram.Run) ([]int, error) {
	n, _ := g.Dims()
	_, v, err := eig.SymAll(mat.NewSymDense(n, mat.DenseCopyOf(g).RawMatrix().Data))
	if err != nil {
		return nil, err
	}
	return clusterRows(ctx, v.Slice(0, n, n-parts, n), parts, run)
}

func clusterRows(ctx context.Context, x mat.Matrix, parts int, run gram.Run) ([]int, error) {
	m, err := kmeans.Config{K: parts, Starts: 10, Run: run}.Fit(ctx, x)
	if err != nil {
		return nil, err
	}
	return m.Labels(), nil
}

// Table 3.3 of [S16]: numerical rank of the 5×5 blocks of the Gaussian kernel
// matrix of 4 000 rows of ijcnn1, for a partition by k-means and a random one.
// The rank of A counts singular values above max(n,m)·‖A‖₂·10⁻⁶. The paper does
// not give γ: 0.3 is where the diagonal blocks of k-means have its ranks. It does
// not say how parts are numbered either: here they are sorted by the rank of
// their diagonal block, and means are compared.
func table33(r *run) error {
	k := kernel.Gaussian{Gamma: r.float("gamma", 0.3, 0, "γ of the Gaussian kernel")}
	n := r.int("n", 4000, 5, "rows")
	repeats := r.repeats(3, 1)
	const parts = 5
	return each(r, []name{"ijcnn1"}, func(s name) {
		all := asItIs("ijcnn1")(r)
		for _, method := range []string{"k-means", "random"} {
			labels := []string{method + ", mean of diagonal", method + ", mean of off-diagonal"}
			for s := range parts {
				for t := range s + 1 {
					labels = append(labels, fmt.Sprintf("%s, block %d, %d", method, t+1, s+1))
				}
			}
			rows, _ := r.collect(Row{Dataset: s.String(), Metric: "rank"}, repeats, func(t *trial) error {
				x := sampled(all, n, t.Seed)
				used, _ := x.Dims()
				label, err := clusterRows(r.ctx, x, parts, t.Run)
				if method == "random" {
					label = kmeans.Random(used, parts, t.Seed)
				}
				if err != nil {
					return err
				}
				ranks, err := blockRanks(r.ctx, k, x, label, parts, r.Workers)
				if err != nil {
					return err
				}
				var diagonal, off float64
				at := 2
				for s := range parts {
					diagonal += float64(ranks[s][s]) / parts
					for u := range s + 1 {
						if u < s {
							off += float64(ranks[s][u]) / (parts * (parts - 1) / 2)
						}
						t.figures[at].AddValue(float64(ranks[s][u]), 0, 0)
						at++
					}
				}
				t.figures[0].AddValue(diagonal, t.seconds(), 0)
				t.figures[1].AddValue(off, t.seconds(), 0)
				t.note(fmt.Sprintf("γ %g, %d rows", k.Gamma, used))
				return nil
			}, slices.Repeat([]also{{metric: "rank"}}, len(labels)-1)...)
			for i, row := range rows {
				if row.Method = labels[i]; i < 2 {
					row.Paper = value(paper33[method][i])
				}
				r.emit(row)
			}
		}
	})
}

// paper33 are the means of diagonal and off-diagonal blocks.
var paper33 = map[string][2]float64{"k-means": {24.4, 10.3}, "random": {96.4, 60}}

// blockRanks returns the lower triangle of the ranks, with the parts sorted by
// the rank of their diagonal block.
func blockRanks(ctx context.Context, k kernel.Kernel, x *mat.Dense, label []int, parts, workers int) ([][]int, error) {
	own := make([]*mat.Dense, parts)
	for s := range parts {
		own[s] = pickRows(x, label, s)
	}
	rank := func(s, t int) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return numericalRank(crossMatrix(k, own[s], own[t], workers), 1e-6)
	}
	order, diagonal := make([]int, parts), make([]int, parts)
	for s := range parts {
		var err error
		if diagonal[s], err = rank(s, s); err != nil {
			return nil, err
		}
		order[s] = s
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(diagonal[a], diagonal[b]) })
	out := make([][]int, parts)
	for s, a := range order {
		for _, b := range order[:s] {
			r, err := rank(a, b)
			if err != nil {
				return nil, err
			}
			out[s] = append(out[s], r)
		}
		out[s] = append(out[s], diagonal[a])
	}
	return out, nil
}

// Figure 3.3 of [S16]: cosines of the principal angles between the dominant
// left singular subspaces, of dimension k, of a diagonal block G⁽ˢˢ⁾ and an
// off-diagonal block G⁽ˢᵗ⁾: 1 000 rows of covtype with γ 0.1 and of ijcnn1 with γ
// 1, five clusters. The paper draws one random pair of clusters and prints no
// figures; means over all pairs are given here.
func fig33(r *run) error {
	const parts = 5
	n, repeats := r.int("n", 1000, parts, "rows"), r.repeats(3, 1)
	return each(r, []kernelSet{gauss("covtype", covtype20k, .1), gauss("ijcnn1", asItIs("ijcnn1"), 1)}, func(s kernelSet) {
		all := s.load(r)
		ranks := []int{2, 5, 10, 15, 20, 30}
		rows, _ := r.collect(Row{Dataset: s.name, Metric: "cosine"}, repeats, func(t *trial) error {
			x := sampled(all, n, t.Seed)
			label, err := clusterRows(r.ctx, x, parts, t.Run)
			if err != nil {
				return err
			}
			angles, err := blockAngles(s.kernel, x, label, parts, ranks, r.Workers)
			for i, v := range angles {
				t.figures[i].AddValue(v, t.seconds(), 0)
			}
			t.note(kernelNote(s.kernel), fmt.Sprintf("%d rows", len(label)))
			return err
		}, slices.Repeat([]also{{metric: "cosine"}}, 2*len(ranks)-1)...)
		for i, row := range rows {
			rank := ranks[i/2]
			row.Series, row.X = []string{"mean", "least"}[i%2], float64(rank)
			row.Method = fmt.Sprintf("%s cosine, k=%d", row.Series, rank)
			r.emit(row)
		}
	})
}

// blockAngles returns, for every rank, the means of the mean cosine and of the least
// one over the pairs of clusters with at least that many rows.
func blockAngles(k kernel.Kernel, x *mat.Dense, label []int, parts int, ranks []int, workers int) ([]float64, error) {
	own := make([]*mat.Dense, parts)
	for p := range own {
		own[p] = pickRows(x, label, p)
	}
	out, pairs := make([]float64, 2*len(ranks)), make([]int, len(ranks))
	for a := range parts {
		u, err := leftVectors(crossMatrix(k, own[a], own[a], workers))
		if err != nil {
			return nil, err
		}
		for b := range parts {
			if a == b {
				continue
			}
			v, err := leftVectors(crossMatrix(k, own[a], own[b], workers))
			if err != nil {
				return nil, err
			}
			for i, rank := range ranks {
				c, err := cosines(u, v, rank)
				if err != nil {
					return nil, err
				}
				if c == nil {
					continue
				}
				out[2*i] += floats.Sum(c) / float64(rank)
				out[2*i+1] += c[rank-1]
				pairs[i]++
			}
		}
	}
	for i, count := range pairs {
		if count == 0 {
			return nil, fmt.Errorf("no two clusters of %d rows", ranks[i])
		}
		out[2*i], out[2*i+1] = out[2*i]/float64(count), out[2*i+1]/float64(count)
	}
	return out, nil
}

// cosines returns those of the angles between the spans of the first k columns of
// u and of v, descending; nil if there are fewer.
func cosines(u, v *mat.Dense, k int) ([]float64, error) {
	n, p := u.Dims()
	if _, q := v.Dims(); min(p, q) < k {
		return nil, nil
	}
	var c mat.Dense
	c.Mul(u.Slice(0, n, 0, k).T(), v.Slice(0, n, 0, k))
	var svd mat.SVD
	if !svd.Factorize(&c, mat.SVDNone) {
		return nil, errDecomposition
	}
	return svd.Values(nil), nil
}

var errDecomposition = errors.New("a singular value decomposition did not converge")

// leftVectors returns the left singular vectors of a, the dominant first.
func leftVectors(a *mat.Dense) (*mat.Dense, error) {
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		return nil, errDecomposition
	}
	var u mat.Dense
	svd.UTo(&u)
	return &u, nil
}

// numericalRank counts the singular values of a above max(n,m)·‖a‖₂·δ. They are
// the roots of the eigenvalues of a's smaller Gram matrix, exact enough as the
// cut-off's square is far above round-off.
func numericalRank(a *mat.Dense, delta float64) (int, error) {
	n, m := a.Dims()
	var b mat.SymDense
	if n < m {
		b.SymOuterK(1, a)
	} else {
		b.SymOuterK(1, a.T())
	}
	values, _, err := eig.SymAll(&b)
	if err != nil {
		return 0, err
	}
	cut := float64(max(n, m)) * delta
	r := 0
	for r < len(values) && values[len(values)-1-r] > cut*cut*values[len(values)-1] {
		r++
	}
	return r, nil
}
