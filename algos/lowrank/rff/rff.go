package rff

import (
	"context"
	"fmt"
	"math/bits"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Frequencies selects how the frequencies are drawn.
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
	return enum.Name(f, names...)
}

var names = []string{"independent", "orthogonal", "halton", "fastfood"}

// Config holds the settings of random Fourier features.
type Config struct {
	Kernel      kernel.Kernel `json:"-"` // kernel.Gaussian or kernel.Laplacian; no default
	M           int           // number of frequencies; there are 2M features; default 256
	Frequencies Frequencies   // default Independent
	Given       Given         `json:"-"` // frequencies to be used instead of drawn ones
	gram.Run    `json:"-"`
}

// Given holds frequencies that the caller provides: Blocks for Fastfood, Omega for all other choices.
// M then is their number.
type Given struct {
	Omega  *mat.Dense // M×d, a frequency a row
	Blocks []Block
}

// Block holds the ingredients of a block of D = 2^k ≥ d frequencies of Fastfood, which are the rows of
//
//	(1/(σ√D))·S·H·G·Π·H·B,   S_ii = Chi_i/‖G‖,   σ = 1/√(2γ),
//
// with diagonal S, G and B and (Πz)_i = z_P(i). All four have length D. The last block uses only as many
// rows as M requires; if M is 0, it uses all.
type Block struct {
	B   []float64 // 1 or −1
	P   []int     // a permutation of 0 … D−1
	G   []float64
	Chi []float64
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Seconds float64
}

// Model maps rows to features. It is safe for concurrent use and keeps no data.
type Model struct {
	basis.Basis // of the frequencies: a *basis.Fourier, or a *fastfoodMatrix
	cfg         Config
	stats       Stats
}

var _ basis.Basis = (*Model)(nil)

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	kernel.Setting(s, &c.Kernel, "gaussian", "laplacian")
	c.checkGiven(s)
	s.Int(&c.M, "m", "frequencies; there are twice as many features").Default(256).AtLeast(1).AtMost(1 << 28)
	settings.Choice(s, &c.Frequencies, "frequencies", "how they are drawn; orthogonal and fastfood: gaussian alone", Independent, Orthogonal, Halton, Fastfood)
	if s.Resolving() && s.Shape.D < 1 {
		s.Check(settings.Refuse("columns", s.Shape.D, "at least one"))
	}
	_, laplacian := c.Kernel.(kernel.Laplacian)
	s.Require(!laplacian || c.Frequencies != Orthogonal && c.Frequencies != Fastfood, &c.Frequencies, "independent or halton for the laplacian kernel")
	s.Require(c.Frequencies != Halton || s.Shape.D <= maxHalton, &c.Frequencies, "another choice for %d columns: halton is for at most %d", s.Shape.D, maxHalton)
}

// checkGiven checks what is given and sets M accordingly.
func (c *Config) checkGiven(s *settings.Fields) {
	if !s.Resolving() {
		return
	}
	d := s.Shape.D
	if w := c.Given.Omega; w != nil {
		m, columns := w.Dims()
		if c.Frequencies == Fastfood || columns != d {
			s.Refuse(&c.Given.Omega, fmt.Sprintf("%d×%d", m, columns), fmt.Sprintf("M×%d, and nil for Fastfood", d))
		}
		s.Require(c.M == 0 || c.M == m, &c.M, "0 or %d, the number of frequencies that are given", m)
		c.M = m
	}
	if c.Given.Blocks == nil {
		return
	}
	size := padded(d)
	if c.Frequencies != Fastfood || len(c.Given.Blocks) == 0 {
		s.Refuse(&c.Given.Blocks, fmt.Sprintf("%d blocks", len(c.Given.Blocks)), "nil, or with Fastfood at least one")
	}
	for i, b := range c.Given.Blocks {
		s.Check(b.fits(i, size))
	}
	most := size * len(c.Given.Blocks)
	if c.M == 0 {
		c.M = most
	}
	s.Require(c.M <= most && c.M > most-size, &c.M, "0 or from %d to %d, for the blocks that are given", most-size+1, most)
}

// fits returns a *gram.ConfigError unless b, block i, is one of that size.
func (b Block) fits(i, size int) error {
	wrong := func(name string, value any, want string, args ...any) error {
		return settings.Refuse(fmt.Sprintf("Given.Blocks[%d].%s", i, name), value, want, args...)
	}
	lengths := []int{len(b.B), len(b.P), len(b.G), len(b.Chi)}
	for k, name := range []string{"B", "P", "G", "Chi"} {
		if lengths[k] != size {
			return wrong(name, fmt.Sprintf("of length %d", lengths[k]), "length %d", size)
		}
	}
	seen := make([]bool, size)
	for j, p := range b.P {
		if p < 0 || p >= size || seen[p] {
			return wrong("P", p, "a permutation of 0 to %d", size-1)
		}
		seen[p] = true
		switch {
		case b.B[j] != 1 && b.B[j] != -1:
			return wrong("B", b.B[j], "1 or −1")
		case b.G[j]-b.G[j] != 0:
			return wrong("G", b.G[j], "a finite number")
		case b.Chi[j]-b.Chi[j] != 0:
			return wrong("Chi", b.Chi[j], "a finite number")
		}
	}
	return nil
}

// Features returns the number of features of a fit to data of shape s: two for each frequency.
func (c Config) Features(s gram.Shape) (int, error) {
	c, err := settings.Resolved(c, s)
	return 2 * c.M, err
}

// padded returns the smallest power of two ≥ d.
func padded(d int) int { return 1 << bits.Len(uint(max(d, 1)-1)) }

// Plan returns the expected cost of Fit. Mapping n rows takes 2·n·M·d flops, or
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

// Fit draws the frequencies. It uses only the number of columns of x. It checks that the rows are finite
// and neither keeps nor changes them.
func (c Config) Fit(ctx context.Context, x mat.Matrix) (*Model, error) {
	begin := time.Now()
	_, d := check.Dims(x)
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
	m.cfg.Given = Given{}
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

// Omega returns the frequencies in the rows of an M×d matrix, so that row x has the
// features cos(⟨x,ω_j⟩)/√M and sin(⟨x,ω_j⟩)/√M. Those of Fastfood are worked out.
func (m *Model) Omega() *mat.Dense { return mat.DenseCopyOf(m.Basis.(frequencyBasis).Points().T()) }

// Given returns the frequencies as Config.Given takes them.
func (m *Model) Given() Given {
	if f, ok := m.Basis.(*fastfoodMatrix); ok {
		return Given{Blocks: f.blocks(m.cfg.Kernel.(kernel.Gaussian).Gamma)}
	}
	return Given{Omega: m.Omega()}
}

// Inner returns the features as those of their frequencies, which Fastfood's are worked
// out for: for a few outputs they are as fast.
func (m *Model) Inner() (basis.Basis, *mat.Dense) {
	if f, ok := m.Basis.(*fastfoodMatrix); ok {
		return f.fourier(), nil
	}
	return m.Basis, nil
}

// frequencyBasis is a basis that stores its frequencies. Points returns them as the columns of a d×M matrix.
type frequencyBasis interface{ Points() *mat.Dense }

// Operator returns the approximate kernel matrix of the rows of x, which holds
// their features: 2·n·M numbers. If ctx ends it the error is ctx.Err().
func (m *Model) Operator(ctx context.Context, x mat.Matrix) (*solve.LowRank, error) {
	return solve.Approximate(ctx, m, x)
}

// Config returns the settings with all defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model that was read from a file has none.
func (m *Model) Stats() Stats { return m.stats }
