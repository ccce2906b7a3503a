package sketch

import "math"

// Scalar holds vectors whose elements are rounded to 16 or 256 levels of one range:
// four or eight bits a dimension. The range is that of the data, or one that few of
// their elements exceed, which are then set to its ends. After a Rotation all
// elements of vectors of length one are about as large as those of a Gaussian vector
// of variance 1/n, which makes the range independent of the data.
//
// A Scalar is not safe for concurrent use while vectors are added.
//
// It is not promised: see Codes for vector search in the package comment.
type Scalar struct {
	low, step float32
	codes     store
	u         []uint8
}

// NewScalar returns an empty set of vectors of d elements, with 4 or 8 bits each, for
// elements from low to high. It panics for other numbers of bits, if d < 1 or unless
// low < high and high − low is a finite number.
// It is not promised: see Codes for vector search in the package comment.
func NewScalar(d, bits int, low, high float32) *Scalar {
	if bits != 4 && bits != 8 || !(high-low > 0 && high-low <= math.MaxFloat32) {
		panic("sketch: scalar codes have 4 or 8 bits and a range")
	}
	return &Scalar{low: low, step: (high - low) / float32(int(1)<<bits-1), codes: newStore(d, bits), u: make([]uint8, d)}
}

// Len returns the number of vectors that were added.
func (s *Scalar) Len() int { return len(s.codes.sums) }

// Add appends the code of x, whose elements are rounded to the nearest level; NaN is
// rounded to the lowest. It panics if x has not d elements.
func (s *Scalar) Add(x []float32) {
	if len(x) != s.codes.d {
		panic("sketch: the vector has not the dimension of the codes")
	}
	most := float64(int(1)<<s.codes.bits - 1)
	for i, v := range x {
		s.u[i] = 0
		if level := math.RoundToEven(float64((v - s.low) / s.step)); level > 0 {
			s.u[i] = uint8(min(level, most))
		}
	}
	s.codes.add(s.u)
}

// Row writes the rounded vector i into dst. It panics if dst has not d elements or there is
// no vector i.
func (s *Scalar) Row(dst []float32, i int) {
	if len(dst) != s.codes.d {
		panic("sketch: the vector has not the dimension of the codes")
	}
	s.check(i)
	u := make([]uint8, s.codes.d)
	s.codes.get(u, i)
	for j, v := range u {
		dst[j] = s.low + float32(s.step*float32(v))
	}
}

// check panics unless there is a vector i.
func (s *Scalar) check(i int) {
	if i < 0 || i >= s.Len() {
		panic("sketch: there is no such vector")
	}
}

// A ScalarQuery is a vector whose inner products with the vectors of a Scalar are sums
// of integers. It is for one goroutine.
//
// It is not promised: see Codes for vector search in the package comment.
type ScalarQuery struct {
	s     *Scalar
	probe probe
}

// Query returns the query for x, whose elements are rounded to eight bits of their own
// range. It panics if x has not d elements.
func (s *Scalar) Query(x []float32) *ScalarQuery {
	if len(x) != s.codes.d {
		panic("sketch: the vector has not the dimension of the codes")
	}
	q := &ScalarQuery{s: s}
	nearest := make([]float32, len(x))
	for i := range nearest {
		nearest[i] = .5
	}
	q.probe.set(&s.codes, x, nearest)
	return q
}

// Dot returns the inner product of the query and the rounded vector i.
func (q *ScalarQuery) Dot(i int) float32 {
	return q.s.low*q.probe.sum + q.s.step*q.s.codes.dot(&q.probe, i)
}

// Distance returns the squared distance of the rounded vectors i and j, which is exact
// up to the rounding of the result. It panics if there is no vector i or j.
func (s *Scalar) Distance(i, j int) float32 {
	s.check(i)
	s.check(j)
	return s.step * s.step * float32(s.codes.squares(i, j))
}
