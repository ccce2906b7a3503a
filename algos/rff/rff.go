package rff

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/asm/vec"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Frequencies says how the frequencies are drawn.
type Frequencies uint8

const (
	// Independent frequencies, for the Gaussian and the Laplacian [RR07].
	Independent Frequencies = iota
	// Orthogonal blocks of d frequencies, each exactly N(0, 2γI); for the
	// Gaussian. Less variance than Independent at the same cost [YSC16].
	Orthogonal
	// Halton points, scrambled, through the inverse distribution function; for
	// the Gaussian and the Laplacian and at most 1000 columns. Better than
	// Independent for few columns [ASY16]. The points come from one call that
	// cannot be interrupted: about 60 ns for each of M·d numbers, 60 ms for 10⁶.
	Halton
	// Fastfood, for the Gaussian: d is padded to D = 2^k, and every block of D
	// frequencies is a row block of (1/(σ√D))·S·H·G·Π·H·B with σ = 1/√(2γ). Here
	// H is the Hadamard matrix, Π a permutation, B random signs, G standard
	// normal and S_ii = χ_D/‖G‖_F [LSS13].
	Fastfood
)

// String returns the name as the command line takes it.
func (f Frequencies) String() string {
	if int(f) < len(names) {
		return names[f]
	}
	return fmt.Sprintf("frequencies(%d)", uint8(f))
}

var names = []string{"independent", "orthogonal", "halton", "fastfood"}

// Config are the settings of random Fourier features.
type Config struct {
	Kernel      kernel.Kernel `json:"-"` // kernel.Gaussian or kernel.Laplacian; no default
	M           int           // frequencies; 2M features; default 256
	Frequencies Frequencies   // default Independent
	gram.Run    `json:"-"`
}

// Stats says how a fit went.
type Stats struct {
	Seconds float64
}

// Model maps rows to features. It is safe for concurrent use and keeps no data.
type Model struct {
	cfg     Config
	d       int
	project projection
	stats   Stats
}

var _ gram.FeatureMap = (*Model)(nil)

// projection computes z = XΩᵀ for a few rows; z is n×m.
type projection interface {
	apply(z *mat.Dense, x mat.Matrix)
}

func (c Config) resolve(d int) (Config, error) {
	if err := kernel.Check(c.Kernel); err != nil {
		return c, err
	}
	if d < 1 {
		return c, &gram.ConfigError{Field: "columns", Value: d, Want: "at least one"}
	}
	if c.M == 0 {
		c.M = 256
	}
	if c.M < 1 || c.M > 1<<28 {
		return c, &gram.ConfigError{Field: "M", Value: c.M, Want: "from 1 to 2^28 frequencies"}
	}
	if c.Frequencies > Fastfood {
		return c, &gram.ConfigError{Field: "Frequencies", Value: c.Frequencies, Want: "Independent, Orthogonal, Halton or Fastfood"}
	}
	switch c.Kernel.(type) {
	case kernel.Gaussian:
	case kernel.Laplacian:
		if c.Frequencies == Orthogonal || c.Frequencies == Fastfood {
			return c, &gram.ConfigError{Field: "Frequencies", Value: c.Frequencies, Want: "Independent or Halton for the Laplacian kernel"}
		}
	default:
		return c, &gram.ConfigError{Field: "Kernel", Value: c.Kernel.Spec().Name, Want: "gaussian or laplacian"}
	}
	if c.Frequencies == Halton && d > maxHalton {
		return c, &gram.ConfigError{Field: "Frequencies", Value: c.Frequencies, Want: fmt.Sprintf("another choice for %d columns: Halton is for at most %d", d, maxHalton)}
	}
	return c, nil
}

// padded returns the smallest power of two ≥ d.
func padded(d int) int { return 1 << bits.Len(uint(max(d, 1)-1)) }

// Plan returns what Fit will cost. Mapping n rows takes 2·n·M·d flops, or
// about 4·n·M·log₂d with Fastfood, and 16·n·M bytes for the features.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := c.resolve(s.D)
	if err != nil {
		return gram.Plan{}, err
	}
	m, d := int64(c.M), int64(s.D)
	p := gram.Plan{Description: fmt.Sprintf("random Fourier features, %d frequencies, %s", c.M, c.Frequencies)}
	switch c.Frequencies {
	case Fastfood:
		blocks := (m-1)/int64(padded(s.D)) + 1
		p.ModelBytes = blocks * int64(padded(s.D)) * (8 + 8 + 8 + 4)
		p.Flops = 40 * float64(p.ModelBytes)
	case Orthogonal:
		p.ModelBytes = 8 * m * d
		p.Flops = 30*float64(m*d) + 4*float64(m*d*d)
		p.PeakBytes = p.ModelBytes + 4*8*d*d
	default:
		p.ModelBytes = 8 * m * d
		p.Flops = 30 * float64(m*d)
		p.PeakBytes = p.ModelBytes // they are drawn row by row and transposed
	}
	p.PeakBytes += p.ModelBytes
	return p, nil
}

// Fit draws the frequencies. Of x only the number of columns matters; the rows
// are checked to be finite, and neither kept nor changed.
func (c Config) Fit(ctx context.Context, x mat.Matrix) (*Model, error) {
	begin := time.Now()
	n, d := x.Dims()
	c, err := c.resolve(d)
	if err != nil {
		return nil, err
	}
	plan, err := c.Plan(gram.Shape{N: n, D: d})
	if err != nil {
		return nil, err
	}
	if err := c.Check(plan); err != nil {
		return nil, err
	}
	if err := check.Finite(x); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m := &Model{cfg: c, d: d}
	if c.Frequencies == Fastfood {
		m.project, err = c.fastfood(ctx, d)
	} else {
		m.project, err = c.dense(ctx, d)
	}
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.stats.Seconds = time.Since(begin).Seconds()
	c.Report(gram.Event{Phase: "random frequencies", Done: int64(c.M), Total: int64(c.M)})
	return m, nil
}

// Dims returns the number of columns of x and the number of features, 2M.
func (m *Model) Dims() (d, features int) { return m.d, 2 * m.cfg.M }

// blockRows is the number of rows that are mapped together; blocks are spread
// over the goroutines.
const blockRows = 64

// Map computes the features of the rows of x: the M cosines, then the M sines.
// Beyond the result it takes memory for 64 rows of projections per goroutine.
// The features of a row do not depend on the other rows.
func (m *Model) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	f := 2 * m.cfg.M
	dst = rows.Destination("rff", dst, x, m.d, f)
	x = rows.Of(x)
	scale := 1 / math.Sqrt(float64(m.cfg.M))
	_ = par.For(context.Background(), m.cfg.Workers, n, blockRows, func(lo, hi int) {
		z := mat.NewDense(hi-lo, m.cfg.M, nil)
		m.project.apply(z, rows.Slice(x, lo, hi))
		for i := range hi - lo {
			out := dst.RawRowView(lo + i)
			vec.SinCos(out[m.cfg.M:], out[:m.cfg.M], z.RawRowView(i))
			blas64.Scal(scale, blas64.Vector{N: f, Data: out, Inc: 1})
		}
	})
	return dst
}

// Omega returns the frequencies as the columns of a d×M matrix, so that row x
// has the features cos(⟨x,ω_j⟩)/√M and sin(⟨x,ω_j⟩)/√M. Those of Fastfood are
// worked out; others are the model's own and must not be changed.
func (m *Model) Omega() *mat.Dense {
	if e, ok := m.project.(explicit); ok {
		return e.omega
	}
	omega := mat.NewDense(m.d, m.cfg.M, nil)
	for lo := 0; lo < m.d; lo += blockRows {
		hi := min(lo+blockRows, m.d)
		unit := mat.NewDense(hi-lo, m.d, nil)
		for i := range hi - lo {
			unit.Set(i, lo+i, 1)
		}
		m.project.apply(omega.Slice(lo, hi, 0, m.cfg.M).(*mat.Dense), unit)
	}
	return omega
}

// Operator returns the approximate kernel matrix of the rows of x, which holds
// their features: 2·n·M numbers. If ctx ends it the error is ctx.Err().
func (m *Model) Operator(ctx context.Context, x mat.Matrix) (*solve.LowRank, error) {
	return solve.Approximate(ctx, m, x)
}

// Config returns the settings with all defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Stats says how the fit went.
func (m *Model) Stats() Stats { return m.stats }
