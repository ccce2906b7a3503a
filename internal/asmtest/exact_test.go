package asmtest_test

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"hash"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/asm/codes"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/asm/hadamard"
	"github.com/gramworks/gram/asm/hist"
	"github.com/gramworks/gram/asm/level2"
	"github.com/gramworks/gram/asm/panel"
	"github.com/gramworks/gram/asm/peak"
	"github.com/gramworks/gram/asm/smo"
	kernels "github.com/gramworks/gram/asm/structured"
	"github.com/gramworks/gram/asm/vec"
	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/fwht"
	"github.com/gramworks/gram/haar"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sketch"
	"github.com/gramworks/gram/structured"
	gblas "gonum.org/v1/gonum/blas"
)

var renew = flag.Bool("renew", false, "write the digests of routines with exact bits to "+exactFile)

// exactFile has a line for each routine that promises the same bits on every machine:
// its name, its number type, and a checksum of its results for many shapes. The
// routines marked fused do so among the levels with fused multiply-adds, and at level
// generic.
const exactFile = "testdata/exact.txt"

// TestExactBits compares these routines with the file at every level. Other machines
// run it, too: ci/arm64 and ci/platforms. To change the bits on purpose, renew the file
// on a machine whose CPU has a level with assembly:
//
//	go test ./internal/asmtest -run ExactBits -renew
func TestExactBits(t *testing.T) {
	text, err := os.ReadFile(exactFile)
	if err != nil && !*renew {
		t.Fatal(err)
	}
	want, seen, fused := map[string]string{}, map[string]bool{}, false
	for line := range strings.Lines(string(text)) {
		name, sum, _ := strings.Cut(strings.TrimSpace(line), ": ")
		want[name] = sum
	}
	if *renew {
		clear(want)
	}
	asmtest.ForEachLevel(t, cpu.Levels()[1:], func(t *testing.T) {
		fused = fused || asmtest.InForce()
		for name, sum := range digests() {
			seen[name] = true
			if _, known := want[name]; !known && *renew {
				want[name] = sum
			}
			if want[name] != sum {
				t.Errorf("%s: the bits are %s, want %q", name, sum, want[name])
			}
		}
	})
	for name := range want {
		if !seen[name] && (fused || !strings.HasSuffix(name, "fused")) {
			t.Errorf("%s: nothing has this name", name)
		}
	}
	if !*renew || t.Failed() {
		return
	}
	if !fused {
		t.Fatal("the file is not renewed without a level with assembly")
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(want)) {
		fmt.Fprintf(&b, "%s: %s\n", name, want[name])
	}
	must.Do(t, os.MkdirAll(filepath.Dir(exactFile), 0o755))
	must.Do(t, os.WriteFile(exactFile, []byte(b.String()), 0o644))
}

// digests returns the checksums of all routines at the level in force.
func digests() map[string]string {
	all := map[string]string{}
	for _, r := range slices.Concat(floats[float64](), floats[float32](), integers()) {
		d := digest{sha256.New(), rng.New(1, 2)}
		r.run(d)
		all[r.name+" "+r.kind] = fmt.Sprintf("%x", d.Sum(nil)[:8])
	}
	return all
}

// A routine adds its results for many shapes to a digest.
type routine struct {
	name, kind string
	run        func(d digest)
}

// A digest is a checksum of numbers, with a stream of numbers for the operands.
type digest struct {
	hash.Hash
	*rand.Rand
}

func put[T any](d digest, x ...T) {
	// Write has no errors for numbers of fixed size, and a hash has none.
	if err := binary.Write(d, binary.LittleEndian, x); err != nil {
		panic(err)
	}
}

// numbers returns n numbers of both signs with magnitudes over twelve decades. They are
// made of integers alone, because package math differs between machines.
func numbers[F num.Float](d digest, n int) []F {
	x := make([]F, n)
	for i := range x {
		x[i] = F(math.Ldexp(d.Float64()-.5, d.IntN(41)-20))
	}
	return x
}

// gap is the number of elements between the rows of a batch.
const gap = 3

func matrix[F num.Float](d digest, rows, columns int) num.Rows[F] {
	return num.Rows[F]{Data: numbers[F](d, rows*(columns+gap)), N: rows, D: columns, Stride: columns + gap}
}

// powers are the lengths 1, 2, 4 … 2ᵏ.
func powers(k int) []int {
	all := make([]int, k+1)
	for i := range all {
		all[i] = 1 << i
	}
	return all
}

var (
	// orders are the orders of the base matrices that package fwht has.
	orders = append(powers(13), 12, 20, 28, 24, 40, 56, 96, 160, 224, 12<<7, 20<<6, 28<<5)
	// rotated are orders of all kinds of rotations: those of package fwht, large orders of
	// Hadamard matrices, and Kac walks of even and odd length.
	rotated = []int{1, 2, 3, 5, 7, 8, 12, 17, 20, 24, 31, 64, 100, 112, 127, 128, 640, 768, 1000, 1024, 2047, 36 * 64, 52 * 128}
)

// floats returns the routines for numbers of type F.
func floats[F num.Float]() []routine {
	kind := fmt.Sprintf("%T", F(0))
	var all []routine
	add := func(name string, run func(d digest)) { all = append(all, routine{name, kind, run}) }
	vectors := func(name string, lengths []int, f func(x []F)) {
		add(name, func(d digest) {
			for _, n := range lengths {
				x := numbers[F](d, n)
				f(x)
				put(d, x...)
			}
		})
	}
	rows := func(name string, lengths []int, f func(x num.Rows[F], workers int)) {
		add(name, func(d digest) {
			for i, n := range lengths {
				x := matrix[F](d, 1+i%9, n)
				f(x, 1+2*(i%2))
				put(d, x.Data...)
			}
		})
	}

	vectors("fwht.Transform", orders, fwht.Transform)
	vectors("fwht.Inverse", orders, fwht.Inverse)
	vectors("fwht.Orthonormal", orders, fwht.Orthonormal)
	vectors("fwht.Sequency", powers(12), fwht.Sequency)
	rows("fwht.TransformRows", orders, fwht.TransformRows)
	rows("fwht.InverseRows", orders, fwht.InverseRows)
	rows("fwht.OrthonormalRows", orders, fwht.OrthonormalRows)
	rows("fwht.SequencyRows", powers(12), fwht.SequencyRows)
	add("fwht.TransformColumns", func(d digest) {
		for i, n := range orders {
			x := matrix[F](d, n, 1+7*i%40)
			fwht.TransformColumns(x, 1+2*(i%2))
			put(d, x.Data...)
		}
	})
	vectors("hadamard.Signed", powers(15), func(x []F) { hadamard.Signed(x, slices.Clone(x)) })
	vectors("hadamard.Product", orders, func(x []F) { hadamard.Product(x, x, slices.Clone(x)) })
	vectors("hadamard.Scale", orders, func(x []F) { hadamard.Scale(x, x[0]) })
	rows("hadamard.SignedRows", powers(12), func(x num.Rows[F], _ int) {
		hadamard.SignedRows(x.Data, x.N, x.D, x.Stride, slices.Clone(x.Row(0)), 0)
	})

	vectors("haar.Transform", powers(15), haar.Transform)
	vectors("haar.Inverse", powers(15), haar.Inverse)
	vectors("haar.Transpose", powers(15), haar.Transpose)
	vectors("haar.Orthonormal", powers(15), haar.Orthonormal)
	vectors("haar.InverseOrthonormal", powers(15), haar.InverseOrthonormal)
	rows("haar.TransformRows", powers(12), haar.TransformRows)
	rows("haar.InverseRows", powers(12), haar.InverseRows)
	rows("haar.TransposeRows", powers(12), haar.TransposeRows)
	rows("haar.OrthonormalRows", powers(12), haar.OrthonormalRows)
	rows("haar.InverseOrthonormalRows", powers(12), haar.InverseOrthonormalRows)

	add("structured.Forward of integers", func(d digest) {
		for _, h := range []structured.Matrix{structured.Haar, structured.Hadamard} {
			for _, c := range [][3]int{{1, 1, 1}, {3, 5, 4}, {7, 16, 16}, {5, 100, 16}, {9, 100, 128}, {17, 256, 64}} {
				seeds, x := matrix[F](d, c[0], c[1]), matrix[F](d, 11, c[1])
				for _, m := range [][]F{seeds.Data, x.Data} {
					for i := range m {
						m[i] = F(d.IntN(201) - 100)
					}
				}
				set := structured.New(h, seeds, c[2])
				dst := num.MakeRows[F](x.N, c[0]*c[2])
				set.Forward(dst, x, 2)
				put(d, dst.Data...)
			}
		}
	})
	add("structured.AddSub and Transpose", func(d digest) {
		for _, pairs := range []int{1, 2, 5} {
			for n := kernels.Lanes[F](); n <= 5*kernels.Lanes[F](); n += kernels.Lanes[F]() {
				a := numbers[F](d, 2*pairs*n)
				sum, diff := make([]F, pairs*n), make([]F, pairs*n)
				kernels.AddSub(sum, diff, a, pairs, n)
				put(d, sum...)
				put(d, diff...)
				kernels.Transpose(a, 0, slices.Concat(sum, diff), 0, n, 1, 2*pairs, n)
				put(d, a...)
			}
		}
	})

	rotation := func(name string, of func(n, rounds int, seed uint64) *sketch.Rotation[F]) {
		add(name, func(d digest) {
			for _, n := range rotated {
				for rounds := 1; rounds <= 5; rounds++ {
					r := of(n, rounds, uint64(n))
					x, y := matrix[F](d, 3, n), make([]F, n)
					r.Apply(y, x.Row(0))
					put(d, y...)
					r.Inverse(y, x.Row(1))
					put(d, y...)
					r.ApplyRows(x, 2)
					r.InverseRows(x.Slice(1, 2), 1)
					put(d, x.Data...)
				}
			}
		})
		add(name+" of columns, large orders", func(d digest) {
			for _, n := range rotated[18:] {
				r := of(n, 3, uint64(n))
				x := matrix[F](d, n, 5)
				r.ApplyColumns(x, 2)
				put(d, x.Data...)
				r.InverseColumns(x, 2)
				put(d, x.Data...)
			}
		})
		add(name+" of columns", func(d digest) {
			for _, n := range rotated[:18] {
				for rounds := 1; rounds <= 3; rounds++ {
					r := of(n, rounds, uint64(n))
					x := matrix[F](d, n, 5)
					r.ApplyColumns(x, 2)
					put(d, x.Data...)
					r.InverseColumns(x, 2)
					put(d, x.Data...)
				}
			}
		})
	}
	rotation("sketch.Rotation", sketch.NewRotation[F])
	rotation("sketch.KacRotation", sketch.NewKacRotation[F])
	add("sketch.Projection", func(d digest) {
		for _, n := range rotated {
			p := sketch.NewProjection[F](n, (n+2)/3, 7)
			x, y := numbers[F](d, n), make([]F, (n+2)/3)
			p.Apply(y, x, x)
			put(d, y...)
		}
	})

	vectors("level2.Scale", orders, func(x []F) { level2.Scale(x[0], x) })
	vectors("peak.Shift", orders, func(x []F) { peak.Shift(x, x[0]) })
	vectors("peak.Copy", orders, func(x []F) { peak.Copy(x, slices.Clone(x)) })
	vectors("peak.Fill", orders, func(x []F) { peak.Fill(x, x[0]) })
	vectors("peak.Stream", orders, func(x []F) { peak.Stream(x, x[0]) })
	vectors("peak.Add", []int{peak.Width[F]()}, func(x []F) { peak.Add(x, x[0], 5) })
	add("smo.Pair", func(d digest) {
		for n := range 200 {
			g, u, diagonal := numbers[float64](d, n), numbers[float64](d, n), numbers[float64](d, n)
			var best smo.Best
			smo.Pair(g, u, diagonal, numbers[F](d, n), .3, 1.7, &best)
			put(d, best)
		}
	})

	add("panel.Power", func(d digest) {
		for p := 1; p <= 64; p++ {
			rows, columns := 1+p%5, 3*p
			s := numbers[F](d, rows*columns)
			for i, v := range s {
				s[i] = v / F(math.Ldexp(1, 21)) // powers are finite, and some vanish
			}
			dst := make([]F, rows*columns)
			panel.Power(dst, columns, s, columns, rows, columns, .5, p)
			put(d, dst...)
		}
	})

	if kind += " generic"; asmtest.InForce() {
		kind = strings.Replace(kind, "generic", "fused", 1)
	}
	add("blas.GEMM", func(d digest) {
		for _, c := range [][3]int{{1, 1, 1}, {3, 5, 7}, {17, 13, 19}, {64, 31, 300}, {9, 200, 1100}} {
			m, n, k := c[0], c[1], c[2]
			for beta := range 2 {
				a, b, c := numbers[F](d, m*k), numbers[F](d, k*n), numbers[F](d, m*n)
				switch a := any(a).(type) {
				case []float64:
					blas.Native.Float64().Dgemm(gblas.NoTrans, gblas.Trans, m, n, k, -.7, a, k, any(b).([]float64), k, .9*float64(beta), any(c).([]float64), n)
				case []float32:
					blas.Native.Float32().Sgemm(gblas.NoTrans, gblas.Trans, m, n, k, -.7, a, k, any(b).([]float32), k, .9*float32(beta), any(c).([]float32), n)
				}
				put(d, c...)
			}
		}
	})
	add("panel.Sums", func(d digest) {
		for columns := range 300 {
			if columns > 40 && columns%37 > 0 {
				continue
			}
			for _, op := range []panel.Op{panel.Dot, panel.Squares, panel.Absolute} {
				dst := make([]F, panel.Rows*panel.Cols[F]())
				panel.Sums(dst, panel.Cols[F](), numbers[F](d, panel.Rows*columns), numbers[F](d, panel.Cols[F]()*columns), columns, panel.Rows, 1, op)
				put(d, dst...)
			}
		}
	})
	add("panel.Norms", func(d digest) {
		for columns := range 300 {
			if columns > 40 && columns%37 > 0 {
				continue
			}
			for _, width := range []int{panel.Rows, panel.Cols[F]()} {
				dst := make([]F, width)
				panel.Norms(dst, numbers[F](d, width*columns), width, columns)
				put(d, dst...)
			}
		}
	})
	return all
}

// integers returns the routines whose results are integers, and those of one type only.
func integers() []routine {
	var all []routine
	add := func(name string, run func(d digest)) { all = append(all, routine{name, "integers", run}) }
	bytes := func(d digest, n int) []uint8 {
		x := make([]uint8, n)
		for i := range x {
			x[i] = uint8(d.Uint64())
		}
		return x
	}
	signed := func(d digest, n int) []int8 {
		x := make([]int8, n)
		for i := range x {
			x[i] = int8(d.Uint64())
		}
		return x
	}
	lengths := func(f func(d digest, n int) int) func(d digest) {
		return func(d digest) {
			for _, n := range asmtest.Lengths(64, 1000, 40000) {
				put(d, int64(f(d, n)))
			}
		}
	}
	words := func(f func(a, b []uint64) int) func(d digest) {
		return lengths(func(d digest, n int) int {
			a, b := make([]uint64, n), make([]uint64, n)
			for i := range a {
				a[i], b[i] = d.Uint64(), d.Uint64()
			}
			return f(a, b)
		})
	}
	add("codes.Hamming", words(codes.Hamming))
	add("codes.Common", words(codes.Common))
	add("codes.Dot8", lengths(func(d digest, n int) int { return codes.Dot8(bytes(d, n), signed(d, n)) }))
	add("codes.Dot4", lengths(func(d digest, n int) int { return codes.Dot4(bytes(d, n), signed(d, 2*n)) }))
	add("codes.Squares8", lengths(func(d digest, n int) int { return codes.Squares8(bytes(d, n), bytes(d, n)) }))
	add("codes.Squares4", lengths(func(d digest, n int) int { return codes.Squares4(bytes(d, n), bytes(d, n)) }))
	add("hist.Add and AddLists", func(d digest) {
		const m, bins = 1000, 256
		rows, v, start, bin := make([]int32, m), make([]hist.Cell, m), make([]int, m+1), make([]uint32, m)
		var h [hist.Most][]hist.Cell
		var code [hist.Most][]uint8
		for i := range rows {
			rows[i], v[i], bin[i], start[i+1] = int32(d.IntN(m)), hist.Cell{d.Uint64(), d.Uint64()}, uint32(d.IntN(bins)), i+1
		}
		for c := range h {
			h[c], code[c] = make([]hist.Cell, bins), bytes(d, m)
		}
		hist.Add(hist.Most, &h, &code, rows, v)
		hist.AddLists(h[0], bin, start, rows, v)
		for _, cells := range h {
			put(d, cells...)
		}
	})
	add("hist.Divide, Words, Scan, Subtract and Logistic", func(d digest) {
		const m = 1001
		rows, left, right, class := make([]int32, m), make([]int32, m), make([]int32, m), make([]int, m)
		for i := range rows {
			rows[i], class[i] = int32(d.IntN(m)), d.IntN(2)
		}
		l := hist.Divide(left, right, rows, bytes(d, m), 100)
		put(d, left[:l]...)
		put(d, right[:m-l]...)
		g, c, score, odds, w, value := make([]float64, m), make([]float64, m), numbers[float64](d, m), make([]float64, m), numbers[float64](d, m), make([]float64, m)
		for i := range odds {
			odds[i] = d.Float64()
		}
		hist.Logistic(g, c, value, score, odds, w, class)
		put(d, g...)
		put(d, c...)
		put(d, value...)
		for i := range g {
			g[i], c[i] = d.Float64()-.5, d.Float64()
		}
		dst := make([]hist.Cell, m)
		t := hist.Words(dst, g, c, hist.Units{G: 1 << 40, C: 1 << 40, Count: 10})
		put(d, t)
		put(d, dst...)
		s := hist.NewScan(float64(int64(t.Sum[0])), float64(t.Sum[1]>>10), 3, 0, m, 2, 10)
		for _, n := range []int{3, 9, 500, m} {
			bin, gain := s.Best(dst[:n], hist.Cell{5, 1})
			put(d, float64(bin), gain)
		}
		hist.Subtract(dst, dst[:m:m])
		put(d, dst...)
	})
	add("vec.SameExp and SameLog", func(d digest) {
		for _, n := range asmtest.Lengths(4, 1000, 20000) {
			x, y := numbers[float64](d, n), make([]float64, n)
			vec.SameLog(y, x)
			for i, v := range y {
				if v != v { // the payload of a NaN is the machine's
					y[i] = 0
				}
				x[i] /= 1024
			}
			put(d, y...)
			vec.SameExp(y, x)
			put(d, y...)
		}
	})
	add("sketch.FromFloat16 and ToFloat16", func(d digest) {
		half, wide := make([]uint16, 1<<16), make([]float32, 1<<16)
		for i := range half {
			half[i] = uint16(i)
		}
		for _, f := range []func([]float32, []uint16){sketch.FromFloat16, sketch.FromBFloat16} {
			f(wide, half)
			for _, v := range wide {
				if v == v { // the payload of a NaN is the machine's
					put(d, v)
				}
			}
		}
		wide = numbers[float32](d, len(half))
		for _, f := range []func([]uint16, []float32){sketch.ToFloat16, sketch.ToBFloat16} {
			f(half, wide)
			put(d, half...)
		}
	})
	add("rng", func(d digest) {
		for stream := range uint64(3) {
			r := rng.New(rng.Derive(5, "part"), stream)
			for n := 1; n < 1<<30; n *= 3 {
				put(d, int64(r.IntN(n)), int64(r.Int32N(int32(n))), int64(r.Uint64()))
				put(d, r.Float64())
			}
			for _, i := range r.Perm(500) {
				put(d, int64(i))
			}
		}
	})
	return all
}
