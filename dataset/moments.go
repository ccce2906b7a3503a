package dataset

import (
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Moments hold what a scaling has to know of rows: for each column the smallest and the largest
// value, the mean and the sum of squared differences from the mean. Rows are added in blocks,
// and the moments of several sets of rows are merged, by the formula of Chan, Golub and LeVeque
// (1979), which loses no digits. Columns that a block lacks are zeros in its rows. The same
// blocks and order of merges give the same bits. The zero value holds no rows.
type Moments struct {
	n                int64
	low, high        []float64
	mean, deviations []float64
}

// Rows returns the number of rows that were added or merged.
func (m *Moments) Rows() int64 { return m.n }

// Within reports whether all values are in [−most, most].
func (m *Moments) Within(most float64) bool {
	for j := range m.low {
		if !(m.low[j] >= -most && m.high[j] <= most) {
			return false
		}
	}
	return true
}

// grow appends columns of zeros until there are d.
func (m *Moments) grow(d int) {
	for len(m.mean) < d {
		m.low, m.high = append(m.low, 0), append(m.high, 0)
		m.mean, m.deviations = append(m.mean, 0), append(m.deviations, 0)
	}
}

// Add adds the rows of x, whose numbers are finite.
func (m *Moments) Add(x mat.Matrix) {
	n, d := x.Dims()
	if n == 0 {
		return
	}
	b := &Moments{n: int64(n)}
	b.grow(d)
	s := gram.Of(x)
	count := make([]int, d)
	for i := range n {
		s.Each(i, func(j int, v float64) {
			if count[j] == 0 {
				b.low[j], b.high[j] = v, v
			}
			b.low[j], b.high[j] = min(b.low[j], v), max(b.high[j], v)
			b.mean[j] += v / float64(n)
			count[j]++
		})
	}
	rest := make([]float64, d) // what rounding has left in the mean
	for i := range n {
		s.Each(i, func(j int, v float64) {
			e := v - b.mean[j]
			rest[j] += e
			b.deviations[j] += float64(e * e)
		})
	}
	for j, c := range count {
		if zeros := n - c; zeros > 0 {
			b.low[j], b.high[j] = min(b.low[j], 0), max(b.high[j], 0)
			rest[j] -= float64(float64(zeros) * b.mean[j])
			b.deviations[j] += float64(float64(zeros) * float64(b.mean[j]*b.mean[j]))
		}
		r := rest[j] / float64(n)
		b.mean[j] += r
		b.deviations[j] = max(0, b.deviations[j]-float64(float64(n)*float64(r*r)))
	}
	m.Merge(b)
}

// Merge adds the rows of o, which stays as it is.
func (m *Moments) Merge(o *Moments) {
	switch {
	case o.n == 0:
		m.grow(len(o.mean))
		return
	case m.n == 0:
		d := len(m.mean)
		*m = Moments{o.n, slices.Clone(o.low), slices.Clone(o.high), slices.Clone(o.mean), slices.Clone(o.deviations)}
		m.grow(d)
		return
	}
	m.grow(len(o.mean))
	share := float64(o.n) / float64(m.n+o.n)
	weight := float64(m.n) * share
	for j := range m.mean {
		var low, high, mean, deviations float64
		if j < len(o.mean) {
			low, high, mean, deviations = o.low[j], o.high[j], o.mean[j], o.deviations[j]
		}
		m.low[j], m.high[j] = min(m.low[j], low), max(m.high[j], high)
		e := mean - m.mean[j]
		m.mean[j] += float64(share * e)
		m.deviations[j] += deviations + float64(weight*float64(e*e))
	}
	m.n += o.n
}

// MinMax is the function MinMax for these rows. It gives the same bits.
func (m *Moments) MinMax(low, high float64) (*Scaling, error) {
	s := &Scaling{Shift: slices.Clone(m.low), Divisor: make([]float64, len(m.low)), Width: high - low, Low: low}
	for j := range m.low {
		s.Divisor[j] = m.high[j] - m.low[j]
		if math.IsInf(s.Divisor[j], 0) {
			return nil, &gram.DataError{Row: 0, Col: j, Value: m.high[j], Reason: "the range of the column overflows"}
		}
	}
	return s, nil
}

// Standardize is the function Standardize for these rows, up to rounding.
func (m *Moments) Standardize() (*Scaling, error) { return m.scaling(true) }

// UnitVariance is the function UnitVariance for these rows, up to rounding.
func (m *Moments) UnitVariance() (*Scaling, error) { return m.scaling(false) }

func (m *Moments) scaling(center bool) (*Scaling, error) {
	s := &Scaling{Shift: make([]float64, len(m.mean)), Divisor: make([]float64, len(m.mean)), Width: 1}
	for j, mean := range m.mean {
		divisor, err := deviation(j, mean, m.deviations[j]/float64(max(1, m.n)), m.high[j]-m.low[j])
		if err != nil {
			return nil, err
		}
		if m.low[j] == m.high[j] { // what rounding makes of a constant is no variance
			mean, divisor = m.low[j], 0
		}
		s.Divisor[j] = divisor
		if center {
			s.Shift[j] = mean
		}
	}
	return s, nil
}

// Exchange lists what a file holds of the moments. Writing and reading a file go through these same statements.
func (m *Moments) Exchange(x *modelfile.Exchange) {
	head := struct{ Rows int64 }{m.n}
	x.Header("moments", 1, &head)
	m.n = head.Rows
	x.Require(m.n >= 0, "", "%d rows", m.n)
	x.Float64("low", &m.low, -1)
	d := len(m.low)
	x.Float64("high", &m.high, d)
	x.Float64("mean", &m.mean, d)
	x.Float64("deviations", &m.deviations, d)
}
