package tables

import (
	"context"
	"fmt"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/imc"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Figure 5.4 of [Si 2016]: relative error ‖Â−A‖/‖A‖ of completions of A = XYᵀ+N,
// 200×200 with X and Y of 50 standard normal columns and noise of variance .1,
// against the observed part; rank 20, so that no method can be below about .557.
// The paper draws curves and prints no figures. λ, γ and the number of rounds and
// steps are those with the smallest loss on a tenth of the observed entries. All
// methods see the same matrices, so that the notes compare them in pairs.
var fig54 = Table{
	ID:    "fig-5.4",
	Title: "Completion of a matrix with side information, drawn and learned features",
	Run:   runFig54,
	X:     "% observed",
	Y:     "relative error",
}

// completion is a method of the figure, with the settings to choose from.
type completion struct {
	name    string
	against string // the method it is compared with
	side    imc.Side
	none    bool      // no side information
	lambda  []float64 // candidates
	gamma   []float64 // candidates, times one over the mean squared distance
}

var completions = []completion{
	{name: "MC", none: true, lambda: []float64{3, 10, 30, 100}},
	{name: "IMC", against: "MC", lambda: []float64{300, 1000, 3000, 10000}},
	{name: "IMC-RFF", against: "IMC", side: imc.Side{Map: imc.Fourier, M: 100}, lambda: []float64{.01, .1}, gamma: []float64{.001}},
	{name: "GIMC-LFF", against: "IMC-RFF", side: imc.Side{Map: imc.Fourier, M: 100, Learn: true}, lambda: []float64{.01, .1}, gamma: []float64{.001}},
}

func runFig54(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	only := f.String("only", "", "one method; empty: all")
	if err := env.parse(f); err != nil {
		return err
	}
	parts := []int{5, 10, 20, 30}
	if env.Quick {
		parts = []int{5}
	}
	repeats := env.repeats(10, 1)
	for _, part := range parts {
		values := map[string][]float64{}
		for _, m := range completions {
			if *only != "" && *only != m.name {
				continue
			}
			var s sample
			chosen := map[string]int{}
			for r := range repeats {
				run := env.repeat(r)
				a, seen, x, y := toy54(part, run.Seed)
				model, settings, err := m.fit(ctx, seen, x, y, env.Quick, run)
				if err != nil {
					return fmt.Errorf("%s: %w", m.name, err)
				}
				chosen[settings]++
				var sx, sy mat.Matrix = x, y
				if m.none {
					sx, sy = nil, nil
				}
				e := model.Predict(nil, sx, sy)
				e.Sub(e, a)
				s.add(mat.Norm(e, 2)/mat.Norm(a, 2), model.Stats().Seconds, 0)
			}
			often := ""
			for settings, count := range chosen {
				if count > chosen[often] || count == chosen[often] && settings < often {
					often = settings
				}
			}
			row := Row{Table: "fig-5.4", Dataset: "toy", Method: fmt.Sprintf("%s, %d %%", m.name, part), Metric: "rel_error", Series: m.name, X: float64(part)}
			values[m.name] = s.values
			row.Note = notes("most often "+often, counted(repeats, "repeat"))
			if other := values[m.against]; other != nil {
				row.Note = notes(row.Note, pairedGain(m.against, other, s.values))
			}
			emit(s.into(row))
		}
	}
	return nil
}

// toy54 returns the matrix, a part of its entries and its side information.
func toy54(percent int, seed uint64) (a *mat.Dense, seen *sparse.CSR, x, y *mat.Dense) {
	const n, d = 200, 50
	r := rng.New(rng.Derive(seed, "toy"), 0)
	normal := func(rows, columns int) *mat.Dense {
		m := mat.NewDense(rows, columns, nil)
		for i := range rows {
			for j := range columns {
				m.Set(i, j, r.NormFloat64())
			}
		}
		return m
	}
	x, y, a = normal(n, d), normal(n, d), normal(n, n)
	a.Scale(math.Sqrt(.1), a)
	var product mat.Dense
	product.Mul(x, y.T())
	a.Add(a, &product)
	seen = &sparse.CSR{N: n, D: n, Ptr: []int{0}}
	for i := range n {
		for j := range n {
			if r.IntN(100) < percent {
				seen.Col, seen.Val = append(seen.Col, int32(j)), append(seen.Val, a.At(i, j))
			}
		}
		seen.Ptr = append(seen.Ptr, len(seen.Col))
	}
	return a, seen, x, y
}

// fit returns the model of the settings with the smallest held-out loss, and names
// them.
func (m completion) fit(ctx context.Context, a *sparse.CSR, x, y *mat.Dense, quick bool, run gram.Run) (*imc.Model, string, error) {
	c := imc.Config{Rows: m.side, Columns: m.side, Rank: 20, Rounds: 40, Steps: 30, Products: 30, Tol: 1e-3, Validation: .1, Run: run}
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
	var best *imc.Model
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
