package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
	"gonum.org/v1/gonum/mat"
)

// scorer computes the figures of one task block by block.
type scorer interface {
	// want says what is to be predicted for score.
	want() pipeline.Want
	score(d *dataset.Set, p pipeline.Predictions)
	figures() []figure
}

// measuresOf returns the measures with the given names of what the model predicts; without
// names, those that are printed by default.
func measuresOf(m *pipeline.Model, names []string) ([]metric.Measure, error) {
	var needs []metric.Need
	switch m.Model.(type) {
	case gram.Classifier:
		if needs = append(needs, metric.NeedClass); len(names) > 0 || len(m.Names) == 2 {
			needs = append(needs, metric.NeedScores)
		}
		if m.Probabilities() != nil {
			needs = append(needs, metric.NeedProbability)
		}
	case gram.Regressor:
		needs = append(needs, metric.NeedValue)
	}
	var list []metric.Measure
	for _, n := range metric.Measures() {
		if len(names) == 0 && slices.Contains(needs, n.Needs) && n.Name != "average_precision" {
			list = append(list, n)
		}
	}
	for _, name := range names {
		n, err := metric.Find(name, needs...)
		if err != nil {
			if all, e := metric.Find(name); e == nil && all.Needs == metric.NeedProbability && m.Task == dataset.Classes {
				return nil, usagef("--metric %s: %v", name, m.Check(pipeline.Want{Probability: true}))
			}
			return nil, usageError{err}
		}
		list = append(list, n)
	}
	return list, nil
}

// splitNames returns the names in a list that commas separate.
func splitNames(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// measureTable describes the measures of classes and values in a line each, for a help text.
func measureTable() string {
	var b strings.Builder
	for _, m := range metric.Measures() {
		if m.Needs != metric.NeedTop {
			fmt.Fprintf(&b, "  %-18s %s\n", m.Name, m.Summary)
		}
	}
	return b.String()
}

// classFigures is a line of gram eval --confusion --json.
type classFigures struct {
	Class     string  `json:"class"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	Rows      int     `json:"rows"`
	Predicted []int   `json:"predicted"` // rows by predicted class
}

// writeConfusion writes the figures of each class and the counts of classes predicted for it.
func writeConfusion(out io.Writer, s *answerScorer, names []string, asJSON bool) error {
	c := metric.NewConfusion(len(names))
	c.Add(s.Predicted, s.Class)
	if asJSON {
		enc := json.NewEncoder(out)
		for k, name := range names {
			if err := enc.Encode(classFigures{name, c.Precision(k), c.Recall(k), c.F1(k), c.Actual(k), c.Count[k]}); err != nil {
				return err
			}
		}
		return nil
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "class\tprecision\trecall\tf1\trows\t|\t%s\t\n", strings.Join(names, "\t"))
	for k, name := range names {
		fmt.Fprintf(t, "%s\t%.4f\t%.4f\t%.4f\t%d\t|", name, c.Precision(k), c.Recall(k), c.F1(k), c.Actual(k))
		for _, n := range c.Count[k] {
			fmt.Fprintf(t, "\t%d", n)
		}
		fmt.Fprint(t, "\t\n")
	}
	return t.Flush()
}

// answerScorer gathers what its measures need of classes and values.
type answerScorer struct {
	measures []metric.Measure
	level    float64 // of intervals or sets; 0: none
	plotted  bool    // scores are gathered for plots,
	probable bool    // and probabilities, which the model has

	metric.Answers
	scores, probability []float64
	rows, held, size    float64 // rows; those whose truth is in the interval or the set; sum of the widths or the numbers of classes
}

func (s *answerScorer) want() pipeline.Want {
	needs := func(n metric.Need) bool {
		return slices.ContainsFunc(s.measures, func(m metric.Measure) bool { return m.Needs == n })
	}
	return pipeline.Want{Order: s.plotted || needs(metric.NeedScores), Probability: s.plotted && s.probable || needs(metric.NeedProbability), Level: s.level}
}

func (s *answerScorer) score(d *dataset.Set, p pipeline.Predictions) {
	s.Class, s.Target = append(s.Class, d.Labels.Class...), append(s.Target, d.Value...)
	s.Predicted, s.Value = append(s.Predicted, p.Class...), append(s.Value, p.Value...)
	gather := func(to *[]float64, whole **mat.Dense, x *mat.Dense) {
		if x != nil {
			_, k := x.Dims()
			*to = append(*to, x.RawMatrix().Data...)
			*whole = mat.NewDense(len(*to)/k, k, *to)
		}
	}
	gather(&s.scores, &s.Scores, p.Order)
	gather(&s.probability, &s.Probability, p.Probability)
	for i, set := range p.Set {
		s.cover(slices.Contains(set, d.Labels.Class[i]), float64(len(set)))
	}
	for i, low := range p.Low {
		s.cover(low <= d.Value[i] && d.Value[i] <= p.High[i], p.High[i]-low)
	}
}

func (s *answerScorer) cover(covered bool, size float64) {
	s.rows++
	s.size += size
	if covered {
		s.held++
	}
}

func (s *answerScorer) figures() []figure {
	var out []figure
	for _, m := range s.measures {
		if v := m.Of(s.Answers); v == v && !math.IsInf(v, -1) { // others are not defined for these rows
			out = append(out, figure{Metric: m.Name, Value: v})
		}
	}
	if s.level > 0 {
		size := "width"
		if s.Classes > 0 {
			size = "set_size"
		}
		out = append(out, figure{Metric: "coverage", Value: s.held / s.rows}, figure{Metric: size, Value: s.size / s.rows})
	}
	return out
}

// clusterer is a model whose classes are clusters.
type clusterer interface {
	gram.Classifier
	Assign(dst []int, x mat.Matrix) []int
}

// clusterScorer compares clusters with classes; a row without a cluster, with NaN, is one of
// its own.
type clusterScorer struct {
	clusters       int
	cluster, class []int
}

func (s *clusterScorer) want() pipeline.Want { return pipeline.Want{} }

func (s *clusterScorer) score(d *dataset.Set, p pipeline.Predictions) {
	for i, c := range p.Class {
		if c < 0 {
			c = s.clusters + len(s.cluster) + i
		}
		p.Class[i] = c
	}
	s.cluster, s.class = append(s.cluster, p.Class...), append(s.class, d.Labels.Class...)
}

func (s *clusterScorer) figures() []figure {
	return []figure{
		{Metric: "nmi", Value: metric.NMI(s.cluster, s.class)},
		{Metric: "purity", Value: metric.Purity(s.cluster, s.class)},
		{Metric: "pair_error", Value: metric.PairError(s.cluster, s.class)},
	}
}

type rankScorer struct {
	model      gram.Ranker
	propensity bool
	ranking    *metric.Ranking
}

// newRankScorer returns a scorer with the counts of labels in the training file, if there is one.
func newRankScorer(ctx context.Context, model gram.Ranker, train string, o dataset.Options) (*rankScorer, error) {
	ks := []int{1, 3, 5}
	if train == "" {
		return &rankScorer{model: model, ranking: metric.NewRanking(ks, nil)}, nil
	}
	d, err := dataset.Open(train, o)
	if err != nil {
		return nil, err
	}
	if d.Tags == nil {
		return nil, fmt.Errorf("%s: the targets are of task %s, want sets of labels", train, d.Task())
	}
	if d.Tags.D > model.NumLabels() {
		return nil, fmt.Errorf("%s: %d labels, the model has %d", train, d.Tags.D, model.NumLabels())
	}
	p := metric.Propensities(d.Tags, model.NumLabels(), metric.PropensityA, metric.PropensityB)
	return &rankScorer{model: model, propensity: true, ranking: metric.NewRanking(ks, p)}, nil
}

func (s *rankScorer) want() pipeline.Want { return pipeline.Want{Top: 5} }

func (s *rankScorer) score(d *dataset.Set, p pipeline.Predictions) {
	truth := *d.Tags
	truth.D = max(truth.D, s.model.NumLabels())
	s.ranking.Add(p.Top, &truth)
}

func (s *rankScorer) figures() []figure {
	var out []figure
	add := func(name string, values []float64) {
		for i, k := range []int{1, 3, 5} {
			out = append(out, figure{Metric: fmt.Sprintf("%s@%d", name, k), Value: values[i]})
		}
	}
	add("p", s.ranking.Precision())
	add("ndcg", s.ranking.NDCG())
	if s.propensity {
		add("psp", s.ranking.PSPrecision())
		add("psndcg", s.ranking.PSNDCG())
	}
	return out
}
