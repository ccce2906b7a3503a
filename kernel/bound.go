package kernel

import (
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/panel"
	"github.com/gramworks/gram/internal/rows"
)

// Bound says how far products with values of a Gaussian kernel in float32 are from
// those without rounding, with the same rows and coefficients in float64. It is safe for
// concurrent use.
type Bound struct {
	gamma  float64
	center []float32
	q, b   float64 // largest ‖z−c‖, and the largest length that rounding of z is relative to
	k, t   float64 // roundings of an inner product, and those of a sum over the points
}

const (
	unit32 = 1.0 / (1 << 24) // half the distance from 1 to the next float32
	maxT   = 1e6             // roundings for which the bound is derived
)

// ProductBound returns the bound for products with p, whose block was made of z. ok is false if
// there is none: the kernel is no Gaussian, or its γ is above 10⁶. It panics if z has not the
// shape of the block.
//
// Let u = 2⁻²⁴, x̂ the row x in float32 less the center c, and r = ‖x−c‖. Then
// ‖x̂−(x−c)‖ ≤ (1+u)u·a with a = ‖x‖+‖x−c‖, or ‖x‖ without a center. With b and q, the
// largest such numbers for rows of Z, and ρ = (1+u)u·(a+b), the computed squared distance
// differs from ‖x−z‖² by at most
//
//	δ = ρ·(2(r+q)+ρ) + (2k+6)·u·((r+ρ)²+(q+ρ)²),
//
// see Accuracy in the package comment. With e = 3u·(min(88, γ(r+q)²+γδ)+1) each value K that
// is not below 2⁻¹²⁴ is within (e^(γδ)/(1−e)−1)·K̂ of the computed K̂. A sum Σ_j v_jK_j of
// values that are added in strips has at most t = (columns of a strip)+(strips)+2 roundings of
// each term, in any order, and rounding v costs another u. The sum Σ_j|v_j|K̂_j, to which all
// of this is relative, may itself have been computed with those roundings.
func ProductBound(p *Product[float32], z gram.Samples[float64]) (bound *Bound, ok bool) {
	block := p.block
	if n, d := z.Dims(); n != block.m || d != block.d {
		panic("kernel: the rows are not those of the product")
	}
	g, ok := block.kernel.(Gaussian)
	if !ok || block.shared.path != gaussianPath || !(g.Gamma <= 1e6) {
		return nil, false
	}
	m, d := block.m, block.d
	bound = &Bound{gamma: g.Gamma, center: block.shared.points.center}
	chunk := panel.Chunk[float32]()
	bound.k = float64(min(d, chunk) + (d+chunk-1)/chunk + 1)
	c := panel.Cols[float32]()
	wide, far := stripColumns[float32](), max(1, zBytes/(128*max(1, d)))*c
	bound.t = float64(wide + m/wide + m/far + len(p.v.ends) + 4)
	var row []float64
	for i := range m {
		row = rows.Numbers(row, z, i) // if z is sparse, there is no center
		r, a := bound.lengths(row)
		bound.q, bound.b = max(bound.q, r), max(bound.b, a)
	}
	return bound, bound.t < maxT
}

// lengths returns r and a of a row; see ProductBound.
func (b *Bound) lengths(x []float64) (r, a float64) {
	var own, less float64
	for _, v := range x {
		own += v * v
	}
	if b.center == nil {
		r = math.Sqrt(own)
		return r, r
	}
	if len(x) != len(b.center) {
		panic(panicColumns)
	}
	for k, v := range x {
		t := v - float64(b.center[k])
		less += t * t
	}
	r = math.Sqrt(less)
	return r, r + math.Sqrt(own)
}

// Row returns η such that for the row x a product Σ_j v_jK(x,z_j) in float32 is within
// η·S + 2⁻¹²⁴·Σ_j|v_j| of the same product in float64, where S is the product in float32 with |v_j|,
// or with larger numbers, in place of v_j. It may be +Inf where x or γ is large, and is NaN or
// +Inf if x is not finite. If the points are sparse, zeros of x may be left out; else x must have
// the length of the points.
func (b *Bound) Row(x []float64) float64 {
	const u = unit32
	r, a := b.lengths(x)
	q := b.q
	rho := (1 + u) * u * (a + b.b)
	delta := rho*(2*(r+q)+rho) + (2*b.k+6)*u*((r+rho)*(r+rho)+(q+rho)*(q+rho))
	e := 3 * u * (min(88, b.gamma*((r+q)*(r+q)+delta)) + 1)
	value := math.Expm1(b.gamma*delta - math.Log1p(-e)) // of K̂
	sum := b.t * u / (1 - b.t*u)
	// A hundredth more for the roundings in float64, here and in the product to compare with.
	return 1.01 * (value + sum + u*(1+u)*(1+value)) * (1 + 2*sum)
}
