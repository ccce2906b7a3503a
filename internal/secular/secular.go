// Package secular solves the eigenproblem of D + ρ·zzᵀ for a diagonal matrix D.
// This is the inner problem of a rank-one change of an eigendecomposition and of
// divide and conquer.
//
// Deflate removes the components whose eigenpairs are known without computation.
// Solve finds the roots of the secular equation 1 + ρΣ z_i²/(d_i−λ) = 0 by a
// rational iteration [L93] inside a bracket, each as its offset from the nearest
// pole. It then computes the weights ẑ for which the computed roots are exact
// [GE94], so that residuals and the orthogonality of the eigenvectors are small
// multiples of k·eps, however close the poles are. An iteration that does not
// converge is continued by bisection, so every root is found.
//
// Callers must scale the numbers so that the largest |d_i| and ρ‖z‖² are near 1;
// otherwise sums and products of the kernels overflow or underflow. Full
// references: package eig.
package secular

import (
	"context"
	"math"

	kernel "github.com/gramworks/gram/asm/secular"
	"github.com/gramworks/gram/internal/par"
)

// Deflate returns the indices of the ascending poles d that take part in diag(d) +
// ρ·zzᵀ, for a unit vector z and ρ > 0. A component of z is dropped if ρ|z_k| is at
// most 8·eps·‖A‖. If two poles are so close that a rotation of their plane takes
// one component to zero at the cost of an off-diagonal element of that size, the
// first pole is dropped. d and z are changed accordingly, and rotate(p, q, c, s) is
// called: columns p and q of the basis become c·p + s·q and c·q − s·p.
func Deflate(d, z []float64, rho float64, rotate func(p, q int, c, s float64)) (kept []int) {
	var top float64
	for k := range d {
		top = max(top, math.Abs(d[k]), math.Abs(z[k])*rho)
	}
	tol := 8 * eps * top
	kept = make([]int, 0, len(d))
	last := -1 // the last index so far that takes part
	for k := range d {
		if rho*math.Abs(z[k]) <= tol {
			continue
		}
		if last >= 0 {
			r := math.Hypot(z[k], z[last])
			c, s := z[k]/r, -z[last]/r
			if gap := d[k] - d[last]; math.Abs(gap*c*s) <= tol {
				z[k], z[last] = r, 0
				rotate(last, k, c, s)
				a, b := d[last], d[k]
				d[last] = a*c*c + b*s*s
				d[k] = a*s*s + b*c*c
				kept = kept[:len(kept)-1]
			}
		}
		kept = append(kept, k)
		last = k
	}
	return kept
}

// Pairs holds the eigenpairs of diag(d) + ρ·zzᵀ for the poles that Deflate keeps.
// Eigenvalue j lies between poles j and j+1, the last one above all poles.
type Pairs struct {
	poles  []float64
	weight []float64 // ẑ
	origin []float64 // root j is origin[j] + tau[j], where origin[j] is a pole
	tau    []float64
	scale  []float64 // −1/‖v_j‖ for the eigenvectors v_j = (√ρ·ẑ_i/(d_i−λ_j))_i
	root   float64   // √ρ
	evals  int       // number of evaluations of the secular equation
	left   bool      // the vectors are left singular ones
}

// Solve returns the eigenpairs for strictly ascending poles, weights z without a 0,
// and ρ > 0. It keeps the slice poles and overwrites z by ẑ. It runs on up to
// workers goroutines (≤ 0: GOMAXPROCS). Cost: about 4 sums over the poles for every
// root, O(k²) in all.
func Solve(poles, z []float64, rho float64, workers int) *Pairs {
	k := len(poles)
	p := &Pairs{poles: poles, weight: z, origin: make([]float64, k), tau: make([]float64, k), scale: make([]float64, k), root: math.Sqrt(rho)}
	if k == 0 {
		return p
	}
	s := newEquation(poles, z, rho)
	ctx := context.Background()
	p.evals, _ = par.Sum(ctx, workers, k, 32, func(lo, hi int) (evals int) {
		for j := lo; j < hi; j++ {
			o, tau, e := s.root(j)
			p.origin[j], p.tau[j] = poles[o], tau
			evals += e
		}
		return evals
	}, func(a, b int) int { return a + b })
	// ρ·ẑ_i² = Π_j (λ_j−d_i) / Π_{j≠i} (d_j−d_i). Normalization removes the factor ρ.
	hat := s.z2 // no longer needed
	_ = par.For(ctx, workers, k, 32, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			hat[i] = math.Abs(kernel.Ratios(p.origin, p.tau, poles, poles[i]))
			z[i] = math.Copysign(math.Sqrt(hat[i]), z[i])
		}
	})
	_ = par.For(ctx, workers, k, 32, func(lo, hi int) {
		var t kernel.Terms
		for j := lo; j < hi; j++ {
			kernel.Sums(&t, poles, hat, k, p.origin[j], p.tau[j])
			p.scale[j] = -1 / math.Sqrt(t.DPsi)
		}
	})
	return p
}

// Len returns the number of eigenpairs, one for each pole.
func (p *Pairs) Len() int { return len(p.poles) }

// Value returns eigenvalue j, rounded once: the pairs keep it as a pole and the distance from that.
func (p *Pairs) Value(j int) float64 { return p.origin[j] + p.tau[j] }

// Along returns zᵀv for the normalized eigenvector v of eigenvalue j, in which nothing
// cancels: Σ ẑ_i²/(d_i−λ_j) is −1/ρ.
func (p *Pairs) Along(j int) float64 { return p.scale[j] / p.root }

// Row sets dst to the components at pole i of the normalized eigenvectors lo, lo+1,
// …
func (p *Pairs) Row(dst []float64, i, lo int) {
	if p.left && i == 0 {
		copy(dst, p.scale[lo:lo+len(dst)])
		return
	}
	kernel.Cauchy(dst, p.origin[lo:], p.tau[lo:], p.scale[lo:], p.poles[i], p.weight[i])
}

// Left returns the left singular vectors of the square matrix with first row √ρ·z
// and below it the diagonal d of which p are the right ones: d[0] is 0, and the
// poles are the squares of d. Before they are scaled to norm 1, vector j is −1 in
// the first row and d_i·ẑ_i/(d_i²−λ_j) in row i [GE95]; its value is the root of
// λ_j.
func (p *Pairs) Left(d []float64, workers int) *Pairs {
	k := len(d)
	l := &Pairs{poles: p.poles, weight: make([]float64, k), origin: p.origin, tau: p.tau, scale: make([]float64, k), left: true}
	square := make([]float64, k)
	for i, v := range d {
		l.weight[i] = v * p.weight[i]
		square[i] = l.weight[i] * l.weight[i]
	}
	_ = par.For(context.Background(), workers, k, 32, func(lo, hi int) {
		var t kernel.Terms
		for j := lo; j < hi; j++ {
			kernel.Sums(&t, p.poles, square, k, p.origin[j], p.tau[j])
			l.scale[j] = -1 / math.Sqrt(1+t.DPsi)
		}
	})
	return l
}

// Evaluations returns the number of evaluations of the secular equation for all
// roots.
func (p *Pairs) Evaluations() int { return p.evals }
