package tables

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/bench/tables/protocol"
	"gonum.org/v1/gonum/mat"
)

// completing is a method of Figure 5.4, with the settings to choose from.
type completing struct {
	name    string
	against string // the method it is compared with
	side    completion.Side
	none    bool      // no side information
	lambda  []float64 // candidates
	gamma   float64   // times one over the mean squared distance
}

var completions = []completing{
	{name: "MC", none: true, lambda: []float64{3, 10, 30, 100}},
	{name: "IMC", against: "MC", lambda: []float64{300, 1000, 3000, 10000}},
	{name: "IMC-RFF", against: "IMC", side: completion.Side{Map: completion.Fourier, M: 100}, lambda: []float64{.01, .1}, gamma: .001},
	{name: "GIMC-LFF", against: "IMC-RFF", side: completion.Side{Map: completion.Fourier, M: 100, Learn: true}, lambda: []float64{.01, .1}, gamma: .001},
}

func (m completing) String() string { return m.name }

// Figure 5.4 of [S16]: relative error ‖Â−A‖/‖A‖ of completions of A = XYᵀ+N,
// 200×200 with X and Y of 50 standard normal columns and noise of variance .1,
// against the observed part; rank 20, so that no method can be below about .557.
// The paper draws curves and prints no figures. λ, γ and the number of rounds and
// steps are those with the smallest loss on a tenth of the observed entries. All
// methods see the same matrices, so that the notes compare them in pairs.
func fig54(r *run) {
	parts, repeats := cut(r, "observed, %", []int{5, 10, 20, 30}, []int{5}), r.repeats(10, 1)
	figures := map[string]*protocol.Figure{}
	each(r, completions, func(m completing) {
		for _, part := range parts {
			chosen := map[string]int{}
			row := Row{Dataset: "toy", Method: fmt.Sprintf("%s, %d %%", m.name, part), Metric: "rel_error", Series: m.name, X: float64(part)}
			rows, got := r.collect(row, repeats, func(t *trial) {
				e := protocol.Products(200, 50, part, .1, t.Seed)
				var x, y mat.Matrix = e.X, e.Y
				if m.none {
					x, y = nil, nil
				}
				best := m.fit(r.ctx, e, x, y, r.Quick, t.Run)
				chosen[best.settings]++
				t.add(best.Stats().Seconds, 0, must(e.RelativeError(best.Predict(nil, x, y))))
			})
			often := ""
			for settings, count := range chosen {
				if count > chosen[often] || count == chosen[often] && settings < often {
					often = settings
				}
			}
			at := func(name string) string { return fmt.Sprint(name, part) }
			figures[at(m.name)] = got[0]
			rows[0].Note = "most often " + often
			if other := figures[at(m.against)]; other != nil {
				rows[0] = rows[0].Against(m.against, other)
			}
			r.emit(rows[0])
		}
	})
}

// completed is a model with its settings.
type completed struct {
	*completion.Model
	settings string
}

// fit returns the model of the settings with the smallest held-out loss.
func (m completing) fit(ctx context.Context, e *protocol.Entries, x, y mat.Matrix, quick bool, run gram.Run) completed {
	c := completion.Config{Rows: m.side, Columns: m.side, Rank: 20, Rounds: 40, Steps: 30, Products: 30, Tol: 1e-3, Validation: .1, Run: run}
	lambdas := m.lambda
	if quick {
		lambdas = lambdas[1:2]
		c.Rounds, c.Steps = 10, 5
	}
	// The mean squared distance of rows of d standard normal numbers is 2d.
	_, d := e.X.Dims()
	c.Rows.Gamma = m.gamma / float64(2*d)
	c.Columns.Gamma = c.Rows.Gamma
	var best crossval.Best[completed]
	for _, l := range lambdas {
		c.Lambda = l
		settings := fmt.Sprintf("λ %g", l)
		if m.gamma > 0 {
			settings += fmt.Sprintf(", γ %g/mean", m.gamma)
		}
		model := must(c.Fit(ctx, e.Known, x, y))
		for _, loss := range model.Stats().HeldOut {
			best.Offer(completed{model, settings}, loss)
		}
	}
	return best.Value
}
