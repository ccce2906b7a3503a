package eig

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// problem is a diagonal plus rank one.
type problem struct {
	name string
	d, z []float64
	rho  float64
}

func normal(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// problems returns the cases that are known to be hard.
func problems(n int) []problem {
	r := rng.New(1, uint64(n))
	d := normal(r, n)
	graded, clustered, repeated, steps := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		graded[i] = math.Pow(10, -300*float64(i)/float64(n)) * float64(1-2*(i%2))
		clustered[i] = 1 + 1e-12*float64(i%(n/3+1)) + float64(i/(n/3+1))
		repeated[i] = float64(i % 4)
		steps[i] = float64(i)
	}
	thin, tiny := normal(r, n), normal(r, n)
	for i := range n {
		switch i % 3 {
		case 0:
			thin[i] = 0
		case 1:
			thin[i] *= 1e-310 // denormal
		}
		tiny[i] = math.Pow(10, -20*r.Float64())
	}
	var out []problem
	for _, p := range []problem{
		{"random", d, normal(r, n), .7},
		{"graded", graded, normal(r, n), 1},
		{"clustered", clustered, normal(r, n), .3},
		{"clustered, small rho", clustered, normal(r, n), 1e-12},
		{"repeated", repeated, normal(r, n), 2},
		{"integers", steps, normal(r, n), 1},
		{"integers, tiny rho", steps, normal(r, n), 1e-9},
		{"integers, huge rho", steps, normal(r, n), 1e9},
		{"zeros and denormals", d, thin, 1},
		{"z over decades", d, tiny, 1},
		{"all equal", make([]float64, n), normal(r, n), 1},
		{"z = 0", d, make([]float64, n), 1},
		{"rho = 0", d, normal(r, n), 0},
		{"rho 1e200", d, normal(r, n), 1e200},
		{"rho 1e-200", d, normal(r, n), 1e-200},
		{"all times 1e200", scale(d, 1e200), normal(r, n), 1e200},
		{"all times 1e-200", scale(d, 1e-200), normal(r, n), 1e-200},
	} {
		out = append(out, p, problem{p.name + ", negative", p.d, p.z, -p.rho})
	}
	return out
}

func scale(x []float64, by float64) []float64 {
	out := slices.Clone(x)
	for i := range out {
		out[i] *= by
	}
	return out
}

// residual returns max |A·Q − QΛ| / ‖A‖ and max |QᵀQ − I|.
func residual(p problem, u *RankOneUpdate) (res, orth float64) {
	n := len(p.d)
	q := u.Vectors()
	var g mat.Dense
	g.Mul(q.T(), q)
	for i := range n {
		for j := range n {
			want := 0.
			if i == j {
				want = 1
			}
			orth = max(orth, math.Abs(g.At(i, j)-want))
		}
	}
	return residuals(p, u, q), orth
}

// residuals returns max |A·Q − QΛ| / ‖A‖ without squares that overflow.
func residuals(p problem, u *RankOneUpdate, q *mat.Dense) (res float64) {
	n := len(p.d)
	norm := 0.
	for _, v := range p.d {
		norm = max(norm, math.Abs(v))
	}
	var zz float64
	for _, v := range p.z {
		zz += v * v
	}
	norm = max(norm, math.Abs(p.rho)*zz)
	if norm == 0 {
		norm = 1
	}
	zq := make([]float64, n) // zᵀQ
	for i := range n {
		for j, v := range q.RawRowView(i) {
			zq[j] += p.z[i] * v
		}
	}
	for i := range n {
		for j, v := range q.RawRowView(i) {
			res = max(res, math.Abs((p.d[i]/norm)*v+(p.rho/norm)*p.z[i]*zq[j]-v*(u.values[j]/norm)))
		}
	}
	return res // NaN if there is one: max keeps it
}

func TestRankOne(t *testing.T) {
	sizes := []int{1, 2, 3, 4, 7, 20, 61, 200}
	if testing.Short() {
		sizes = []int{1, 2, 3, 7, 40}
	}
	for _, n := range sizes {
		for _, p := range problems(n) {
			t.Run(fmt.Sprintf("%d/%s", n, p.name), func(t *testing.T) {
				d, z := slices.Clone(p.d), slices.Clone(p.z)
				u := must.Have(RankOne(d, z, p.rho))(t)
				if !slices.Equal(d, p.d) || !slices.Equal(z, p.z) {
					t.Error("an input was changed")
				}
				if !slices.IsSorted(u.Values()) {
					t.Error("the eigenvalues do not ascend")
				}
				res, orth := residual(p, u)
				tol := 10 * float64(n) * 0x1p-52
				if !(res <= tol) || !(orth <= tol) {
					t.Errorf("residual %.3g, orthogonality %.3g, want %.3g; %d deflated", res, orth, tol, u.Deflated())
				}
				interlaces(t, p, u.Values())
			})
		}
	}
}

// TestRankOneLarge looks at all residuals, and at the products of all
// eigenvectors with 16 of them, at order 4096.
func TestRankOneLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("order 4096")
	}
	const n = 4096
	r := rng.New(31, 0)
	for _, p := range problems(n) {
		switch p.name {
		case "clustered", "z over decades, negative":
		default:
			continue
		}
		u := must.Have(RankOne(p.d, p.z, p.rho))(t)
		q := u.Vectors()
		res := residuals(p, u, q)
		some, which := mat.NewDense(n, 16, nil), make([]int, 16)
		for j := range which {
			which[j] = r.IntN(n)
			some.SetCol(j, mat.Col(nil, which[j], q))
		}
		var g mat.Dense
		g.Mul(q.T(), some)
		var orth float64
		for j, c := range which {
			g.Set(c, j, g.At(c, j)-1)
			for i := range n {
				orth = max(orth, math.Abs(g.At(i, j)))
			}
		}
		t.Logf("%s: residual %.3g, orthogonality %.3g; %d deflated", p.name, res, orth, u.Deflated())
		if tol := 10 * n * 0x1p-52; !(res <= tol) || !(orth <= tol) {
			t.Errorf("%s: residual %.3g, orthogonality %.3g, want %.3g", p.name, res, orth, tol)
		}
	}
}

// interlaces checks λ_j ∈ [d_j, d_{j+1}] for ρ > 0 and the mirror image.
func interlaces(t *testing.T, p problem, values []float64) {
	t.Helper()
	d := slices.Clone(p.d)
	slices.Sort(d)
	n := len(d)
	norm, zz := 0., 0.
	for i := range d {
		norm = max(norm, math.Abs(d[i]))
		zz += p.z[i] * p.z[i]
	}
	reach := math.Abs(p.rho) * zz
	tol := 20 * float64(n) * 0x1p-52 * max(norm, reach)
	for j, v := range values {
		lo, hi := d[j], d[j]+reach
		if j+1 < n {
			hi = min(hi, d[j+1])
		}
		if p.rho < 0 {
			lo, hi = d[j]-reach, d[j]
			if j > 0 {
				lo = max(lo, d[j-1])
			}
		}
		if !(v >= lo-tol && v <= hi+tol) {
			t.Fatalf("eigenvalue %d = %g outside [%g, %g]", j, v, lo, hi)
		}
	}
}

// TestBig compares the eigenvalues with roots of the secular equation found by
// bisection in 200 bits.
func TestBig(t *testing.T) {
	sizes := []int{1, 2, 5, 20, 40}
	if testing.Short() {
		sizes = sizes[:3]
	}
	for _, n := range sizes {
		for _, p := range problems(n) {
			switch p.name {
			case "random", "clustered", "integers", "integers, huge rho", "z over decades", "integers, negative":
			default:
				continue
			}
			u := must.Have(RankOne(p.d, p.z, p.rho))(t)
			want := bisect(p)
			norm := 0.
			for _, v := range want {
				norm = max(norm, math.Abs(v))
			}
			for j, v := range u.Values() {
				if !(math.Abs(v-want[j]) <= 4*0x1p-52*float64(n)*norm) {
					t.Errorf("%s n %d: eigenvalue %d is %.17g, want %.17g", p.name, n, j, v, want[j])
				}
			}
		}
	}
}

// Along is Qᵀz; after a large change the small elements of it have the digits that the product with
// Q has lost: 1/(ρ‖(D−λ)⁻¹z‖), here from big floats.
func TestAlong(t *testing.T) {
	for _, n := range []int{1, 2, 5, 20} {
		for _, p := range problems(n) {
			u := must.Have(RankOne(p.d, p.z, p.rho))(t)
			along := u.Along()
			product := u.MulRight(mat.NewDense(1, n, slices.Clone(p.z)))
			var norm float64
			for _, v := range p.z {
				norm = math.Hypot(norm, v)
			}
			for j, v := range along {
				if !(math.Abs(v-product.At(0, j)) <= 16*float64(n)*0x1p-53*norm) {
					t.Errorf("%s n %d: element %d is %g, the product has %g", p.name, n, j, v, product.At(0, j))
				}
			}
			if !strings.HasPrefix(p.name, "integers, huge rho") {
				continue
			}
			num := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
			for j, root := range bisectBig(p) {
				length := num(0)
				for i := range n {
					x := num(0).Quo(num(p.z[i]), num(0).Sub(num(p.d[i]), root))
					length.Add(length, x.Mul(x, x))
				}
				want, _ := num(0).Quo(num(1/math.Abs(p.rho)), length.Sqrt(length)).Float64()
				if !(math.Abs(math.Abs(along[j])-want) <= 16*float64(n)*0x1p-53*want) {
					t.Errorf("%s n %d: element %d is %.17g, want %.17g", p.name, n, j, along[j], want)
				}
			}
		}
	}
}

// bisect returns the roots of bisectBig as they are in float64.
func bisect(p problem) []float64 {
	out := make([]float64, len(p.d))
	for j, v := range bisectBig(p) {
		out[j], _ = v.Float64()
	}
	return out
}

// bisectBig finds the roots for different d and nonzero z with big floats.
func bisectBig(p problem) []*big.Float {
	const prec = 200
	n := len(p.d)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if p.d[a] < p.d[b] {
			return -1
		}
		return 1
	})
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(v) }
	reach := num(0)
	for _, v := range p.z {
		reach.Add(reach, new(big.Float).SetPrec(prec).Mul(num(v), num(v)))
	}
	reach.Mul(reach, num(math.Abs(p.rho)))
	// sign of 1 + ρΣ z²/(d−λ)
	f := func(x *big.Float) int {
		s := num(1)
		for i := range n {
			t := new(big.Float).SetPrec(prec).Mul(num(p.z[i]), num(p.z[i]))
			t.Mul(t, num(p.rho))
			g := new(big.Float).SetPrec(prec).Sub(num(p.d[i]), x)
			if g.Sign() == 0 {
				continue
			}
			s.Add(s, t.Quo(t, g))
		}
		return s.Sign()
	}
	out := make([]*big.Float, n)
	for j := range n {
		var lo, hi *big.Float
		if p.rho > 0 {
			lo = num(p.d[order[j]])
			hi = new(big.Float).SetPrec(prec).Add(lo, reach)
			if j+1 < n && num(p.d[order[j+1]]).Cmp(hi) < 0 {
				hi = num(p.d[order[j+1]])
			}
		} else {
			hi = num(p.d[order[j]])
			lo = new(big.Float).SetPrec(prec).Sub(hi, reach)
			if j > 0 && num(p.d[order[j-1]]).Cmp(lo) > 0 {
				lo = num(p.d[order[j-1]])
			}
		}
		for range 140 {
			mid := new(big.Float).SetPrec(prec).Add(lo, hi)
			mid.Quo(mid, num(2))
			below := f(mid) < 0 // f rises with λ for ρ > 0 and falls for ρ < 0
			if p.rho < 0 {
				below = f(mid) > 0
			}
			if below {
				lo = mid
			} else {
				hi = mid
			}
		}
		out[j] = lo
	}
	return out
}

// TestAgainstDense compares with the decomposition of the full matrix.
func TestAgainstDense(t *testing.T) {
	const n = 50
	for _, p := range problems(n)[:2] {
		a := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				v := p.rho * p.z[i] * p.z[j]
				if i == j {
					v += p.d[i]
				}
				a.SetSym(i, j, v)
			}
		}
		var full mat.EigenSym
		if !full.Factorize(a, false) {
			t.Fatal("no convergence")
		}
		u := must.Have(RankOne(p.d, p.z, p.rho))(t)
		for j, v := range full.Values(nil) {
			if d := math.Abs(v - u.Values()[j]); !(d <= 1e-13*math.Abs(full.Values(nil)[n-1])+1e-13) {
				t.Errorf("%s: eigenvalue %d differs by %g", p.name, j, d)
			}
		}
	}
}

func TestUpdateSym(t *testing.T) {
	const n = 40
	a, q := gen.Spectrum(gen.Geometric(n, 1e6), 3)
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		t.Fatal("no convergence")
	}
	values := e.Values(nil)
	e.VectorsTo(q)
	x := normal(rng.New(4, 0), n)
	for _, rho := range []float64{1, -.5} {
		v, w := must.Have2(UpdateSym(values, q, x, rho))(t)
		want := mat.NewSymDense(n, nil)
		want.SymRankOne(a, rho, mat.NewVecDense(n, x))
		var got, wd mat.Dense
		wd.Apply(func(_, j int, u float64) float64 { return u * v[j] }, w)
		got.Mul(&wd, w.T())
		if !mat.EqualApprox(&got, want, 1e-12) {
			t.Errorf("rho %g: Q'Λ'Q'ᵀ differs from A + ρxxᵀ", rho)
		}
	}
}

func TestRankOneBadInput(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		var de *gram.DataError
		if _, err := RankOne([]float64{1, bad}, []float64{1, 1}, 1); !errors.As(err, &de) || err.Error() != fmt.Sprintf("element 2 of d is %v", bad) {
			t.Errorf("d: %v", err)
		}
		if _, err := RankOne([]float64{1, 2}, []float64{bad, 1}, 1); !errors.As(err, &de) || err.Error() != fmt.Sprintf("element 1 of z is %v", bad) {
			t.Errorf("z: %v", err)
		}
		if _, err := RankOne([]float64{1, 2}, []float64{1, 1}, bad); !errors.As(err, &de) || err.Error() != fmt.Sprintf("rho is %v", bad) {
			t.Errorf("rho: %v", err)
		}
	}
	var de *gram.DataError
	for _, rho := range []float64{.8e308, -.8e308} {
		if _, err := RankOne([]float64{math.Copysign(1.7e308, rho), 1}, []float64{1, 1}, rho); !errors.As(err, &de) || err.Error() != "rho: an eigenvalue is too large" {
			t.Errorf("an eigenvalue overflows: %v", err)
		}
		if _, err := RankOne([]float64{math.Copysign(1.7e308, -rho), 1}, []float64{1, 1}, rho); err != nil {
			t.Errorf("no eigenvalue overflows: %v", err)
		}
	}
	if u, err := RankOne(nil, nil, 1); err != nil || len(u.Values()) != 0 {
		t.Error("order 0")
	}
	if must.Recovered(func() { _, _ = RankOne([]float64{1}, nil, 1) }) == nil {
		t.Error("no panic")
	}
}

// TestShapes calls the functions of an update with operands of wrong shape, and
// UpdateSym with a vector that is not of numbers.
func TestShapes(t *testing.T) {
	u := must.Have(RankOne([]float64{1, 2, 3}, []float64{1, 1, 1}, 1))(t)
	dense := func(r, c int) *mat.Dense { return mat.NewDense(r, c, nil) }
	for want, calls := range map[string][]func(){
		"eig: d and z have different lengths":             {func() { _, _ = RankOne([]float64{1}, nil, 1) }},
		"eig: the matrix has the wrong number of columns": {func() { u.MulRight(dense(3, 2)) }, func() { u.MulRight(dense(2, 4)) }},
		"eig: dst has the wrong shape":                    {func() { u.VectorsTo(dense(3, 4)) }, func() { u.VectorsTo(dense(2, 3)) }},
		"eig: shapes do not fit": {
			func() { _, _, _ = UpdateSym([]float64{1, 2}, dense(2, 3), []float64{1, 1}, 1) },
			func() { _, _, _ = UpdateSym([]float64{1, 2}, dense(3, 2), []float64{1, 1}, 1) },
			func() { _, _, _ = UpdateSym([]float64{1, 2}, dense(2, 2), []float64{1}, 1) },
		},
	} {
		for i, call := range calls {
			if got := must.Recovered(call); got != want {
				t.Errorf("call %d: panic %v, want %q", i, got, want)
			}
		}
	}
	// UpdateSym names its own arguments.
	nan := math.NaN()
	for _, c := range []struct {
		values, q, x []float64
		want         string
	}{
		{[]float64{1, 2}, []float64{1, 0, 0, 1}, []float64{1, nan}, "element 2 of x is NaN"},
		{[]float64{1, nan}, []float64{1, 0, 0, 1}, []float64{1, 1}, "element 2 of values is NaN"},
		{[]float64{1, 2}, []float64{1, 0, nan, 1}, []float64{1, 1}, "row 2, column 1 of q is NaN"},
		{[]float64{1, 2}, []float64{.6, .8, -.8, .6}, []float64{1.5e308, 1.5e308}, "qᵀx is +Inf"},
	} {
		var de *gram.DataError
		if values, q, err := UpdateSym(c.values, mat.NewDense(2, 2, c.q), c.x, 1); !errors.As(err, &de) || err.Error() != c.want || values != nil || q != nil {
			t.Errorf("%v, %v, error %v, want %q", values, q, err, c.want)
		}
	}
}

func BenchmarkRankOne(b *testing.B) {
	for _, n := range []int{64, 256, 1024} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			r := rng.New(1, 0)
			d, z, q := normal(r, n), normal(r, n), mat.NewDense(n, n, nil)
			b.ReportAllocs()
			for b.Loop() {
				u, err := RankOne(d, z, 1)
				if err != nil {
					b.Fatal(err)
				}
				u.VectorsTo(q)
			}
		})
	}
}

// TestEvaluations counts how often the secular equation is evaluated.
func TestEvaluations(t *testing.T) {
	sizes := []int{20, 100, 400}
	if testing.Short() {
		sizes = sizes[:2]
	}
	for _, n := range sizes {
		for _, p := range problems(n) {
			u := must.Have(RankOne(p.d, p.z, p.rho))(t)
			if k := u.pairs.Len(); k > 0 {
				mean := float64(u.pairs.Evaluations()) / float64(k)
				t.Logf("n %d, %s: %d roots, %.2f evaluations each", n, p.name, k, mean)
				if !(mean <= 5) {
					t.Errorf("n %d, %s: %.2f evaluations a root", n, p.name, mean)
				}
			}
		}
	}
}

// TestClusters has 29 poles in clusters with gaps of 1e−12, relative, which have
// made other secular solvers stop without a root.
func TestClusters(t *testing.T) {
	const n = 29
	seeds := uint64(20)
	if testing.Short() {
		seeds = 7
	}
	for seed := range seeds {
		r := rng.New(21, seed)
		d, z := make([]float64, n), make([]float64, n)
		for i := range n {
			d[i] = float64(1+i/(5+int(seed%7))) + 1e-12*float64(i)*(1+r.Float64())
			z[i] = r.NormFloat64() * math.Pow(10, -float64(seed%5)*3*r.Float64())
		}
		for _, rho := range []float64{1, -1, 1e-3, 1e-12, 1e6} {
			p := problem{"clusters", d, z, rho}
			u := must.Have(RankOne(d, z, rho))(t)
			res, orth := residual(p, u)
			tol := 10 * n * 0x1p-52
			if !(res <= tol) || !(orth <= tol) {
				t.Errorf("seed %d, rho %g: residual %.3g, orthogonality %.3g, want %.3g", seed, rho, res, orth, tol)
			}
			if k := u.pairs.Len(); u.pairs.Evaluations() > 8*k {
				t.Errorf("seed %d, rho %g: %d evaluations for %d roots", seed, rho, u.pairs.Evaluations(), k)
			}
		}
	}
}

// TestLevels runs the accuracy test at every level.
func TestLevels(t *testing.T) {
	for _, l := range cpu.Levels() {
		restore, err := cpu.Lower(l)
		if err != nil {
			continue
		}
		for _, p := range problems(37) {
			u := must.Have(RankOne(p.d, p.z, p.rho))(t)
			tol := 370 * 0x1p-52
			if res, orth := residual(p, u); !(res <= tol) || !(orth <= tol) {
				t.Errorf("%v, %s: residual %.3g, orthogonality %.3g, want %.3g", l, p.name, res, orth, tol)
			}
			// B·Q generated in tiles agrees with the stored vectors.
			b := gen.Normal(3, 37, 2)
			var want mat.Dense
			want.Mul(b, u.Vectors())
			if !mat.EqualApprox(u.MulRight(b), &want, 1e-13) {
				t.Errorf("%v, %s: MulRight differs", l, p.name)
			}
		}
		restore()
	}
}

// MulRight makes the eigenvectors tile after tile, a last one that is not full among
// them, and leaves deflated columns as they are.
func TestMulRightTiles(t *testing.T) {
	for _, n := range []int{tile - 1, tile, tile + 1, 2*tile + 3} {
		d, z := make([]float64, n+2), make([]float64, n+2)
		for i := range d {
			d[i], z[i] = float64(i*i), 1+float64(i%3)
		}
		z[5], z[n] = 0, 0
		u := must.Have(RankOne(d, z, .7))(t)
		b := gen.Normal(2, n+2, 3)
		var want mat.Dense
		want.Mul(b, u.Vectors())
		if got := u.MulRight(b); u.pairs.Len() != n || !mat.EqualApprox(got, &want, 1e-12) {
			t.Errorf("%d active poles, want %d; the product differs", u.pairs.Len(), n)
		}
	}
}

// A product may overwrite its operand and use a workspace again: the bits are those of
// MulRight.
func TestMulRightTo(t *testing.T) {
	src := rng.New(4, 0)
	var work []float64
	for _, n := range []int{300, 7, 1, 140} {
		d, z := make([]float64, n), make([]float64, n)
		for i := range n {
			d[i], z[i] = math.Floor(float64(i)/2), src.NormFloat64()
		}
		z[n/2] = 0
		u := must.Have(RankOne(d, z, -0.7))(t)
		b := mat.NewDense(5, n, nil)
		for i := range 5 {
			for j := range n {
				b.Set(i, j, src.NormFloat64())
			}
		}
		want := u.MulRight(b)
		work = u.MulRightTo(b, b, work)
		if !mat.Equal(b, want) {
			t.Errorf("order %d: the product in place differs", n)
		}
	}
}
