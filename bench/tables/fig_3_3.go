package tables

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Figure 3.3 of [Si 2016]: cosines of the principal angles between the dominant
// left singular subspaces, of dimension k, of a diagonal block G⁽ˢˢ⁾ and an
// off-diagonal block G⁽ˢᵗ⁾: 1 000 rows of covtype with γ 0.1 and of ijcnn1 with γ
// 1, five clusters. The paper draws one random pair of clusters and prints no
// figures; means over all pairs are given here.
var fig33 = Table{
	ID:    "fig-3.3",
	Title: "Cosines of the principal angles between the subspaces of diagonal and off-diagonal blocks",
	Run:   runFig33,
	X:     "rank k", Y: "cosine",
}

func runFig33(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	n := f.Int("n", 1000, "rows")
	if err := env.parse(f); err != nil {
		return err
	}
	const parts = 5
	if *n < parts {
		return &gram.ConfigError{Field: "--set n", Value: *n, Want: "at least 5"}
	}
	for _, s := range []kernelSet{
		{name: "covtype", load: covtype20k, gamma: .1},
		{name: "ijcnn1", load: asItIs("ijcnn1"), gamma: 1},
	} {
		all, ok, err := s.load(env)
		if err != nil {
			return err
		}
		row := Row{Table: "fig-3.3", Dataset: s.name, Metric: "cosine"}
		if !ok {
			row.Method, row.Note = "MEKA", noData
			emit(row)
			continue
		}
		x := env.some(all, *n)
		k := kernel.Gaussian{Gamma: s.gamma}
		label, err := clusterRows(ctx, x, parts, env.Run)
		if err != nil {
			return err
		}
		own := make([]*mat.Dense, parts)
		for p := range own {
			own[p] = pickRows(x, label, p)
		}
		ranks := []int{2, 5, 10, 15, 20, 30}
		mean, least, pairs := make([]float64, len(ranks)), make([]float64, len(ranks)), make([]int, len(ranks))
		for a := range parts {
			u, err := leftVectors(crossMatrix(k, own[a], own[a], env.Workers))
			if err != nil {
				return err
			}
			for b := range parts {
				if a == b {
					continue
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				v, err := leftVectors(crossMatrix(k, own[a], own[b], env.Workers))
				if err != nil {
					return err
				}
				for i, rank := range ranks {
					c, err := cosines(u, v, rank)
					if err != nil {
						return err
					}
					if c == nil {
						continue
					}
					for _, t := range c {
						mean[i] += t / float64(rank)
					}
					least[i] += c[rank-1]
					pairs[i]++
				}
			}
		}
		for i, rank := range ranks {
			if pairs[i] == 0 {
				continue
			}
			row.Note = fmt.Sprintf("γ %g, %d rows, mean of %d pairs", s.gamma, len(label), pairs[i])
			row.X = float64(rank)
			for _, v := range []struct {
				name string
				got  float64
			}{{"mean", mean[i]}, {"least", least[i]}} {
				row.Series, row.Method, row.Got = v.name, fmt.Sprintf("%s cosine, k=%d", v.name, rank), value(v.got/float64(pairs[i]))
				emit(row)
			}
		}
	}
	return nil
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
