package linear

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// cosines is a small feature map: cos(x·A).
type cosines struct{ a *mat.Dense }

func newCosines(d, m int) *cosines {
	r := rand.New(rand.NewPCG(3, 0))
	a := mat.NewDense(d, m, nil)
	for i := range d {
		for j := range m {
			a.Set(i, j, r.NormFloat64())
		}
	}
	return &cosines{a}
}

func (c *cosines) Dims() (d, m int) { return c.a.Dims() }

func (c *cosines) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	if want, _ := c.a.Dims(); d != want {
		panic("linear: x has the wrong number of columns")
	}
	if dst == nil {
		_, m := c.a.Dims()
		dst = mat.NewDense(n, m, nil)
	}
	rows.Mul(dst, gram.Of(x), c.a)
	dst.Apply(func(_, _ int, v float64) float64 { return math.Cos(v) }, dst)
	return dst
}

// passes is a limit that keeps the fit whose memory is measured short.
func passes(d algotest.Data) int {
	if len(d.Value) > 5000 {
		return 2
	}
	return 50
}

func TestContract(t *testing.T) {
	type fit func(ctx context.Context, m gram.FeatureMap, d algotest.Data, run gram.Run) (*algotest.Model, error)
	type plan func(m gram.FeatureMap, s gram.Shape, run gram.Run) (gram.Plan, error)
	for _, c := range []struct {
		name   string
		kind   algotest.Kind
		fit    fit
		plan   plan
		golden string
		exact  fit
	}{
		{"svm", algotest.Classification,
			func(ctx context.Context, m gram.FeatureMap, d algotest.Data, run gram.Run) (*algotest.Model, error) {
				return algotest.Fitted(SVM{Run: run, MaxIter: passes(d)}.Fit(ctx, m, d.X, d.Labels, d.Weights))
			},
			func(m gram.FeatureMap, s gram.Shape, run gram.Run) (gram.Plan, error) {
				return SVM{Run: run}.Plan(m, s)
			}, "svm.v1.gram",
			func(ctx context.Context, m gram.FeatureMap, d algotest.Data, run gram.Run) (*algotest.Model, error) {
				return algotest.Fitted(SVM{Run: run, Tol: 1e-10}.Fit(ctx, m, d.X, d.Labels, d.Weights))
			}},
		{"hinge", algotest.Classification,
			func(ctx context.Context, m gram.FeatureMap, d algotest.Data, run gram.Run) (*algotest.Model, error) {
				return algotest.Fitted(SVM{Run: run, Loss: Hinge, NoBias: true, MaxIter: passes(d)}.Fit(ctx, m, d.X, d.Labels, d.Weights))
			}, nil, "",
			func(ctx context.Context, m gram.FeatureMap, d algotest.Data, run gram.Run) (*algotest.Model, error) {
				return algotest.Fitted(SVM{Run: run, Loss: Hinge, NoBias: true, C: 0.1, Tol: 1e-10, MaxIter: 50_000}.Fit(ctx, m, d.X, d.Labels, d.Weights))
			}},
		{"logistic", algotest.Classification,
			func(ctx context.Context, m gram.FeatureMap, d algotest.Data, run gram.Run) (*algotest.Model, error) {
				return algotest.Fitted(Logistic{Run: run, MaxIter: passes(d)}.Fit(ctx, m, d.X, d.Labels, d.Weights))
			},
			func(m gram.FeatureMap, s gram.Shape, run gram.Run) (gram.Plan, error) {
				return Logistic{Run: run}.Plan(m, s)
			}, "logistic.v2.gram",
			func(ctx context.Context, m gram.FeatureMap, d algotest.Data, run gram.Run) (*algotest.Model, error) {
				return algotest.Fitted(Logistic{Run: run, Tol: 1e-10}.Fit(ctx, m, d.X, d.Labels, d.Weights))
			}},
		{"ridge", algotest.Regression,
			func(ctx context.Context, m gram.FeatureMap, d algotest.Data, run gram.Run) (*algotest.Model, error) {
				return algotest.Fitted(Ridge{Run: run}.Fit(ctx, m, d.X, d.Value, d.Weights))
			},
			func(m gram.FeatureMap, s gram.Shape, run gram.Run) (gram.Plan, error) {
				return Ridge{Run: run}.Plan(m, s)
			}, "ridge.v1.gram",
			func(ctx context.Context, m gram.FeatureMap, d algotest.Data, run gram.Run) (*algotest.Model, error) {
				return algotest.Fitted(Ridge{Run: run, Lambda: gram.Set(0.1)}.Fit(ctx, m, d.X, d.Value, d.Weights))
			}},
		{"ridge cg", algotest.Regression,
			func(ctx context.Context, m gram.FeatureMap, d algotest.Data, run gram.Run) (*algotest.Model, error) {
				return algotest.Fitted(Ridge{Run: run, Solver: CG}.Fit(ctx, m, d.X, d.Value, d.Weights))
			},
			func(m gram.FeatureMap, s gram.Shape, run gram.Run) (gram.Plan, error) {
				return Ridge{Run: run, Solver: CG}.Plan(m, s)
			}, "",
			func(ctx context.Context, m gram.FeatureMap, d algotest.Data, run gram.Run) (*algotest.Model, error) {
				return algotest.Fitted(Ridge{Run: run, Solver: CG, Lambda: gram.Set(0.1), Tol: 1e-12}.Fit(ctx, m, d.X, d.Value, d.Weights))
			}},
	} {
		for _, mapped := range []bool{false, true} {
			name := c.name + ", no map"
			if mapped {
				name = c.name + ", with a map"
			}
			t.Run(name, func(t *testing.T) {
				if testing.Short() && mapped == (c.kind == algotest.Regression) {
					t.Skip("one of the two is enough")
				}
				maps := map[int]gram.FeatureMap{}
				feature := func(d int) gram.FeatureMap {
					if !mapped {
						return nil
					}
					if maps[d] == nil {
						maps[d] = newCosines(max(1, d), 150)
						if d < 16 {
							maps[d] = newCosines(max(1, d), 12)
						}
					}
					return maps[d]
				}
				s := algotest.Subject{
					Kind: c.kind,
					Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
						_, cols := d.X.Dims()
						return c.fit(ctx, feature(cols), d, run)
					},
					Decode: func(f *modelfile.File) (*algotest.Model, error) {
						if c.kind == algotest.Classification {
							return algotest.Fitted(DecodeClassifier(f, feature(4)))
						}
						return algotest.Fitted(DecodeRegressor(f, feature(4)))
					},
					Weighted:  true,
					NoProgram: mapped, // cosines has none
					Exact: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
						return c.exact(ctx, feature(4), d, run)
					},
					WeightTol: 1e-6,
				}
				if c.plan != nil {
					s.Plan = func(s gram.Shape, run gram.Run) (gram.Plan, error) { return c.plan(feature(s.D), s, run) }
					s.Memory = gram.Shape{N: 20_000, D: 16, Outputs: 3}
					if c.kind == algotest.Regression {
						s.Memory.Outputs = 1
					}
				}
				if !mapped {
					s.Long, s.Share = gram.Shape{N: 100_000, D: 16, Outputs: 3}, 0.4
				}
				if c.name == "svm" || c.name == "hinge" {
					s.Random = []string{"order of rows"}
				}
				if !mapped {
					if s.Golden = c.golden; c.name == "logistic" {
						s.Older = []string{"logistic.v1.gram"} // with functions of classes against the rest
					}
				}
				algotest.Check(t, s)
			})
		}
	}
}
