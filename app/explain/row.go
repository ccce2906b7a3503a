package explain

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Contributions returns the Shapley values of the columns of a model's data for the rows of x, which are not scaled: n×d, by
// TreeSHAP, for one output of a model of trees, as Trees counts them. They are counted from the mean of the background rows,
// which it also returns. The values of the columns that a column of a table has become add up to its own.
func Contributions(ctx context.Context, m *pipeline.Model, output int, background, x mat.Matrix, workers int) (phi *mat.Dense, mean float64, err error) {
	f, err := forestOf(m, output, background)
	if err != nil {
		return nil, 0, err
	}
	phi, err = f.of(ctx, m, x, workers)
	return phi, f.Mean(), err
}

func forestOf(m *pipeline.Model, output int, background mat.Matrix) (*Forest, error) {
	scaled, err := m.Scaled(background)
	if err != nil {
		return nil, err
	}
	return Trees(m.Model, output, scaled)
}

// of returns the contributions to the rows of x, which are not scaled, by columns of the data.
func (f *Forest) of(ctx context.Context, m *pipeline.Model, x mat.Matrix, workers int) (*mat.Dense, error) {
	scaled, err := m.Scaled(x)
	if err != nil {
		return nil, err
	}
	phi, err := f.Contributions(ctx, workers, scaled)
	if err != nil || m.Encoding == nil {
		return phi, err
	}
	n, _ := phi.Dims()
	own := mat.NewDense(n, m.Dim, nil)
	for k, c := range m.Encoding.Places() {
		for i := range n {
			own.Set(i, c, own.At(i, c)+phi.At(i, k))
		}
	}
	return own, nil
}

// Sampled returns an estimate of the Shapley values of the columns for one row of a model of any kind: the value of column c is
// the mean, over orders of the columns and background rows, of the change of the output when the row's number in column c takes
// the place of the background row's, after the columns before c in the order have taken theirs ([CGT09], beside rows as in
// [SK14]). Orders come in pairs, one the reverse of the other, of one background row each. The values add up to the output for
// the row less mean, the mean output for the background rows that were drawn.
//
// predict returns the outputs for the rows of a matrix that it must not keep. It is called with d+1 rows for each of the
// orders, of which there are at least 2; Sampled looks at ctx before each call. The result depends on the seed alone.
func Sampled(ctx context.Context, row []float64, background mat.Matrix, orders int, seed uint64, predict func(x *mat.Dense) ([]float64, error)) (phi []float64, mean float64, err error) {
	s := gram.Of(background)
	n, d := s.Dims()
	switch {
	case d != len(row) || d < 1:
		panic("explain: the row does not have the columns of the background")
	case n < 1:
		return nil, 0, settings.Refuse("rows", n, "at least one in the background")
	case orders < 2:
		return nil, 0, settings.Refuse("orders", orders, "at least 2")
	}
	orders -= orders % 2
	r := rng.New(rng.Derive(seed, "shapley"), 0)
	work, from, phi := mat.NewDense(d+1, d, nil), make([]float64, d), make([]float64, d)
	var order []int
	for k := range orders {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		if k%2 == 0 {
			order = r.Perm(d)
			from = s.Row(from, r.IntN(n))
		} else {
			for i, j := 0, d-1; i < j; i, j = i+1, j-1 {
				order[i], order[j] = order[j], order[i]
			}
		}
		work.SetRow(0, from)
		for i, c := range order {
			work.SetRow(i+1, work.RawRowView(i))
			work.Set(i+1, c, row[c])
		}
		out, err := predict(work)
		if err != nil {
			return nil, 0, err
		}
		mean += out[0] / float64(orders)
		for i, c := range order {
			phi[c] += (out[i+1] - out[i]) / float64(orders)
		}
	}
	return phi, mean, nil
}

// Bounds of the explanation of a row: columns, predictions that it takes, and orders of the columns.
const (
	mostColumns     = 1000
	mostPredictions = 10_000
	mostOrders      = 64
)

// Rows explains predictions of a model for single rows, beside background rows. It is safe for concurrent use.
type Rows struct {
	model      *pipeline.Model
	background mat.Matrix

	mu      sync.Mutex
	forests map[int]*Forest // by output
}

// NewRows returns what explains predictions of m beside rows of its data, which are not scaled. It keeps them. The error says
// that there are none, that they or the model have too many columns (1000 at most), or that the model predicts sets of labels without trees on
// columns.
func NewRows(m *pipeline.Model, background mat.Matrix) (*Rows, error) {
	n, d := background.Dims()
	e := &Rows{model: m, background: background, forests: map[int]*Forest{}}
	switch {
	case n < 1:
		return nil, settings.Refuse("rows", n, "at least one, beside which a row is explained")
	case d != m.Dim:
		return nil, fmt.Errorf("explain: the rows have %d columns, the model has %d", d, m.Dim)
	case d > mostColumns:
		return nil, fmt.Errorf("explain: %d columns are too many for the explanation of a row, the limit is %d", d, mostColumns)
	}
	if _, err := m.Predict(gram.Matrix(gram.Of(background).Slice(0, 1)), false, 1); err != nil {
		return nil, err
	}
	if _, labels := m.Model.(gram.Ranker); labels {
		if _, err := e.forest(0); err != nil {
			return nil, errors.New("explain: predictions of sets of labels are explained for trees on columns alone")
		}
	}
	return e, nil
}

func (e *Rows) forest(output int) (*Forest, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if f := e.forests[output]; f != nil {
		return f, nil
	}
	f, err := forestOf(e.model, output, e.background)
	if err == nil {
		e.forests[output] = f
	}
	return f, err
}

// Explanation says what the columns contribute to a number that a model predicts for a row.
type Explanation struct {
	Output        string    `json:"output"`          // the class, or the number of the label; empty: the value
	Unit          string    `json:"unit"`            // score, probability or value
	Mean          float64   `json:"mean"`            // of the background rows
	Contributions []float64 `json:"contributions"`   // of each column; with the mean they add up to the number
	Exact         bool      `json:"exact,omitempty"` // Shapley values by TreeSHAP; else an estimate by drawn orders of the columns
}

// Row explains the prediction p of the model for a row, of which p has the answer in place i: the score of its class or of its
// best label, or its value, by TreeSHAP if the model is one of trees on columns, and otherwise the probability of its class if the model has
// probabilities, its score or its value, by at most 64 drawn orders of the columns and 10 000 predictions.
func (e *Rows) Row(ctx context.Context, row []float64, p pipeline.Predictions, i int) (*Explanation, error) {
	out := &Explanation{Unit: "value"}
	output, sign, want := 0, 1.0, pipeline.Want{Top: 1}
	column := func(p pipeline.Predictions) []float64 { return p.Value }
	switch names := e.model.Names; {
	case p.Class != nil:
		class := p.Class[i]
		if class < 0 {
			return nil, errors.New("explain: the row has no class")
		}
		out.Output, out.Unit, output = names[class], "score", class
		if multiclass.Functions(len(names)) == 1 {
			output = 0
			if class == 0 {
				sign = -1
			}
		}
		want.Scores = true
		column = func(p pipeline.Predictions) []float64 {
			if _, k := p.Scores.Dims(); k > 1 {
				return mat.Col(nil, class, p.Scores)
			}
			v := mat.Col(nil, 0, p.Scores)
			for j := range v {
				v[j] *= sign
			}
			return v
		}
	case p.Top != nil:
		if len(p.Top[i]) == 0 {
			return nil, errors.New("explain: the row has no label")
		}
		output = p.Top[i][0].Label
		out.Output, out.Unit = fmt.Sprint(output), "score"
	}
	if f, err := e.forest(output); err == nil {
		phi, err := f.of(ctx, e.model, mat.NewDense(1, len(row), row), 1)
		if err != nil {
			return nil, err
		}
		out.Mean, out.Contributions, out.Exact = sign*f.Mean(), phi.RawRowView(0), true
		for c := range out.Contributions {
			out.Contributions[c] *= sign
		}
		return out, nil
	}
	if p.Class != nil && e.model.Probabilities() != nil {
		class := p.Class[i]
		want, out.Unit = pipeline.Want{Top: 1, Probability: true}, "probability"
		column = func(p pipeline.Predictions) []float64 { return mat.Col(nil, class, p.Probability) }
	}
	var err error
	orders := min(mostOrders, max(2, mostPredictions/(len(row)+1)))
	out.Contributions, out.Mean, err = Sampled(ctx, row, e.background, orders, 1, func(x *mat.Dense) ([]float64, error) {
		p, err := e.model.Answer(x, want)
		if err != nil {
			return nil, err
		}
		return column(p), nil
	})
	return out, err
}
