package meka

import (
	"github.com/gramworks/gram"
	maps "github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// With64 returns the program of linear functions of the features, Map(x)·coef + bias
// with coef features×k. The features are not computed: a row is sent to its cluster,
// where the functions are sums of kernel values with the landmarks.
func (m *Model) With64(coef *mat.Dense, bias []float64) gram.Program[float64] {
	return with[float64](m, coef, bias)
}

// With32 returns the program that With64 returns, with numbers in float32.
func (m *Model) With32(coef *mat.Dense, bias []float64) gram.Program[float32] {
	return with[float32](m, coef, bias)
}

func with[F gram.Float](m *Model, coef *mat.Dense, bias []float64) gram.Program[F] {
	_, features := m.Dims()
	if f, k := coef.Dims(); f != features || k != len(bias) {
		panic("meka: the coefficients do not fit the features")
	}
	parts := make([]gram.Program[F], len(m.basis))
	_, q := m.links.root.Dims()
	at := q // of the columns without links
	to := m.inhabited()
	for s := range m.basis {
		b := &m.basis[s]
		if b.root == nil {
			continue
		}
		rank, linked := b.rank(), m.links.linked(s)
		_, k := coef.Dims()
		own := mat.NewDense(rank, k, nil) // of the columns of the cluster
		if linked > 0 {
			rows.Mul(own.Slice(0, linked, 0, k).(*mat.Dense), gram.Of(m.links.rootOf(s)), coef.Slice(0, q, 0, k).(*mat.Dense))
		}
		for j := linked; j < rank; j++ {
			own.SetRow(j, coef.RawRowView(at+j-linked))
		}
		at += rank - linked
		sums := mat.NewDense(b.landmarks(), k, nil)
		rows.Mul(sums, gram.Of(b.root), own)
		parts[s] = maps.With[F](maps.NewValues(m.cfg.Kernel, b.u, 1), sums, bias)
	}
	return program.NewRouted("meka", kmeans.NewRouter[F](m.clusters, to), parts, len(bias), false)
}
