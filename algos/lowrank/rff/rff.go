package rff

import (
	"context"
	"fmt"
	"math/bits"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
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
	basis.Basis // of the frequencies: a *basis.Fourier, or a *fastfood
	cfg         Config
	stats       Stats
}

var _ basis.Basis = (*Model)(nil)

// Settings describes the settings.
func (c *Config) Settings(s *settings.Set) {
	kernel.Setting(s, &c.Kernel, "gaussian", "laplacian")
	s.Int(&c.M, "m", "frequencies; there are twice as many features").Default(256).AtLeast(1).AtMost(1 << 28)
	settings.Choice(s, &c.Frequencies, "frequencies", "how they are drawn; orthogonal and fastfood: gaussian alone", Independent, Orthogonal, Halton, Fastfood)
	if s.Resolving() && s.Shape.D < 1 {
		s.Check(&gram.ConfigError{Field: "columns", Value: s.Shape.D, Want: "at least one"})
	}
	_, laplacian := c.Kernel.(kernel.Laplacian)
	s.Require(!laplacian || c.Frequencies != Orthogonal && c.Frequencies != Fastfood, &c.Frequencies, "independent or halton for the laplacian kernel")
	s.Require(c.Frequencies != Halton || s.Shape.D <= maxHalton, &c.Frequencies, "another choice for %d columns: halton is for at most %d", s.Shape.D, maxHalton)
}

// Features is the number of features.
func (c Config) Features(s gram.Shape) (int, error) {
	c, err := settings.Resolved(c, s)
	return 2 * c.M, err
}

// padded returns the smallest power of two ≥ d.
func padded(d int) int { return 1 << bits.Len(uint(max(d, 1)-1)) }

// Plan returns what Fit will cost. Mapping n rows takes 2·n·M·d flops, or
// about 4·n·M·log₂d with Fastfood, and 16·n·M bytes for the features.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
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
	_, d := x.Dims()
	c, err := settings.Resolved(c, gram.Shape{D: d})
	if err != nil {
		return nil, err
	}
	if _, err := c.Samples(c, x, 0); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m := &Model{cfg: c}
	if c.Frequencies == Fastfood {
		m.Basis, err = c.fastfood(ctx, d)
	} else {
		m.Basis, err = c.dense(ctx, d)
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

// Omega returns the frequencies as the columns of a d×M matrix, so that row x
// has the features cos(⟨x,ω_j⟩)/√M and sin(⟨x,ω_j⟩)/√M. Those of Fastfood are
// worked out; others are the model's own and must not be changed.
func (m *Model) Omega() *mat.Dense { return m.Basis.(frequencies).Points() }

// Inner returns the features as those of their frequencies, which Fastfood's are worked
// out for: for a few outputs they are as fast.
func (m *Model) Inner() (basis.Basis, *mat.Dense) {
	if f, ok := m.Basis.(*fastfood); ok {
		return f.fourier(), nil
	}
	return m.Basis, nil
}

// frequencies are those of a basis, the columns of a d×M matrix.
type frequencies interface{ Points() *mat.Dense }

// Operator returns the approximate kernel matrix of the rows of x, which holds
// their features: 2·n·M numbers. If ctx ends it the error is ctx.Err().
func (m *Model) Operator(ctx context.Context, x mat.Matrix) (*solve.LowRank, error) {
	return solve.Approximate(ctx, m, x)
}

// Config returns the settings with all defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Stats says how the fit went.
func (m *Model) Stats() Stats { return m.stats }
