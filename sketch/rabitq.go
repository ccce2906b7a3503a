package sketch

import (
	"math"

	"github.com/gramworks/gram/num/rng"
)

// RaBitQ holds vectors as codes of 1 to 8 bits a dimension, from which it estimates
// inner products and distances without bias, with a bound of the error that holds
// for every vector [GL24, GGX25].
//
// A vector x is stored by its length relative to a center c, ‖x−c‖, and a code of the
// direction o = R(x−c)/‖x−c‖, where R is a Rotation. The code is the vector y on the
// grid {0, 1 … 2^B−1}^d − (2^B−1)/2 that has nearly the least angle with o: for one
// bit the signs of o. For a query q with the direction p = R(q−c)/‖q−c‖,
//
//	⟨o,p⟩ ≈ ⟨y,p⟩/⟨y,o⟩
//
// has no bias over the choice of R, and the error is at most
//
//	ε₀·√((1−ρ²)/ρ²)/√(d−1),  ρ = ⟨y,o⟩/‖y‖,
//
// with a probability of 1 − 2·exp(−c₀·ε₀²): for ε₀ = 1.9 about 94 %, for 3 more than
// 99 %. The query is rounded, too: p + e has the error ⟨y,e⟩/⟨y,o⟩ besides, where y and e
// are all but independent, so that it is at most ε₀·‖e‖/(ρ√d) with that probability; Bound
// is the root of the sum of both squares. The rms error for orthogonal vectors is about
// .76/√d for one bit, and .37/√d, .19/√d and .10/√d for two, three and four bits; each
// further bit halves it until the rounding of the query is felt at seven bits.
//
// One to three bits take B·d bits of memory, four bits half a byte and more bits one byte
// a dimension; each vector takes 16 bytes besides. A RaBitQ is not safe for concurrent
// use while vectors are added. Queries only read it.
//
// It is not promised: see Codes for vector search in the package comment.
type RaBitQ struct {
	rotation *Rotation[float32]
	center   []float32
	codes    store
	factor   []float32 // 1/⟨y,o⟩
	length   []float32 // ‖x−c‖
	spread   []float32 // √((1−ρ²)/ρ²)/√(d−1)
	dither   []float32
	o        []float32 // scratch of Add
	u, best  []uint8
}

// NewRaBitQ returns an empty set of codes of the given bits a dimension. The rotation
// should have four rounds. center, which it copies, is a point amid the vectors, for
// example the mean of their cluster; nil is the origin. It panics if bits is not in 1
// … 8 or if the center has not the order of the rotation.
// It is not promised: see Codes for vector search in the package comment.
func NewRaBitQ(r *Rotation[float32], center []float32, bits int) *RaBitQ {
	n := r.Len()
	if center != nil && len(center) != n {
		panic("sketch: the center has not the order of the rotation")
	}
	q := &RaBitQ{rotation: r, center: make([]float32, n), codes: newStore(n, bits), dither: make([]float32, n),
		o: make([]float32, n), u: make([]uint8, n), best: make([]uint8, n)}
	copy(q.center, center)
	// The dithers belong to the coordinates after a random rotation; they need no seed.
	random := rng.New(0, uint64(n))
	for i := range q.dither {
		q.dither[i] = random.Float32()
	}
	return q
}

// Len returns the number of vectors that were added.
func (q *RaBitQ) Len() int { return len(q.length) }

// scales is the number of scales of the grid that Add compares.
const scales = 48

// Add appends the code of x. It panics if x has not the order of the rotation. Cost: a
// rotation, and for more than one bit 48 passes over the vector.
func (q *RaBitQ) Add(x []float32) {
	length := q.direction(q.o, x)
	o, levels := q.o, float32(int(1)<<q.codes.bits)
	half := (levels - 1) / 2
	largest := float32(0)
	for _, v := range o {
		largest = max(largest, float32(math.Abs(float64(v))))
	}
	cosine, product := -1., 0.
	tries := scales
	if q.codes.bits == 1 {
		tries = 1
	}
	for k := range tries {
		// From the scale at which the largest element is the largest level to the one at
		// which the elements of a Gaussian vector would fill half the grid.
		scale := float32(0)
		if largest > 0 {
			scale = (levels / 2) / largest * (1 + 4*float32(k)/scales)
		}
		yy, yo := 0., 0.
		for i, v := range o {
			u := min(max(float32(math.Floor(float64(v*scale+levels/2))), 0), levels-1)
			q.u[i] = uint8(u)
			y := float64(u - half)
			yy += y * y
			yo += y * float64(v)
		}
		if c := yo / math.Sqrt(yy); c > cosine {
			cosine, product = c, yo
			q.u, q.best = q.best, q.u
		}
	}
	q.codes.add(q.best)
	factor, spread := 0., 0.
	if product > 0 {
		factor = 1 / product
		spread = math.Sqrt(max(0, 1-cosine*cosine)) / cosine / math.Sqrt(max(1, float64(len(o)-1)))
	}
	q.length = append(q.length, length)
	q.factor = append(q.factor, float32(factor))
	q.spread = append(q.spread, float32(spread))
}

// direction computes o = R(x−c)/‖x−c‖ and returns the length; o is zero for x = c.
func (q *RaBitQ) direction(o, x []float32) float32 {
	if len(x) != len(o) {
		panic("sketch: the vector has not the order of the rotation")
	}
	sum := 0.
	for i, v := range x {
		o[i] = v - q.center[i]
		sum += float64(o[i]) * float64(o[i])
	}
	length := math.Sqrt(sum)
	if length > 0 {
		by := float32(1 / length)
		for i := range o {
			o[i] *= by
		}
	}
	q.rotation.Apply(o, o)
	return float32(length)
}

// A Query is a vector that is compared with the codes of a RaBitQ. Its direction is
// rounded to integers without bias: to three bits more than the codes have if these
// have up to three bits, and else to eight bits. A Query is for one goroutine.
//
// It is not promised: see Codes for vector search in the package comment.
type Query struct {
	q      *RaBitQ
	p      []float32
	length float32
	probe  probe
}

// Query returns the query for x. It panics if x has not the order of the rotation.
func (q *RaBitQ) Query(x []float32) *Query {
	s := &Query{q: q, p: make([]float32, len(q.center))}
	s.Set(x)
	return s
}

// Set makes s the query for x and allocates nothing. It panics as RaBitQ.Query does.
func (s *Query) Set(x []float32) {
	s.length = s.q.direction(s.p, x)
	s.probe.set(&s.q.codes, s.p, s.q.dither)
}

// half returns (2^B−1)/2, the middle of the levels.
func (s *store) half() float32 { return (float32(int(1)<<s.bits) - 1) / 2 }

// Cosine returns the estimate of ⟨o,p⟩, the cosine of the angle at the center between
// vector i and the query. It panics if there is no vector i.
func (s *Query) Cosine(i int) float32 {
	return (s.q.codes.dot(&s.probe, i) - s.q.codes.half()*s.probe.sum) * s.q.factor[i]
}

// Distance returns the estimate of the squared distance between vector i and the query.
func (s *Query) Distance(i int) float32 {
	a, b := s.q.length[i], s.length
	return max(0, a*a+b*b-2*a*b*s.Cosine(i))
}

// Bound returns what the estimate of Distance may be wrong by, in either direction, for
// the ε₀ that sets the probability. It is for ten dimensions and more: below, the error of
// a coordinate of a random direction is not nearly normal. It leaves out the rounding of
// float32, about 2⁻²²·(‖x−c‖² + ‖q−c‖²).
func (s *Query) Bound(i int, epsilon0 float32) float32 {
	spread, d := float64(s.q.spread[i]), float64(len(s.p))
	inverse := 1 + spread*spread*max(1, d-1) // 1/ρ²
	return 2 * s.q.length[i] * s.length * float32(math.Sqrt(spread*spread+inverse*s.probe.rounding/d)) * epsilon0
}
