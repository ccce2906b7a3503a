// Package training makes a whole model of a method of the catalog and a data set: it encodes and scales the
// columns, fits the method, and fits probabilities, intervals and sets beside the model. A program that needs one
// method imports the package of that method instead.
package training

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/encode"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Scale selects how columns, or rows, are scaled before a method is trained.
type Scale uint8

const (
	NoScale   Scale = iota
	MinMax          // to [0,1]
	Unit            // to variance 1, without a shift: sparse data stay sparse
	Standard        // to mean 0 and variance 1
	UnitRows        // not at all: each row to length 1
	AutoScale       // Standard for dense data and methods with a kernel, linear or ldkl, unless all values are in [−1, 1]; UnitRows for sparse data with sets of labels and leml, linear or sleec; else NoScale
)

var names = [...]string{"none", "minmax", "unit", "standard", "rows", "auto"}

// String returns the name of the scale, which ParseScale reads.
func (s Scale) String() string { return settings.Name(s, names[:]...) }

// ScaleNames returns the names that ParseScale reads.
func ScaleNames() []string { return slices.Clone(names[:]) }

// ParseScale is the inverse of String.
func ParseScale(s string) (Scale, error) {
	i := slices.Index(names[:], s)
	if i < 0 {
		return 0, settings.Refuse("scale", s, "one of %s%s", strings.Join(names[:], ", "), settings.Hint(s, names[:]))
	}
	return Scale(i), nil
}

// of returns the scale that AutoScale stands for on x.
func (s Scale) of(x mat.Matrix) Scale {
	switch {
	case s != AutoScale:
		return s
	case gram.CSR(x) != nil || within(x, 1):
		return NoScale
	}
	return Standard
}

// within reports whether all values of x are in [−limit, limit].
func within(x mat.Matrix, limit float64) bool {
	n, d := x.Dims()
	for i := range n {
		for j := range d {
			if !(math.Abs(x.At(i, j)) <= limit) {
				return false
			}
		}
	}
	return true
}

// Scaling returns the scaling of x, nil for NoScale.
func (s Scale) Scaling(x mat.Matrix) (*dataset.Scaling, error) {
	switch s.of(x) {
	case MinMax:
		return dataset.MinMax(x, 0, 1)
	case Unit:
		return dataset.UnitVariance(x)
	case Standard:
		return dataset.Standardize(x)
	case UnitRows:
		_, d := x.Dims()
		return dataset.UnitRows(d), nil
	}
	return nil, nil
}

// Prepare says how the columns of a data set become those that a method is trained on.
type Prepare struct {
	Scale  Scale
	Encode encode.Config // of the columns of a table that are not numbers

	inPlace bool // the rows are read no more after the fit: dense ones may be scaled where they are
	levels  bool // categories stay levels for the method
	lengths bool // sparse rows with sets of labels get length 1 for the method
	blocks  bool // numbers that encode a category belong together for the method
}

// For returns p with what it leaves open as is best for method m.
func (p Prepare) For(m catalog.Method) Prepare {
	p.lengths = m.Lengths && p.Scale == AutoScale
	if p.Scale == AutoScale && !m.Scaled && m.New().Settings().Lookup("kernel") == nil {
		p.Scale = NoScale
	}
	p.blocks = m.Blocks
	mixed := m.Mixed && p.Scale == NoScale
	if p.Encode.Categories == encode.AutoCategories && m.Trees {
		p.Encode.Categories, p.levels = encode.Ordinal, mixed
	}
	if p.Encode.Fill == encode.AutoFill && mixed {
		p.Encode.Fill = encode.Keep
	}
	return p
}

// Prepared is what Prepare has learned of training rows, and these rows.
type Prepared struct {
	*dataset.Set // ready for the method
	encoding     *encode.Encoding
	scaling      *dataset.Scaling
	copied       bool // the rows are others than those of the data
}

// Fit learns from the rows of d, which stay as they are unless they are scaled in place, and returns them ready for the method.
// seed takes the place of p.Encode.Seed.
func (p Prepare) Fit(d *dataset.Set, seed uint64) (out Prepared, err error) {
	ready := *d
	p.Encode.Seed = seed
	if out.encoding, ready.X, err = p.Encode.Fit(d); err != nil {
		return out, err
	}
	ready.Schema = p.Kept(d.Schema, out.encoding)
	out.copied = out.encoding != nil
	scale := p.Scale
	if p.lengths && d.Task() == dataset.MultiLabel && gram.CSR(ready.X) != nil {
		scale = UnitRows
	}
	if out.scaling, err = scale.Scaling(ready.X); err != nil {
		return out, err
	}
	if x, dense := ready.X.(*mat.Dense); out.scaling != nil && dense && (out.copied || p.inPlace) {
		out.scaling.ApplyInPlace(x)
	} else if out.scaling != nil {
		ready.X, out.copied = out.scaling.Apply(ready.X), true
	}
	out.Set = &ready
	return out, nil
}

// Kept describes the encoded columns of a method that takes categories and missing cells, or the numbers that encode
// a category as a block, which the number of the category's column names; nil if they are numbers.
func (p Prepare) Kept(s *dataset.Schema, e *encode.Encoding) *dataset.Schema {
	if e != nil && p.blocks {
		return blocks(s, e)
	}
	if e == nil || p.Encode.Fill != encode.Keep && !p.levels {
		return nil
	}
	out := &dataset.Schema{}
	for _, j := range e.Places() {
		c := s.Columns[j]
		if c.Kind == dataset.Category && !p.levels {
			c = dataset.Column{}
		}
		if c.Kind == dataset.Date { // its parts are numbers
			c = dataset.Column{Missing: c.Missing}
		}
		c.Name = ""
		c.Missing = c.Missing && (c.Kind == dataset.Category || p.Encode.Fill == encode.Keep)
		out.Columns = append(out.Columns, c)
	}
	return out
}

// titles are the names of the encoded columns; nil: they have none.
func titles(s *dataset.Schema, e *encode.Encoding) (names []string) {
	switch {
	case !s.Named():
	case e != nil:
		return e.Names(s)
	default:
		for _, c := range s.Columns {
			names = append(names, c.Name)
		}
	}
	return names
}

// NumberColumns puts numbers in place of the names of columns in settings; see catalog.NumberColumns. s and e describe the columns.
func NumberColumns(b *settings.Bound, s *dataset.Schema, e *encode.Encoding) error {
	return catalog.NumberColumns(b, titles(s, e))
}

// blocks describes the encoded columns as numbers, of which those of a category have its number as their name.
func blocks(s *dataset.Schema, e *encode.Encoding) *dataset.Schema {
	out := &dataset.Schema{}
	for _, j := range e.Places() {
		var c dataset.Column
		if s.Columns[j].Kind == dataset.Category {
			c.Name = strconv.Itoa(j + 1)
		}
		out.Columns = append(out.Columns, c)
	}
	return out
}

// Apply returns other rows of the same columns, ready for the method.
func (p Prepared) Apply(x mat.Matrix) mat.Matrix {
	return encode.Scaled(p.encoding, p.scaling, x)
}

// Train fits method m with fitter f to d, the columns scaled, which copies them. On a
// *gram.ConvergenceError the result is the model so far.
func Train(ctx context.Context, m catalog.Method, f catalog.Fitter, d *dataset.Set, scale Scale, run gram.Run) (*pipeline.Model, error) {
	return Prepare{Scale: scale}.Train(ctx, m, f, d, run)
}

// Train is the function Train with the columns made ready as p says.
func (p Prepare) Train(ctx context.Context, m catalog.Method, f catalog.Fitter, d *dataset.Set, run gram.Run) (*pipeline.Model, error) {
	if err := m.Check(d); err != nil {
		return nil, err
	}
	n, dim := d.Dims()
	if n < 1 {
		return nil, settings.Refuse("rows", n, "at least one")
	}
	if k := f.Settings().Lookup("kernel"); k != nil && k.String() == (kernel.Matrix{}).Spec().Name {
		if p.Scale != AutoScale && p.Scale != NoScale {
			return nil, settings.Refuse("scale", p.Scale, "none: the columns are values of the kernel")
		}
		p.Scale = NoScale
	}
	ready, err := p.For(m).Fit(d, run.Seed)
	if err != nil {
		return nil, err
	}
	if ready.copied {
		if run, err = run.Beside(ready.Bytes()); err != nil {
			return nil, err
		}
	}
	if err := NumberColumns(f.Settings(), d.Schema, ready.encoding); err != nil {
		return nil, err
	}
	model, err := f.Fit(ctx, ready.Set, run)
	if model == nil {
		return nil, err
	}
	storage := dataset.Dense
	if gram.CSR(ready.X) != nil {
		storage = dataset.Sparse
	}
	task, names := d.Task(), d.Labels.Names
	if c, is := model.(gram.Classifier); is && (m.Clusters || task == dataset.NoTarget) {
		task, names = dataset.Classes, c.Classes()
	}
	return &pipeline.Model{
		Method: m.Name, Task: task, Dim: dim, Names: slices.Clone(names), Model: model, Storage: storage,
		Schema: d.Schema, Encoding: ready.encoding, Scaling: ready.scaling,
	}, err
}
