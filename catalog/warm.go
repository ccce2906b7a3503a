package catalog

import (
	"context"
	"slices"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/pipeline"
	"github.com/gramworks/gram/settings"
)

// Continued is a Fitter that can go on from a model of its method.
type Continued interface {
	Fitter
	// Kept returns the names of the settings that are those of the model.
	Kept() []string
	// Continue is Fit from the model, whose columns and classes are those of d.
	Continue(ctx context.Context, from modelfile.Model, d *dataset.Set, run gram.Run) (modelfile.Model, error)
}

// Continue fits from on the rows of d, whose columns and classes must be those of the model. What the
// model keeps depends on its method:
//
//   - gbdt: all trees, to which more rounds are added, with the leaves, min-rows and column-sample of the
//     model unless these are given
//   - methods with a feature map that does not depend on the targets, such as nystrom and rff: the
//     map, on which the linear functions are fitted anew, to the rows of d alone
//
// The encoding and the scaling of the columns stay; probabilities and intervals are dropped, because
// they were those of the old functions. The error for other methods names these. On a
// *gram.ConvergenceError the result is the model so far.
func Continue(ctx context.Context, from *pipeline.Model, assignments []string, d *dataset.Set, run gram.Run) (*pipeline.Model, error) {
	m, err := Find(from.Method)
	if err != nil {
		return nil, err
	}
	f, ok := continued(m)
	if !ok {
		var names []string
		for _, m := range Methods() {
			if _, ok := continued(m); ok {
				names = append(names, m.Name)
			}
		}
		return nil, gram.Refuse("warm", "a model of method "+m.Name, "one of %s", strings.Join(names, ", "))
	}
	for _, a := range assignments {
		name, value, _ := strings.Cut(a, "=")
		if slices.Contains(f.Kept(), name) {
			return nil, gram.Refuse(name, value, "that of the model: the feature map stays as it is")
		}
	}
	if err := f.Settings().Set(assignments...); err != nil {
		return nil, err
	}
	if d.Task() != from.Task {
		return nil, gram.Refuse("task", d.Task(), "%s, as the model has learned", from.Task)
	}
	if from.Task == dataset.Classes && !slices.Equal(d.Labels.Names, from.Names) {
		return nil, gram.Refuse("classes", strings.Join(d.Labels.Names, ", "), "those of the model, %s", strings.Join(from.Names, ", "))
	}
	ready := *d
	if ready.X, err = from.Scaled(d.X); err != nil {
		return nil, err
	}
	model, err := f.Continue(ctx, from.Model, &ready, run)
	if model == nil {
		return nil, err
	}
	out := *from
	out.Model, out.Calibration, out.Conformal = model, nil, nil
	return &out, err
}

// continued returns a fitter of the method if it can go on from a model.
func continued(m Method) (Continued, bool) {
	f, ok := m.New().(Continued)
	if s, mapped := f.(Streamed); mapped { // a map of which a model stores another form cannot be taken up
		ok = s.Streams()
	}
	return f, ok
}

// treesFitter is the Fitter of boosted trees.
type treesFitter struct {
	*estimator[gbdt.Config, *gbdt.Config]
}

// Kept returns none.
func (treesFitter) Kept() []string { return nil }

// Continue adds rounds to the trees.
func (f treesFitter) Continue(ctx context.Context, from modelfile.Model, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	if _, err := f.complete(d.X, run); err != nil {
		return nil, err
	}
	c := f.config
	switch m := from.(type) {
	case *gbdt.Classifier:
		c.Columns = m.Columns()
		more, err := result(c.More(ctx, m, d.X, d.Labels, d.Weight))
		return more, f.bound.Named(err)
	case *gbdt.Regressor:
		c.Columns = m.Columns()
		more, err := result(c.MoreValues(ctx, m, d.X, d.Value, d.Weight))
		return more, f.bound.Named(err)
	}
	return nil, gram.Refuse("warm", "a model without trees", "one of gbdt")
}

// Kept returns the settings of the map.
func (f mapFitter[C, M, P]) Kept() []string {
	var names []string
	var c C
	for _, s := range settings.List(P(&c)) {
		names = append(names, s.Name)
	}
	return names
}

// Continue fits the linear functions to the features of the model's map.
func (f mapFitter[C, M, P]) Continue(ctx context.Context, from modelfile.Model, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	has, _ := from.(interface{ FeatureMap() pipeline.Map })
	if has == nil {
		return nil, gram.Refuse("warm", "a model without a feature map", "one of %s", f.method)
	}
	m, ok := has.FeatureMap().(M)
	if !ok {
		return nil, gram.Refuse("warm", "a model with another feature map", "one of %s", f.method)
	}
	if _, err := f.complete(d.X, run); err != nil {
		return nil, err
	}
	l, err := f.fitOn(ctx, f.config, m, d)
	return l, f.bound.Named(err)
}
