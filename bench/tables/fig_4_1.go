package tables

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/algos/nystrom"
	"github.com/gramworks/gram/algos/pseudo"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Figure 4.1 of [Si 2016]: relative error with and without pseudo-landmarks for
// few landmarks. usps is in [0,1] with γ = 2⁻⁵; 2 000 rows, of which all are the
// index set I. The paper also has mnist and protein, draws curves and prints no
// figures; the values here beside ours at m = 10 and 30 on usps are those of an
// independent implementation of the protocol.
var fig41 = Table{
	ID:    "fig-4.1",
	Title: "Relative error of the Nyström method with pseudo-landmarks, by number of landmarks",
	Run:   runFig41,
	X:     "landmarks m", Y: "relative error", LogY: true,
}

func runFig41(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	only := f.String("only", "", "one data set; empty: all")
	count := f.Int("n", 2000, "rows")
	sample := f.Int("sample", 0, "rows of the index set; 0: all")
	cut := f.Float64("cut", 0, "relative cut of the pseudo-inverse; 0: the default")
	if err := env.parse(f); err != nil {
		return err
	}
	if *count < 30 || *sample < 0 || *sample > *count {
		return &gram.ConfigError{Field: "--set n, sample", Value: fmt.Sprint(*count, ", ", *sample), Want: "at least 30 rows, and at most that many in the index set"}
	}
	repeats := env.repeats(10, 3)
	sizes := []int{2, 4, 6, 8, 10, 15, 20, 25, 30}
	if env.Quick {
		sizes = []int{2, 10, 30}
	}
	with := func(c pseudo.Config) func(context.Context, kernel.Kernel, mat.Matrix, int, gram.Run) (approximation, error) {
		return func(ctx context.Context, k kernel.Kernel, x mat.Matrix, m int, run gram.Run) (approximation, error) {
			n, _ := x.Dims()
			c := c
			c.Kernel, c.Landmarks, c.M, c.Run, c.Sample, c.Cut = k, landmark.KMeans{}, m, run, min(n, *sample), *cut
			if !c.All {
				c.P = min(2*m, m*(m+1)/2)
			}
			if *sample == 0 {
				c.Sample = n
			}
			return fitMap(ctx, c, x)
		}
	}
	methods := []lowRank{
		{"Nys", func(ctx context.Context, k kernel.Kernel, x mat.Matrix, m int, run gram.Run) (approximation, error) {
			return fitNystrom(ctx, nystrom.Config{Kernel: k, Landmarks: landmark.KMeans{}, M: m, Run: run}, x)
		}},
		{"triangle lower", with(pseudo.Config{Kind: pseudo.Lower})},
		{"triangle upper", with(pseudo.Config{Kind: pseudo.Upper})},
		{"triangle mid", with(pseudo.Config{Kind: pseudo.Mid})},
		{"products", with(pseudo.Config{})},
		{"all products", with(pseudo.Config{All: true})},
	}
	for _, s := range []kernelSet{{"usps", asItIs("usps"), 0, 1. / 32}, {"mnist", unitPixels, 0, 1. / 1024}, {"protein", missing, 0, 1}} {
		if *only != "" && s.name != *only {
			continue
		}
		x, ok, err := s.load(env)
		if err != nil {
			return err
		}
		if ok {
			x = someRows(x, *count, env.Seed)
		}
		for _, m := range methods {
			for _, size := range sizes {
				row := Row{Table: "fig-4.1", Dataset: s.name, Method: fmt.Sprintf("%s m=%d", m.name, size), Metric: "rel_error", Series: m.name, X: float64(size)}
				if !ok {
					row.Note = noData
					emit(row)
					continue
				}
				got, err := env.relativeErrors(ctx, m, kernel.Gaussian{Gamma: s.gamma}, x, size, repeats)
				if err != nil {
					return err
				}
				row.Note = notes(fmt.Sprintf("γ %g, p %d, %d repeats", s.gamma, pseudos(m.name, size), repeats))
				emit(got.into(row))
			}
		}
	}
	return nil
}

// pseudos returns p for a method of the figure.
func pseudos(method string, m int) int {
	switch all := m * (m + 1) / 2; method {
	case "Nys":
		return 0
	case "all products":
		return all
	default:
		return min(2*m, all)
	}
}

// someRows returns up to n rows of x, drawn at random.
func someRows(x mat.Matrix, n int, seed uint64) mat.Matrix {
	all, _ := x.Dims()
	if all <= n {
		return x
	}
	return gram.Of(x).Select(rng.New(rng.Derive(seed, "rows"), 0).Perm(all)[:n])
}

// fitMap fits a feature map and maps all rows of x.
func fitMap[M gram.FeatureMap](ctx context.Context, c interface {
	Plan(gram.Shape) (gram.Plan, error)
	Fit(context.Context, mat.Matrix) (M, error)
}, x mat.Matrix) (approximation, error) {
	m, err := c.Fit(ctx, x)
	if err != nil {
		return approximation{}, err
	}
	return withFeatures(ctx, c, m, x)
}
