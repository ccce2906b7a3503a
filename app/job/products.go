package job

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/falkon"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/store"
	"gonum.org/v1/gonum/mat"
)

// productsPass is the first part of the names of the passes of conjugate gradients: products-000 is for the targets, and
// products-P for product number P.
const productsPass = "products"

// productName is the name of a pass of conjugate gradients, from 0.
func productName(number int) string { return fmt.Sprintf("%s-%03d", productsPass, number) }

// The names under which a folder keeps the factors that only the process needs that makes the steps, the coefficients of a product, and
// that no product is missing.
const factorsPass, coefficientsPass, solvedPass = "factors", "coefficients", "solved"

// byPasses returns a fitter of the method, with its settings, if its iterations are passes over the rows; else nil.
func (s Spec) byPasses() (catalog.ByPasses, error) {
	m, err := catalog.Find(s.Method)
	if err != nil || s.Cap > 0 {
		return nil, err
	}
	f, ok := catalog.Plain(m.New()).(catalog.ByPasses)
	if !ok {
		return nil, nil
	}
	return f, f.Settings().Set(s.Settings...)
}

// ByPasses reports whether each iteration of the fit is a pass over the rows, as that of falkon.
func (j *Job) ByPasses() bool {
	f, _ := j.Spec.byPasses()
	return f != nil
}

// product is the state of a pass of conjugate gradients.
type product struct{ *falkon.Sums }

func (s *product) add(o State) error { return s.Merge(o.(*product).Sums) }

// solved is how many passes the solution took.
type solved struct{ passes int }

// Exchange describes in a file how many passes the solution took.
func (s *solved) Exchange(x *modelfile.Exchange) { x.Int("passes", &s.passes, 1, modelfile.MaxInt) }

// beginPasses returns f with what the passes need, which follows from the sample d.
func (f *Features) beginPasses(ctx context.Context, d *dataset.Set, run gram.Run) (*Features, error) {
	fitter, err := f.j.Spec.byPasses()
	if err == nil {
		err = f.number(fitter.Settings())
	}
	if err != nil {
		return nil, err
	}
	if f.Info.Task == dataset.Classes {
		if len(f.Info.Names) < 2 {
			return nil, settings.Refuse("classes", len(f.Info.Names), "at least 2")
		}
		number := make(map[string]int, len(f.Info.Names))
		for k, name := range f.Info.Names {
			number[name] = k
		}
		for i, class := range d.Labels.Class {
			d.Labels.Class[i] = number[d.Labels.Names[class]]
		}
		d.Labels.Names = f.Info.Names
	} else if err := d.CheckTargets(); err != nil {
		return nil, err
	}
	f.Passes, f.factors, err = fitter.Begin(ctx, d, len(f.Info.Names), f.Info.N, run)
	return f, err
}

// targets returns the targets of a block of item k, as the passes learn them.
func (f *Features) targets(k int, set *dataset.Set) (*mat.Dense, error) {
	if f.Info.Task == dataset.Classes {
		return multiclass.Signs(set.Labels.Class, len(f.Info.Names)), nil
	}
	return mat.NewDense(len(set.Value), 1, set.Value), f.checkTargets(k, set)
}

// product returns pass number k of conjugate gradients: with coefficients v, or for the targets if v is nil.
func (j *Job) product(f *Features, number int, v *falkon.Coefficients) Pass {
	return Pass{
		Name: productName(number),
		j:    j,
		item: func(ctx context.Context, k int) (State, error) {
			s := f.Passes.Sums(v)
			err := f.blocks(ctx, k, func(x mat.Matrix, set *dataset.Set) (err error) {
				var y *mat.Dense
				if v == nil {
					if y, err = f.targets(k, set); err != nil {
						return err
					}
				}
				return s.Add(ctx, x, y)
			})
			return &product{s}, err
		},
		make: func() State { return &product{f.Passes.Sums(v)} },
		cost: func(workers int) int64 { return int64(workers) * f.Passes.PieceBytes() },
	}
}

// solve returns the model whose products sum makes.
func (f *Features) solve(ctx context.Context, factors *falkon.Factors, run gram.Run, sum func(p Pass, v *falkon.Coefficients) (State, error)) (*pipeline.Model, error) {
	m, short := f.Passes.Solve(ctx, factors, run, func(number int, v *falkon.Coefficients) (*falkon.Sums, error) {
		s, err := sum(f.j.product(f, number, v), v)
		if err != nil {
			return nil, err
		}
		sums := s.(*product).Sums
		return sums, f.sameRows(sums.Rows())
	})
	if m == nil {
		return nil, short
	}
	fitter, err := f.j.Spec.byPasses()
	if err != nil {
		return nil, err
	}
	return f.fitted(fitter.Model(m, f.Info.Names)), short
}

// fitPasses makes the passes of conjugate gradients in this process.
func (f *Features) fitPasses(ctx context.Context, run gram.Run) (m *pipeline.Model, passes int, err error) {
	beside, err := run.Beside(f.factors.Bytes())
	if err != nil {
		return nil, 1, err
	}
	passes = 1
	m, err = f.solve(ctx, f.factors, run, func(p Pass, _ *falkon.Coefficients) (State, error) {
		passes++
		return p.Sum(ctx, beside)
	})
	return m, passes, err
}

// errToBeMade ends a solution whose next product is to be made.
var errToBeMade = errors.New("the next pass is not complete")

// factors returns the factors, which are computed again if they are gone.
func (w *Work) factors(ctx context.Context, f *Features, run gram.Run) (*falkon.Factors, error) {
	if f.factors == nil {
		m := int64(f.Passes.Landmarks())
		if _, err := run.Beside(16 * m * m); err != nil {
			return nil, err
		}
		factors := &falkon.Factors{}
		have, err := w.recall(factorsPass, 0, factors)
		if err != nil {
			return nil, err
		}
		if !have {
			if factors, err = w.beginAgain(ctx, run); err != nil {
				return nil, err
			}
		}
		f.factors = factors
	}
	return f.factors, nil
}

// beginAgain computes the factors from the state of the pass scan and keeps them.
func (w *Work) beginAgain(ctx context.Context, run gram.Run) (*falkon.Factors, error) {
	s, err := w.first(ctx)
	if err != nil {
		return nil, err
	}
	f, err := w.Job.Features(ctx, s, run)
	if err != nil {
		return nil, err
	}
	return f.factors, w.keep(factorsPass, 0, f.factors)
}

// bySteps makes the steps that the complete passes allow. It returns the pass that is to be made next, whose
// coefficients it keeps in the folder, or the model, which may come with a *gram.ConvergenceError.
func (w *Work) bySteps(ctx context.Context, f *Features, run gram.Run) (m *pipeline.Model, next *Pass, err error) {
	if p := w.Job.product(f, 0, nil); !w.complete(p) {
		return nil, &p, nil
	}
	factors, err := w.factors(ctx, f, run)
	if err != nil {
		return nil, nil, err
	}
	number := -1
	m, err = f.solve(ctx, factors, run, func(p Pass, v *falkon.Coefficients) (State, error) {
		if number++; w.complete(p) {
			return w.Sum(ctx, p)
		}
		next = &p
		if err := w.keep(coefficientsPass, number, v); err != nil {
			return nil, err
		}
		return nil, errToBeMade
	})
	if errors.Is(err, errToBeMade) {
		return nil, next, nil
	}
	if m != nil && ctx.Err() == nil {
		if err := w.keep(solvedPass, 0, &solved{number + 1}); err != nil {
			return nil, nil, err
		}
		if err := w.forgetRows(); err != nil {
			return nil, nil, err
		}
	}
	return m, nil, err
}

// listProducts returns the passes of conjugate gradients that are known, and whether no other is needed.
func (w *Work) listProducts() (passes []listed, ended bool, err error) {
	after := store.Join(w.Dir, featuresFile)
	for k := 0; ; k++ {
		if k > 0 {
			after = w.path(Pass{Name: coefficientsPass}, node{0, k})
			if _, err := store.Stat(after); errors.Is(err, fs.ErrNotExist) {
				break
			} else if err != nil {
				return nil, false, err
			}
		}
		name := productName(k)
		passes = append(passes, listed{name, len(w.Job.Items), func(k int) string { return w.path(Pass{Name: name}, node{0, k}) }, after})
	}
	ended, err = w.recall(solvedPass, 0, &solved{})
	return passes, ended, err
}

// begunProduct returns the first pass that is not complete of those whose coefficients the folder has, nil if there is none. It reads
// no factors.
func (w *Work) begunProduct(f *Features) (*Pass, error) {
	for number := 0; ; number++ {
		var c *falkon.Coefficients
		if number > 0 {
			c = &falkon.Coefficients{}
			if have, err := w.recall(coefficientsPass, number, c); !have {
				return nil, err
			}
		}
		if p := w.Job.product(f, number, c); !w.complete(p) {
			return &p, nil
		}
	}
}

// nextProduct returns the name of the pass that follows when the features are known, for methods that iterate
// by passes.
func (w *Work) nextProduct(ctx context.Context, f *Features, run gram.Run) (string, error) {
	switch p, err := w.begunProduct(f); {
	case err != nil:
		return "", err
	case p != nil:
		return p.Name, nil
	}
	m, next, err := w.bySteps(ctx, f, run)
	switch {
	case next != nil:
		return next.Name, nil
	case m != nil: // Model returns the same error
		return "", nil
	}
	return "", err
}

// ofProducts returns a pass of conjugate gradients: products-P, or products for that which Next has named last.
func (w *Work) ofProducts(f *Features, name string) (Pass, error) {
	latest := name == productsPass
	var number int
	if !latest {
		if _, err := fmt.Sscanf(name, productsPass+"-%d", &number); err != nil || number < 0 {
			return Pass{}, fmt.Errorf("pass %s: want %s-P", name, productsPass)
		}
		if number == 0 {
			return w.Job.product(f, 0, nil), nil
		}
	}
	var c *falkon.Coefficients
	for k := max(1, number); ; k++ {
		last := &falkon.Coefficients{}
		have, err := w.recall(coefficientsPass, k, last)
		if err != nil {
			return Pass{}, err
		}
		if have {
			number, c = k, last
		}
		if !have || !latest {
			break
		}
	}
	if c == nil && !latest {
		return Pass{}, fmt.Errorf("pass %s: gram part next says which pass is to be made", name)
	}
	if c != nil {
		if m, columns := c.V.Dims(); m != f.Passes.Landmarks() || columns != f.Passes.Columns() {
			return Pass{}, fmt.Errorf("pass %s: its coefficients are %d×%d numbers", name, m, columns)
		}
	}
	return w.Job.product(f, number, c), nil
}

// isProduct reports whether a pass is one of conjugate gradients.
func isProduct(name string) bool {
	return name == productsPass || strings.HasPrefix(name, productsPass+"-")
}
