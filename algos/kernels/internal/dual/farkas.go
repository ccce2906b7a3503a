package dual

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/linalg"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// Proof returns the error that says why no X keeps the rows, if d or what is left of d
// without its smallest elements is a Farkas vector: all eigenvalues of Σ d_cH_c, in the span
// of its terms, are negative beyond rounding, and the gain Σ d_c(b_c − offset_c) is positive
// beyond rounding. Where rows of H of both signs leave an eigenvalue of 0 by nature, the
// largest may be one of rounding, ρ. As every X that keeps the rows has tr X ≥ gain/ρ, that
// must be a million times more than what the bounds ask for. Rows with slack have no part
// in it. Where ctx ends that, nil is returned.
func (p *Problem) Proof(ctx context.Context, d []float64) error {
	size := make([]float64, len(d))
	var most float64
	for i := range d {
		r := &p.Rows[i]
		if d[i] != 0 && r.Bound.Price == Hard && r.Project(d[i]) == d[i] {
			size[i] = math.Abs(d[i]) * p.size(r)
			most = max(most, size[i])
		}
	}
	if !(most > 0) || math.IsInf(most, 1) {
		return nil
	}
	last := -1
	for _, least := range []float64{1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 0} {
		part, more := make([]float64, len(d)), make([]float64, len(d))
		var who []int
		var gain, loss float64 // sums of the terms of Σ d_cb_c of either sign
		for i, v := range d {
			if size[i] > 0 && size[i] >= least*most {
				part[i] = v / most
				who = append(who, i)
				gain += max(0, part[i]*(p.Rows[i].Bound.B-p.Rows[i].Offset))
				loss += max(0, -part[i]*(p.Rows[i].Bound.B-p.Rows[i].Offset))
			}
		}
		if len(who) == last {
			continue
		}
		last = len(who)
		// What lowers the gain takes the matrix further from 0: more of it, for half the gain.
		for i, v := range part {
			if more[i] = v; v*(p.Rows[i].Bound.B-p.Rows[i].Offset) < 0 {
				more[i] *= 1 + (gain-loss)/(2*loss)
			}
		}
		for _, d := range [][]float64{more, part} {
			if p.proves(ctx, d, who) {
				who = p.needed(ctx, d, who)
				return p.infeasible(d, who, "no kernel keeps them together; slack allows for that")
			}
		}
	}
	return nil
}

// needed leaves out what the proof d does not need, one row after the other while there are
// few of them, and sets it to 0 in d.
func (p *Problem) needed(ctx context.Context, d []float64, who []int) []int {
	const few = 50
	for k := 0; k < len(who) && len(who) <= few; {
		i, v := who[k], d[who[k]]
		d[i] = 0
		if rest := slices.Delete(slices.Clone(who), k, k+1); p.proves(ctx, d, rest) {
			who = rest
			continue
		}
		d[i] = v
		k++
	}
	return who
}

// Alone returns the error of the first hard row that no X keeps, whatever the others are:
// H has eigenvalues of one sign, and the bound the other, or is 0 for LogDet, whose X are
// positive definite.
func (p *Problem) Alone() error {
	_, strict := p.F.(LogDet)
	for i := range p.Rows {
		r := &p.Rows[i]
		least, most := r.Identity, r.Identity
		for _, w := range r.Weight {
			least, most = min(least, w), max(most, w)
		}
		sign := -1.0 // of the dual that proves it
		if least < 0 {
			sign = 1
		}
		gain := sign * (r.Bound.B - r.Offset)
		if r.Bound.Price != Hard || least < 0 && most > 0 || r.Project(sign) == 0 || !(gain > 0 || gain == 0 && strict) {
			continue
		}
		d := make([]float64, len(p.Rows))
		d[i] = sign
		return p.infeasible(d, []int{i}, fmt.Sprintf("no positive semidefinite matrix brings its value to %v %g (limit %g)", r.Relation, r.Bound.B, r.Offset))
	}
	return nil
}

// infeasible is the error for the rows who and the Farkas vector d.
func (p *Problem) infeasible(d []float64, who []int, reason string) error {
	e := &constraint.InfeasibleError{Farkas: make([]float64, p.N), Reason: reason}
	weight := func(i int) float64 {
		return math.Abs(d[i]) * max(p.size(&p.Rows[i]), math.SmallestNonzeroFloat64)
	}
	slices.SortStableFunc(who, func(i, j int) int { return cmp.Compare(weight(j), weight(i)) })
	for _, i := range who {
		e.Constraints = append(e.Constraints, p.Rows[i].At)
		e.Farkas[p.Rows[i].At] = d[i]
	}
	return e
}

// proves tells whether d, which is 0 but for the rows who, is a Farkas vector.
func (p *Problem) proves(ctx context.Context, d []float64, who []int) bool {
	var gain, mass, size, identity, natural float64
	var left, right []float64
	_, r := p.T.Dims()
	atoms := 0
	for _, i := range who {
		row := &p.Rows[i]
		gain += d[i] * (row.Bound.B - row.Offset)
		mass += math.Abs(d[i]) * (math.Abs(row.Bound.B) + math.Abs(row.Offset))
		if s := p.size(row); s > 0 {
			size += math.Abs(d[i]) * s
			natural = max(natural, (math.Abs(row.Bound.B)+math.Abs(row.Offset))/s)
		}
		identity += d[i] * row.Identity
		for j, w := range row.Weight {
			t := p.T.RawRowView(row.First + j)
			left = append(left, t...)
			right = append(right, d[i]*w)
			atoms++
		}
	}
	if !(gain > 64*0x1p-52*mass) || len(who) == 0 {
		return false
	}
	// In the span of the vectors, which leaves out eigenvalues 0 that there are anyway.
	if atoms == 0 {
		return identity <= 0
	}
	n := r
	if atoms < r && identity == 0 {
		n = atoms
		left = spanned(left, atoms, r)
	}
	t := mat.NewDense(atoms, n, left)
	scaled := mat.DenseCopyOf(t)
	for k, w := range right {
		blas64.Scal(w, linalg.Vector(scaled.RawRowView(k)))
	}
	var h mat.Dense
	h.Mul(t.T(), scaled)
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (h.At(i, j)+h.At(j, i))/2)
		}
		s.SetSym(i, i, s.At(i, i)+identity)
	}
	values, _, err := eig.SymAll(ctx, s)
	if err != nil {
		return false
	}
	rounding := 4 * 0x1p-52 * math.Sqrt(float64(n)) * size
	top := values[n-1]
	return top <= -rounding || top <= rounding && gain > 1e6*rounding*natural
}

// spanned returns the rows of t, atoms×r with atoms < r, in an orthonormal basis of
// their span.
func spanned(t []float64, atoms, r int) []float64 {
	a := general(r, atoms, make([]float64, r*atoms))
	for k := range atoms {
		for j := range r {
			a.Data[j*atoms+k] = t[k*r+j]
		}
	}
	tau, work := make([]float64, atoms), make([]float64, 1)
	lapack64.Geqrf(a, tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Geqrf(a, tau, work, len(work))
	out := make([]float64, atoms*atoms)
	for k := range atoms {
		for j := range k + 1 {
			out[k*atoms+j] = a.Data[j*atoms+k]
		}
	}
	return out
}

// watch looks for a proof when the duals or a step have grown since it looked last.
type watch struct {
	p    *Problem
	size []float64
	seen float64
}

func newWatch(p *Problem) *watch {
	w := &watch{p: p}
	for i := range p.Rows {
		w.size = append(w.size, p.size(&p.Rows[i]))
	}
	return w
}

// largest returns the largest |d_c|·‖H_c‖, by which a change of the duals is measured.
func (w *watch) largest(d []float64) (most float64) {
	for i, v := range d {
		most = max(most, math.Abs(v)*w.size[i])
	}
	return most
}

// look returns the proof that there is in the duals or in the step d.
func (w *watch) look(ctx context.Context, s *State, d []float64) error {
	y, step := w.largest(s.Y), w.largest(d)
	grown := max(y, step)
	if w.seen == 0 {
		w.seen = grown
	}
	if grown < 10*w.seen {
		return nil
	}
	w.seen = grown
	return w.last(ctx, s, d)
}

func (w *watch) last(ctx context.Context, s *State, d []float64) error {
	if err := w.p.Proof(ctx, d); err != nil {
		return err
	}
	return w.p.Proof(ctx, s.Y)
}
