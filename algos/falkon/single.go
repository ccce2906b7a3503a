package falkon

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

const (
	singleColumns = 256     // landmarks whose products with kernel values are summed in float32
	singleRows    = 128     // rows whose products with kernel values are summed in float32
	stage         = 0x1p-10 // factor by which products in float32 reduce the residual before it is computed in float64
)

// piece32 is the work memory of a goroutine for products in float32.
type piece32 struct {
	x, values      []float32 // rows and their kernel values
	products, sums []float32 // parts of products, columns×rows and columns×m
	v              []float64 // C·V, columns×rows
	rows           int       // rows whose products are in sums
}

// singleBytes is about the memory of products in float32 for d columns, m landmarks and t right sides: the landmarks and the pieces.
func singleBytes(d, m, t float64, workers int) float64 {
	rows := partRows(int(m), int(t))
	return 4*m*d + float64(workers)*(4*rows*(d+m)+12*rows*t+4*m*t) + 4*m*t
}

// scaled is a matrix in float32, each row divided by a power of 2 so that its largest number is between ½ and 1.
type scaled struct {
	v    blas32.General
	unit []float64 // the powers of 2
}

// newScaled returns v in float32, each row divided by its power of 2.
func newScaled(v *mat.Dense) scaled {
	rows, columns := v.Dims()
	s := scaled{general(rows, columns, make([]float32, rows*columns)), make([]float64, rows)}
	for j := range rows {
		row := v.RawRowView(j)
		var most float64
		for _, u := range row {
			most = max(most, math.Abs(u))
		}
		_, e := math.Frexp(most)
		s.unit[j] = math.Ldexp(1, e)
		for i, u := range row {
			s.v.Data[j*columns+i] = float32(math.Ldexp(u, -e))
		}
	}
	return s
}

// general returns a view of data as a matrix whose rows follow each other without gaps.
func general(rows, columns int, data []float32) blas32.General {
	return blas32.General{Rows: rows, Cols: columns, Stride: columns, Data: data}
}

// part returns r rows and c columns of a from row i and column j on.
func part(a blas32.General, i, r, j, c int) blas32.General {
	return blas32.General{Rows: r, Cols: c, Stride: a.Stride, Data: a.Data[i*a.Stride+j:]}
}

// vector returns row j of a.
func vector(a blas32.General, j int) blas32.Vector {
	return blas32.Vector{N: a.Cols, Inc: 1, Data: a.Data[j*a.Stride:]}
}

// singlePass sets dst = Cᵀ·S·C·V for z, which is Vᵀ. Kernel values are in float32. Their products are summed in float32 over
// singleColumns landmarks or singleRows rows at most, and these sums in float64, in an order that depends on the shapes alone.
func (p *problem) singlePass(ctx context.Context, dst *mat.Dense, z scaled) error {
	m, columns := dst.Dims()
	step := int(partRows(m, columns))
	block := p.block32().Limit(1)
	return p.sum(ctx, dst, "rows", func(sum *mat.Dense, lo, hi int) {
		w, _ := p.pool32.Get().(*piece32)
		if w == nil || len(w.v) < step*columns {
			w = &piece32{nil, make([]float32, step*m), make([]float32, step*columns), make([]float32, m*columns), make([]float64, step*columns), 0}
		}
		var kept []float32
		known := false
		if k := lo / grainRows; k < len(p.kept) {
			if kept, known = p.kept[k], p.kept[k] != nil; !known {
				kept = make([]float32, (hi-lo)*m)
			}
		}
		at := lo
		for ; at < hi && ctx.Err() == nil; at += step {
			end := min(at+step, hi)
			c := general(end-at, m, w.values)
			if kept != nil {
				c.Data = kept[(at-lo)*m:]
			}
			if c.Data = c.Data[:c.Rows*m]; !known {
				block.Fill(gram.Rows[float32]{Data: c.Data, N: c.Rows, D: m, Stride: m}, gram.As(p.x.Slice(at, end), &w.x))
			}
			v := mat.NewDense(columns, c.Rows, w.v[:columns*c.Rows])
			z.values(v, c, w.products)
			p.weigh(v, at)
			z.add(sum, v, c, w)
		}
		z.flush(sum, w)
		if kept != nil && at >= hi {
			p.kept[lo/grainRows] = kept
		}
		p.pool32.Put(w)
	})
}

// values sets v = (C·Z)ᵀ for kernel values c and the scaled Zᵀ; the rows of v are divided by the same powers of 2.
func (z scaled) values(v *mat.Dense, c blas32.General, products []float32) {
	columns := z.v.Rows
	v.Zero()
	for j := 0; j < c.Cols; j += singleColumns {
		width := min(singleColumns, c.Cols-j)
		a, b := part(c, 0, c.Rows, j, width), part(z.v, 0, columns, j, width)
		to := general(columns, c.Rows, products[:columns*c.Rows])
		if columns > fewColumns {
			blas32.Gemm(blas.NoTrans, blas.Trans, 1, b, a, 0, to)
		} else {
			for k := range columns {
				blas32.Gemv(blas.NoTrans, 1, a, vector(b, k), 0, vector(to, k))
			}
		}
		for k := range columns {
			row := v.RawRowView(k)
			for i, u := range vector(to, k).Data[:len(row)] {
				row[i] += float64(u)
			}
		}
	}
}

// add adds V·C to the sums of w, and before these are of more than singleRows rows, the sums to sum.
func (z scaled) add(sum, v *mat.Dense, c blas32.General, w *piece32) {
	columns := z.v.Rows
	rounded := general(columns, c.Rows, w.products[:columns*c.Rows])
	for k := range columns {
		to := vector(rounded, k).Data
		for i, u := range v.RawRowView(k) {
			to[i] = float32(u)
		}
	}
	to := general(columns, c.Cols, w.sums[:columns*c.Cols])
	for i := 0; i < c.Rows; {
		rows := min(singleRows, c.Rows-i)
		if w.rows+rows > singleRows {
			z.flush(sum, w)
		}
		before := float32(min(w.rows, 1))
		a, b := part(c, i, rows, 0, c.Cols), part(rounded, 0, columns, i, rows)
		if columns > fewColumns {
			blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, b, a, before, to)
		} else {
			for k := range columns {
				blas32.Gemv(blas.Trans, 1, a, vector(b, k), before, vector(to, k))
			}
		}
		i, w.rows = i+rows, w.rows+rows
	}
}

// flush adds the sums of w to sum, where the rows are multiplied by the powers of 2 again.
func (z scaled) flush(sum *mat.Dense, w *piece32) {
	if w.rows == 0 {
		return
	}
	_, m := sum.Dims()
	for k, unit := range z.unit {
		row := sum.RawRowView(k)
		for j, u := range w.sums[k*m : (k+1)*m] {
			row[j] += float64(unit * float64(u))
		}
	}
	w.rows = 0
}

// solution holds figures of conjugate gradients that solved a system.
type solution struct {
	solve.Stats
	single int  // products in float32
	made   bool // the residuals are not only those of the recurrence
}

// solve solves (A + shift·I)·z = b for the system A. With single its products are in float32 as long as they gain accuracy.
func (s *system) solve(ctx context.Context, z *mat.Dense, shift float64, b *mat.Dense, o solve.Options, single bool) (solution, error) {
	if !single {
		res, err := solve.CG(ctx, z, s, shift, b, o)
		return solution{res, 0, s.err == nil}, err
	}
	return (&refined{system: s, z: z}).solve(ctx, shift, b, o)
}

// refined is a system whose products are in float32, except those with the iterate z, from which the residual follows: conjugate
// gradients compute the residual from its definition when their recurrence has met a tolerance, and restart if the residual has
// not. So the residual is that of float64, and a residual that products in float32 do not reduce is seen.
type refined struct {
	*system
	z     *mat.Dense
	az    *mat.Dense // the last product with z
	keep  bool       // z is what it was then
	exact bool       // all products are in float64
	made  int        // products in float32
}

// Apply sets dst to the product with x.
func (r *refined) Apply(dst, x *mat.Dense) {
	switch {
	case x == r.z && r.keep:
		dst.Copy(r.az)
	case x == r.z:
		r.multiply(dst, x, false)
		r.az = mat.DenseCopyOf(dst)
	default:
		if !r.exact {
			r.made++
		}
		r.multiply(dst, x, !r.exact)
	}
	r.keep = false
}

// solve reduces the residual by stages, each with the residual in float64 at its end. After a stage that has not halved the
// residual all products are in float64.
func (r *refined) solve(ctx context.Context, shift float64, b *mat.Dense, o solve.Options) (all solution, err error) {
	tol, most, report := o.Tol, o.MaxIter, o.Progress
	before := mat.DenseCopyOf(r.z)
	for last := 1.; ; {
		begun := all.Iter
		if r.keep { // conjugate gradients count the product that is kept
			begun--
		}
		o.Tol, o.MaxIter = tol, max(1, most-begun)
		if !r.exact {
			o.Tol = max(tol, stage*last)
		}
		o.Progress = func(e gram.Event) {
			if e.Total == 0 || e.Gap <= tol {
				e.Done += int64(begun)
				e.Total = min(e.Total, 1) * e.Done
				report(e)
			}
		}
		var res solve.Stats
		res, err = solve.CG(ctx, r.z, r, shift, b, o)
		all.Iter, all.single, all.made = begun+res.Iter, r.made, r.exact && r.err == nil
		all.Trace = append(all.Trace, res.Trace...)
		if len(res.Residual) > 0 {
			all.Residual = res.Residual
		}
		worst := math.NaN()
		if all.Residual != nil {
			worst = slices.Max(all.Residual)
		}
		var short *gram.ConvergenceError
		var indefinite *gram.NotPDError
		ended := err == nil || errors.As(err, &short)
		switch measured := ended && worst-worst == 0; {
		case r.err != nil || r.exact || !ended && !errors.As(err, &indefinite): // the latter by ctx
			if short != nil {
				err = &gram.ConvergenceError{Iter: all.Iter, Residual: short.Residual, Tol: tol}
			}
			return all, err
		case measured && (worst <= tol || all.Iter >= most):
			if all.made = true; worst > tol {
				return all, &gram.ConvergenceError{Iter: all.Iter, Residual: worst, Tol: tol}
			}
			return all, nil
		case measured && worst < last:
			before.Copy(r.z)
			r.exact, r.keep, o.Warm = !(worst < last/2), true, true
			last = worst
		default:
			r.z.Copy(before)
			r.exact, r.keep = true, false
		}
	}
}
