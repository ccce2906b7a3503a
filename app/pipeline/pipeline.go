package pipeline

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/algos/conformal"
	"github.com/gramworks/gram/app/encode"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Model is a model with everything that is needed to use it on data as they are in files: the
// columns with their names and kinds, the task, the classes, and how the columns are encoded
// and scaled. It is safe for concurrent use.
type Model struct {
	Method string       // method in the file of Model
	Task   dataset.Task // kind of prediction
	Dim    int          // number of columns of the data
	Names  []string     // classes, in the order of the model's class numbers
	Model  modelfile.Model

	// Schema describes the columns; nil: they have no names and are numbers.
	Schema *dataset.Schema
	// Encoding makes numbers of the columns, before Scaling; nil: they are numbers.
	Encoding *encode.Encoding
	// Scaling is applied to the data before Model; nil: Model takes them unscaled.
	Scaling *dataset.Scaling
	Storage dataset.Storage // storage of the training data: Dense or Sparse

	// Calibration turns the scores of a classifier into probabilities. Nil: the model's own
	// map, if it is a calibration.Calibrated.
	Calibration *calibration.Map
	// Conformal makes intervals of values and sets of classes. Nil: there are none, except
	// normal ones of a gram.Posterior.
	Conformal *conformal.Predictor
	// Band are the models of a low and a high quantile, of the same rows as Model, whose band Conformal makes intervals of; nil: it has none.
	Band []modelfile.Model
}

// New returns the pipeline of a model that was trained on data of dim columns after the
// given scaling; nil stands for unscaled data. The model must be a gram.Classifier, a
// gram.Regressor or a gram.Ranker, with a method Dim that returns the number of its columns. The
// feature map of a linear model is stored with it and
// must be a basis.Basis.
func New(m modelfile.Model, dim int, scaling *dataset.Scaling) (*Model, error) {
	m, err := withMap(m)
	if err != nil {
		return nil, err
	}
	p := &Model{Dim: dim, Model: m, Scaling: scaling, Storage: dataset.Dense}
	switch m := m.(type) {
	case gram.Classifier:
		p.Task, p.Names = dataset.Classes, slices.Clone(m.Classes())
	case gram.Regressor:
		p.Task = dataset.Regression
	case gram.Ranker:
		p.Task = dataset.MultiLabel
	default:
		return nil, fmt.Errorf("pipeline: %T neither classifies nor predicts values nor ranks labels", m)
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	return p, nil
}

// check returns an error unless the parts fit each other.
func (p *Model) check() error {
	if p.Dim < 1 {
		return fmt.Errorf("a model for %d columns", p.Dim)
	}
	if p.Schema != nil && len(p.Schema.Columns) != p.Dim {
		return fmt.Errorf("the schema has %d columns, not %d", len(p.Schema.Columns), p.Dim)
	}
	width := p.Width()
	if p.Encoding != nil {
		if p.Schema == nil {
			return errors.New("an encoding without a schema")
		}
		if columns, _ := p.Encoding.Dims(); columns != p.Dim {
			return fmt.Errorf("the encoding is for %d columns, not %d", columns, p.Dim)
		}
	} else if p.Schema.Mixed() {
		return errors.New("the columns are not numbers, and there is no encoding")
	}
	if p.Scaling != nil && len(p.Scaling.Shift) != width {
		return fmt.Errorf("the scaling is for %d columns, not %d", len(p.Scaling.Shift), width)
	}
	ok := false
	switch p.Task {
	case dataset.Classes:
		c, is := p.Model.(gram.Classifier)
		if ok = is; ok && !slices.Equal(c.Classes(), p.Names) {
			return errClasses
		}
	case dataset.Regression:
		_, ok = p.Model.(gram.Regressor)
	case dataset.MultiLabel:
		_, ok = p.Model.(gram.Ranker)
	}
	if !ok {
		return fmt.Errorf("the model of method %q is not for the task %s", p.Method, p.Task)
	}
	d, ok := p.Model.(interface{ Dim() int })
	if !ok {
		return fmt.Errorf("the model of method %q does not say for how many columns it is: it needs a method Dim", p.Method)
	}
	if d.Dim() != width {
		return fmt.Errorf("the model is for %d columns, not %d", d.Dim(), width)
	}
	return p.checkTrust()
}

var errClasses = errors.New("the classes are not those of the model")

const fittedName = "fitted"

// stored is what the head of a file says of a pipeline: the task, the number of columns, and whether rows are stored sparse.
type stored struct {
	Task   string
	Dim    int
	Sparse bool
}

// version returns the version of a file with or without more than a scaled model: a schema,
// probabilities, intervals and sets, which programs of version 1 would ignore, and with or without a band.
func version(more, band bool) int {
	switch {
	case band:
		return 3
	case more:
		return 2
	}
	return 1
}

// sides are the parts of a file with the models of a band.
var sides = [...]string{"band_low", "band_high"}

// Encode writes the pipeline to w, in the lowest version of the format that has all of its parts.
func (p *Model) Encode(w *modelfile.Writer) error {
	if err := w.Header(fittedName, version(p.Calibration != nil || p.Conformal != nil || p.Schema != nil, p.Band != nil), stored{p.Task.String(), p.Dim, p.Storage == dataset.Sparse}); err != nil {
		return err
	}
	w.Strings("names", p.Names)
	if p.Schema != nil {
		if err := p.Schema.Encode(w.Sub("schema")); err != nil {
			return err
		}
	}
	if p.Encoding != nil {
		if err := p.Encoding.Encode(w.Sub("encoding")); err != nil {
			return err
		}
	}
	if p.Scaling != nil {
		if err := p.Scaling.Encode(w.Sub("scaling")); err != nil {
			return err
		}
	}
	if p.Calibration != nil {
		if err := p.Calibration.Encode(w.Sub("calibration")); err != nil {
			return err
		}
	}
	if p.Conformal != nil {
		if err := p.Conformal.Encode(w.Sub("conformal")); err != nil {
			return err
		}
	}
	for i, m := range p.Band {
		if err := m.Encode(w.Sub(sides[i])); err != nil {
			return err
		}
	}
	return p.Model.Encode(w.Sub("model"))
}

// Save writes p to a temporary file, which it renames to path. It returns an error, and
// writes nothing, if a kernel or a feature map of the model could not be read again
// because neither this module nor r knows it.
func Save(path string, p *Model, r *Registry) error {
	return modelfile.Save(path, encoded(func(w *modelfile.Writer) error { return p.Encode(w.With(r)) }))
}

// encoded is a model whose method Encode is a function.
type encoded func(w *modelfile.Writer) error

// Encode calls e, which writes the model.
func (e encoded) Encode(w *modelfile.Writer) error { return e(w) }

// Load reads a pipeline from a file that Save, gram fit or gram compile has written. r
// says how models, and kernels and feature maps of the program, are read.
func Load(path string, r *Registry) (*Model, error) {
	f, err := modelfile.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p, err := Decode(f, r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// Is reports whether f contains a pipeline.
func Is(f *modelfile.File) bool { return f.Method() == fittedName }

// Decode reads a pipeline that Encode has written.
func Decode(f *modelfile.File, r *Registry) (*Model, error) {
	f = f.With(r)
	var s stored
	if err := f.Expect(fittedName, version(f.HasSub("calibration") || f.HasSub("conformal") || f.HasSub("schema"), f.HasSub(sides[0])), &s); err != nil {
		return nil, err
	}
	task, err := dataset.ParseTask(s.Task)
	if err != nil || s.Dim < 1 {
		return nil, f.Errorf("", "task %q with %d columns", s.Task, s.Dim)
	}
	p := &Model{Task: task, Dim: s.Dim, Storage: dataset.Dense}
	if s.Sparse {
		p.Storage = dataset.Sparse
	} else if s.Dim > modelfile.MaxCount {
		return nil, f.Errorf("", "%d dense columns, want at most %d", s.Dim, modelfile.MaxCount)
	}
	if p.Names, err = f.Strings("names"); err != nil {
		return nil, err
	}
	sub, err := f.Sub("model")
	if err != nil {
		return nil, err
	}
	p.Method = sub.Method()
	if p.Model, err = r.Model(sub); err != nil {
		return nil, err
	}
	if p.Schema, err = part(f, "schema", dataset.DecodeSchema); err != nil {
		return nil, err
	}
	if p.Encoding, err = part(f, "encoding", encode.Decode); err != nil {
		return nil, err
	}
	if p.Scaling, err = part(f, "scaling", dataset.DecodeScaling); err != nil {
		return nil, err
	}
	if p.Calibration, err = part(f, "calibration", calibration.Decode); err != nil {
		return nil, err
	}
	if p.Conformal, err = part(f, "conformal", conformal.Decode); err != nil {
		return nil, err
	}
	for _, side := range sides {
		if f.HasSub(side) {
			sub, err := f.Sub(side)
			if err != nil {
				return nil, err
			}
			m, err := r.Model(sub)
			if err != nil {
				return nil, err
			}
			p.Band = append(p.Band, m)
		}
	}
	if err := p.check(); err != nil {
		array := ""
		if errors.Is(err, errClasses) {
			array = "names"
		}
		return nil, f.Errorf(array, "%v", err)
	}
	return p, nil
}

// part reads a part of the file; the result is nil if the file does not have it.
func part[T any](f *modelfile.File, name string, decode func(*modelfile.File) (*T, error)) (*T, error) {
	if !f.HasSub(name) {
		return nil, nil
	}
	sub, err := f.Sub(name)
	if err != nil {
		return nil, err
	}
	return decode(sub)
}

// Scaled returns x, which has the columns of the data, after the encoding and the scaling. It returns an error that states both
// numbers if x has another number of columns than the training data.
func (p *Model) Scaled(x mat.Matrix) (mat.Matrix, error) {
	if _, d := x.Dims(); d != p.Dim {
		return nil, fmt.Errorf("the data have %d columns, the model was trained on %d", d, p.Dim)
	}
	return encode.Scaled(p.Encoding, p.Scaling, x), nil
}

// Width returns the number of columns that Model takes, after the encoding.
func (p *Model) Width() int {
	if p.Encoding == nil {
		return p.Dim
	}
	_, width := p.Encoding.Dims()
	return width
}

// Options returns o with which a file is read as the model needs it: with its columns, which
// are found by name if both have names, and their storage.
func (p *Model) Options(o dataset.Options) dataset.Options {
	o.Dim, o.Storage, o.Schema = p.Dim, p.Storage, p.Schema
	o.Table = p.Schema != nil
	return o
}
