package job

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/store"
)

// evalPass is the first part of the names of passes of Eval.
const evalPass = "eval"

// Eval returns the pass that measures a model of classes or values on the rows of the job; Figures
// returns the result. path is the file of the model, whose checksum is part of the name of the
// pass, so that states of another model are not taken. The items are read as for the fit if the
// folder has features. The size of a state does not depend on the number of rows unless a measure
// is of the order of scores; see metric.Sums.
func (w *Work) Eval(m *pipeline.Model, path string, measures []metric.Measure) (Pass, error) {
	method, err := catalog.Find(m.Method)
	if clusters := err == nil && method.Clusters; clusters || m.Task != dataset.Classes && m.Task != dataset.Regression {
		return Pass{}, settings.Refuse("model", m.Method, "one of classes or values, whose measures can be summed")
	}
	b, err := store.ReadFile(path)
	if err != nil {
		return Pass{}, err
	}
	o, err := w.evalOptions(m)
	if err != nil {
		return Pass{}, err
	}
	needs := func(n metric.Need) bool {
		return slices.ContainsFunc(measures, func(m metric.Measure) bool { return m.Needs == n })
	}
	want := pipeline.Want{Order: needs(metric.NeedScores), Probability: needs(metric.NeedProbability)}
	if err := m.Check(want); err != nil {
		return Pass{}, err
	}
	sum := sha256.Sum256(fmt.Append(b, want))
	begin := func() *evaluated {
		s := metric.NewSums(len(m.Names))
		s.KeepScores = want.Order
		return &evaluated{s}
	}
	return Pass{
		Name: evalPass + "-" + hex.EncodeToString(sum[:8]),
		j:    w.Job,
		make: func() State { return begin() },
		item: func(ctx context.Context, k int) (State, error) {
			s := begin()
			for block, err := range w.Job.Items[k].Blocks(ctx, o, linear.BlockRows) {
				if err != nil {
					return nil, err
				}
				p, err := m.Answer(block.X, want)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", w.Job.Items[k].Path, err)
				}
				s.Add(metric.Answers{Class: block.Labels.Class, Predicted: p.Class, Scores: p.Order, Probability: p.Probability, Target: block.Value, Value: p.Value})
			}
			return s, nil
		},
	}, nil
}

// evalOptions says how the items are read to measure a model.
func (w *Work) evalOptions(m *pipeline.Model) (dataset.Options, error) {
	f, err := w.features()
	if err != nil {
		return dataset.Options{}, err
	}
	o := w.Job.options
	if f != nil {
		o = f.options()
	}
	if f != nil && f.Info.Task != m.Task || o.Task != dataset.AutoTask && o.Task != m.Task {
		return o, fmt.Errorf("%s: the targets are of task %s, the model's of %s", w.Job.Spec.Data, o.Task, m.Task)
	}
	if o.Task = m.Task; m.Task == dataset.Classes {
		o.Names = m.Names
	}
	return m.Options(o), nil
}

// Figure is the value of a measure for N rows.
type Figure struct {
	Metric string  `json:"metric"`
	Value  float64 `json:"value"`
	N      int64   `json:"n"`
}

// Figures merges what is left to merge of a pass of Eval and returns those of the measures that are
// defined for the rows.
func (w *Work) Figures(ctx context.Context, p Pass, measures []metric.Measure) ([]Figure, error) {
	s, err := w.Sum(ctx, p)
	if err != nil {
		return nil, err
	}
	sums := s.(*evaluated)
	if sums.Rows == 0 {
		return nil, fmt.Errorf("%s: there are no rows", w.Job.Spec.Data)
	}
	var out []Figure
	for _, m := range measures {
		if v := sums.Of(m); v == v && !math.IsInf(v, -1) {
			out = append(out, Figure{m.Name, v, sums.Rows})
		}
	}
	return out, nil
}

// evaluated is the state of a pass of Eval.
type evaluated struct{ *metric.Sums }

func (s *evaluated) add(o State) error {
	s.Merge(o.(*evaluated).Sums)
	return nil
}

// Exchange describes in a file the number of rows, the confusion matrix and the sums of losses. A file of an older version is
// refused.
func (s *evaluated) Exchange(x *modelfile.Exchange) {
	head := struct {
		Rows  int64
		Width int
	}{s.Rows, s.Width}
	x.Header("job.eval", 2, &head)
	x.Require(x.Version() == 2, "", "sums of an older program")
	x.Require(head.Rows >= 0 && head.Rows <= 1<<40 && head.Width >= 0 && head.Width <= 1<<20, "", "%d rows with %d scores", head.Rows, head.Width)
	s.Rows, s.Width = head.Rows, head.Width
	if c := s.Confusion; c != nil {
		k := len(c.Count)
		x.Ints("none", &c.None, k, 0, math.MaxInt)
		count := slices.Concat(c.Count...)
		x.Ints("count", &count, k*k, 0, math.MaxInt)
		for t := 0; t < k && x.Reading(); t++ {
			copy(c.Count[t], count[t*k:])
		}
	}
	sums := []*float64{&s.LogLoss, &s.Brier, &s.Absolute, &s.Square, &s.Mean, &s.Scatter}
	var values []float64
	for _, v := range sums {
		values = append(values, *v)
	}
	x.AnyFloat64("sums", &values, len(sums))
	for i := 0; i < len(sums) && x.Reading(); i++ {
		*sums[i] = values[i]
	}
	bins := len(s.Bins.Rows)
	x.Ints("bins.rows", &s.Bins.Rows, bins, 0, math.MaxInt)
	x.AnyFloat64("bins.probability", &s.Bins.Mean, bins)
	x.AnyFloat64("bins.right", &s.Bins.Frequency, bins)
	if s.KeepScores {
		x.AnyFloat64("scores", &s.Scores, int(s.Rows)*s.Width)
		x.Ints("class", &s.Class, int(s.Rows), 0, max(0, len(s.Confusion.Count)-1))
	}
}
