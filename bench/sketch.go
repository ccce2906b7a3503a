package bench

import (
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/codes"
	"github.com/gramworks/gram/sketch"
)

func sketchCases(quick bool) []Case {
	lengths := []int{128, 768, 1024, 1536, 13_824}
	codes := [][2]int{{100_000, 128}, {100_000, 1024}}
	if quick {
		lengths = []int{128, 13_824}
		codes = [][2]int{{256, 1024}}
	}
	return slices.Concat(rotations[float64](lengths), rotations[float32](lengths), rabitq(codes), scalars(codes), hamming(codes))
}

// rotations have four rounds of signs and Hadamard transforms. Their additions are not
// counted, as they depend on how the length is divided.
func rotations[F gram.Float](lengths []int) []Case {
	var cases []Case
	for _, n := range lengths {
		cases = append(cases, Case{
			Kernel: "rotate", Type: typeName[F](), N: n, Shape: fmt.Sprint(n, ", four rounds"),
			bytes: float64(2 * n * size[F]()), memory: memUpdate, room: n * size[F](),
			operands: func() work {
				r := sketch.NewRotation[F](n, 4, 1)
				x, reset := restored(random[F](n))
				return work{Run: func(int) { r.Apply(x, x) }, Reset: reset}
			},
		})
	}
	return cases
}

// rabitq are estimates of the distances of a query from all codes.
func rabitq(shapes [][2]int) []Case {
	var cases []Case
	for _, s := range shapes {
		for _, bits := range []int{1, 4, 8} {
			n, d := s[0], s[1]
			cases = append(cases, Case{
				Kernel: "rabitq", Type: "float32", N: d, Shape: fmt.Sprintf("%d codes of %d×%d bits", n, d, bits),
				bytes: float64(n * d * bits / 8), memory: memRead, room: n * d * bits / 8,
				operands: func() work {
					codes := sketch.NewRaBitQ(sketch.NewRotation[float32](d, 4, 1), nil, bits)
					for range n {
						codes.Add(random[float32](d))
					}
					q := codes.Query(random[float32](d))
					return work{Run: func(int) {
						for i := range codes.Len() {
							sink(q.Distance(i))
						}
					}}
				},
			})
		}
	}
	return cases
}

// scalars are distances between the first and all other vectors of rounded numbers.
func scalars(shapes [][2]int) []Case {
	var cases []Case
	for _, s := range shapes {
		for _, bits := range []int{4, 8} {
			n, d := s[0], s[1]
			cases = append(cases, Case{
				Kernel: "scalar_codes", Type: "float32", N: d, Shape: fmt.Sprintf("%d vectors of %d×%d bits", n, d, bits),
				bytes: float64(n * d * bits / 8), memory: memRead, room: n * d * bits / 8,
				operands: func() work {
					codes := sketch.NewScalar(d, bits, -1, 1)
					for range n {
						codes.Add(random[float32](d))
					}
					return work{Run: func(int) {
						for i := range codes.Len() {
							sink(codes.Distance(0, i))
						}
					}}
				},
			})
		}
	}
	return cases
}

// hamming are the numbers of bits in which the first vector of bits differs from all others.
func hamming(shapes [][2]int) []Case {
	var cases []Case
	for _, s := range shapes {
		n, d := s[0], s[1]
		cases = append(cases, Case{
			Kernel: "hamming", Type: "uint64", N: d, Shape: fmt.Sprintf("%d vectors of %d bits", n, d),
			bytes: float64(n * d / 8), memory: memRead, room: n * d / 8,
			operands: func() work {
				words := d / 64
				x := make([]uint64, n*words)
				for i := range x {
					x[i] = uint64(i) * 0x9E3779B97F4A7C15
				}
				return work{Run: func(int) {
					for i := range n {
						sink(float64(codes.Hamming(x[:words], x[i*words:(i+1)*words])))
					}
				}}
			},
		})
	}
	return cases
}
