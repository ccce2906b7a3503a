package tables

import (
	"context"
	"fmt"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/bench/tables/protocol"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// completing is a method of the figure, with the settings to choose from.
type completing struct {
	name    string
	against string // the method it is compared with
	side    completion.Side
	none    bool      // no side information
	lambda  []float64 // candidates
	gamma   []float64 // candidates, times one over the mean squared distance
}

var completions = []completing{
	{name: "MC", none: true, lambda: []float64{3, 10, 30, 100}},
	{name: "IMC", against: "MC", lambda: []float64{300, 1000, 3000, 10000}},
	{name: "IMC-RFF", against: "IMC", side: completion.Side{Map: completion.Fourier, M: 100}, lambda: []float64{.01, .1}, gamma: []float64{.001}},
	{name: "GIMC-LFF", against: "IMC-RFF", side: completion.Side{Map: completion.Fourier, M: 100, Learn: true}, lambda: []float64{.01, .1}, gamma: []float64{.001}},
}

func (m completing) String() string { return m.name }

// Figure 5.4 of [S16]: relative error ‖Â−A‖/‖A‖ of completions of A = XYᵀ+N,
// 200×200 with X and Y of 50 standard normal columns and noise of variance .1,
// against the observed part; rank 20, so that no method can be below about .557.
// The paper draws curves and prints no figures. λ, γ and the number of rounds and
// steps are those with the smallest loss on a tenth of the observed entries. All
// methods see the same matrices, so that the notes compare them in pairs.
func fig54(r *run) error {
	parts, repeats := cut(r, "observed, %", []int{5, 10, 20, 30}, []int{5}), r.repeats(10, 1)
	figures := map[string]*protocol.Figure{}
	return each(r, completions, func(m completing) {
		for _, part := range parts {
			chosen := map[string]int{}
			row := Row{Dataset: "toy", Method: fmt.Sprintf("%s, %d %%", m.name, part), Metric: "rel_error", Series: m.name, X: float64(part)}
			rows, got := r.collect(row, repeats, func(t *trial) error {
				e := protocol.Products(200, 50, part, .1, t.Seed)
				model, settings, err := m.fit(r.ctx, e.Known, e.X, e.Y, r.Quick, t.Run)
				if err != nil {
					return err
				}
				chosen[settings]++
				var x, y mat.Matrix = e.X, e.Y
				if m.none {
					x, y = nil, nil
				}
				score, err := e.RelativeError(model.Predict(nil, x, y))
				return t.add(score, err, model.Stats().Seconds, 0)
			})
			often := ""
			for settings, count := range chosen {
				if count > chosen[often] || count == chosen[often] && settings < often {
					often = settings
				}
			}
			at := func(name string) string { return fmt.Sprint(name, part) }
			for _, row := range rows {
				figures[at(m.name)] = got[0]
				row.Note = "most often " + often
				if other := figures[at(m.against)]; other != nil {
					row = row.Against(m.against, other)
				}
				r.emit(row)
			}
		}
	})
}

// fit returns the model of the settings with the smallest held-out loss, and names
// them.
func (m completing) fit(ctx context.Context, a *sparse.CSR, x, y *mat.Dense, quick bool, run gram.Run) (*completion.Model, string, error) {
	c := completion.Config{Rows: m.side, Columns: m.side, Rank: 20, Rounds: 40, Steps: 30, Products: 30, Tol: 1e-3, Validation: .1, Run: run}
	var sx, sy mat.Matrix = x, y
	if m.none {
		sx, sy = nil, nil
	}
	gammas, lambdas := m.gamma, m.lambda
	if gammas == nil {
		gammas = []float64{0}
	}
	if quick {
		gammas, lambdas = gammas[:1], lambdas[1:2]
		c.Rounds, c.Steps = 10, 5
	}
	var best *completion.Model
	var settings string
	least := math.Inf(1)
	_, d := x.Dims()
	for _, g := range gammas {
		for _, l := range lambdas {
			c.Lambda = l
			// The mean squared distance of rows of d standard normal numbers is 2d.
			c.Rows.Gamma, c.Columns.Gamma = g/float64(2*d), g/float64(2*d)
			model, err := c.Fit(ctx, a, sx, sy)
			if err != nil {
				return nil, "", err
			}
			for _, v := range model.Stats().HeldOut {
				if v < least {
					least, best = v, model
					settings = fmt.Sprintf("λ %g", l)
					if g > 0 {
						settings += fmt.Sprintf(", γ %g/mean", g)
					}
				}
			}
		}
	}
	return best, settings, nil
}
