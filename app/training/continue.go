package training

import (
	"context"
	"slices"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/settings"
)

// Continue fits from on the rows of d, whose columns and classes must be those of the model. What the
// model keeps depends on its method:
//
//   - gbdt: all trees, to which more rounds are added, with the loss and the leaves, min-rows and column-sample of the
//     model unless these are given
//   - methods with a feature map that does not depend on the targets, such as nystrom and rff: the
//     map, on which the linear functions are fitted anew, to the rows of d alone
//
// The encoding and the scaling of the columns stay; probabilities and intervals are dropped, because
// they were those of the old functions. The error for other methods names these. On a
// *gram.ConvergenceError the result is the model so far.
func Continue(ctx context.Context, from *pipeline.Model, assignments []string, d *dataset.Set, run gram.Run) (*pipeline.Model, error) {
	m, err := catalog.Find(from.Method)
	if err != nil {
		return nil, err
	}
	f, ok := continued(m)
	if !ok {
		var names []string
		for _, m := range catalog.Methods() {
			if _, ok := continued(m); ok {
				names = append(names, m.Name)
			}
		}
		return nil, settings.Refuse("warm", "a model of method "+m.Name, "one of %s", strings.Join(names, ", "))
	}
	for _, a := range assignments {
		name, value, _ := strings.Cut(a, "=")
		if slices.Contains(f.Kept(), name) {
			return nil, settings.Refuse(name, value, "that of the model: the feature map stays as it is")
		}
	}
	if err := f.Settings().Set(assignments...); err != nil {
		return nil, err
	}
	if d.Task() != from.Task {
		return nil, settings.Refuse("task", d.Task(), "%s, as the model has learned", from.Task)
	}
	if from.Task == dataset.Classes && !slices.Equal(d.Labels.Names, from.Names) {
		return nil, settings.Refuse("classes", strings.Join(d.Labels.Names, ", "), "those of the model, %s", strings.Join(from.Names, ", "))
	}
	ready := *d
	if ready.X, err = from.Scaled(d.X); err != nil {
		return nil, err
	}
	if from.Encoding != nil || from.Scaling != nil { // a copy
		if run, err = run.Beside(ready.Bytes()); err != nil {
			return nil, err
		}
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
func continued(m catalog.Method) (catalog.Continued, bool) {
	f, ok := catalog.Plain(m.New()).(catalog.Continued)
	if s, mapped := f.(catalog.Streamed); mapped { // a map of which a model stores another form cannot be taken up
		ok = s.Streams()
	}
	return f, ok
}
