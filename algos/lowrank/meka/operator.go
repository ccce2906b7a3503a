package meka

import (
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Operator is the approximate kernel matrix W·L·Wᵀ of n rows. It is safe for
// concurrent use.
type Operator struct {
	n       int
	workers int
	member  [][]int      // the rows of each cluster, ascending
	w       []*mat.Dense // W⁽ˢ⁾, a row for each of these; nil for a cluster without rows
	links   *links
}

var (
	_ gram.Operator       = (*Operator)(nil)
	_ solve.Approximation = (*Operator)(nil)
)

// Dim returns n, the number of rows.
func (o *Operator) Dim() int { return o.n }

// bytes returns the memory that W, L and the lists of rows take, in bytes.
func (o *Operator) bytes() int64 {
	p := int64(o.links.total())
	b := 8*int64(o.n) + 8*p*p
	for _, w := range o.w {
		if w != nil {
			n, k := w.Dims()
			b += 8 * int64(n) * int64(k)
		}
	}
	return b
}

// fill computes W for the rows of x.
func (o *Operator) fill(ctx context.Context, all []clusterBasis, x gram.Samples[float64]) error {
	o.w = make([]*mat.Dense, len(all))
	for s, member := range o.member {
		if len(member) > 0 {
			o.w[s] = mat.NewDense(len(member), all[s].rank(), nil)
		}
	}
	return o.each(ctx, blockRows, func(_, s, lo, hi int) {
		all[s].fill(o.part(s, lo, hi), x.Select(o.member[s][lo:hi]))
	})
}

// part returns rows lo to hi−1 of W⁽ˢ⁾.
func (o *Operator) part(s, lo, hi int) *mat.Dense {
	_, k := o.w[s].Dims()
	return o.w[s].Slice(lo, hi, 0, k).(*mat.Dense)
}

// block is the rows lo … hi−1 of a cluster, counted in the order of its rows.
type block struct{ cluster, lo, hi int }

// blocks cuts the clusters into blocks of at most grain rows.
func (o *Operator) blocks(grain int) []block {
	var b []block
	for s, member := range o.member {
		for lo := 0; lo < len(member); lo += grain {
			b = append(b, block{s, lo, min(lo+grain, len(member))})
		}
	}
	return b
}

// each calls body for all blocks, on several goroutines. b counts the blocks.
func (o *Operator) each(ctx context.Context, grain int, body func(b, s, lo, hi int)) error {
	all := o.blocks(grain)
	return par.For(ctx, o.workers, len(all), 1, func(b, _ int) {
		body(b, all[b].cluster, all[b].lo, all[b].hi)
	})
}

// Basis returns the rows of cluster s, ascending, and W⁽ˢ⁾ with a row for each of them, nil
// for none. They are the operator's own.
func (o *Operator) Basis(s int) (rows []int, w *mat.Dense) { return o.member[s], o.w[s] }

// Apply sets dst = W·(L·(Wᵀ·x)) in 4·n·k·s + 2·(c·k)²·s flops.
func (o *Operator) Apply(dst, x *mat.Dense) {
	xn, cols := x.Dims()
	if dn, dc := dst.Dims(); xn != o.n || dn != o.n || dc != cols {
		panic("meka: shapes do not fit")
	}
	const grain = 4096
	ctx := context.Background()
	blocks := o.blocks(grain)
	sums := make([]*mat.Dense, len(blocks))
	must(o.each(ctx, grain, func(b, s, lo, hi int) {
		_, k := o.w[s].Dims()
		sums[b] = mat.NewDense(k, cols, nil)
		rows.AddMulTrans(sums[b], gram.Of(o.part(s, lo, hi)), rows.Dense(gram.Of(x), o.member[s][lo:hi]))
	}))
	t := make([]*mat.Dense, len(o.w))
	for b, sum := range sums { // in the order of the blocks
		if s := blocks[b].cluster; t[s] == nil {
			t[s] = sum
		} else {
			t[s].Add(t[s], sum)
		}
	}
	o.links.apply(t, cols)
	must(o.each(ctx, grain, func(_, s, lo, hi int) {
		y := mat.NewDense(hi-lo, cols, nil)
		rows.Mul(y, gram.Of(o.part(s, lo, hi)), t[s])
		for b, i := range o.member[s][lo:hi] {
			copy(dst.RawRowView(i), y.RawRowView(b))
		}
	}))
}

// apply replaces t, cut by clusters, by L·t.
func (l *links) apply(t []*mat.Dense, cols int) {
	if l.total() == 0 {
		return
	}
	in, out := mat.NewDense(l.total(), cols, nil), mat.NewDense(l.total(), cols, nil)
	move := func(body func(all, own []float64)) func(*mat.Dense) {
		return func(all *mat.Dense) {
			for s, own := range t {
				for j := range l.linked(s) {
					if own != nil {
						body(all.RawRowView(l.first[s]+j), own.RawRowView(j))
					}
				}
			}
		}
	}
	move(func(all, own []float64) { copy(all, own) })(in)
	rows.Mul(out, gram.Of(l.l), in)
	move(func(all, own []float64) { copy(own, all) })(out)
}

// Rows sets dst to the given rows of the matrix.
func (o *Operator) Rows(dst *mat.Dense, index []int) {
	if r, c := dst.Dims(); r != len(index) || c != o.n {
		panic("meka: shapes do not fit")
	}
	// W·L of these rows; column first[t]+j belongs to column j of W⁽ᵗ⁾.
	first := make([]int, len(o.w)+1)
	for t, w := range o.w {
		first[t+1] = first[t]
		if w != nil {
			_, k := w.Dims()
			first[t+1] += k
		}
	}
	wl := mat.NewDense(len(index), first[len(o.w)], nil)
	of, at := o.places(index)
	p := o.links.total()
	for s, some := range rows.Groups(of, len(o.w)) {
		if len(some) == 0 {
			continue
		}
		ps := o.links.linked(s)
		w := mat.NewDense(len(some), first[s+1]-first[s], nil)
		for b, i := range some {
			copy(w.RawRowView(b), o.w[s].RawRowView(at[i]))
			copy(wl.RawRowView(i)[first[s]+ps:first[s+1]], w.RawRowView(b)[ps:])
		}
		if ps == 0 {
			continue
		}
		var linked mat.Dense
		linked.Mul(w.Slice(0, len(some), 0, ps), o.links.l.Slice(o.links.first[s], o.links.first[s+1], 0, p))
		for b, i := range some {
			for t := range o.w {
				copy(wl.RawRowView(i)[first[t]:], linked.RawRowView(b)[o.links.first[t]:o.links.first[t+1]])
			}
		}
	}
	must(o.each(context.Background(), 4096, func(_, t, lo, hi int) {
		g := mat.NewDense(len(index), hi-lo, nil)
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, wl.Slice(0, len(index), first[t], first[t+1]).(*mat.Dense).RawMatrix(),
			o.part(t, lo, hi).RawMatrix(), 0, g.RawMatrix())
		for b := range index {
			row, values := dst.RawRowView(b), g.RawRowView(b)
			for a, j := range o.member[t][lo:hi] {
				row[j] = values[a]
			}
		}
	}))
}

// places returns the cluster of each row of index and its place there.
func (o *Operator) places(index []int) (of, at []int) {
	of, at = make([]int, len(index)), make([]int, len(index))
	for b, i := range index {
		found := false
		for s, member := range o.member {
			if at[b], found = slices.BinarySearch(member, i); found {
				of[b] = s
				break
			}
		}
		if !found {
			panic("meka: there is no such row")
		}
	}
	return of, at
}

// Eigenvalues returns the eigenvalues of the matrix on the range of W,
// ascending; all others are 0. They are the eigenvalues of RLRᵀ, where W⁽ˢ⁾ = Q⁽ˢ⁾R⁽ˢ⁾:
// n·k²+5(ck)³ flops. If ctx ends it the error is ctx.Err(); the decompositions
// cannot be interrupted.
func (o *Operator) Eigenvalues(ctx context.Context) ([]float64, error) {
	grams, err := o.grams(ctx)
	if err != nil {
		return nil, err
	}
	first := make([]int, len(o.w)+1)
	r := make([]*mat.Dense, len(o.w))
	for s, g := range grams {
		first[s+1] = first[s]
		if g == nil {
			continue
		}
		// R = ΣVᵀ serves as well as a triangular factor: WV = QΣ.
		var e mat.EigenSym
		if !e.Factorize(g, true) {
			return nil, &gram.ConvergenceError{Residual: math.NaN()}
		}
		var v mat.Dense
		e.VectorsTo(&v)
		for j, t := range e.Values(nil) {
			blas64.Scal(math.Sqrt(max(0, t)), column(&v, j))
		}
		k, _ := v.Dims()
		r[s] = mat.NewDense(k, k, nil)
		r[s].Copy(v.T())
		first[s+1] += k
	}
	total := first[len(o.w)]
	if total == 0 {
		return nil, nil
	}
	full := mat.NewSymDense(total, nil)
	for s := range r {
		for t := range s + 1 {
			if r[s] == nil || r[t] == nil {
				continue
			}
			ps, pt := o.links.linked(s), o.links.linked(t)
			ks, _ := r[s].Dims()
			kt, _ := r[t].Dims()
			l := mat.NewDense(ks, kt, nil)
			if ps > 0 && pt > 0 {
				l.Slice(0, ps, 0, pt).(*mat.Dense).Copy(o.links.l.Slice(o.links.first[s], o.links.first[s+1], o.links.first[t], o.links.first[t+1]))
			}
			if s == t {
				for j := ps; j < ks; j++ {
					l.Set(j, j, 1)
				}
			}
			var half, b mat.Dense
			half.Mul(r[s], l)
			b.Mul(&half, r[t].T())
			for i := range ks {
				for j := range kt {
					if s != t || j <= i {
						full.SetSym(first[s]+i, first[t]+j, b.At(i, j))
					}
				}
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var e mat.EigenSym
	if !e.Factorize(full, false) {
		return nil, &gram.ConvergenceError{Residual: math.NaN()}
	}
	return e.Values(nil), nil
}

// must is for loops under a context that is never done.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
