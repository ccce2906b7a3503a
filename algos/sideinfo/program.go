package sideinfo

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/program"
	"gonum.org/v1/gonum/mat"
)

// With64 returns the program of linear functions of the features, Map(x)·coef + bias
// with coef features×k: sums of kernel values with the landmarks.
func (m *Model) With64(coef *mat.Dense, bias []float64) gram.Program[float64] {
	return with[float64](m, coef, bias)
}

// With32 is With64 in float32.
func (m *Model) With32(coef *mat.Dense, bias []float64) gram.Program[float32] {
	return with[float32](m, coef, bias)
}

func with[F gram.Float](m *Model, coef *mat.Dense, bias []float64) gram.Program[F] {
	var sums mat.Dense
	sums.Mul(m.root, coef)
	return program.NewExpansion[F]("sideinfo", m.cfg.Kernel, m.u, &sums, bias)
}
