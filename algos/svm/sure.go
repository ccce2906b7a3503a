package svm

import (
	"math"
	"slices"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

const (
	sureRows  = 32      // least number of rows for which values in float32 pay
	sureFirst = 256     // rows that show whether values in float32 pay for the others
	sureBlock = 1 << 15 // rows that are converted to float32 together
)

// sure holds what computes the functions of a machine in float32 with a bound on the
// errors. It is made when it is first needed.
type sure struct {
	once    sync.Once
	workers int
	product *kernel.Product[float32] // the functions, and last the sum with the largest |coefficient| of each support vector
	bound   *kernel.Bound            // nil: there is none
	least   float64                  // the part of the bound that does not depend on the row
	buffers sync.Pool                // *[]float32: rows in float32
}

// prepare makes s for the functions of m.
func (s *sure) prepare(m *machine) {
	n, width := m.coef.Dims()
	v := mat.NewDense(n, width+1, nil)
	for j := range n {
		row := v.RawRowView(j)
		copy(row, m.coef.RawRowView(j))
		for _, b := range row[:width] {
			row[width] = max(row[width], math.Abs(b))
		}
		s.least += 0x1p-124*row[width] + 0x1p-149
	}
	block := kernel.Against[float32](m.kernel, m.points).Limit(s.workers)
	if m.counts == nil {
		s.product = block.Times(program.Rows[float32](v))
	} else {
		list := groups(m.counts)
		for c := range list {
			list[c].Columns = append(list[c].Columns, len(m.bias))
		}
		s.product = block.TimesGroups(program.Rows[float32](v), len(m.bias)+1, list)
	}
	s.bound, _ = kernel.ProductBound(s.product, m.points)
}

// predictSure sets dst to the classes of the rows of x whose values in float32 are far enough
// from every change of the class, and returns the other rows. It returns nil, and does
// nothing, if values in float32 have no bound or do not pay. Once they leave a quarter of the
// rows open, all rows after these are returned, too.
func (m *Model) predictSure(dst []int, x mat.Matrix) (rest []int) {
	n, d := x.Dims()
	if _, is := m.kernel.(kernel.Gaussian); !is || n < sureRows {
		return nil
	}
	s := m.sure
	s.once.Do(func() { s.prepare(&m.machine) })
	if s.bound == nil {
		return nil
	}
	rest = []int{}
	all, functions := gram.Of(x), len(m.bias)
	buffer, ok := s.buffers.Get().(*[]float32)
	if !ok {
		buffer = new([]float32)
	}
	defer s.buffers.Put(buffer)
	thin := m.points.IsSparse() && all.IsSparse() // zeros do not count
	var lock sync.Mutex
	for from, to := 0, 0; from < n; from = to {
		if 4*len(rest) > from {
			for i := from; i < n; i++ {
				rest = append(rest, i)
			}
			break
		}
		if to = min(from+sureBlock, n); from == 0 {
			to = min(sureFirst, n)
		}
		part := all.Slice(from, to)
		s.product.Each(gram.As(part, buffer), func(lo int, values gram.Rows[float32]) {
			votes := m.ballot()
			defer m.votes.Put(votes)
			f := make([]float64, functions)
			var row []float64
			if !thin {
				row = make([]float64, d)
			}
			var unsure []int
			for i := range values.N {
				v := values.Row(i)
				for c, b := range m.bias {
					f[c] = float64(v[c]) + b
				}
				if thin {
					row = rows.Numbers(row, part, lo+i)
				} else {
					part.CopyRow(row, lo+i)
				}
				class, ok := m.surely(f, s.bound.Row(row)*float64(v[functions])+s.least, *votes)
				if dst[from+lo+i] = class; !ok {
					unsure = append(unsure, from+lo+i)
				}
			}
			lock.Lock()
			rest = append(rest, unsure...)
			lock.Unlock()
		})
	}
	slices.Sort(rest)
	return rest
}

// surely returns the class for values of all functions that have errors of at most e, besides
// the rounding of the bias, and whether no such error changes it. NaN is never sure.
func (m *Model) surely(values []float64, e float64, votes []float64) (class int, ok bool) {
	const rounding = 0x1p-50
	class = m.decide(values, votes)
	if class < 0 {
		return class, false
	}
	if len(values) == 1 || m.Pairs() {
		for _, v := range values {
			if !(math.Abs(v) > e+rounding*math.Abs(v)) {
				return class, false
			}
		}
		return class, true
	}
	most := values[class]
	for c, v := range values {
		if c != class && !(most-v > 2*e+rounding*(math.Abs(most)+math.Abs(v))) {
			return class, false
		}
	}
	return class, true
}
