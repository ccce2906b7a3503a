package job

import (
	"context"
	"fmt"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"gonum.org/v1/gonum/mat"
)

// normal is the state of the pass Normal.
type normal struct{ *linear.Normal }

func (s *normal) add(o State) error { return s.Merge(o.(*normal).Normal) }

// newton is the state of a pass of Newton's method.
type newton struct{ *linear.NewtonSums }

func (s *newton) add(o State) error { return s.Merge(o.(*newton).NewtonSums) }

// Normal returns the pass that sums the normal equations of a ridge regression.
func (j *Job) Normal(f *Features) Pass {
	p := int64(f.Width())
	return Pass{
		Name: normalPass,
		j:    j,
		item: func(ctx context.Context, k int) (State, error) {
			r, err := f.ridge()
			if err != nil {
				return nil, err
			}
			s := linear.NewNormal(f.Width(), 1, r.NoBias)
			err = f.blocks(ctx, k, func(x mat.Matrix, set *dataset.Set) error {
				n, _ := x.Dims()
				err := f.checkTargets(k, set)
				if err == nil {
					s.Add(x, mat.NewDense(n, 1, set.Value), nil)
				}
				return err
			})
			return &normal{s}, err
		},
		make: func() State { return &normal{&linear.Normal{}} },
		cost: f.cost(8*p*p, 3),
	}
}

// checkTargets returns the error of targets of a block of item k.
func (f *Features) checkTargets(k int, set *dataset.Set) error {
	err := set.CheckTargets()
	if e, is := err.(*gram.DataError); is {
		if math.Abs(e.Value) < 1 { // those of other pieces may be larger
			return nil
		}
		e.Row, e.Argument = -1, "a target of "+f.j.Items[k].Path
	}
	return err
}

// Newton returns the next pass of Newton's method for classes, after those that t has made. If t
// is done, so is the pass: it has no items.
func (j *Job) Newton(f *Features, t *linear.Newton) Pass {
	return Pass{
		Name: newtonName(t.Passes()),
		j:    j,
		done: t.Done(),
		item: func(ctx context.Context, k int) (State, error) {
			s := t.Sums()
			err := f.blocks(ctx, k, func(x mat.Matrix, set *dataset.Set) error {
				s.Add(x, set.Labels.Class, nil)
				return nil
			})
			return &newton{s}, err
		},
		make: func() State { return &newton{t.Sums()} },
		cost: f.cost(t.Bytes(), 4),
	}
}

// mostFeatures is the largest number of features of sums over the rows.
const mostFeatures = 1 << 20

// normalPass is the pass of values, and newtonPass the first part of the names of the passes of Newton's method.
const normalPass, newtonPass = "normal", "newton"

// newtonName is the name of a pass of Newton's method, from 0.
func newtonName(step int) string { return fmt.Sprintf("%s-%02d", newtonPass, step) }

// cost returns the memory of a pass in one process, where a state has the given number of bytes
// and an item so many blocks of features.
func (f *Features) cost(state, blocks int64) func(workers int) int64 {
	return func(workers int) int64 {
		p, d := int64(f.Width()), int64(f.dim())
		if p > mostFeatures {
			return math.MaxInt64
		}
		item := state + 8*linear.BlockRows*blocks*(p+d)
		return int64(workers)*(item+state) + int64(f.j.Depth()+1)*state
	}
}

// blocks calls add for the rows of item k, block by block, with their features.
func (f *Features) blocks(ctx context.Context, k int, add func(x mat.Matrix, set *dataset.Set) error) error {
	p := f.Width()
	var phi *mat.Dense
	if f.Map != nil {
		phi = mat.NewDense(linear.BlockRows, p, nil)
	}
	return f.rows(ctx, k, func(x mat.Matrix, set *dataset.Set) error {
		if f.Map != nil {
			n, _ := x.Dims()
			x = f.Map.Map(phi.Slice(0, n, 0, p).(*mat.Dense), x)
		}
		return add(x, set)
	})
}

// ridge returns the configuration of the ridge regression on the features.
func (f *Features) ridge() (linear.Ridge, error) {
	fitter, err := f.fitter()
	if err != nil {
		return linear.Ridge{}, err
	}
	return fitter.Linear(f.Info.Task).Values()
}

// begin returns Newton's method before its first pass.
func (f *Features) begin() (*linear.Newton, error) {
	fitter, err := f.fitter()
	if err != nil {
		return nil, err
	}
	return fitter.Linear(f.Info.Task).Newton(f.Width(), len(f.Info.Names))
}

// step makes the step of Newton's method that follows from the state of a pass, which is
// destroyed.
func (f *Features) step(ctx context.Context, t *linear.Newton, state State) error {
	s := state.(*newton).NewtonSums
	if err := f.sameRows(s.Rows()); err != nil {
		return err
	}
	return t.Step(ctx, s)
}

// sameRows returns an error if a pass has read another number of rows than the first one.
func (f *Features) sameRows(n int64) error {
	if int(n) != f.Info.N {
		return fmt.Errorf("the first pass has read %d rows, another one %d: the data have changed", f.Info.N, n)
	}
	return nil
}

// features returns the feature map, nil if the features are the data.
func (f *Features) features() gram.FeatureMap {
	if f.Map == nil {
		return nil
	}
	return f.Map
}

// Model solves the normal equations. state is the result of Normal, which is destroyed.
func (f *Features) Model(ctx context.Context, state State) (*pipeline.Model, error) {
	r, err := f.ridge()
	if err != nil {
		return nil, err
	}
	s := state.(*normal)
	if err := f.sameRows(s.Rows()); err != nil {
		return nil, err
	}
	l, err := r.Solve(ctx, f.features(), s.Normal)
	if err != nil {
		return nil, err
	}
	return f.join(l)
}

// Classifier returns the model that Newton's method has found. If its tolerance is not reached
// the model is returned with a *gram.ConvergenceError.
func (f *Features) Classifier(t *linear.Newton) (*pipeline.Model, error) {
	l, short := t.Model(f.features(), f.Info.Names)
	if l == nil {
		return nil, short
	}
	m, err := f.join(l)
	if err != nil {
		return nil, err
	}
	return m, short
}

// join returns the model of linear functions of the features.
func (f *Features) join(l any) (*pipeline.Model, error) {
	fitter, err := f.fitter()
	if err != nil {
		return nil, err
	}
	return f.fitted(fitter.Join(f.Map, l)), nil
}

// Fit makes the passes after the first one in this process, on run.Workers goroutines: one for
// values, about ten for classes, some tens by falkon. It returns the model and the number of passes over the data from
// Scan on. For classes the model may come with a *gram.ConvergenceError.
func (f *Features) Fit(ctx context.Context, run gram.Run) (m *pipeline.Model, passes int, err error) {
	if f.Passes != nil {
		return f.fitPasses(ctx, run)
	}
	if f.Info.Task == dataset.Regression {
		sums, err := f.j.Normal(f).Sum(ctx, run)
		if err != nil {
			return nil, 1, err
		}
		m, err := f.Model(ctx, sums)
		return m, 2, err
	}
	t, err := f.begin()
	if err != nil {
		return nil, 1, err
	}
	for !t.Done() {
		sums, err := f.j.Newton(f, t).Sum(ctx, run)
		if err == nil {
			err = f.step(ctx, t, sums)
		}
		if err != nil {
			return nil, 1 + t.Passes(), err
		}
	}
	m, err = f.Classifier(t)
	return m, 1 + t.Passes(), err
}

// Fit fits the model in this process, on run.Workers goroutines; see Features.Fit. The memory
// that it takes does not depend on the number of rows. run.Seed is ignored in favor of that of
// the Spec.
func (j *Job) Fit(ctx context.Context, run gram.Run) (*pipeline.Model, *Features, error) {
	s, err := j.First(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	f, err := j.Features(ctx, s, run)
	if err != nil {
		return nil, nil, err
	}
	m, _, err := f.Fit(ctx, run)
	return m, f, err
}
