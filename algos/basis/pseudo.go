package basis

import (
	"context"
	"math"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/vec"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// PseudoKind selects the functions that are the columns of the pseudo-landmarks.
type PseudoKind uint8

const (
	Products PseudoKind = iota // products of two kernel values
	Lower                      // values of κ at a lower bound of the distance
	Upper                      // values of κ at an upper bound of the distance
	Mid                        // values of κ at the mean of both bounds
)

// String returns the name that the command line uses.
func (k PseudoKind) String() string {
	return enum.Name(k, pseudoNames...)
}

var pseudoNames = []string{"products", "lower", "upper", "mid"}

// Fits returns a *gram.ConfigError if the kind is unknown or does not suit the kernel.
func (k PseudoKind) Fits(f kernel.Kernel) error {
	if k > Mid {
		return settings.Refuse("Kind", k, "Products, Lower, Upper or Mid")
	}
	if _, ok := f.(kernel.Radial); !ok && k != Products {
		return settings.Refuse("Kind", k, "Products, as the kernel is no function of ‖x−y‖")
	}
	return nil
}

// Pseudo is a feature map of kernel values with m landmarks and p functions of these
// values, the pseudo-landmarks; see package pseudo. Its m+p features are a row of C̄. The
// features of a pseudo.Model are linear functions of them, so a linear model of these
// needs only Pseudo and m+p coefficients (linear.Classifier.On). A Pseudo is immutable and
// safe for concurrent use.
type Pseudo struct {
	kernel  kernel.Kernel
	kind    PseudoKind
	u       *mat.Dense // m×d landmarks
	pairs   []int32    // Products: i and j of each
	far     *mat.Dense // other kinds: p×m, ‖v_t−u_j‖; nil for none
	workers int
	block   *pseudoBlock[float64]
}

var _ gram.FeatureMap = (*Pseudo)(nil)

// NewProducts returns the kernel values with the landmarks in the rows of u and the
// products of pairs of these values. pairs holds the landmarks i and j of each product.
// NewProducts keeps u and pairs. Map uses up to workers goroutines.
func NewProducts(k kernel.Kernel, u *mat.Dense, pairs []int32, workers int) *Pseudo {
	return (&Pseudo{kernel: k, kind: Products, u: u, pairs: pairs, workers: workers}).prepare()
}

// NewTriangle returns the kernel values with the landmarks in the rows of u, m×d, and
// values of the kernel at bounds of the distances to p other points. The rows of far, p×m,
// are the distances of these points to the landmarks. NewTriangle keeps u and far. The
// kernel must be a kernel.Radial.
func NewTriangle(k kernel.Kernel, kind PseudoKind, u, far *mat.Dense, workers int) *Pseudo {
	return (&Pseudo{kernel: k, kind: kind, u: u, far: far, workers: workers}).prepare()
}

// Distance returns ‖x−y‖.
func Distance(x, y []float64) float64 {
	var s float64
	for j, v := range x {
		e := v - y[j]
		s += e * e
	}
	return math.Sqrt(s)
}

func (c *Pseudo) prepare() *Pseudo {
	c.block = newPseudoBlock[float64](c)
	return c
}

// Dims returns the number d of columns of x and the number m+p of columns of C̄.
func (c *Pseudo) Dims() (d, width int) {
	width, d = c.block.Dims()
	return d, width
}

// Landmarks returns the m×d matrix of landmarks, which must not be changed.
func (c *Pseudo) Landmarks() *mat.Dense { return c.u }

// Kernel returns the kernel whose values the features are made of.
func (c *Pseudo) Kernel() kernel.Kernel { return c.kernel }

// Columns returns what the functions of the pseudo-landmarks are: for Products the landmarks
// i and j of each, for the other kinds their distances to the landmarks, p×m, nil for none.
// They must not be changed.
func (c *Pseudo) Columns() (kind PseudoKind, pairs []int32, far *mat.Dense) {
	return c.kind, c.pairs, c.far
}

// pseudo returns the number p of pseudo-landmarks.
func (c *Pseudo) pseudo() int {
	if c.kind == Products {
		return len(c.pairs) / 2
	}
	if c.far == nil {
		return 0
	}
	p, _ := c.far.Dims()
	return p
}

// flops returns the flops of a row of C̄ besides m kernel values: those of the
// pseudo-landmarks, where a value of κ counts as one.
func (c *Pseudo) flops() float64 {
	p := c.pseudo()
	if c.kind == Products {
		return float64(p)
	}
	m, _ := c.u.Dims()
	each := 2 * m // one difference or sum, one comparison
	if c.kind == Mid {
		each = 4*m + 2
	}
	return float64(m) + float64(p)*float64(each+2)
}

// Map computes the rows of C̄ for the rows of x.
func (c *Pseudo) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	d, width := c.Dims()
	dst = rows.Destination("basis", dst, x, d, width)
	if n, _ := x.Dims(); n > 0 {
		to, from := gram.View(dst), gram.Of(x)
		_ = par.For(context.Background(), c.workers, n, 256, func(lo, hi int) {
			c.block.Fill(to.Slice(lo, hi), from.Slice(lo, hi))
		})
	}
	return dst
}

// pseudoBlock computes rows of C̄ in float64 or float32, in the goroutine of the caller. It
// allocates nothing after the first call and is safe for concurrent use. The bits of a row
// do not depend on the batch.
type pseudoBlock[F gram.Float] struct {
	m, p  int
	base  *kernel.Block[F] // computes kernel values, or squared distances
	kind  PseudoKind
	pairs []int32
	far   []F // p×m
	value kernel.Radial
	pool  *sync.Pool // *[]float64, for values of κ in float64
}

// newPseudoBlock prepares the columns c for evaluation in F.
func newPseudoBlock[F gram.Float](c *Pseudo) *pseudoBlock[F] {
	m, _ := c.u.Dims()
	b := &pseudoBlock[F]{m: m, p: c.pseudo(), kind: c.kind, pairs: c.pairs}
	if c.kind == Products {
		b.base = kernel.Against[F](c.kernel, c.u)
		return b
	}
	b.value = c.kernel.(kernel.Radial)
	b.base = kernel.Against[F](squared{}, c.u)
	b.far = make([]F, b.p*m)
	for t := range b.p {
		for j, v := range c.far.RawRowView(t) {
			b.far[t*m+j] = F(v)
		}
	}
	b.pool = &sync.Pool{New: func() any { s := make([]float64, m+b.p); return &s }}
	return b
}

// squared presents the squared distance as a kernel.
type squared struct{}

// Radial leaves squared distances as they are.
func (squared) Radial([]float64) {}

// Eval returns ‖x−y‖².
func (squared) Eval(x, y []float64) float64 { r := Distance(x, y); return r * r }

// Spec returns a name. The kernel does not occur in model files.
func (squared) Spec() kernel.Spec { return kernel.Spec{Name: "squared distance"} }

// Dims returns the number m+p of columns of C̄ and the number of columns of x.
func (b *pseudoBlock[F]) Dims() (width, d int) {
	_, d = b.base.Dims()
	return b.m + b.p, d
}

// Fill sets dst to the rows of C̄ for the rows of x. x is n×d and dst n×(m+p),
// row-major at any stride; they may not overlap.
func (b *pseudoBlock[F]) Fill(dst gram.Rows[F], x gram.Samples[F]) {
	if dst.D != b.m+b.p || dst.N != x.N() || !dst.Valid() {
		panic("basis: the destination has the wrong shape")
	}
	first := dst
	first.D = b.m
	b.base.FillSerial(first, x)
	b.extend(dst)
}

// extend computes the last p columns from the first m.
func (b *pseudoBlock[F]) extend(dst gram.Rows[F]) {
	if b.kind == Products {
		for i := range dst.N {
			row := dst.Row(i)
			to := row[b.m:]
			for t := range to {
				to[t] = row[b.pairs[2*t]] * row[b.pairs[2*t+1]]
			}
		}
		return
	}
	wide := b.pool.Get().(*[]float64)
	for i := range dst.N {
		row := dst.Row(i)
		b.bounds(row[b.m:], row[:b.m])
		b.values(row, *wide)
	}
	b.pool.Put(wide)
}

// bounds sets to, of length p, to the squares of bounds of the distances to the
// pseudo-landmarks. near holds the squared distances to the landmarks.
func (b *pseudoBlock[F]) bounds(to, near []F) {
	for j, v := range near {
		near[j] = F(math.Sqrt(float64(v)))
	}
	m := b.m
	for t := range to {
		far := b.far[t*m : (t+1)*m][:len(near)]
		var r F
		switch b.kind {
		case Lower:
			r = lowerBound(near, far)
		case Upper:
			r = upperBound(near, far)
		default:
			r = (lowerBound(near, far) + upperBound(near, far)) / 2
		}
		to[t] = r * r
	}
	for j, v := range near {
		near[j] = v * v
	}
}

func lowerBound[F gram.Float](near, far []F) F {
	var most F
	for j, v := range near {
		e := v - far[j]
		if e < 0 {
			e = -e
		}
		if e > most {
			most = e
		}
	}
	return most
}

func upperBound[F gram.Float](near, far []F) F {
	least := near[0] + far[0]
	for j, v := range near {
		if e := v + far[j]; e < least {
			least = e
		}
	}
	return least
}

// values replaces the squared distances in row by kernel values. wide is room for as many numbers in float64.
func (b *pseudoBlock[F]) values(row []F, wide []float64) {
	if s, ok := any(row).([]float64); ok {
		b.value.Radial(s)
		return
	}
	if g, ok := b.value.(kernel.Gaussian); ok {
		s := any(row).([]float32)
		vec.ExpScale(s, s, -float32(g.Gamma))
		return
	}
	for j, v := range row {
		wide[j] = float64(v)
	}
	b.value.Radial(wide)
	for j, v := range wide {
		row[j] = F(v)
	}
}

// With64 returns the program of C̄·coef + bias in float64.
func (c *Pseudo) With64(coef *mat.Dense, bias []float64) gram.Program[float64] {
	return newPseudo[float64](c, coef, bias)
}

// With32 returns a program in float32 that computes linear functions of the features, with coefficients coef and
// constants bias.
func (c *Pseudo) With32(coef *mat.Dense, bias []float64) gram.Program[float32] {
	return newPseudo[float32](c, coef, bias)
}

func newPseudo[F gram.Float](c *Pseudo, coef *mat.Dense, bias []float64) gram.Program[F] {
	return programOf(c, &fused[F]{newPseudoBlock[F](c).times(gram.View(coef)), program.Convert[F](bias)}, len(bias))
}

// Cost counts the kernel values, the pseudo-landmarks and the linear functions.
func (c *Pseudo) Cost(k, size int) gram.Plan {
	d, width := c.Dims()
	m, _ := c.u.Dims()
	return gram.Plan{
		Flops:       ValuesFlops(c.kernel, m, d, k) + c.flops() + 2*float64(k)*float64(width-m),
		ModelBytes:  int64(size) * (int64(width)*int64(k) + int64(m)*int64(d)),
		PeakBytes:   int64(48*size*(width+d) + size*k*m),
		Description: describe(d, k, "%d landmarks of the %s kernel with %d pseudo-landmarks", m, c.kernel.Spec().Name, width-m),
	}
}

const pseudoMethod = "pseudo.columns" // the name in files since the first version

// Encode writes the kernel, the landmarks and the pairs or distances of the
// pseudo-landmarks.
func (c *Pseudo) Encode(w *modelfile.Writer) error { return modelfile.Put(w, c.form) }

// DecodePseudo reads what Pseudo.Encode wrote. The kernel must be one that
// kernel.Decode makes.
func DecodePseudo(f *modelfile.File) (*Pseudo, error) {
	return modelfile.Get(f, &Pseudo{}, (*Pseudo).form)
}

// form lists what a file holds of the columns. Writing and reading a file go through these same statements.
func (c *Pseudo) form(x *modelfile.Exchange) {
	stored := struct{ Kind PseudoKind }{c.kind}
	x.Header(pseudoMethod, 1, &stored, kernel.Stored(&c.kernel))
	if c.kind = stored.Kind; x.Reading() {
		if err := c.kind.Fits(c.kernel); err != nil {
			x.Errorf("", "%v", err)
		}
	}
	x.Dense("landmarks", &c.u, -1, -1)
	m := 0
	if c.u != nil {
		m, _ = c.u.Dims()
	}
	if c.kind == Products {
		x.Int32("pairs", &c.pairs, -1, 0, int32(m)-1)
		x.Require(len(c.pairs)%2 == 0, "pairs", "an odd number, %d", len(c.pairs))
	} else {
		x.Dense("distances", &c.far, -1, m)
	}
	if x.Reading() {
		c.prepare()
	}
}
