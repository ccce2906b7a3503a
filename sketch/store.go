package sketch

import "github.com/gramworks/gram/asm/codes"

// A store holds vectors of d unsigned integers of 1 to 8 bits. Up to three bits are
// stored as planes of bits, one after the other; four bits as half bytes in the order
// of package asm/codes; more as bytes.
type store struct {
	d, bits int
	planes  []uint64
	bytes   []uint8
	sums    []int32 // of the integers of each vector
}

func newStore(d, bits int) store {
	if d < 1 || bits < 1 || bits > 8 {
		panic("sketch: codes have from 1 to 8 bits and a positive dimension")
	}
	return store{d: d, bits: bits}
}

// width returns the number of words or bytes of a vector: words of each plane for
// up to three bits.
func (s *store) width() int {
	switch {
	case s.bits < 4:
		return (s.d + 63) / 64
	case s.bits == 4:
		return (s.d + 1) / 2
	}
	return s.d
}

// add appends a vector of d integers, which must be below 2^bits.
func (s *store) add(u []uint8) {
	sum := int32(0)
	for _, v := range u {
		sum += int32(v)
	}
	s.sums = append(s.sums, sum)
	w := s.width()
	switch {
	case s.bits < 4:
		at := len(s.planes)
		s.planes = append(s.planes, make([]uint64, w*s.bits)...)
		for i, v := range u {
			for b := range s.bits {
				s.planes[at+b*w+i/64] |= uint64(v>>b&1) << (i % 64)
			}
		}
	case s.bits == 4:
		for i := range w {
			v := u[i]
			if w+i < len(u) {
				v |= u[w+i] << 4
			}
			s.bytes = append(s.bytes, v)
		}
	default:
		s.bytes = append(s.bytes, u...)
	}
}

// get unpacks the integers of vector i into u, which has length d.
func (s *store) get(u []uint8, i int) {
	w := s.width()
	switch {
	case s.bits < 4:
		planes := s.planes[i*w*s.bits:]
		for j := range u {
			u[j] = 0
			for b := range s.bits {
				u[j] |= uint8(planes[b*w+j/64]>>(j%64)&1) << b
			}
		}
	case s.bits == 4:
		for j := range u {
			if j < w {
				u[j] = s.bytes[i*w+j] & 15
			} else {
				u[j] = s.bytes[i*w+j-w] >> 4
			}
		}
	default:
		copy(u, s.bytes[i*w:])
	}
}

// A probe is a vector q in the form in which its products with the vectors of a store
// are sums of integers: q_j ≈ low + step·k_j.
type probe struct {
	low, step float32
	sum       float32  // of the rounded elements
	rounding  float64  // Σ_j (low + step·k_j − q_j)²
	planes    []uint64 // of the k_j, for stores of planes
	bytes     []int8   // the k_j, for the other stores
}

// set makes p the probe for q. Values between two integers are rounded up if the
// part that is missing is less than dither_j, so that with dithers that are uniform in
// [0, 1) the k_j have no bias.
func (p *probe) set(s *store, q, dither []float32) {
	total := 0 // of the k_j
	p.rounding = 0
	round := func(v float32, k int) {
		total += k
		e := float64(p.low) + float64(p.step)*float64(k) - float64(v)
		p.rounding += e * e
	}
	least, most := q[0], q[0]
	for _, v := range q {
		least, most = min(least, v), max(most, v)
	}
	if s.bits < 4 {
		// Three bits more than the codes keep the error of the probe at a fifth of theirs.
		b := s.bits + 3
		p.low, p.step = least, (most-least)/float32(int(1)<<b-1)
		w := s.width()
		p.planes = append(p.planes[:0], make([]uint64, b*w)...)
		if p.step > 0 {
			for j, v := range q {
				k := min(uint((v-least)/p.step+dither[j]), 1<<b-1)
				round(v, int(k))
				for i := range b {
					p.planes[i*w+j/64] |= uint64(k>>i&1) << (j % 64)
				}
			}
		}
		p.sum = p.low*float32(s.d) + p.step*float32(total)
		return
	}
	p.low, p.step = 0, max(-least, most)/127
	n := s.d
	if s.bits == 4 {
		n = 2 * s.width()
	}
	p.bytes = append(p.bytes[:0], make([]int8, n)...)
	if p.step > 0 {
		for j, v := range q {
			k := min(int(v/p.step+dither[j]+128)-128, 127)
			p.bytes[j] = int8(k)
			round(v, k)
		}
	}
	p.sum = p.step * float32(total)
}

// dot returns the product of vector i and the probe, Σ_j u_j·q_j.
func (s *store) dot(p *probe, i int) float32 {
	w, sum := s.width(), 0
	switch {
	case s.bits < 4:
		for b := range s.bits {
			plane := s.planes[(i*s.bits+b)*w : (i*s.bits+b+1)*w]
			for k := range len(p.planes) / w {
				sum += codes.Common(plane, p.planes[k*w:]) << (b + k)
			}
		}
	case s.bits == 4:
		sum = codes.Dot4(s.bytes[i*w:(i+1)*w], p.bytes)
	default:
		sum = codes.Dot8(s.bytes[i*w:(i+1)*w], p.bytes)
	}
	return p.low*float32(s.sums[i]) + p.step*float32(sum)
}

// squares returns the squared distance of vectors i and j of 4 or 8 bits.
func (s *store) squares(i, j int) int {
	w := s.width()
	a, b := s.bytes[i*w:(i+1)*w], s.bytes[j*w:(j+1)*w]
	if s.bits > 4 {
		return codes.Squares8(a, b)
	}
	return codes.Squares4(a, b)
}
