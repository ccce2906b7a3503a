package panel

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// floats makes n numbers of the fuzzer's bits, over and over.
func floats[F num.Float](data []byte, n int) []F {
	x := make([]F, n)
	if len(data) < 8 {
		return x
	}
	for i := range x {
		at := i * 8 % (len(data) - 7)
		bits := binary.LittleEndian.Uint64(data[at:])
		switch p := any(&x[i]).(type) {
		case *float64:
			*p = math.Float64frombits(bits)
		case *float32:
			*p = math.Float32frombits(uint32(bits))
		}
	}
	return x
}

// FuzzSums compares all levels with the generic sums: numbers must agree
// within the accuracy class, and NaN or infinity is allowed where a partial
// sum can be one.
func FuzzSums(f *testing.F) {
	f.Add([]byte("0123456789abcdefghijklmnop"), uint16(3), uint8(0), uint8(1))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 240, 127, 1, 2, 3, 4, 5, 6, 7, 8}, uint16(300), uint8(1), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, d uint16, op, panels uint8) {
		n, q := int(d)%150, int(panels)%3
		exploreSums[float64](t, data, n, q, Op(op%3))
		exploreSums[float32](t, data, n, q, Op(op%3))
	})
}

func exploreSums[F num.Float](t *testing.T, data []byte, d, panels int, op Op) {
	c := Cols[F]()
	x, z := floats[F](data, Rows*d), floats[F](data[min(3, len(data)):], panels*c*d)
	u := asmtest.Epsilon[F]() / 2
	want := make([]F, Rows*panels*c)
	asmtest.At(cpu.Generic, func() { Sums(want, panels*c, x, z, d, Rows, panels, op) })
	for _, l := range asmtest.Available(levels) {
		got := asmtest.NewCanary[F](Rows*panels*c, 1, d%8)
		asmtest.At(l, func() { Sums(got.Slice(), panels*c, x, z, d, Rows, panels, op) })
		got.Check(t)
		for i, g := range got.Slice() {
			r, j := i/(panels*c), i%(panels*c)
			size := 0.0
			for k := range d {
				_, s := term(op, x[k*Rows+r], z[j/c*c*d+k*c+j%c])
				size += s
			}
			if !(F(size*4) <= F(math.MaxFloat32)) {
				continue // infinities of either sign may come and go with the order
			}
			if !(math.Abs(float64(g-want[i])) <= 2*float64(d+4)*(u*size+asmtest.Unit(F(0)))) {
				t.Fatalf("%v: op %d, d %d: sum %d,%d is %v, want %v", l, op, d, r, j, g, want[i])
			}
		}
	}
}

// FuzzGauss compares Exp and Gauss at all levels with the generic version.
func FuzzGauss(f *testing.F) {
	f.Add([]byte("0123456789abcdefghijklmnop"), uint8(3), 0.5)
	f.Add([]byte{0, 0, 0, 0, 0, 0, 240, 127, 1, 2, 3, 4, 5, 6, 7, 8}, uint8(90), 1e-3)
	f.Fuzz(func(t *testing.T, data []byte, cols uint8, gamma float64) {
		if !(gamma > 0 && gamma < math.MaxFloat32) {
			return
		}
		exploreGauss[float64](t, data, int(cols), gamma)
		exploreGauss(t, data, int(cols), float32(gamma))
	})
}

func exploreGauss[F num.Float](t *testing.T, data []byte, cols int, gamma F) {
	s := floats[F](data, cols)
	for i, v := range s {
		s[i] = F(math.Abs(float64(v)))
	}
	want, dist := make([]F, cols), make([]F, cols)
	asmtest.At(cpu.Generic, func() { Exp(want, cols, s, cols, 1, cols, gamma, false) })
	// With norms 0 and sums −s/2 the distance is s.
	half := make([]F, cols)
	for i, v := range s {
		half[i] = -v / 2
	}
	for _, l := range asmtest.Available(levels) {
		got := asmtest.NewCanary[F](cols, 1, cols%8)
		asmtest.At(l, func() {
			Exp(got.Slice(), cols, s, cols, 1, cols, gamma, false)
			Gauss(dist, cols, half, cols, make([]F, 1), make([]F, cols), 1, cols, gamma, false)
		})
		got.Check(t)
		for i, g := range got.Slice() {
			if w := want[i]; !asmtest.Same(g, w) && !(asmtest.ULP(g, float64(w)) <= 2*ExpULP) || !(g != g || g >= 0 && g <= 1) {
				t.Fatalf("%v: exp(−%v·%v) is %v, want %v", l, gamma, s[i], g, w)
			}
			if s[i] == -2*half[i] && !asmtest.Same(dist[i], g) {
				t.Fatalf("%v: Gauss gives %v, Exp %v for %v", l, dist[i], g, s[i])
			}
		}
	}
}
