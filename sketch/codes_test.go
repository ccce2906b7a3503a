package sketch

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/race"
)

// TestStore puts integers of every number of bits in and out and compares products
// with sums number by number, at every level.
func TestStore(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for width := 1; width <= 8; width++ {
			for _, d := range []int{1, 2, 63, 64, 65, 127, 500, 1025} {
				s := newStore(d, width)
				var all [][]uint8
				for range 3 {
					u := make([]uint8, d)
					for i := range u {
						u[i] = uint8(r.IntN(1 << width))
					}
					s.add(u)
					all = append(all, u)
				}
				q, dither := make([]float32, d), make([]float32, d)
				for i := range q {
					q[i], dither[i] = float32(r.NormFloat64()), r.Float32()
				}
				var p probe
				p.set(&s, q, dither)
				got := make([]uint8, d)
				for i, u := range all {
					if s.get(got, i); !slices.Equal(got, u) {
						t.Fatalf("%d bits, d=%d: vector %d changed", width, d, i)
					}
					rounded, exact, diff := 0., 0., 0.
					for j, v := range u {
						k := 0
						if width < 4 {
							for b := range width + 3 {
								k |= int(p.planes[b*s.width()+j/64]>>(j%64)&1) << b
							}
						} else {
							k = int(p.bytes[j])
						}
						rounded += float64(v) * (float64(p.low) + float64(p.step)*float64(k))
						exact += float64(v) * float64(q[j])
						diff += float64(v) * float64(p.step)
						if off := math.Abs(float64(p.low)+float64(p.step)*float64(k)-float64(q[j])) / float64(p.step); !(off <= 1.001) && d > 1 {
							t.Fatalf("%d bits, d=%d: element %d is rounded by %v steps", width, d, j, off)
						}
					}
					tolerance := 1e-5 * (math.Abs(exact) + diff*64)
					if v := float64(s.dot(&p, i)); !(math.Abs(v-rounded) <= tolerance) {
						t.Fatalf("%d bits, d=%d: product %v, want %v", width, d, v, rounded)
					}
					if v := s.exact(q, got, i); !(math.Abs(v-exact) <= 1e-9*(1+math.Abs(exact))) {
						t.Fatalf("%d bits, d=%d: exact product %v, want %v", width, d, v, exact)
					}
				}
			}
		}
	})
}

// pair returns two random vectors of length one with the given cosine.
func pair(r *rand.Rand, d int, cosine float64) (x, y []float32) {
	a, b := asmtest.Normal[float64](r, d), asmtest.Normal[float64](r, d)
	aa, ab := 0., 0.
	for i := range a {
		aa += a[i] * a[i]
		ab += a[i] * b[i]
	}
	bb := 0.
	for i := range b {
		b[i] -= ab / aa * a[i]
		bb += b[i] * b[i]
	}
	x, y = make([]float32, d), make([]float32, d)
	for i := range a {
		u := a[i] / math.Sqrt(aa)
		x[i], y[i] = float32(u), float32(cosine*u+math.Sqrt(1-cosine*cosine)*b[i]/math.Sqrt(bb))
	}
	return x, y
}

// TestRaBitQ checks what the papers promise for every number of bits: no bias over rotations,
// and the rms error.
func TestRaBitQ(t *testing.T) {
	const d = 128
	// At a cosine of .6 the errors are .8 of those at 0: .071 for one bit.
	rms := map[int]float64{1: .8 * .0725, 2: .8 * .0365, 3: .8 * .0195, 4: .8 * .0098, 5: .8 * .0053, 6: .8 * .0028, 7: .8 * .0017, 8: .8 * .00125}
	trials := 600
	if testing.Short() {
		trials = 200
	}
	r := rand.New(rand.NewPCG(3, 4))
	for width := 1; width <= 8; width++ {
		sum, squares := 0., 0.
		for seed := range trials {
			// The true cosine is far from zero, where a bias would show.
			x, y := pair(r, d, .6)
			q := NewRaBitQ(NewRotation[float32](d, 4, uint64(seed)), nil, width)
			q.Add(x)
			s := q.Query(y)
			e := float64(s.Cosine(0)) - .6
			sum += e
			squares += e * e
		}
		n := float64(trials)
		got := math.Sqrt(squares / n)
		t.Logf("%d bits: rms error %.5f, mean %.5f", width, got, sum/n)
		if !(got <= rms[width]) {
			t.Errorf("%d bits: the rms error is %.5f, want at most %.5f", width, got, rms[width])
		}
		if !(math.Abs(sum/n) <= 4*got/math.Sqrt(n)) {
			t.Errorf("%d bits: the mean error is %.5f, which is no accident with rms %.5f and %d trials", width, sum/n, got, trials)
		}
	}
}

// The bound of a distance holds with its probability for every number of bits, where the rounding of
// the codes is the larger error and where that of the query is: the error of a coordinate of a random
// direction is nearly normal. For orthogonal directions it is no wider than that, either.
func TestRaBitQBound(t *testing.T) {
	if race.Enabled && testing.Short() {
		t.Skip("arithmetic: runs without the race detector")
	}
	const d = 128
	trials := 1500
	if testing.Short() {
		trials = 400
	}
	for width := 1; width <= 8; width++ {
		for _, cosine := range []float64{0, .6, -.95} {
			r := rand.New(rand.NewPCG(7, uint64(width)))
			outside := map[float32]float64{1: 0, 1.9: 0, 3: 0}
			for seed := range trials {
				x, y := pair(r, d, cosine)
				q := NewRaBitQ(NewRotation[float32](d, 4, uint64(seed)), nil, width)
				q.Add(x)
				s := q.Query(y)
				for epsilon := range outside {
					if e := math.Abs(float64(s.Distance(0)) - (2 - 2*cosine)); !(e <= float64(s.Bound(0, epsilon))) {
						outside[epsilon] += 1 / float64(trials)
					}
				}
			}
			for epsilon, got := range outside {
				want := math.Erfc(float64(epsilon) / math.Sqrt2)
				accident := 4 * math.Sqrt(want*(1-want)/float64(trials))
				if !(got <= want+accident) || cosine == 0 && !(got >= .7*want-accident) {
					t.Errorf("%d bits, cosine %g: %.4f of the errors are outside the bound for %g, want %.4f", width, cosine, got, epsilon, want)
				}
			}
		}
	}
}

// TestRaBitQCenter checks distances with a center, and vectors that lie in it.
func TestRaBitQCenter(t *testing.T) {
	const d = 200
	r := rand.New(rand.NewPCG(5, 6))
	center := asmtest.Normal[float32](r, d)
	q := NewRaBitQ(NewRotation[float32](d, 4, 1), center, 7)
	var x [][]float32
	for range 20 {
		v := asmtest.Normal[float32](r, d)
		for i := range v {
			v[i] = center[i] + .1*v[i]
		}
		x = append(x, v)
		q.Add(v)
	}
	q.Add(center)
	if q.Len() != 21 {
		t.Fatalf("%d vectors, want 21", q.Len())
	}
	s := q.Query(x[0])
	for i, v := range append(x, center) {
		want := 0.
		for j := range v {
			want += float64(v[j]-x[0][j]) * float64(v[j]-x[0][j])
		}
		if got := float64(s.Distance(i)); !(math.Abs(got-want) <= .03*4) {
			t.Errorf("distance %d is %v, want %v", i, got, want)
		}
	}
	s.Set(center)
	for i, v := range x {
		want := 0.
		for j := range v {
			want += float64(v[j]-center[j]) * float64(v[j]-center[j])
		}
		if got := float64(s.Distance(i)); !(math.Abs(got-want) <= 1e-4*want) {
			t.Errorf("from the center, distance %d is %v, want %v", i, got, want)
		}
	}
	if n := testing.AllocsPerRun(10, func() { s.Set(x[3]); s.Distance(3) }); n != 0 && !testing.Short() {
		t.Errorf("%v allocations", n)
	}
}

// TestRotationHelps rounds a heavy-tailed row to four bits, as it is and after a
// rotation. The relative squared error falls from .15 to the .0115 of an optimal uniform
// quantizer of Gaussian numbers.
func TestRotationHelps(t *testing.T) {
	const n = 4096
	r := rand.New(rand.NewPCG(7, 8))
	x := make([]float32, n)
	largest, norm := 0., 0.
	for i := range x {
		v := r.NormFloat64() / math.Sqrt((square(r)+square(r)+square(r))/3) // Student's t with three degrees of freedom
		x[i] = float32(v)
		largest = max(largest, math.Abs(v))
		norm += v * v
	}
	loss := func(x []float32, most float64) float64 {
		s := NewScalar(n, 4, float32(-most), float32(most))
		s.Add(x)
		y := make([]float32, n)
		s.Row(y, 0)
		e := 0.
		for i, v := range y {
			e += float64(v-x[i]) * float64(v-x[i])
		}
		return e / norm
	}
	before := loss(x, largest)
	y := make([]float32, n)
	NewRotation[float32](n, 2, 1).Apply(y, x)
	after := loss(y, 7.5*.3352*math.Sqrt(norm/n))
	t.Logf("relative squared error %.4f before, %.4f after the rotation", before, after)
	if !(before >= .1 && after <= .0122) {
		t.Errorf("the error is %.4f before and %.4f after the rotation, want at least .1 and at most .0122", before, after)
	}
}

func square(r *rand.Rand) float64 { v := r.NormFloat64(); return v * v }

func TestScalar(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, width := range []int{4, 8} {
		for _, d := range []int{1, 7, 64, 301} {
			s := NewScalar(d, width, -2, 2)
			step := 4 / float64(int(1)<<width-1)
			var x [][]float32
			for range 4 {
				v := make([]float32, d)
				for i := range v {
					v[i] = float32(4*r.Float64() - 2)
				}
				s.Add(v)
				x = append(x, v)
			}
			a, b := make([]float32, d), make([]float32, d)
			for i, v := range x {
				s.Row(a, i)
				for j := range a {
					if !(math.Abs(float64(a[j]-v[j])) <= step/2+1e-6) {
						t.Fatalf("%d bits: %v is rounded to %v", width, v[j], a[j])
					}
				}
				s.Row(b, 0)
				distance, dot, norm := 0., 0., 0.
				for j := range a {
					distance += float64(a[j]-b[j]) * float64(a[j]-b[j])
					dot += float64(a[j]) * float64(x[1][j])
					norm += 4
				}
				if got := float64(s.Distance(i, 0)); !(math.Abs(got-distance) <= 1e-5*(1+distance)) {
					t.Errorf("%d bits, d=%d: distance %v, want %v", width, d, got, distance)
				}
				// The query's elements are rounded by at most half of 2/127.
				if got := float64(s.Query(x[1]).Dot(i)); !(math.Abs(got-dot) <= norm*.004+1e-4) {
					t.Errorf("%d bits, d=%d: product %v, want %v", width, d, got, dot)
				}
			}
		}
	}
	s := NewScalar(4, 8, 0, 1)
	s.Add([]float32{float32(math.NaN()), -5, 5, .5})
	y := make([]float32, 4)
	if s.Row(y, 0); y[0] != 0 || y[1] != 0 || y[2] != 1 {
		t.Errorf("outside the range: %v", y)
	}
}

func BenchmarkRaBitQ(b *testing.B) {
	const d = 1024
	for _, width := range []int{1, 4, 8} {
		q := NewRaBitQ(NewRotation[float32](d, 4, 1), nil, width)
		x := make([]float32, d)
		x[3] = 1
		q.Add(x)
		s := q.Query(x)
		b.Run(fmt.Sprintf("Cosine/bits=%d", width), func(b *testing.B) {
			for b.Loop() {
				s.Cosine(0)
			}
		})
		b.Run(fmt.Sprintf("Set/bits=%d", width), func(b *testing.B) {
			for b.Loop() {
				s.Set(x)
			}
		})
	}
}

// exact returns the product of vector i and q without rounding q to integers.
func (s *store) exact(q []float32, scratch []uint8, i int) float64 {
	sum := 0.
	if s.bits < 4 {
		w := s.width()
		for b := range s.bits {
			for k, word := range s.planes[(i*s.bits+b)*w : (i*s.bits+b+1)*w] {
				for ; word != 0; word &= word - 1 {
					sum += float64(q[64*k+bits.TrailingZeros64(word)]) * float64(int(1)<<b)
				}
			}
		}
		return sum
	}
	s.get(scratch, i)
	for j, v := range q {
		sum += float64(v) * float64(scratch[j])
	}
	return sum
}
