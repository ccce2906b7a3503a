package kernel

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/panel"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// counting is a kernel that has only Eval.
type counting struct{ Gaussian }

func (k counting) Radial() {} // hides Gaussian's

// slowGaussian is a Radial kernel as a user would write it.
type slowGaussian struct{ gamma float64 }

func (k slowGaussian) Eval(x, y []float64) float64 { return Gaussian{k.gamma}.Eval(x, y) }
func (k slowGaussian) Spec() Spec                  { return Spec{Name: "user"} }
func (k slowGaussian) Radial(s []float64)          { Gaussian{k.gamma}.Radial(s) }

// every are kernels of all kinds of rows of numbers.
var every = append([]Kernel{slowGaussian{0.1}, counting{Gaussian{0.1}}}, all...)

func same[F gram.Float](t *testing.T, what string, a, b gram.Rows[F]) {
	t.Helper()
	for i := range a.N {
		for j, v := range a.Row(i) {
			if !asmtest.SameBits(v, b.Row(i)[j]) {
				t.Fatalf("%s: %d,%d is %v and %v", what, i, j, v, b.Row(i)[j])
			}
		}
	}
}

// TestSameBits checks that the number of goroutines, the division of X into
// calls, strides, sparse storage and storing K do not change the bits of
// results.
func TestSameBits(t *testing.T) {
	t.Run("float64", sameBits[float64])
	t.Run("float32", sameBits[float32])
}

func sameBits[F gram.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels(), func(t *testing.T) {
		for _, shape := range []struct{ n, m, d int }{{1, 1, 1}, {3, 300, 9}, {130, 37, 5}, {61, 140, 140}, {1000, 7, 12}} {
			if testing.Short() && shape.n*shape.m*shape.d > 3e4 {
				continue
			}
			n, m, d := shape.n, shape.m, shape.d
			r := rng.New(8, uint64(n))
			x := sparse.CSR{N: n, D: d, Ptr: []int{0}, Val: []float64{}}
			for range n {
				for j := range d {
					if r.IntN(3) == 0 {
						x.Col, x.Val = append(x.Col, int32(j)), append(x.Val, float64(float32(r.NormFloat64()+1)))
					}
				}
				x.Ptr = append(x.Ptr, len(x.Col))
			}
			rows := gram.Rows[F]{Data: make([]F, n*(d+3)), N: n, D: d, Stride: d + 3}
			buf := make([]float64, d)
			for i := range n {
				x.DenseRow(buf, i)
				for j, v := range buf {
					rows.Row(i)[j] = F(v)
				}
			}
			z := mat.NewDense(m, d, nil)
			for i := range z.RawMatrix().Data {
				z.RawMatrix().Data[i] = float64(float32(r.NormFloat64() + float64(2*(d%2)))) // with and without a center
			}
			const s = 3
			v, u := gram.MakeRows[F](m, s), gram.MakeRows[F](n, s)
			copy(v.Data, asmtest.Normal[F](r, m*s))
			copy(u.Data, asmtest.Normal[F](r, n*s))
			for i, k := range every {
				if testing.Short() && i%3 != 0 {
					continue
				}
				name := k.Spec().Name
				b := Against[F](k, z)
				want, mul, mulT := gram.MakeRows[F](n, m), gram.MakeRows[F](n, s), gram.MakeRows[F](m, s)
				b.Limit(1).Fill(want, gram.Dense(rows))
				b.Limit(1).Mul(mul, gram.Dense(rows), v)
				b.Limit(1).MulT(mulT, gram.Dense(rows), u)

				for _, workers := range []int{2, 7} {
					c := b.Limit(workers)
					got := gram.Rows[F]{Data: make([]F, n*(m+5)), N: n, D: m, Stride: m + 5}
					for i := range got.Data {
						got.Data[i] = -99
					}
					c.Fill(got, gram.Dense(rows))
					same(t, name+": Fill and workers", want, got)
					for i := range n - 1 {
						for j := m; j < m+5; j++ {
							if got.Data[i*got.Stride+j] != -99 {
								t.Fatalf("%s: Fill wrote behind row %d", name, i)
							}
						}
					}
					p, q := gram.MakeRows[F](n, s), gram.MakeRows[F](m, s)
					c.Mul(p, gram.Dense(rows), v)
					c.MulT(q, gram.Dense(rows), u)
					same(t, name+": Mul and workers", mul, p)
					same(t, name+": MulT and workers", mulT, q)
				}

				got := gram.MakeRows[F](n, m)
				for lo := 0; lo < n; {
					hi := min(n, lo+1+lo%17)
					b.Fill(got.Slice(lo, hi), gram.Dense(rows.Slice(lo, hi)))
					lo = hi
				}
				same(t, name+": Fill in parts", want, got)

				thin := gram.Sparse[F](&x)
				b.Fill(got, thin)
				same(t, name+": Fill of sparse rows", want, got)
				clear(got.Data)
				for lo := 0; lo < n; {
					hi := min(n, lo+1+lo%17)
					b.Fill(got.Slice(lo, hi), thin.Slice(lo, hi))
					lo = hi
				}
				same(t, name+": Fill of sparse rows in parts", want, got)
				p, q := gram.MakeRows[F](n, s), gram.MakeRows[F](m, s)
				b.Mul(p, thin, v)
				b.MulT(q, thin, u)
				same(t, name+": Mul of sparse rows", mul, p)
				same(t, name+": MulT of sparse rows", mulT, q)

				// A single column of V takes another path.
				one, first := gram.MakeRows[F](m, 1), gram.MakeRows[F](n, 1)
				for j := range m {
					one.Data[j] = v.Row(j)[1]
				}
				b.Mul(first, gram.Dense(rows), one)
				for i := range n {
					if first.Data[i] != mul.Row(i)[1] {
						t.Fatalf("%s: one column gives %v, three give %v", name, first.Data[i], mul.Row(i)[1])
					}
				}

				// The results agree with Eval up to the accuracy of float32.
				tol := 1e-12
				if asmtest.Epsilon[F]() > 1e-10 {
					tol = 2e-5
				}
				xi, zj := make([]float64, d), make([]float64, d)
				for i := 0; i < n; i += 7 {
					x.DenseRow(xi, i)
					for j := 0; j < m; j += 5 {
						copy(zj, z.RawRowView(j))
						e := k.Eval(xi, zj)
						size := 1 + math.Abs(e)
						if _, ok := k.(Inner); ok {
							a := 0.0
							for c := range xi {
								a += math.Abs(xi[c] * zj[c])
							}
							size = max(size, math.Abs(k.Eval([]float64{math.Sqrt(a + 1)}, []float64{math.Sqrt(a + 1)})))
						}
						if g := float64(want.Row(i)[j]); !(math.Abs(g-e) <= tol*size*10) {
							t.Fatalf("%s: entry %d,%d is %v, want %v", name, i, j, g, e)
						}
					}
				}
			}
		}
	})
}

// TestSparsePoints checks that sparse rows of Z give the same as dense ones,
// up to the effect of the center.
func TestSparsePoints(t *testing.T) {
	x, z := problem[float64](30, 20, 40)
	a, b := gram.MakeRows[float64](30, 20), gram.MakeRows[float64](30, 20)
	for _, k := range all {
		Against[float64](k, z).Fill(a, gram.Dense(x))
		Against[float64](k, sparse.FromDense(z)).Fill(b, gram.Dense(x))
		for i, v := range a.Data {
			if !(math.Abs(v-b.Data[i]) <= 1e-11*(1+math.Abs(v))) {
				t.Fatalf("%v: %v and %v", k.Spec(), v, b.Data[i])
			}
		}
	}
}

// TestZeros checks that dense rows, most of whose numbers are zeros, are computed from their
// nonzeros without changing any bit, and without losing what is not finite.
func TestZeros(t *testing.T) {
	t.Run("float64", testZeros[float64])
	t.Run("float32", testZeros[float32])
}

func testZeros[F gram.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels(), func(t *testing.T) {
		r := rng.New(3, 3)
		const n, d, m = 50, 150, 70
		x, full, z := gram.MakeRows[F](n, d), gram.MakeRows[F](n, d), mat.NewDense(m, d, nil)
		for i := range n * d {
			full.Data[i] = F(r.NormFloat64())
			if r.IntN(5) == 0 {
				x.Data[i] = full.Data[i]
			}
		}
		for i := range m * d {
			if r.IntN(5) == 0 {
				z.RawMatrix().Data[i] = r.NormFloat64()
			}
		}
		// Every other row is full, so that blocks are packed.
		mixed := gram.MakeRows[F](n, d)
		for i := range n {
			copy(mixed.Row(i), full.Row(i))
			if i%2 == 0 {
				copy(mixed.Row(i), x.Row(i))
			}
		}
		for _, k := range all {
			b := Against[F](k, z)
			if b.shared.path == tilesPath {
				continue
			}
			w := b.get()
			s := gram.Dense(x)
			b.load(w, &b.shared.points, &s, 0, n)
			if w.thin != (b.shared.op == panel.Dot) {
				t.Fatalf("%v: thin is %v", k.Spec(), w.thin)
			}
			thin, packed := gram.MakeRows[F](n, m), gram.MakeRows[F](n, m)
			b.Fill(thin, gram.Dense(x))
			b.Fill(packed, gram.Dense(mixed))
			for i := 0; i < n; i += 2 {
				same(t, fmt.Sprint(k.Spec()), thin.Slice(i, i+1), packed.Slice(i, i+1))
			}
			row := make([]float64, d)
			for i := range n {
				s.CopyRow(row, i)
				for j := range m {
					if v, got := k.Eval(row, z.RawRowView(j)), float64(thin.Row(i)[j]); !(math.Abs(v-got) <= 1e-4*(1+math.Abs(v))) {
						t.Fatalf("%v: %d,%d is %v, Eval %v", k.Spec(), i, j, got, v)
					}
				}
			}
			if z.Set(1, 2, math.Inf(1)); Against[F](k, z).shared.points.thin {
				t.Errorf("%v: a row of Z with +Inf may lose it", k.Spec())
			}
			z.Set(1, 2, 0)
		}
		// A column that is large and hardly varies wants a center, whatever the others are.
		for i := range m {
			z.Set(i, 0, 1e6+float64(i))
		}
		if Against[F](Gaussian{1}, z).shared.points.center == nil {
			t.Error("no center")
		}
	})
}

// shaped returns MakeRows with a stride that is valid also without columns.
func shaped(n, d int) gram.Rows[float64] {
	r := gram.MakeRows[float64](n, max(1, d))
	r.D = d
	return r
}

// TestSparseDiagonal checks that K(x,x) is 1 and K symmetric for sparse rows.
func TestSparseDiagonal(t *testing.T) {
	asmtest.ForEachLevel(t, levels(), func(t *testing.T) {
		r := rng.New(2, 2)
		const n, d = 40, 700
		x := &sparse.CSR{N: n, D: d, Ptr: []int{0}, Val: []float64{}}
		for range n {
			for j := range d {
				if r.IntN(20) == 0 {
					x.Col, x.Val = append(x.Col, int32(j)), append(x.Val, r.NormFloat64())
				}
			}
			x.Ptr = append(x.Ptr, len(x.Col))
		}
		k := gram.MakeRows[float64](n, n)
		for _, kernel := range []Kernel{Gaussian{0.01}, Laplacian{0.01}, Matern{1.5, 10}} {
			Against[float64](kernel, x).Fill(k, gram.Of(x))
			for i := range n {
				for j := range n {
					if v := k.Row(i)[j]; i == j && v != 1 || v != k.Row(j)[i] || !(v > 0 && v <= 1) {
						t.Fatalf("%v: %d,%d is %v and %v", kernel.Spec(), i, j, v, k.Row(j)[i])
					}
				}
			}
		}
	})
}

func TestEmpty(t *testing.T) {
	for _, k := range all {
		for _, s := range [][3]int{{0, 3, 2}, {3, 2, 0}, {0, 0, 0}, {2, 0, 2}, {0, 3, 12}} {
			n, m, d := s[0], s[1], s[2]
			z := &sparse.CSR{N: m, D: d, Ptr: make([]int, m+1)}
			b := Against[float64](k, z)
			dst := shaped(n, m)
			b.Fill(dst, gram.Dense(shaped(n, d)))
			v := shaped(n, 2)
			out := shaped(m, 2)
			for i := range out.Data {
				out.Data[i] = 7
			}
			b.MulT(out, gram.Dense(shaped(n, d)), v)
			for _, w := range out.Data {
				if w != 0 {
					t.Fatalf("%v, %v: a sum of nothing, or of zeros, is %v", k.Spec(), s, w)
				}
			}
			b.Mul(v, gram.Dense(shaped(n, d)), out)
		}
	}
}

// TestNaN checks that a row with NaN gives NaN and changes no other row.
func TestNaN(t *testing.T) {
	asmtest.ForEachLevel(t, levels(), func(t *testing.T) {
		for _, d := range []int{3, 20} {
			x, z := problem[float64](15, 20, d)
			for _, k := range all {
				b := Against[float64](k, z)
				want, got := gram.MakeRows[float64](15, 20), gram.MakeRows[float64](15, 20)
				b.Fill(want, gram.Dense(x))
				y := gram.Rows[float64]{Data: append([]float64(nil), x.Data...), N: x.N, D: d, Stride: d}
				y.Row(4)[d/2] = math.NaN()
				b.Fill(got, gram.Dense(y))
				for i := range 15 {
					for j, v := range got.Row(i) {
						if i == 4 && v == v || i != 4 && v != want.Row(i)[j] {
							t.Fatalf("%v, d %d: %d,%d is %v", k.Spec(), d, i, j, v)
						}
					}
				}
			}
		}
	})
}

// TestConcurrent uses one block from several goroutines.
func TestConcurrent(t *testing.T) {
	x, z := problem[float64](50, 30, 20)
	b := Against[float64](Gaussian{0.1}, z)
	want := gram.MakeRows[float64](50, 30)
	b.Fill(want, gram.Dense(x))
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			got := gram.MakeRows[float64](50, 30)
			b.Fill(got, gram.Dense(x))
			for i, v := range got.Data {
				if v != want.Data[i] {
					t.Errorf("%v and %v", v, want.Data[i])
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestPanics(t *testing.T) {
	b := Against[float64](Gaussian{1}, mat.NewDense(3, 2, nil))
	r := gram.MakeRows[float64]
	for want, f := range map[string]func(){
		"kernel: kernel is nil":                                        func() { Against[float64](nil, mat.NewDense(1, 1, nil)) },
		"kernel: x has the wrong number of columns":                    func() { b.Fill(r(1, 3), gram.Dense(r(1, 3))) },
		"kernel: the destination has the wrong shape":                  func() { b.Fill(r(1, 2), gram.Dense(r(1, 2))) },
		"kernel: v has the wrong number of rows":                       func() { b.Mul(r(1, 1), gram.Dense(r(1, 2)), r(2, 1)) },
		"kernel: the shape of x does not fit its memory":               func() { b.Fill(r(2, 3), gram.Dense(gram.Rows[float64]{Data: nil, N: 2, D: 2, Stride: 2})) },
		"kernel: the shape of v does not fit its memory":               func() { b.Mul(r(1, 1), gram.Dense(r(1, 2)), gram.Rows[float64]{N: 3, D: 1, Stride: 1}) },
		"kernel: the shape of the destination does not fit its memory": func() { b.Fill(gram.Rows[float64]{N: 1, D: 3, Stride: 2}, gram.Dense(r(1, 2))) },
		"kernel: rows differ in length":                                func() { Linear{}.Eval([]float64{1}, nil) },
		"kernel: column function is nil":                               func() { Columns(nil, 3) },
		"kernel: negative number of columns":                           func() { Columns(func([]float64, int) {}, -1) },
		"kernel: a precomputed kernel wants rows that hold one index each": func() {
			Columns(func([]float64, int) {}, 3).Eval([]float64{3}, []float64{0})
		},
		"kernel: a parameter of the kernel is out of range":            func() { Against[float64](Homogeneous{}, mat.NewDense(1, 1, nil)) },
		"kernel: a parameter of the kernel is out of range (gaussian)": func() { Against[float64](Gaussian{-1}, mat.NewDense(1, 1, nil)) },
		"kernel: a parameter of the kernel is out of range (matern)":   func() { Against[float32](Matern{Length: 1, Nu: -1}, mat.NewDense(1, 1, nil)) },
	} {
		want, _, _ := strings.Cut(want, " (")
		if got := must.Recovered(f); got != want {
			t.Errorf("panic %v, want %q", got, want)
		}
	}
}

// TestAllocations checks that the memory that Fill allocates on one goroutine
// does not grow with the problem.
func TestAllocations(t *testing.T) {
	if raceDetector {
		t.Skip("pools drop what they hold under the race detector")
	}
	x, z := problem[float64](500, 100, 20)
	dst := gram.MakeRows[float64](500, 100)
	b := Against[float64](Gaussian{0.1}, z).Limit(1)
	b.Fill(dst, gram.Dense(x))
	if n := testing.AllocsPerRun(20, func() { b.Fill(dst, gram.Dense(x)) }); n > 4 {
		t.Errorf("%v allocations", n)
	}
}

func TestGammas(t *testing.T) {
	r := rng.New(4, 0)
	const n, d = 80, 3
	x := mat.NewDense(n, d, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = 1e3 + r.NormFloat64()*2
	}
	var all, dist []float64
	all = append(all, x.RawMatrix().Data...)
	var mean, variance, pairs float64
	for _, v := range all {
		mean += v / float64(len(all))
	}
	for _, v := range all {
		variance += (v - mean) * (v - mean) / float64(len(all))
	}
	for i := range n {
		for j := range i {
			s := squaredDistance(x.RawRowView(i), x.RawRowView(j))
			pairs += s
			dist = append(dist, s)
		}
	}
	close := func(name string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-9*want) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	close("ScaleGamma", ScaleGamma(x), 1/(d*variance))
	close("MeanGamma", MeanGamma(x), float64(len(dist))/pairs)
	close("MeanGamma of sparse rows", MeanGamma(sparse.FromDense(x)), float64(len(dist))/pairs)
	thin := mat.DenseCopyOf(x)
	thin.Apply(func(i, j int, v float64) float64 { return float64((i*i+j)%3) * v }, x)
	close("MeanGamma of rows with zeros", MeanGamma(sparse.FromDense(thin)), MeanGamma(thin))
	m := MedianGamma(x, 1)
	below, above := 0, 0
	for _, s := range dist {
		if s < 1/(2*m) {
			below++
		} else {
			above++
		}
	}
	if below-above > 2 || above-below > 2 {
		t.Errorf("MedianGamma: %d distances below, %d above", below, above)
	}
	many := mat.NewDense(1100, 2, nil)
	for i := range 1100 {
		many.Set(i, 0, math.Sin(float64(i)))
		many.Set(i, 1, math.Sqrt(float64(i)))
	}
	if a, b := MedianGamma(many, 1), MedianGamma(many, 2); a == b || a != MedianGamma(many, 1) {
		t.Errorf("MedianGamma of more than 1000 rows by two seeds: %v and %v", a, b)
	}
	for name, a := range map[string]mat.Matrix{"constant": mat.NewDense(4, 2, []float64{1, 2, 1, 2, 1, 2, 1, 2}), "one row": mat.NewDense(1, 2, []float64{3, 4}), "no row": &sparse.CSR{D: 3, Ptr: []int{0}}} {
		if g := MeanGamma(a); g != 1 {
			t.Errorf("MeanGamma of %s is %v", name, g)
		}
		if g := MedianGamma(a, 0); g != 1 {
			t.Errorf("MedianGamma of %s is %v", name, g)
		}
	}
	if g := ScaleGamma(mat.NewDense(4, 1, []float64{1, 1, 1, 1})); g != 1 {
		t.Errorf("ScaleGamma of a constant is %v", g)
	}
}
