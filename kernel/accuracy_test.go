package kernel

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/panel"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

const prec = 300

func wide(v float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(v) }

// reference holds the quantities of the error bounds, summed in a wide format.
type reference struct {
	squares, absolute, inner float64 // ‖x−z‖², ‖x−z‖₁, ⟨x,z⟩
	size                     float64 // Σ|x_k·z_k|
	norms                    float64 // ‖x−c‖²+‖z−c‖²
}

func refer[F gram.Float](x, z, c []F) reference {
	sq, ab, in := wide(0), wide(0), wide(0)
	var r reference
	for k := range x {
		a, b := wide(float64(x[k])), wide(float64(z[k]))
		in.Add(in, new(big.Float).Mul(a, b))
		d := new(big.Float).Sub(a, b)
		ab.Add(ab, new(big.Float).Abs(d))
		sq.Add(sq, d.Mul(d, d))
		r.size += math.Abs(float64(x[k]) * float64(z[k]))
		p, q := float64(x[k]), float64(z[k])
		if c != nil {
			p, q = p-float64(c[k]), q-float64(c[k])
		}
		r.norms += p*p + q*q
	}
	r.squares, _ = sq.Float64()
	r.absolute, _ = ab.Float64()
	r.inner, _ = in.Float64()
	return r
}

// adversarial returns rows that have caused errors elsewhere: far from the
// origin, equal, almost equal, of very different sizes, zero.
func adversarial[F gram.Float](name string, n, d int) [][]F {
	r := rng.New(uint64(d), 7)
	x := make([][]F, n)
	for i := range x {
		x[i] = asmtest.Normal[F](r, d)
		switch name {
		case "offset":
			for k := range x[i] {
				x[i][k] += 1e6
			}
		case "offset32":
			for k := range x[i] {
				x[i][k] += 1e3
			}
		case "equal":
			copy(x[i], x[0])
		case "close":
			copy(x[i], x[0])
			x[i][i%d] *= 1 + F(asmtest.Epsilon[F]())*F(i)
		case "sizes":
			for k := range x[i] {
				x[i][k] *= F(math.Pow(10, float64(i%7-3)))
			}
		case "zero":
			if i%2 == 0 {
				clear(x[i])
			}
		}
	}
	return x
}

func dense[F gram.Float](x [][]F) *mat.Dense {
	a := mat.NewDense(len(x), len(x[0]), nil)
	for i, row := range x {
		for k, v := range row {
			a.Set(i, k, float64(v))
		}
	}
	return a
}

func rowsOf[F gram.Float](x [][]F, stride int) gram.Rows[F] {
	d := len(x[0])
	r := gram.Rows[F]{Data: make([]F, len(x)*stride), N: len(x), D: d, Stride: stride}
	for i, row := range x {
		copy(r.Row(i), row)
	}
	return r
}

// TestAccuracy checks the bounds that doc.go states on rows for which they are
// hard to keep.
func TestAccuracy(t *testing.T) {
	t.Run("float64", accuracy[float64])
	t.Run("float32", accuracy[float32])
}

func accuracy[F gram.Float](t *testing.T) {
	u := asmtest.Epsilon[F]() / 2
	dims := []int{1, 2, 8, 9, 63, 300, 2000}
	if testing.Short() {
		dims = []int{1, 8, 9, 70}
	}
	const n = 9
	type problem struct {
		name string
		d    int
		rows [][]F
		refs [n][n]reference
	}
	var problems []*problem
	for _, d := range dims {
		for _, name := range []string{"plain", "offset", "offset32", "equal", "close", "sizes", "zero"} {
			p := &problem{name: name, d: d, rows: adversarial[F](name, n, d)}
			center := Against[F](Gaussian{1}, dense(p.rows)).shared.points.center
			for i := range n {
				for j := range i + 1 {
					p.refs[i][j] = refer(p.rows[i], p.rows[j], center)
					p.refs[j][i] = p.refs[i][j]
				}
			}
			problems = append(problems, p)
		}
	}
	asmtest.ForEachLevel(t, levels(), func(t *testing.T) {
		for _, problem := range problems {
			rows, name, d := problem.rows, problem.name, problem.d
			z := dense(rows)
			for _, gamma := range []float64{1e-300, 1e-3 / float64(d), 1 / float64(d), 5, 1e300} {
				for _, k := range []Kernel{Gaussian{gamma}, Laplacian{gamma}} {
					if F(gamma) == 0 {
						continue // no such float32
					}
					b := Against[F](k, z)
					dst := gram.MakeRows[F](n, n)
					b.Fill(dst, gram.Dense(rowsOf(rows, d)))
					for i := range n {
						for j := range i + 1 {
							r := problem.refs[i][j]
							got := float64(dst.Row(i)[j])
							if got != float64(dst.Row(j)[i]) {
								t.Fatalf("%s, d %d: K is not symmetric: %v and %v", name, d, got, dst.Row(j)[i])
							}
							s, ds := r.absolute, float64(0)
							chunk := panel.Chunk[F]()
							terms := float64(min(d, chunk) + (d+chunk-1)/chunk + 1)
							if _, ok := k.(Gaussian); ok {
								s = r.squares
								ds = (terms + 3) * u * s
								if d > directColumns {
									ds = (2*terms + 6) * u * r.norms
								}
							} else {
								ds = (terms + 2) * u * s
							}
							g := float64(finite[F](gamma))
							if s == 0 {
								if got != 1 {
									t.Fatalf("%s, d %d, γ %g: K of equal rows is %v", name, d, gamma, got)
								}
								continue
							}
							lo, hi := math.Exp(-g*(s+ds)), math.Exp(-g*max(0, s-ds))
							rel := min(1, g*(s+ds)*u*3+2*panel.ExpULP*u)
							lo, hi = lo*(1-rel)-2*asmtest.Unit(F(0))/u, hi*(1+rel)+asmtest.Unit(F(0))
							if !(got >= lo && got <= hi && got <= 1) {
								t.Fatalf("%s, d %d, γ %g: K %d,%d is %v, bounds %v %v", name, d, gamma, i, j, got, lo, hi)
							}
						}
					}
				}
			}
			for _, k := range []Kernel{Linear{}, Homogeneous{3}, Polynomial{2, 1}} {
				b := Against[F](k, z)
				dst := gram.MakeRows[F](n, n)
				b.Fill(dst, gram.Dense(rowsOf(rows, d)))
				shift, p := 0.0, 1
				switch k := k.(type) {
				case Homogeneous:
					p = k.Degree
				case Polynomial:
					shift, p = k.Offset, k.Degree
				}
				for i := range n {
					for j := range n {
						r := problem.refs[i][j]
						chunk := panel.Chunk[F]()
						da := float64(min(d, chunk)+(d+chunk-1)/chunk+2) * u * (r.size + shift)
						a := math.Abs(r.inner + shift)
						tol := math.Pow(a+da, float64(p))*(1+float64(2*p)*u) - math.Pow(a, float64(p))
						want := power(r.inner+shift, p)
						if F(2*math.Abs(want)) > F(math.MaxFloat32) && u > 1e-10 {
							continue // beyond float32
						}
						if got := float64(dst.Row(i)[j]); !(math.Abs(got-want) <= tol+1e-15*math.Abs(want)) {
							t.Fatalf("%s, d %d, %v: %v, want %v ± %g", name, d, k.Spec(), got, want, tol)
						}
						if dst.Row(i)[j] != dst.Row(j)[i] {
							t.Fatalf("%v is not symmetric", k.Spec())
						}
					}
				}
			}
		}
	})
}

// TestFloat32 compares the errors of float32 with those of the usual way, which
// sums squared distances in float64, rounds them and takes exp in float32. On
// centered data the errors are at most four times as large. On offset data the
// usual way keeps its error only because of its float64 sums; products in
// float32 without a center would have no correct digit.
func TestFloat32(t *testing.T) {
	asmtest.ForEachLevel(t, levels(), func(t *testing.T) {
		for _, offset := range []float32{0, 300} {
			for _, d := range []int{2, 8, 9, 16, 54, 128, 784, 2000} {
				if testing.Short() && d > 60 {
					continue
				}
				const n = 60
				r := rng.New(3, uint64(d))
				rows := make([][]float32, n)
				for i := range rows {
					rows[i] = asmtest.Normal[float32](r, d)
					for k := range rows[i] {
						rows[i][k] += offset
					}
				}
				gamma := 0.5 / float64(d)
				b := Against[float32](Gaussian{gamma}, dense(rows))
				dst := gram.MakeRows[float32](n, n)
				b.Fill(dst, gram.Dense(rowsOf(rows, d)))
				var ours, usual float64
				for i := range n {
					for j := range i {
						var s float64
						for k, v := range rows[i] {
							diff := float64(v) - float64(rows[j][k])
							s += diff * diff
						}
						want := math.Exp(-gamma * s)
						rounded := float32(math.Exp(float64(-float32(gamma) * float32(s))))
						ours += math.Pow(float64(dst.Row(i)[j])-want, 2)
						usual += math.Pow(float64(rounded)-want, 2)
					}
				}
				ours, usual = math.Sqrt(ours), math.Sqrt(usual)
				t.Logf("offset %v, d %d: error %.3g, usual way %.3g, ratio %.2f", offset, d, ours, usual, ours/usual)
				if !(ours <= 4*usual) {
					t.Errorf("offset %v, d %d: error %.3g, usual way %.3g", offset, d, ours, usual)
				}
			}
		}
	})
}

func ExampleAgainst() {
	x := mat.NewDense(2, 2, []float64{0, 0, 1, 0})
	z := mat.NewDense(3, 2, []float64{0, 0, 1, 0, 1, 1})
	b := Against[float64](Gaussian{Gamma: 0.5}, z)
	k := gram.MakeRows[float64](2, 3)
	b.Fill(k, gram.Of(x))
	fmt.Printf("%.4f\n%.4f\n", k.Row(0), k.Row(1))
	// Output:
	// [1.0000 0.6065 0.3679]
	// [0.6065 1.0000 0.6065]
}
