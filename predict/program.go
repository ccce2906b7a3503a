package predict

import (
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/fastnys"
	"github.com/gramworks/gram/algos/pseudo"
	"github.com/gramworks/gram/asm/level2"
	"github.com/gramworks/gram/asm/vec"
	"github.com/gramworks/gram/kernel"
)

// Expansion is what every kernel machine is: Σ_j coef_j·K(u_j,x)+b with m points
// u_j, coef m×k and k constants. A machine that Compile takes also has a method
// Kernel() kernel.Kernel.
type Expansion interface {
	Expand() (points, coef gram.Rows[float64], bias []float64)
}

// Program is a gram.Program.
type Program[F gram.Float] = gram.Program[F]

// newProgram returns the program of f.
func newProgram[F gram.Float](f *form) Program[F] {
	bias := convert[F](f.bias)
	switch f.Kind {
	case linearForm:
		return &linearProgram[F]{f: f, w: rowsOf[F](f.coef.T()), bias: bias}
	case kernelForm:
		return &kernelProgram[F]{f: f, product: kernel.Against[F](f.kernel, f.points).Times(rowsOf[F](f.coef)), bias: bias}
	}
	switch f.Kind {
	case pseudoForm:
		return &pseudoProgram[F]{f: f, product: pseudo.NewBlock[F](f.pseudo).Times(gram.View(f.coef)), bias: bias}
	case structuredForm:
		p := &structuredProgram[F]{f: f, block: fastnys.NewBlock[F](f.marks).Limit(1), coef: rowsOf[F](f.coef.T()), bias: bias}
		p.pool.New = func() any { return new([]F) }
		return p
	}
	p := &fourierProgram[F]{f: f, block: kernel.Against[F](kernel.Linear{}, f.points).Limit(1), bias: bias}
	p.coef = rowsOf[F](f.coef.T())
	p.pool.New = func() any { return new([]F) }
	return p
}

const (
	panicRow  = "predict: a row or its destination has the wrong length"
	panicRows = "predict: the shapes of the rows and their destination do not fit the program"
)

func fits[F gram.Float](p Program[F], dst gram.Rows[F], x gram.Samples[F]) {
	n, xd := x.Dims()
	if d, k := p.Dims(); xd != d || dst.D != k || dst.N != n || !dst.Valid() || !x.Valid() {
		panic(panicRows)
	}
}

// one returns a row as Rows.
func one[F gram.Float](x []F) gram.Rows[F] {
	return gram.Rows[F]{Data: x, N: 1, D: len(x), Stride: max(1, len(x))}
}

func addBias[F gram.Float](dst gram.Rows[F], bias []F) {
	for i := range dst.N {
		row := dst.Row(i)
		for c, b := range bias {
			row[c] += b
		}
	}
}

// linearProgram holds one linear function a row.
type linearProgram[F gram.Float] struct {
	f    *form
	w    gram.Rows[F] // k×d
	bias []F
}

func (p *linearProgram[F]) Dims() (d, outputs int) { return p.w.D, p.w.N }

func (p *linearProgram[F]) Cost() gram.Plan { return p.f.cost(width[F](), 0) }

func (p *linearProgram[F]) Row(dst, x []F) {
	if len(x) != p.w.D || len(dst) != p.w.N {
		panic(panicRow)
	}
	clear(dst)
	level2.GemvN(dst, p.w.Data, p.w.Stride, x, 1)
	for c, b := range p.bias {
		dst[c] += b
	}
}

func (p *linearProgram[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	fits(p, dst, x)
	if r, dense := x.Dense(); dense {
		for i := range r.N {
			p.Row(dst.Row(i), r.Row(i))
		}
		return
	}
	for i := range x.N() {
		col, val := x.Nonzeros(i)
		for c := range p.w.N {
			w := p.w.Row(c)
			var sum F
			for k, j := range col {
				if val == nil {
					sum += w[j]
				} else {
					sum += F(val[k]) * w[j]
				}
			}
			dst.Row(i)[c] = sum + p.bias[c]
		}
	}
}

// kernelProgram is a fused product with a kernel matrix.
type kernelProgram[F gram.Float] struct {
	f       *form
	product *kernel.Product[F]
	bias    []F
}

func (p *kernelProgram[F]) Dims() (d, outputs int) { return p.f.dims() }

func (p *kernelProgram[F]) Cost() gram.Plan {
	d, k := p.f.dims()
	// A packed block of rows and a strip of the kernel matrix.
	return p.f.cost(width[F](), max(256<<10, 48*width[F]()*d)+12<<10+240*width[F]()*k)
}

func (p *kernelProgram[F]) Row(dst, x []F) {
	if d, k := p.Dims(); len(x) != d || len(dst) != k {
		panic(panicRow)
	}
	p.product.Row(dst, x)
	for c, b := range p.bias {
		dst[c] += b
	}
}

func (p *kernelProgram[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	fits(p, dst, x)
	p.product.Rows(dst, x)
	addBias(dst, p.bias)
}

// pseudoProgram is a product with kernel values and pseudo-landmarks.
type pseudoProgram[F gram.Float] struct {
	f       *form
	product *pseudo.Product[F]
	bias    []F
}

func (p *pseudoProgram[F]) Dims() (d, outputs int) { return p.f.dims() }

func (p *pseudoProgram[F]) Cost() gram.Plan {
	columns, k := p.f.coef.Dims()
	d, _ := p.f.dims()
	return p.f.cost(width[F](), 48*width[F]()*(columns+d)+width[F]()*k*p.f.size())
}

func (p *pseudoProgram[F]) Row(dst, x []F) {
	if d, k := p.Dims(); len(x) != d || len(dst) != k {
		panic(panicRow)
	}
	p.Rows(one(dst), gram.Dense(one(x)))
}

func (p *pseudoProgram[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	fits(p, dst, x)
	p.product.Rows(dst, x)
	addBias(dst, p.bias)
}

// fourierProgram computes angles, their cosines and sines, and the sums.
type fourierProgram[F gram.Float] struct {
	f     *form
	block *kernel.Block[F] // against the frequencies
	coef  gram.Rows[F]     // k×2m
	bias  []F
	pool  sync.Pool // *[]F, fourierRows×3m
}

// fourierRows is the number of rows that are worked on together.
const fourierRows = 48

func (p *fourierProgram[F]) Dims() (d, outputs int) { return p.f.dims() }

func (p *fourierProgram[F]) Cost() gram.Plan {
	m, d := p.f.points.Dims()
	return p.f.cost(width[F](), fourierRows*width[F]()*(3*m+d))
}

func (p *fourierProgram[F]) Row(dst, x []F) {
	if d, k := p.Dims(); len(x) != d || len(dst) != k {
		panic(panicRow)
	}
	p.Rows(one(dst), gram.Dense(one(x)))
}

func (p *fourierProgram[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	fits(p, dst, x)
	for lo := 0; lo < x.N(); lo += fourierRows {
		hi := min(lo+fourierRows, x.N())
		w := p.pool.Get().(*[]F)
		z := p.angles(w, hi-lo)
		p.block.FillSerial(z, x.Slice(lo, hi))
		p.finish(dst.Slice(lo, hi), z, *w)
		p.pool.Put(w)
	}
}

// angles returns the part of the workspace for n rows of angles, which comes
// after that for a row of features.
func (p *fourierProgram[F]) angles(w *[]F, n int) gram.Rows[F] {
	m := p.coef.D / 2
	if need := (2 + n) * m; len(*w) < need {
		*w = make([]F, need)
	}
	return gram.Rows[F]{Data: (*w)[2*m : (2+n)*m], N: n, D: m, Stride: max(1, m)}
}

func (p *fourierProgram[F]) finish(dst, z gram.Rows[F], w []F) {
	m := z.D
	phi := w[:2*m]
	for i := range z.N {
		vec.SinCos(phi[m:], phi[:m], z.Row(i))
		row := dst.Row(i)
		copy(row, p.bias)
		level2.GemvN(row, p.coef.Data, p.coef.Stride, phi, 1)
	}
}

// structuredProgram computes kernel values with structured landmarks and the
// sums.
type structuredProgram[F gram.Float] struct {
	f     *form
	block *fastnys.Block[F]
	coef  gram.Rows[F] // k×m
	bias  []F
	pool  sync.Pool // *[]F, structuredRows×m
}

// structuredRows is the number of rows that are worked on together.
const structuredRows = 32

func (p *structuredProgram[F]) Dims() (d, outputs int) { return p.f.dims() }

func (p *structuredProgram[F]) Cost() gram.Plan {
	d, _ := p.f.dims()
	return p.f.cost(width[F](), structuredRows*width[F]()*(p.f.size()+d))
}

func (p *structuredProgram[F]) Row(dst, x []F) {
	if d, k := p.Dims(); len(x) != d || len(dst) != k {
		panic(panicRow)
	}
	p.Rows(one(dst), gram.Dense(one(x)))
}

func (p *structuredProgram[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	fits(p, dst, x)
	for lo := 0; lo < x.N(); lo += structuredRows {
		hi := min(lo+structuredRows, x.N())
		w := p.pool.Get().(*[]F)
		values := p.values(w, hi-lo)
		p.block.Fill(values, x.Slice(lo, hi))
		p.finish(dst.Slice(lo, hi), values)
		p.pool.Put(w)
	}
}

// values returns the part of the workspace for n rows.
func (p *structuredProgram[F]) values(w *[]F, n int) gram.Rows[F] {
	m := p.coef.D
	if len(*w) < n*m {
		*w = make([]F, n*m)
	}
	return gram.Rows[F]{Data: (*w)[:n*m], N: n, D: m, Stride: max(1, m)}
}

func (p *structuredProgram[F]) finish(dst, values gram.Rows[F]) {
	for i := range dst.N {
		row := dst.Row(i)
		copy(row, p.bias)
		level2.GemvN(row, p.coef.Data, p.coef.Stride, values.Row(i), 1)
	}
}
