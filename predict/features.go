package predict

import (
	"fmt"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Storable is a classifier that can be stored and makes its program.
type Storable interface {
	gram.Classifier
	gram.Compiler
	modelfile.Model
}

// Map is a feature map that can be stored.
type Map interface {
	gram.FeatureMap
	modelfile.Model
}

// featured is a classifier of the features of a basis, which is stored with it: nearest
// neighbors in a learned kernel, say. It is safe for
// concurrent use.
type featured struct {
	Storable
	method string
	b      basis.Basis
}

var _ Storable = (*featured)(nil)

// OnFeatures returns the classifier of rows that c is of their features in b, as a model of
// that method. Its method FeatureMap() Map returns b.
func OnFeatures(method string, b basis.Basis, c Storable) Storable { return &featured{c, method, b} }

// FeatureMap returns the basis, which computes the features that the linear functions multiply.
func (f *featured) FeatureMap() Map { return f.b }

// Dim returns the number d of columns that rows to predict must have.
func (f *featured) Dim() int { d, _ := f.b.Dims(); return d }

// Scores returns those of the features, in blocks of rows.
func (f *featured) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	d, m := f.b.Dims()
	k := multiclass.Functions(len(f.Classes()))
	dst = rows.Destination("predict", dst, x, d, k)
	s, step := gram.Of(x), rows.BlockRows(n, m)
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		phi := rows.Borrow(hi-lo, m)
		f.b.Map(phi, s.Slice(lo, hi))
		f.Storable.Scores(dst.Slice(lo, hi, 0, k).(*mat.Dense), phi)
		rows.Return(phi)
	}
	return dst
}

// Predict returns the class of every row, −1 for a row with NaN.
func (f *featured) Predict(dst []int, x mat.Matrix) []int {
	return rows.Decide("predict", dst, x, multiclass.Functions(len(f.Classes())), f.Scores)
}

// Encode writes the basis to the part "map" and the classifier to the part "machine".
func (f *featured) Encode(w *modelfile.Writer) error {
	if err := w.Header(f.method, 1, struct{}{}); err != nil {
		return err
	}
	if err := f.b.Encode(w.Sub("map")); err != nil {
		return err
	}
	return f.Storable.Encode(w.Sub("machine"))
}

// DecodeFeatured reads what a model of OnFeatures wrote: a basis, by decodeMap, and a classifier.
func DecodeFeatured[B basis.Basis, M Storable](f *modelfile.File, method string, decodeMap func(*modelfile.File) (B, error), decode func(*modelfile.File) (M, error)) (modelfile.Model, error) {
	if err := f.Expect(method, 1, &struct{}{}); err != nil {
		return nil, err
	}
	part, err := f.Sub("map")
	if err != nil {
		return nil, err
	}
	b, err := decodeMap(part)
	if err != nil {
		return nil, err
	}
	if part, err = f.Sub("machine"); err != nil {
		return nil, err
	}
	c, err := decode(part)
	if err != nil {
		return nil, err
	}
	_, m := b.Dims()
	if d, ok := any(c).(interface{ Dim() int }); ok && d.Dim() != m {
		return nil, f.Errorf("", "a machine for %d features on a map that has %d", d.Dim(), m)
	}
	return OnFeatures(method, b, c), nil
}

// Program64 returns the program of the features followed by that of the classifier.
func (f *featured) Program64() (gram.Program[float64], error) {
	p, err := f.Storable.Program64()
	return chained(f.b, p), err
}

// Program32 returns the same for rows of float32.
func (f *featured) Program32() (gram.Program[float32], error) {
	p, err := f.Storable.Program32()
	return chained(f.b, p), err
}

// chain is a program of the outputs of another one.
type chain[F gram.Float] struct {
	first, then gram.Program[F]
	pool        sync.Pool // *[]F
}

// chainRows is the number of rows whose features are held together.
const chainRows = 48

func chained[F gram.Float](b basis.Basis, then gram.Program[F]) gram.Program[F] {
	if then == nil {
		return nil
	}
	_, m := b.Dims()
	identity := mat.NewDense(m, m, nil)
	for i := range m {
		identity.Set(i, i, 1)
	}
	c := &chain[F]{first: basis.With[F](b, identity, make([]float64, m)), then: then}
	c.pool.New = func() any { v := make([]F, chainRows*m); return &v }
	return c
}

// Dims returns the number of columns and of outputs.
func (c *chain[F]) Dims() (d, outputs int) {
	d, _ = c.first.Dims()
	_, outputs = c.then.Dims()
	return d, outputs
}

// Cost returns the flops of one row, the bytes that the program holds and the bytes of the workspace of one call.
func (c *chain[F]) Cost() gram.Plan {
	p, q := c.first.Cost(), c.then.Cost()
	return gram.Plan{
		Flops: p.Flops + q.Flops, ModelBytes: p.ModelBytes + q.ModelBytes, PeakBytes: p.PeakBytes + q.PeakBytes,
		Description: fmt.Sprintf("%s; %s", p.Description, q.Description),
	}
}

// Row sets dst to the outputs for x.
func (c *chain[F]) Row(dst, x []F) { program.Row(c, dst, x) }

// Rows sets dst to the outputs for the rows of x.
func (c *chain[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	program.Check("predict", c, dst, x)
	_, m := c.first.Dims()
	work := c.pool.Get().(*[]F)
	for lo := 0; lo < dst.N; lo += chainRows {
		hi := min(lo+chainRows, dst.N)
		phi := gram.Rows[F]{Data: (*work)[:(hi-lo)*m], N: hi - lo, D: m, Stride: m}
		c.first.Rows(phi, x.Slice(lo, hi))
		c.then.Rows(dst.Slice(lo, hi), gram.Dense(phi))
	}
	c.pool.Put(work)
}
