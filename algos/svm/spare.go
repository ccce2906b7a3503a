package svm

// spare is memory that is passed from one problem to the next.
type spare struct {
	rows    any // a []float32 or []float64 of kernel rows
	solver  any // a *solver[float32] or *solver[float64]
	sides   [2]side
	both    [2]*side
	problem Problem
	sol     Solution
	values  pairValues // of a pair of classes, and
	index   []int      // its rows

	changed, support []int // see gradient

	floats []float64 // the numbers of a problem, of which so many are
	used   int
}

// take returns n zeros, which belong to the problem. A nil spare allocates them.
func (s *spare) take(n int) []float64 {
	if s == nil {
		return make([]float64, n)
	}
	if len(s.floats)-s.used < n {
		s.floats, s.used = make([]float64, 2*len(s.floats)+n), 0 // earlier numbers keep their memory
	}
	part := s.floats[s.used : s.used+n : s.used+n]
	s.used += n
	clear(part)
	return part
}

// side returns the memory of side k with the given variables and bounds.
func (s *spare) side(k int, part, lower, upper []float64) *side {
	if s == nil {
		s = new(spare)
	}
	v := &s.sides[k]
	v.part, v.lower, v.upper = part, lower, upper
	return v
}

// list returns memory for a list of sides.
func (s *spare) list() []*side {
	if s == nil {
		return nil
	}
	return s.both[:0]
}

// changes returns two empty lists with room for n numbers.
func (s *spare) changes(n int) (changed, support []int) {
	if s == nil {
		return nil, nil
	}
	s.changed, s.support = resized(s.changed, n), resized(s.support, n)
	return s.changed[:0], s.support[:0]
}

// solution returns the Solution of s, which the next problem overwrites, or a new one if s is nil.
func (s *spare) solution() *Solution {
	if s == nil {
		return new(Solution)
	}
	return &s.sol
}

// spares passes memory for problems between goroutines: a goroutine takes a spare and gives it back.
type spares chan *spare

func newSpares(n int) spares {
	s := make(spares, n)
	for range n {
		s <- &spare{index: []int{}}
	}
	return s
}

// take returns memory that no other goroutine uses and that holds no problem.
func (s spares) take() *spare {
	m := <-s
	m.used = 0
	return m
}

func (s spares) give(m *spare) { s <- m }

// resized returns a slice of length n, which is s if its capacity is enough.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// compact keeps the elements of x with the given indices, which ascend, in place.
func compact[T any](x []T, index []int) []T {
	for k, t := range index {
		x[k] = x[t]
	}
	return x[:len(index)]
}
