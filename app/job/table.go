package job

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/app/encode"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// Table says how tables with categories and missing cells are read.
type Table struct {
	Categories, Ignore, DropMissing []string `json:",omitempty"` // as in dataset.Options

	Encode encode.Config
}

// tabled is what the passes before Scan find out about a table. The zero value stands for a table of numbers.
type tabled struct {
	prepare  training.Prepare
	info     dataset.Info
	fills    *encode.Fills
	columns  *encode.Streamed // nil: numbers, or not known
	averaged bool             // target means are needed, for which there is a pass
	sampled  bool             // medians are computed from a sample of the rows
	known    bool             // everything that these passes find out is known
}

// width returns the number of columns of the encoded rows, or 0 if the columns of the data are not encoded.
func (t *tabled) width() int {
	if t.columns == nil {
		return 0
	}
	_, width := t.columns.Dims()
	return width
}

// encoded returns rows that a method learns from.
func (t *tabled) encoded(x mat.Matrix, folds *rand.Rand) mat.Matrix {
	if t.columns == nil {
		return x
	}
	return train(t.columns, x, folds)
}

// folds returns the random numbers that send the rows of item k to the parts of the cross-fitting.
func (j *Job) folds(k int) *rand.Rand { return rng.New(rng.Derive(j.Spec.Seed, "encode"), uint64(k)) }

func train(e *encode.Streamed, x mat.Matrix, folds *rand.Rand) mat.Matrix {
	return e.Train(x, func(int) int { return folds.IntN(encode.Folds) })
}

// encoded returns rows that the method learns from.
func (f *Features) encoded(x mat.Matrix, folds *rand.Rand) mat.Matrix {
	if f.Columns == nil {
		return x
	}
	return train(f.Columns, x, folds)
}

// dim returns the number of columns of the encoded rows.
func (f *Features) dim() int {
	if f.Columns == nil {
		return f.Info.D
	}
	_, width := f.Columns.Dims()
	return width
}

// fitted returns the pipeline of a model of the encoded, scaled rows.
func (f *Features) fitted(m modelfile.Model) *pipeline.Model {
	out := &pipeline.Model{
		Method: f.j.Spec.Method, Task: f.Info.Task, Dim: f.Info.D, Names: f.Info.Names, Model: m,
		Schema: f.Info.Schema, Scaling: f.Scaling, Storage: f.options().Storage,
	}
	if f.Columns != nil {
		out.Encoding = f.Columns.Encoding
	}
	return out
}

// The names of the passes that read the data before the passes of the fit, in their order.
const surveyPass, meansPass, scanPass = "survey", "means", "scan"

// surveyedRows is the state of the pass survey.
type surveyedRows struct {
	*dataset.Survey
	fills *encode.Fills
}

func (s *surveyedRows) add(o State) error {
	t := o.(*surveyedRows)
	if err := s.Merge(t.Survey); err != nil {
		return err
	}
	s.fills.Merge(t.fills)
	return nil
}

// Exchange describes in a file what the pass has seen in the cells, and the state of the fills.
func (s *surveyedRows) Exchange(x *modelfile.Exchange) {
	x.Part("cells", s.Survey.Exchange)
	x.Part("fills", s.fills.Exchange)
}

// survey returns the pass that finds the kinds of the columns, and what missing numbers become.
func (j *Job) survey() Pass {
	begin := func() *surveyedRows { return &surveyedRows{&dataset.Survey{}, encode.NewFills(j.Spec.Sample)} }
	return Pass{
		Name: surveyPass,
		j:    j,
		make: func() State { return begin() },
		item: func(ctx context.Context, k int) (State, error) {
			s := begin()
			keys := rng.New(rng.Derive(j.Spec.Seed, "sample"), uint64(k))
			row := int64(0)
			var err error
			s.Survey, err = j.Items[k].Survey(ctx, j.options, func(numbers []float64) error {
				s.fills.Add(keys.Uint64(), int64(k), row, numbers)
				row++
				return nil
			})
			return s, err
		},
	}
}

// read says how items are read by Scan and the pass means.
func (j *Job) read() dataset.Options {
	if j.table.info.N == 0 {
		return j.options
	}
	return j.table.info.Options(j.options)
}

// averages is the state of the pass means.
type averages struct{ *encode.Means }

func (s *averages) add(o State) error {
	s.Merge(o.(*averages).Means)
	return nil
}

// means returns the pass that sums the targets of the levels, after the pass survey.
func (j *Job) means() Pass {
	begin := func() *averages {
		_, m := j.encoding()
		return &averages{m}
	}
	return Pass{
		Name: meansPass,
		j:    j,
		make: func() State { return begin() },
		item: func(ctx context.Context, k int) (State, error) {
			s := begin()
			folds := j.folds(k)
			for set, err := range j.Items[k].Blocks(ctx, j.read(), linear.BlockRows) {
				if err != nil {
					return nil, err
				}
				s.Add(set, func(int) int { return folds.IntN(encode.Folds) })
			}
			return s, nil
		},
	}
}

func (j *Job) encoding() (*encode.Streamed, *encode.Means) {
	functions := 1
	if j.table.info.Task == dataset.Classes {
		functions = multiclass.Functions(len(j.table.info.Names))
	}
	return j.table.prepare.Encode.Encoding(j.table.info.Schema, functions, j.table.fills)
}

// surveyed finds out what the columns of a table become, from the states of the passes before Scan,
// which sum returns: with means all that there is, else what the pass survey tells.
func (j *Job) surveyed(sum func(Pass) (State, error), means bool) error {
	t := &j.table
	if j.Spec.Table == nil || t.known {
		return nil
	}
	if t.info.N == 0 {
		state, err := sum(j.survey())
		if err != nil {
			return err
		}
		s := state.(*surveyedRows)
		info, err := s.Info(j.Spec.Data)
		if err != nil {
			return err
		}
		if err := (&Features{Info: info, j: j}).check(); err != nil {
			return err
		}
		t.info, t.fills = info, s.fills
		if !info.Schema.Mixed() {
			t.known = true
			return nil
		}
		e, m := j.encoding()
		t.columns, t.averaged, t.known = e, m != nil, m == nil
		fill := t.prepare.Encode.Fill
		t.sampled = fill != encode.Keep && fill != encode.Mean && !s.fills.Exact() &&
			slices.ContainsFunc(info.Schema.Columns, func(c dataset.Column) bool { return c.Kind != dataset.Category && c.Missing })
	}
	if t.known || !means {
		return nil
	}
	state, err := sum(j.means())
	if err != nil {
		return err
	}
	t.columns, t.known = state.(*averages).Encoding(), true
	return nil
}

// First makes the passes up to Scan in this process, on run.Workers goroutines, and returns the state
// of Scan.
func (j *Job) First(ctx context.Context, run gram.Run) (State, error) {
	if err := j.surveyed(func(p Pass) (State, error) { return p.Sum(ctx, run) }, true); err != nil {
		return nil, err
	}
	return j.Scan().Sum(ctx, run)
}

// Before returns the number of passes before Scan, once First or Work.Features has returned.
func (j *Job) Before() int {
	switch {
	case j.Spec.Table == nil:
		return 0
	case j.table.averaged:
		return 2
	}
	return 1
}

// SampledMedians reports whether missing numbers become medians of a sample of the rows, not of all,
// once First has returned.
func (j *Job) SampledMedians() bool { return j.table.sampled }
