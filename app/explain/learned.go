package explain

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Metric describes a learned metric M of rows, whose squared distances are (x−z)ᵀM(x−z).
type Metric struct {
	Share      []float64  // diagonal of M divided by its trace: a number for each column, in the unit of the rows that the model sees
	Values     []float64  // eigenvalues of M divided by its trace, the largest first
	Directions *mat.Dense // d×d; column k is the eigenvector of value k, of length 1, whose largest entry is positive
}

// Learned returns the metric of a model that has learned one: it, or the functions of a krr.Classifier or
// krr.Regressor, must have a method Metric() *mat.SymDense, or a method Kernel() kernel.Kernel that returns a *kernel.Scaled, whose
// metric has the squares of the factors on its diagonal. The error says that there is none, or is ctx.Err().
// It takes about 9·d³ operations.
func Learned(ctx context.Context, model any) (*Metric, error) {
	if m, ok := model.(interface{ Model() krr.Functions }); ok {
		model = m.Model()
	}
	metric := metricOf(model)
	if metric == nil {
		return nil, fmt.Errorf("explain: a %T has learned no metric", model)
	}
	d := metric.SymmetricDim()
	values, vectors, err := eig.SymAll(ctx, metric)
	if err != nil {
		return nil, err
	}
	trace := mat.Trace(metric)
	out := &Metric{Share: make([]float64, d), Values: make([]float64, d), Directions: mat.NewDense(d, d, nil)}
	for k := range d {
		out.Share[k] = metric.At(k, k) / trace
		out.Values[k] = max(0, values[d-1-k]) / trace
		v := mat.Col(nil, d-1-k, vectors)
		var largest float64
		for _, u := range v {
			if max(u, -u) > max(largest, -largest) {
				largest = u
			}
		}
		for i, u := range v {
			if largest < 0 {
				u = -u
			}
			out.Directions.Set(i, k, u)
		}
	}
	return out, nil
}

// metricOf returns the metric of a model, nil if there is none.
func metricOf(model any) *mat.SymDense {
	if m, ok := model.(interface{ Metric() *mat.SymDense }); ok {
		return m.Metric()
	}
	m, ok := model.(interface{ Kernel() kernel.Kernel })
	if !ok {
		return nil
	}
	k, ok := m.Kernel().(*kernel.Scaled)
	if !ok {
		return nil
	}
	factors := k.Scale()
	metric := mat.NewSymDense(len(factors), nil)
	for c, v := range factors {
		metric.SetSym(c, c, v*v)
	}
	return metric
}
