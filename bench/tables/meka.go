package tables

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/meka"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// What the tables and figures of MEKA share.

// mekaClusters is the number of clusters of Table 3.7 for its data sets, and
// that of ijcnn1 for others.
func mekaClusters(set string) int {
	switch set {
	case "pendigits":
		return 5
	case "covtype":
		return 15
	}
	return 10
}

// memoryEfficient is MEKA with settings c as a method of Table 3.7. Its rank is
// that of a cluster's basis.
func memoryEfficient(name string, c meka.Config) lowRank {
	return lowRank{name, func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, run gram.Run) (approximation, error) {
		c := c
		c.Kernel, c.Rank, c.Run = k, rank, run
		m, err := c.Fit(ctx, x)
		if err != nil {
			return approximation{}, err
		}
		s := m.Stats()
		return approximation{of: m.Operator(), bytes: s.Bytes + s.MapBytes}, nil
	}}
}

// withMEKA is the baselines and MEKA with c clusters.
func withMEKA(c int) []lowRank {
	return append(slices.Clip(baselines), memoryEfficient("MEKA", meka.Config{Clusters: c}))
}

// baseline returns the baseline of that name.
func baseline(name string) lowRank {
	return baselines[slices.IndexFunc(baselines, func(m lowRank) bool { return m.name == name })]
}

// equalKNys is KNys with the memory of MEKA with c clusters of its rank.
func equalKNys(c int) lowRank {
	return lowRank{"KNys, n·k+(ck)²", func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, run gram.Run) (approximation, error) {
		n, _ := x.Dims()
		return baseline("KNys").fit(ctx, k, x, min(n, sameMemory(n, c, rank)), run)
	}}
}

// sameMemory returns the rank of a low-rank approximation of n rows that takes
// the memory of MEKA with c clusters of rank k: n·k+(c·k)² numbers.
func sameMemory(n, c, k int) int {
	return (n*k + c*c*k*k + n - 1) / n
}

// mekaRank returns the largest rank with which MEKA with c clusters takes no
// more memory than a low-rank approximation of rank k, and at least 1.
func mekaRank(n, c, k int) int {
	// n·r + c²r² = n·k
	a, b := float64(c*c), float64(n)
	return max(1, int((math.Sqrt(b*b+4*a*b*float64(k))-b)/(2*a)))
}

// emitError completes row with the relative error of m on the rows of x, or a
// note if x is nil, and emits it.
func (e Env) emitError(ctx context.Context, emit func(Row), row Row, m lowRank, k kernel.Kernel, x mat.Matrix, rank, repeats int, settings string) error {
	row.Metric = "rel_error"
	if x == nil {
		row.Note = noData
		emit(row)
		return nil
	}
	got, err := e.relativeErrors(ctx, m, k, x, rank, repeats)
	if err != nil {
		return err
	}
	n, _ := x.Dims()
	row.Note = notes(settings, counted(repeats, "repeat"), e.errorNote(n))
	emit(got.into(row))
	return nil
}

// some draws n rows of x without replacement, all if there are not more.
func (e Env) some(x mat.Matrix, n int) *mat.Dense {
	all, _ := x.Dims()
	index := rng.New(rng.Derive(e.Seed, "some rows"), 0).Perm(all)[:min(n, all)]
	slices.Sort(index)
	return rows.Dense(gram.Of(x), index)
}

// covtype20k is what is at hand of covtype, scaled to [0,1].
var covtype20k = unitCube("covtype-first20k")

const covtypeNote = "of its first 20000 rows, scaled to [0,1]"

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

// crossMatrix returns K(x,z).
func crossMatrix(k kernel.Kernel, x, z *mat.Dense, workers int) *mat.Dense {
	n, _ := x.Dims()
	m, _ := z.Dims()
	g := mat.NewDense(n, m, nil)
	kernel.Against[float64](k, z).Limit(workers).Fill(gram.View(g), gram.Of(x))
	return g
}

// pickRows returns the rows of x with that label.
func pickRows(x *mat.Dense, label []int, s int) *mat.Dense {
	var index []int
	for i, t := range label {
		if t == s {
			index = append(index, i)
		}
	}
	return rows.Dense(gram.Of(x), index)
}

var errDecomposition = errors.New("a singular value decomposition did not converge")

// counted is a number of things: 1 repeat, 5 repeats.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
