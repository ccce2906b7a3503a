package dataset

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
)

// benchSet has n rows of d columns with six significant digits or so, like most
// files; a fraction density of the cells is not zero.
func benchSet(n, d int, density float64) *Set {
	g := rng.New(1, 0)
	x := &sparse.CSR{N: n, D: d, Ptr: []int{0}}
	s := &Set{X: x, Value: make([]float64, n)}
	for i := range n {
		for j := range d {
			if g.Float64() < density {
				x.Col = append(x.Col, int32(j))
				x.Val = append(x.Val, float64(g.IntN(2000000)-1000000)/1e6)
			}
		}
		x.Ptr = append(x.Ptr, len(x.Col))
		s.Value[i] = g.NormFloat64()
	}
	return s
}

func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		name    string
		format  Format
		d       int
		density float64
	}{
		{"libsvm/dense", LIBSVM, 50, 1}, {"libsvm/sparse", LIBSVM, 2000, .02}, {"csv", CSV, 50, 1}, {"npy", NPY, 50, 1},
	} {
		var text bytes.Buffer
		must.Do(b, Write(&text, benchSet(5000, c.d, c.density), c.format))
		for _, gz := range []bool{false, true} {
			in := text.Bytes()
			if gz {
				in = compress(b, in)
			}
			b.Run(fmt.Sprintf("format=%s/gz=%v", c.name, gz), func(b *testing.B) {
				b.SetBytes(int64(text.Len()))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Read(bytes.NewReader(in), Options{Format: c.format}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkBlocks(b *testing.B) {
	path := filepath.Join(b.TempDir(), "x.libsvm")
	must.Do(b, Save(b.Context(), path, benchSet(20000, 50, 1)))
	info := must.Have(os.Stat(path))(b)
	b.SetBytes(info.Size())
	for b.Loop() {
		for _, err := range Blocks(b.Context(), path, Options{Task: Regression, Dim: 50, Storage: Dense}, 1000) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	s := benchSet(5000, 50, 1)
	for _, f := range []Format{LIBSVM, CSV, NPY} {
		var out bytes.Buffer
		must.Do(b, Write(&out, s, f))
		b.Run("format="+f.String(), func(b *testing.B) {
			b.SetBytes(int64(out.Len()))
			for b.Loop() {
				out.Reset()
				must.Do(b, Write(&out, s, f))
			}
		})
	}
}
