package kernel

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
)

// Scaled is the kernel κ(s∘x, s∘z) of a kernel κ and a factor s_c ≥ 0 for each column c. For a κ of
// width ℓ that depends on distances, column c has the width ℓ/s_c, and one of factor 0 is left out. It is made by
// NewScaled, does not change, and is a Packer: it is as fast as κ but for one product per number
// of a row.
type Scaled struct {
	base  Kernel
	scale []float64
}

// NewScaled returns the kernel that multiplies the columns by scale before base, which may be a
// *Scaled, too. It copies scale. The error is a *gram.ConfigError if base is not usable or a Precomputed, or if a
// factor is negative or not finite.
func NewScaled(base Kernel, scale []float64) (*Scaled, error) {
	if err := Check(base); err != nil {
		return nil, err
	}
	k := &Scaled{base, slices.Clone(scale)}
	if inner, nested := base.(*Scaled); nested {
		if len(inner.scale) != len(scale) {
			return nil, settings.Refuse("Kernel.Scale", len(scale), "%d factors, as the kernel has that is scaled", len(inner.scale))
		}
		k.base = inner.base
		for c, v := range inner.scale {
			k.scale[c] *= v
		}
	}
	return k, k.check()
}

func (k *Scaled) check() error {
	if _, is := k.base.(*Precomputed); is {
		return settings.Refuse("Kernel", "known by its columns", "a function of two rows: columns are scaled")
	}
	for _, v := range k.scale {
		if !(v >= 0) || math.IsInf(v, 1) {
			return settings.Refuse("Kernel.Scale", v, "finite numbers ≥ 0")
		}
	}
	return nil
}

// Base returns κ, the kernel that is applied to scaled rows.
func (k *Scaled) Base() Kernel { return k.base }

// Scale returns a copy of the factors s.
func (k *Scaled) Scale() []float64 { return slices.Clone(k.scale) }

// Eval returns κ(s∘x, s∘y).
func (k *Scaled) Eval(x, y []float64) float64 { return k.base.Eval(k.apply(x), k.apply(y)) }

// apply returns s∘x in a new slice. It panics if x has not one number for each factor.
func (k *Scaled) apply(x []float64) []float64 {
	if len(x) != len(k.scale) {
		panic(panicScale)
	}
	out := make([]float64, len(x))
	for c, v := range k.scale {
		out[c] = v * x[c]
	}
	return out
}

// Fits returns a *gram.ConfigError if k is a kernel for rows of another number of columns than d, such as a *Scaled
// of other data.
func Fits(k Kernel, d int) error {
	if s, is := k.(*Scaled); is && len(s.scale) != d {
		return settings.Refuse("Kernel", fmt.Sprintf("for %d columns", len(s.scale)), "one for the %d columns of the data", d)
	}
	return nil
}

// Spec returns the parameters of κ and its name after "scaled-". The factors are not in it: a model
// file has them whole.
func (k *Scaled) Spec() Spec {
	s := k.base.Spec()
	return Spec{"scaled-" + s.Name, s.Params}
}

// scaledMethod is the name of a Scaled in model files.
const scaledMethod = "kernel.scaled"

// Encode writes κ, and the factors as the array "scale".
func (k *Scaled) Encode(w *modelfile.Writer) error { return modelfile.Put(w, k.form) }

func (k *Scaled) form(x *modelfile.Exchange) {
	x.Header(scaledMethod, 1, &struct{}{}, Stored(&k.base))
	x.Float64("scale", &k.scale, -1)
	if x.Reading() {
		err := k.check()
		x.Require(err == nil, "scale", "%v", err)
	}
}

const panicScale = "kernel: a row has not as many columns as the kernel has factors"

// Pack64 prepares the rows of z, against which many blocks of rows are evaluated.
func (k *Scaled) Pack64(z gram.Samples[float64]) Tile[float64] { return packScaled[float64](k, z) }

// Pack32 packs the rows of z for float32. Both rows are multiplied in their own type.
func (k *Scaled) Pack32(z gram.Samples[float64]) Tile[float32] { return packScaled[float32](k, z) }

// scaledTile evaluates a Scaled against packed rows, whose columns are scaled once.
type scaledTile[F gram.Float] struct {
	block *Block[F]
	scale []F
	space sync.Pool // *scaledSpace[F]
}

// scaledSpace is the memory that one call needs for scaled copies of its rows.
type scaledSpace[F gram.Float] struct{ row, rows []F }

// scaledNumbers is about how many numbers are scaled at a time.
const scaledNumbers = 1 << 14

func packScaled[F gram.Float](k *Scaled, z gram.Samples[float64]) *scaledTile[F] {
	n, d := z.Dims()
	if d != len(k.scale) {
		panic(panicScale)
	}
	t := &scaledTile[F]{scale: make([]F, d)}
	for c, v := range k.scale {
		t.scale[c] = F(v)
	}
	scaled := gram.MakeRows[float64](n, d)
	for i := range n {
		to := scaled.Row(i)
		z.CopyRow(to, i)
		for c, v := range t.scale {
			to[c] = float64(v * F(to[c])) // as Fill computes it, so that equal rows stay equal
		}
	}
	t.block = Against[F](k.base, gram.Dense(scaled))
	t.space.New = func() any { return new(scaledSpace[F]) }
	return t
}

// Fill sets dst = κ(s∘x, s∘z) for the packed rows z, on the goroutine of the caller. It scales about scaledNumbers numbers of x
// at a time.
func (t *scaledTile[F]) Fill(dst gram.Rows[F], x gram.Samples[F]) {
	d := len(t.scale)
	step := min(dst.N, max(1, scaledNumbers/max(1, d)))
	s := t.space.Get().(*scaledSpace[F])
	s.row, s.rows = grow(s.row, d), grow(s.rows, step*d)
	for lo := 0; lo < dst.N; lo += step {
		hi := min(lo+step, dst.N)
		rows := gram.Rows[F]{Data: s.rows, N: hi - lo, D: d, Stride: d}
		for i := range rows.N {
			from, to := x.Row(s.row, lo+i), rows.Row(i)
			for c, v := range t.scale {
				to[c] = v * from[c]
			}
		}
		t.block.FillSerial(dst.Slice(lo, hi), gram.Dense(rows))
	}
	t.space.Put(s)
}

// Bytes returns the memory of the packed rows.
func (t *scaledTile[F]) Bytes() int64 {
	return t.block.Bytes() + int64(sizeof[F]()*len(t.scale))
}
