package nystrom

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/internal/selection"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Ensemble holds the settings of the ensemble Nyström method ([KMT09]). It approximates the kernel
// matrix by the weighted mean of several Nyström approximations, the experts, which have disjoint
// sets of landmarks:
//
//	G ≈ Σ_e μ_e·Φ_eΦ_eᵀ.
//
// The cores of an ensemble of small experts take less time than that of one approximation with all
// the landmarks, but the ensemble is less accurate.
type Ensemble struct {
	Config       // settings of each expert, such as its M and Rank; Certificate is for the whole
	Experts int  // number of experts; default 3
	Fitted  bool // fit the weights by least squares on held-out rows; otherwise they are 1/Experts
	HeldOut int  // number of these rows, none of which is a landmark; default 200

	// The fitted weights μ minimize Σ_ij v_ij(G_ij − Σ_e μ_e(Φ_eΦ_eᵀ)_ij)² + ρ‖μ − 1/Experts‖² over
	// the held-out rows. v_ij is 1 for i = j and OffDiagonal otherwise. ρ is Ridge times the mean
	// over the experts of Σ_ij v_ij(Φ_eΦ_eᵀ)_ij². OffDiagonal 1 with Ridge 0 is plain least squares.
	Ridge       gram.Opt[float64] // default 1e-6
	OffDiagonal gram.Opt[float64] // default (n−1)/(h−1) for h held-out rows of n, so that the diagonal counts as in the whole matrix

	Given Given `json:"-"` // landmarks and held-out rows to be used instead of selected ones
}

// Given holds parts of an ensemble that the caller provides. Nil parts are selected by Fit.
type Given struct {
	Experts []landmark.Fixed // the landmarks of each expert; Ensemble.Experts then is their number, and M the largest
	HeldOut []int            // rows of x to which the weights are fitted, ascending
}

// EnsembleStats holds figures of a finished fit of an Ensemble, for reports and comparisons. Predictions do not depend on them.
type EnsembleStats struct {
	EffectiveRank int         // the sum over the experts
	KernelValues  int64       // kernel values the fit computed, those for weights and certificate not counted
	Error         solve.Error // as in Stats
	SelectSeconds float64
	CoreSeconds   float64
}

// EnsembleModel is a fitted ensemble. It is a gram.FeatureMap if no weight is
// negative. It is safe for concurrent use.
type EnsembleModel struct {
	cfg     Ensemble
	experts []*Model
	weights []float64
	given   Given
	stats   EnsembleStats
}

var _ gram.FeatureMap = (*EnsembleModel)(nil)

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Ensemble) Settings(s *settings.Fields) {
	if given := c.Given.Experts; given != nil && s.Resolving() {
		s.Require(c.Experts == 0 || c.Experts == len(given), &c.Experts, "0 or %d, the number of experts that are given", len(given))
		c.Experts = len(given)
	}
	s.Int(&c.Experts, "experts", "approximations whose mean is taken").Default(3).AtLeast(1)
	c.describeM(s)
	s.Bool(&c.Fitted, "fitted", "weights fitted by least squares on held-out rows, instead of the same for all")
	if given := c.Given.HeldOut; given != nil && s.Resolving() {
		s.Require(c.HeldOut == 0 || c.HeldOut == len(given), &c.HeldOut, "0 or %d, the number of rows that are given", len(given))
		c.HeldOut = len(given)
		s.Require(len(given) > 0, &c.Given.HeldOut, "at least one row")
		s.Check(check.Index("Given.HeldOut", given, s.Shape.N))
	}
	s.Int(&c.HeldOut, "held-out", "fitted: rows that the weights are fitted to").Default(200).AtLeast(1)
	s.OptFloat(&c.Ridge, "ridge", "fitted: penalty, relative to the mean square of an expert's values; 0: none").Default(1e-6).AtLeast(0)
	off := 1.0
	if h := min(c.HeldOut, s.Shape.N); h > 1 {
		off = float64(s.Shape.N-1) / float64(h-1)
	}
	s.OptFloat(&c.OffDiagonal, "off-diagonal", "fitted: weight of a value between different rows, of which that of a row with itself is 1").
		DefaultRule(off, "rows less 1 over held-out rows less 1").AtLeast(0)
	s.Embedded(&c.Config, "m")
}

// describeM describes the number of landmarks of an expert.
func (c *Ensemble) describeM(s *settings.Fields) {
	number := s.Int(&c.M, "m", "landmarks of an expert")
	const rule = "256, or the number of rows for an expert if that is less"
	if given := c.Given.Experts; given != nil && s.Resolving() {
		most := 0
		for e, u := range given {
			count := selection.NumFixed(u)
			if count == 0 {
				s.Refuse(&c.Given.Experts, fmt.Sprintf("nothing for expert %d", e), "landmarks of each expert")
			}
			most = max(most, count)
		}
		number.DefaultRule(most, rule).AtLeast(1)
		s.Require(c.M == most, &c.M, "0 or %d, the landmarks of the largest expert that is given", most)
		return
	}
	if fixed := selection.NumFixed(c.Landmarks); fixed > 0 {
		number.DefaultRule(fixed/max(1, c.Experts), rule).AtLeast(1)
		s.Require(c.M*c.Experts == fixed, &c.M, "as many as experts times m landmarks: %d are fixed", fixed)
		return
	}
	n := s.Shape.N / max(c.Experts, 1)
	number.DefaultRule(max(1, min(256, n)), rule).AtLeast(1).AtMostRule(n, "the number of rows for each expert, whose landmarks differ")
}

// Plan returns the expected cost of Fit for data of shape s.
func (c Ensemble) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	one := c.Config
	one.Landmarks, one.Certificate = landmark.Fixed{}, 0
	p, err := one.Plan(s)
	if err != nil {
		return gram.Plan{}, err
	}
	e := int64(c.Experts)
	var sel gram.Plan
	if pl, ok := c.Landmarks.(landmark.Planner); ok {
		if sel, err = pl.Plan(s, c.M*c.Experts, c.Run); err != nil {
			return gram.Plan{}, err
		}
	}
	points := 8 * e * int64(c.M) * int64(s.D)
	p.PeakBytes = max(sel.PeakBytes+points, points+(e-1)*p.ModelBytes+p.PeakBytes)
	p.ModelBytes *= e
	p.Flops = sel.Flops + float64(e)*p.Flops
	if q := int64(max(c.Certificate, map[bool]int{true: c.HeldOut}[c.Fitted])); q > 0 {
		q = min(q, int64(s.N))
		p.Flops += float64(e) * 4 * float64(q*q) * float64(c.Rank)
		p.PeakBytes = max(p.PeakBytes, points+p.ModelBytes+8*((e+1)*q*q+2*q*int64(c.M)))
	}
	p.Description = fmt.Sprintf("ensemble of %d Nyström approximations of %d landmarks, rank %d", c.Experts, c.M, c.Rank)
	return p, nil
}

// Fit selects Experts·M landmarks at once, divides them at random, and decomposes the cores of the
// experts.
func (c Ensemble) Fit(ctx context.Context, x mat.Matrix) (*EnsembleModel, error) {
	return c.FitWeighted(ctx, x, nil)
}

// FitWeighted is Fit with a weight ≥ 0 for every row, nil meaning ones, that
// the selector takes into account.
func (c Ensemble) FitWeighted(ctx context.Context, x mat.Matrix, w []float64) (*EnsembleModel, error) {
	weighed := c.OffDiagonal.Given()
	start, err := rows.Begin(&c, c.Run, x, rows.None{}, w, c.keep)
	if err != nil {
		return nil, err
	}
	s, w, kept := start.X, start.W, start.Kept
	n := s.N()
	begin := time.Now()
	experts, err := c.experts(ctx, s, w, kept)
	if err != nil {
		return nil, err
	}
	m := &EnsembleModel{cfg: c}
	m.stats.SelectSeconds = time.Since(begin).Seconds()
	begin = time.Now()
	var taken []int // rows that are landmarks
	for e, u := range experts {
		one := c.Config
		one.Certificate = 0
		one.Seed = rng.Derive(c.Seed, fmt.Sprint("expert ", e))
		one.Landmarks, one.M = landmark.Fixed{U: u.U}, selection.NumFixed(u)
		one.Rank = min(c.Rank, one.M)
		expert, err := one.fit(ctx, s, nil)
		if err != nil {
			return nil, err
		}
		taken = append(taken, u.Index...)
		m.given.Experts = append(m.given.Experts, landmark.Fixed{Index: u.Index, U: expert.Landmarks()})
		m.experts = append(m.experts, expert)
		m.weights = append(m.weights, 1/float64(c.Experts))
		m.stats.EffectiveRank += expert.stats.EffectiveRank
		m.stats.KernelValues += expert.stats.KernelValues
	}
	m.stats.CoreSeconds = time.Since(begin).Seconds()
	if c.Fitted {
		if m.given.HeldOut, err = c.heldOut(n, taken, kept); err != nil {
			return nil, err
		}
		if h := len(m.given.HeldOut); !weighed && h > 1 {
			m.cfg.OffDiagonal = gram.Set(float64(n-1) / float64(h-1))
		}
		if err := m.fitWeights(ctx, s); err != nil {
			return nil, err
		}
	}
	m.cfg.Given = Given{}
	rows.Renumber(m.given.HeldOut, kept)
	for _, u := range m.given.Experts {
		rows.Renumber(u.Index, kept)
	}
	if c.Certificate > 0 {
		run := c.Run
		run.Seed = rng.Derive(c.Seed, "certificate")
		m.stats.Error, err = solve.CertificateOf(ctx, c.Kernel, m.approximate, s, c.Certificate, run)
		if err != nil {
			return m, err
		}
	}
	return m, nil
}

// keep makes the settings those of a fit to the rows kept, all if kept is nil.
func (c *Ensemble) keep(kept []int) (err error) {
	if kept == nil {
		return nil
	}
	if c.Landmarks, err = selection.Kept(c.Landmarks, kept); err != nil {
		return err
	}
	c.Given.Experts = slices.Clone(c.Given.Experts)
	for e, u := range c.Given.Experts {
		s, err := selection.Kept(u, kept)
		if err != nil {
			return err
		}
		c.Given.Experts[e] = s.(landmark.Fixed)
	}
	c.Given.HeldOut, err = rows.Places("Given.HeldOut", c.Given.HeldOut, kept)
	return err
}

// experts returns the landmarks of each expert, and the rows that they are where they
// are rows. x are the rows kept of all.
func (c Ensemble) experts(ctx context.Context, x gram.Samples[float64], w []float64, kept []int) ([]landmark.Fixed, error) {
	out := make([]landmark.Fixed, c.Experts)
	if c.Given.Experts != nil {
		for e, u := range c.Given.Experts {
			p, err := u.Select(ctx, c.Kernel, x, nil, selection.NumFixed(u), gram.Run{})
			var ce *gram.ConfigError
			if errors.As(err, &ce) {
				return nil, settings.Refuse("Given.Experts", fmt.Sprintf("expert %d with %v", e, ce.Value), "%s", ce.Want)
			} else if err != nil {
				return nil, err
			}
			out[e] = landmark.Fixed{Index: p.Index, U: p.U}
		}
		owner := map[int]int{}
		for e, u := range out {
			for _, i := range u.Index {
				if first, taken := owner[i]; taken {
					return nil, settings.Refuse("Given.Experts", fmt.Sprintf("row %d for experts %d and %d", rows.Number(i, kept), first, e), "landmarks of an expert alone")
				}
				owner[i] = e
			}
		}
		return out, nil
	}
	points, err := c.Landmarks.Select(ctx, c.Kernel, x, w, c.M*c.Experts, c.selection())
	if err != nil {
		return nil, err
	}
	deal := rng.New(rng.Derive(c.Seed, "experts"), 0).Perm(c.M * c.Experts)
	for e := range out {
		hand := slices.Clone(deal[e*c.M : (e+1)*c.M])
		slices.Sort(hand)
		out[e].U = rows.Dense(gram.Of(points.U), hand)
		if points.Index != nil {
			for _, i := range hand {
				out[e].Index = append(out[e].Index, points.Index[i])
			}
		}
	}
	return out, nil
}

// heldOut returns the rows that the weights are fitted to, of the n rows kept of all.
func (c Ensemble) heldOut(n int, landmarks, kept []int) ([]int, error) {
	slices.Sort(landmarks)
	if c.Given.HeldOut != nil {
		for _, i := range c.Given.HeldOut {
			if _, isLandmark := slices.BinarySearch(landmarks, i); isLandmark {
				return nil, settings.Refuse("Given.HeldOut", fmt.Sprintf("row %d", rows.Number(i, kept)), "rows that are no landmarks, where an approximation has no error")
			}
		}
		return c.Given.HeldOut, nil
	}
	var index []int
	for _, i := range crossval.Order(n, c.Seed) {
		if _, isLandmark := slices.BinarySearch(landmarks, i); !isLandmark {
			index = append(index, i)
		}
		if len(index) == c.HeldOut {
			break
		}
	}
	if len(index) == 0 {
		return nil, settings.Refuse("M", c.M, "rows that are no landmarks, to fit the weights on")
	}
	slices.Sort(index)
	return index, nil
}

// fitWeights finds the weights by least squares on held-out rows, as the settings say.
func (m *EnsembleModel) fitWeights(ctx context.Context, x gram.Samples[float64]) error {
	c, index := m.cfg, m.given.HeldOut
	s := len(index)
	part := x.Select(index)
	values := make([]*mat.Dense, c.Experts+1)
	values[c.Experts] = mat.NewDense(s, s, nil)
	kernel.Against[float64](c.Kernel, part).Limit(c.Workers).Fill(gram.View(values[c.Experts]), part)
	for e, expert := range m.experts {
		if err := ctx.Err(); err != nil {
			return err
		}
		phi := expert.Map(nil, part)
		values[e] = mat.NewDense(s, s, nil)
		values[e].Mul(phi, phi.T())
	}
	off := c.OffDiagonal.Value()
	inner := func(a, b *mat.Dense) float64 {
		var sum float64
		for i := range s {
			u, v := a.RawRowView(i), b.RawRowView(i)
			var row float64
			for j := range u {
				row += u[j] * v[j]
			}
			sum += off*row + (1-off)*u[i]*v[i]
		}
		return sum
	}
	a, b := mat.NewSymDense(c.Experts, nil), mat.NewVecDense(c.Experts, nil)
	var scale float64
	for e := range c.Experts {
		for f := range e + 1 {
			a.SetSym(e, f, inner(values[e], values[f]))
		}
		b.SetVec(e, inner(values[e], values[c.Experts]))
		scale += a.At(e, e) / float64(c.Experts)
	}
	ridge := c.Ridge.Value() * scale
	for e := range c.Experts {
		a.SetSym(e, e, a.At(e, e)+ridge)
		b.SetVec(e, b.AtVec(e)+ridge/float64(c.Experts))
	}
	var chol mat.Cholesky
	var mu mat.VecDense
	if !chol.Factorize(a) || chol.SolveVecTo(&mu, b) != nil {
		return nil // experts that are zero, or copies of each other: equal weights are as good as any
	}
	for e := range m.weights {
		m.weights[e] = mu.AtVec(e)
	}
	return nil
}

// Given returns the landmarks of the experts and, with fitted weights, the held-out rows,
// as Ensemble.Given takes them. They are the model's own; a model read from a file has
// none.
func (m *EnsembleModel) Given() Given { return m.given }

// HasFeatures reports whether no weight is negative, so that Dims and Map may be
// called.
func (m *EnsembleModel) HasFeatures() bool { return slices.Min(m.weights) >= 0 }

// Weights returns the experts' weights. They are the model's own and must not be
// changed.
func (m *EnsembleModel) Weights() []float64 { return m.weights }

// Expert returns the model of expert e, counted from 0. It is the ensemble's own.
func (m *EnsembleModel) Expert(e int) *Model { return m.experts[e] }

// Dims returns the number of columns of x and the number of features, the sum
// over the experts.
func (m *EnsembleModel) Dims() (d, features int) {
	if !m.HasFeatures() {
		panic("nystrom: an ensemble with negative weights has no features")
	}
	for _, e := range m.experts {
		var f int
		d, f = e.Dims()
		features += f
	}
	return d, features
}

// Map computes the features of the rows of x: those of the experts side by side,
// times the root of their weights.
func (m *EnsembleModel) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	d, r := m.Dims()
	dst = rows.Destination("nystrom", dst, x, d, r)
	if n, _ := x.Dims(); n == 0 {
		return dst
	}
	m.side(dst, x, func(w float64) float64 { return math.Sqrt(w) })
	return dst
}

// side writes the features of all experts side by side, each times f(weight).
func (m *EnsembleModel) side(dst *mat.Dense, x mat.Matrix, f func(w float64) float64) {
	n, _ := x.Dims()
	at := 0
	for e, expert := range m.experts {
		_, r := expert.Dims()
		part := dst.Slice(0, n, at, at+r).(*mat.Dense)
		expert.Map(part, x)
		part.Scale(f(m.weights[e]), part)
		at += r
	}
}

// approximate returns the approximate kernel matrix of the rows of x.
func (m *EnsembleModel) approximate(x mat.Matrix) *solve.LowRank {
	n, _ := x.Dims()
	var scale []float64
	for e, expert := range m.experts {
		_, r := expert.Dims()
		scale = append(scale, slices.Repeat([]float64{m.weights[e]}, r)...)
	}
	phi := mat.NewDense(n, len(scale), nil)
	m.side(phi, x, func(float64) float64 { return 1 })
	return &solve.LowRank{Phi: phi, Scale: scale}
}

// Operator returns the approximate kernel matrix of the rows of x, which holds
// the experts' features. If ctx ends it the error is ctx.Err().
func (m *EnsembleModel) Operator(ctx context.Context, x mat.Matrix) (*solve.LowRank, error) {
	s := gram.Of(x)
	n := s.N()
	var all *solve.LowRank
	const block = 1024
	for lo := 0; lo < n; lo += block {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+block, n)
		part := m.approximate(s.Slice(lo, hi))
		_, r := part.Phi.Dims()
		if all == nil {
			all = &solve.LowRank{Phi: mat.NewDense(n, r, nil), Scale: part.Scale}
		}
		all.Phi.Slice(lo, hi, 0, r).(*mat.Dense).Copy(part.Phi)
	}
	return all, nil
}

// Config returns the settings with all defaults filled in.
func (m *EnsembleModel) Config() Ensemble { return m.cfg }

// Stats returns statistics of the fit. A model that was read from a file has the
// effective rank only.
func (m *EnsembleModel) Stats() EnsembleStats { return m.stats }

// Encode writes the settings, the weights and the experts.
func (m *EnsembleModel) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// DecodeEnsemble reads a EnsembleModel that Encode has written. The error says what is wrong with a damaged file.
func DecodeEnsemble(f *modelfile.File) (*EnsembleModel, error) {
	return modelfile.Get(f, new(EnsembleModel), (*EnsembleModel).form)
}

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *EnsembleModel) form(x *modelfile.Exchange) {
	x.Header("nystrom.ensemble", 1, &m.cfg, kernel.Stored(&m.cfg.Kernel), modelfile.Retired("NoPower"))
	x.Float64("weights", &m.weights, m.cfg.Experts)
	x.Require(len(m.weights) > 0 && len(m.weights) == m.cfg.Experts, "weights", "%d weights for %d experts", len(m.weights), m.cfg.Experts)
	if x.Reading() {
		m.experts = make([]*Model, len(m.weights))
	}
	for e := range m.experts {
		modelfile.Part(x, fmt.Sprint("expert", e), &m.experts[e], Decode)
		if x.Reading() {
			d, _ := m.experts[e].Dims()
			first, _ := m.experts[0].Dims()
			x.Require(d == first, "weights", "expert %d has %d columns, the first one %d", e, d, first)
			m.stats.EffectiveRank += m.experts[e].stats.EffectiveRank
		}
	}
	if x.Reading() {
		m.cfg.Landmarks = landmark.Fixed{U: m.experts[0].Landmarks()}
	}
}
