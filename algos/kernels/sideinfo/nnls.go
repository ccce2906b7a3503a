package sideinfo

import (
	"gonum.org/v1/gonum/mat"
)

// nonNegative minimizes vᵀAv − 2bᵀv over v ≥ 0 for a positive semidefinite A by
// the active-set method of Lawson and Hanson on the normal equations. A variable
// whose column depends on those in use stays out.
func nonNegative(a *mat.SymDense, b []float64) []float64 {
	n := len(b)
	v := make([]float64, n)
	var used []int
	out := make([]bool, n) // in use, or dependent on what is
	var size float64
	for _, x := range b {
		size = max(size, x, -x)
	}
	for range 10 * n {
		// The largest gradient among the variables at 0.
		best, at := 1e-12*size, -1
		for i := range n {
			if out[i] {
				continue
			}
			g := b[i]
			for _, j := range used {
				g -= a.At(i, j) * v[j]
			}
			if g > best {
				best, at = g, i
			}
		}
		if at < 0 {
			break
		}
		used = append(used, at)
		out[at] = true
		for len(used) > 0 {
			next, ok := solveOn(a, b, used)
			if !ok {
				used = used[:len(used)-1] // the last one is the new one
				break
			}
			// The step goes as far as all variables stay positive.
			step, stop := 1.0, -1
			for k, i := range used {
				if next[k] > 0 {
					continue
				}
				if r := v[i] / (v[i] - next[k]); stop < 0 || r < step {
					step, stop = r, i
				}
			}
			for k, i := range used {
				v[i] += step * (next[k] - v[i])
			}
			if stop < 0 {
				break
			}
			v[stop] = 0
			kept := used[:0]
			for _, i := range used {
				if v[i] <= 0 {
					v[i], out[i] = 0, false
					continue
				}
				kept = append(kept, i)
			}
			used = kept
		}
	}
	return v
}

// solveOn solves A_PP·x = b_P. ok is false where A_PP is singular.
func solveOn(a *mat.SymDense, b []float64, p []int) (x []float64, ok bool) {
	k := len(p)
	sub, rhs := mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)
	for i := range k {
		rhs.SetVec(i, b[p[i]])
		for j := i; j < k; j++ {
			sub.SetSym(i, j, a.At(p[i], p[j]))
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(sub) || !(chol.Cond() < 1e14) {
		return nil, false
	}
	var s mat.VecDense
	if err := chol.SolveVecTo(&s, rhs); err != nil {
		return nil, false
	}
	return s.RawVector().Data, true
}
