package kernel

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Composite is a kernel that is made of other kernels: the sum Σ w_p·κ_p(x,z) with weights w_p > 0, or the product Π κ_p(x,z). It
// is positive semi-definite if its parts are. It is made by SumOf or ProductOf, does not change, and is a Packer: all
// parts that are Radial share one computation of distances, and all that are Inner one of inner products, so that parts cost
// little beside their exponentials.
type Composite struct {
	parts   []Kernel
	weights []float64 // nil: a product
}

// SumOf returns the sum of kernels with weights; nil means ones. It copies the lists. A part may be a Composite. The error is a
// *gram.ConfigError if there are fewer than two parts, if a part is not usable, known by its columns or a *Scaled, which may be made of the sum
// instead, or if there is not one positive finite weight for each part.
func SumOf(weights []float64, parts ...Kernel) (*Composite, error) {
	if weights == nil {
		weights = slices.Repeat([]float64{1}, len(parts))
	}
	k := &Composite{slices.Clone(parts), slices.Clone(weights)}
	return k, k.check()
}

// ProductOf returns the product of kernels, with the errors of SumOf.
func ProductOf(parts ...Kernel) (*Composite, error) {
	k := &Composite{parts: slices.Clone(parts)}
	return k, k.check()
}

func (k *Composite) check() error {
	if k == nil || len(k.parts) < 2 {
		return settings.Refuse("Kernel", "a sum or a product of fewer", "one of at least two kernels")
	}
	if k.weights != nil && len(k.weights) != len(k.parts) {
		return settings.Refuse("Kernel.Weights", len(k.weights), "%d weights, one for each part", len(k.parts))
	}
	for _, v := range k.weights {
		if err := positive("Weights", v); err != nil {
			return err
		}
	}
	for _, p := range k.parts {
		switch p.(type) {
		case *Precomputed, Matrix:
			return settings.Refuse("Kernel", "made of one that is known by its columns", "functions of two rows")
		case *Scaled:
			return settings.Refuse("Kernel", "made of one with scaled columns", "parts without; the columns are scaled for all of them by NewScaled")
		}
		if err := Check(p); err != nil {
			return err
		}
	}
	return nil
}

// Parts returns a copy of the list of the kernels that k is made of, and the weights of a sum, or nil for a product.
func (k *Composite) Parts() (parts []Kernel, weights []float64) {
	return slices.Clone(k.parts), slices.Clone(k.weights)
}

// Eval returns the sum or the product of the values of the parts.
func (k *Composite) Eval(x, y []float64) float64 {
	var v float64
	for p, part := range k.parts {
		v = k.with(v, p, part.Eval(x, y))
	}
	return v
}

// with returns the value v of the parts before part p together with that of part p, which is u.
func (k *Composite) with(v float64, p int, u float64) float64 {
	if k.weights != nil {
		u = float64(k.weights[p] * u)
	}
	switch {
	case p == 0:
		return u
	case k.weights != nil:
		return v + u
	}
	return v * u
}

// Diagonal sets dst[i] = κ(x_i,x_i), by that of the parts.
func (k *Composite) Diagonal(dst []float64, x mat.Matrix) []float64 {
	one, s := make([]float64, len(dst)), gram.Of(x)
	for p, part := range k.parts {
		Diagonal(one, part, s)
		for i, v := range one {
			dst[i] = k.with(dst[i], p, v)
		}
	}
	return dst
}

// Spec returns a name such as gaussian+linear or (gaussian+linear)*matern, with the parameters and the weights of
// the parts by their numbers, such as 1.gamma. A model file has the parts whole.
func (k *Composite) Spec() Spec {
	s := Spec{Params: map[string]float64{}}
	var names []string
	for p, part := range k.parts {
		one := part.Spec()
		if inner, is := part.(*Composite); is && inner.weights != nil && k.weights == nil {
			one.Name = "(" + one.Name + ")"
		}
		names = append(names, one.Name)
		for name, v := range one.Params {
			s.Params[fmt.Sprintf("%d.%s", p+1, name)] = v
		}
		if k.weights != nil {
			s.Params[fmt.Sprintf("%d.weight", p+1)] = k.weights[p]
		}
	}
	sign := "*"
	if k.weights != nil {
		sign = "+"
	}
	s.Name = strings.Join(names, sign)
	return s
}

// compositeMethod is the name of a Composite in model files.
const compositeMethod = "kernel.composite"

// Encode writes the parts and their weights, which are 1 for a product.
func (k *Composite) Encode(w *modelfile.Writer) error { return modelfile.Put(w, k.form) }

// CompositeReaders returns the reader of a Composite in model files. It is one of those of package catalog; a program without
// them gives it to modelfile.File.With.
func CompositeReaders() Readers {
	return Readers{compositeMethod: func(f *modelfile.File) (Kernel, error) {
		k, err := modelfile.Get(f, new(Composite), (*Composite).form)
		if err != nil {
			return nil, err
		}
		return k, nil
	}}
}

// KernelReaders returns r, so that r can be the value of a model file.
func (r Readers) KernelReaders() Readers { return maps.Clone(r) }

func (k *Composite) form(x *modelfile.Exchange) {
	product := struct{ Product bool }{k.weights == nil}
	x.Header(compositeMethod, 1, &product)
	weights := k.weights
	if product.Product && x.Writing() {
		weights = slices.Repeat([]float64{1}, len(k.parts))
	}
	x.Float64("weights", &weights, -1)
	if x.Reading() {
		x.Reserve(16 * int64(len(weights)))
		k.parts = make([]Kernel, len(weights))
		if !product.Product {
			k.weights = weights
		}
	}
	for p := range k.parts {
		x.Part(fmt.Sprintf("part%d", p), func(x *modelfile.Exchange) {
			x.Header("kernel.part", 1, &struct{}{}, Stored(&k.parts[p]))
		})
	}
	if x.Reading() {
		err := k.check()
		x.Require(err == nil, "weights", "%v", err)
	}
}

// Pack64 prepares the rows of z, against which many blocks of rows are evaluated.
func (k *Composite) Pack64(z gram.Samples[float64]) Tile[float64] {
	return packComposite[float64](k, z)
}

// Pack32 packs the rows of z for float32.
func (k *Composite) Pack32(z gram.Samples[float64]) Tile[float32] {
	return packComposite[float32](k, z)
}

// radials is the sum or the product of radial kernels, as a function of ‖x−z‖².
type radials struct{ *pieces }

// Radial replaces every squared distance in s by the value of the kernel at that distance.
func (k radials) Radial(s []float64) {
	k.replace(s, func(part Kernel, s []float64) { part.(Radial).Radial(s) })
}

// inners is the sum or the product of kernels of the inner product.
type inners struct{ *pieces }

// Inner replaces every inner product in s by the value of the kernel for that product.
func (k inners) Inner(s []float64) {
	k.replace(s, func(part Kernel, s []float64) { part.(Inner).Inner(s) })
}

// pieces is a Composite whose parts are evaluated for some numbers at a time.
type pieces struct {
	*Composite
	space sync.Pool // *[2][pieceNumbers]float64
}

const pieceNumbers = 256

func newPieces(k *Composite) *pieces {
	return &pieces{k, sync.Pool{New: func() any { return new([2][pieceNumbers]float64) }}}
}

// replace replaces distances or inner products, of which value makes the values of a part.
func (k *pieces) replace(s []float64, value func(part Kernel, s []float64)) {
	space := k.space.Get().(*[2][pieceNumbers]float64)
	for len(s) > 0 {
		n := min(len(s), pieceNumbers)
		from, one := space[0][:n], space[1][:n]
		copy(from, s)
		for p, part := range k.parts {
			copy(one, from)
			value(part, one)
			for i, v := range one {
				s[i] = k.with(s[i], p, v)
			}
		}
		s = s[n:]
	}
	k.space.Put(space)
}

// group returns the composite of the parts with the given numbers.
func (k *Composite) group(numbers []int) *Composite {
	g := new(Composite)
	for _, p := range numbers {
		g.parts = append(g.parts, k.parts[p])
		if k.weights != nil {
			g.weights = append(g.weights, k.weights[p])
		}
	}
	return g
}

// kinds returns the numbers of the radial parts, of those of the inner product, and of the others.
func (k *Composite) kinds() (radial, inner, other []int) {
	for p, part := range k.parts {
		switch part.(type) {
		case Radial:
			radial = append(radial, p)
		case Inner:
			inner = append(inner, p)
		default:
			other = append(other, p)
		}
	}
	return
}

// compositeTile holds the m packed rows of a Composite: a block for each part, or for several parts that share their distances or
// inner products.
type compositeTile[F gram.Float] struct {
	blocks []*Block[F]
	weight []F  // of the blocks in a sum
	sum    bool // not a product
	m      int
	space  sync.Pool // *[]F
}

// compositeNumbers is about how many values of a block are held beside those of the others.
const compositeNumbers = 1 << 16

func packComposite[F gram.Float](k *Composite, z gram.Samples[float64]) *compositeTile[F] {
	t := &compositeTile[F]{sum: k.weights != nil, m: z.N()}
	add := func(one Kernel, weight float64) {
		t.blocks, t.weight = append(t.blocks, Against[F](one, z)), append(t.weight, F(weight))
	}
	single := func(p int) {
		weight := 1.0
		if t.sum {
			weight = k.weights[p]
		}
		add(k.parts[p], weight)
	}
	radial, inner, other := k.kinds()
	if len(radial) > 1 {
		add(radials{newPieces(k.group(radial))}, 1)
	} else {
		other = append(radial, other...)
	}
	if len(inner) > 1 {
		add(inners{newPieces(k.group(inner))}, 1)
	} else {
		other = append(inner, other...)
	}
	for _, p := range other {
		single(p)
	}
	t.space.New = func() any { return new([]F) }
	return t
}

// Fill sets dst to the sum or the product of the values of the blocks.
func (t *compositeTile[F]) Fill(dst gram.Rows[F], x gram.Samples[F]) {
	step := min(dst.N, max(1, compositeNumbers/max(1, t.m)))
	s := t.space.Get().(*[]F)
	*s = grow(*s, step*t.m)
	for lo := 0; lo < dst.N; lo += step {
		hi := min(lo+step, dst.N)
		to, rows := dst.Slice(lo, hi), x.Slice(lo, hi)
		one := gram.Rows[F]{Data: *s, N: hi - lo, D: t.m, Stride: t.m}
		for b, block := range t.blocks {
			if b == 0 {
				block.FillSerial(to, rows)
			} else {
				block.FillSerial(one, rows)
			}
			for i := range to.N {
				v := to.Row(i)
				switch w := t.weight[b]; {
				case b > 0 && t.sum:
					for j, u := range one.Row(i) {
						v[j] += F(w * u)
					}
				case b > 0:
					for j, u := range one.Row(i) {
						v[j] *= u
					}
				case w != 1:
					for j := range v {
						v[j] *= w
					}
				}
			}
		}
	}
	t.space.Put(s)
}

// Bytes returns the memory of the packed rows.
func (t *compositeTile[F]) Bytes() (n int64) {
	for _, b := range t.blocks {
		n += b.Bytes()
	}
	return n
}
