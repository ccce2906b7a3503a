package cholupdate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num"
	"gonum.org/v1/gonum/mat"
)

// product returns QR, and how far Q is from orthonormal columns.
func (f *QR[F]) product() (*mat.Dense, float64) {
	_, n := f.Dims()
	var q, product, gap mat.Dense
	f.QTo(&q)
	r := mat.NewDense(n, n, nil)
	t := f.R()
	for i := range n {
		for j := i; j < n; j++ {
			r.Set(i, j, float64(t.Data[i*t.Stride+j]))
		}
	}
	product.Mul(&q, r)
	gap.Mul(q.T(), &q)
	for i := range n {
		gap.Set(i, i, gap.At(i, i)-1)
	}
	return &product, mat.Norm(&gap, 2)
}

// changed is a matrix by rows beside its factorization.
type changed[F num.Float] struct {
	rows [][]float64
	f    *QR[F]
	r    *rand.Rand
	unit float64 // of the numbers
}

func (c *changed[F]) vector(n int) ([]F, []float64) {
	x, y := make([]F, n), make([]float64, n)
	for i := range x {
		x[i] = F(c.unit * c.r.NormFloat64())
		y[i] = float64(x[i])
	}
	return x, y
}

// step makes one change of both, whose kind it returns.
func (c *changed[F]) step(t *testing.T) string {
	m, n := c.f.Dims()
	var err error
	defer func() {
		if err != nil {
			t.Fatal(err)
		}
	}()
	switch kind := c.r.IntN(7); {
	case kind == 0 && n < m:
		j := c.r.IntN(n + 1)
		x, y := c.vector(m)
		if c.r.IntN(3) == 0 && n > 0 { // a column twice
			for i := range x {
				y[i] = c.rows[i][0]
				x[i] = F(y[i])
			}
		}
		for i := range c.rows {
			c.rows[i] = slices.Insert(c.rows[i], j, y[i])
		}
		err = c.f.InsertColumn(j, x)
		return "InsertColumn"
	case kind == 1 && n > 1:
		j := c.r.IntN(n)
		for i := range c.rows {
			c.rows[i] = slices.Delete(c.rows[i], j, j+1)
		}
		c.f.DeleteColumn(j)
		return "DeleteColumn"
	case kind == 2 && m > n:
		i := c.r.IntN(m)
		c.rows = slices.Delete(c.rows, i, i+1)
		c.f.DeleteRow(i)
		return "DeleteRow"
	case kind == 6:
		from, to := c.r.IntN(n), c.r.IntN(n)
		for i, row := range c.rows {
			v := row[from]
			c.rows[i] = slices.Insert(slices.Delete(row, from, from+1), to, v)
		}
		c.f.MoveColumn(from, to)
		return "MoveColumn"
	case kind <= 3:
		i := c.r.IntN(m + 1)
		x, y := c.vector(n)
		c.rows = slices.Insert(c.rows, i, y)
		err = c.f.InsertRow(i, x)
		return "InsertRow"
	default:
		x, u := c.vector(m)
		y, v := c.vector(n)
		if kind == 4 { // takes a row away, up to rounding
			clear(x)
			clear(u)
			i := c.r.IntN(m)
			u[i], x[i] = -1, -1
			for j := range v {
				v[j] = c.rows[i][j]
				y[j] = F(v[j])
			}
		} else {
			for i := range x {
				x[i] = F(float64(x[i]) / c.unit)
				u[i] = float64(x[i])
			}
		}
		for i := range c.rows {
			for j := range v {
				c.rows[i][j] += u[i] * v[j]
			}
		}
		err = c.f.RankOne(x, y)
		return "RankOne"
	}
}

// TestQR changes a factorization in every way, with dependent columns and rows of zeros, and compares it
// with the matrix after each change.
func TestQR(t *testing.T) {
	for _, unit := range []float64{1, 1e-140, 1e140} {
		checkQR[float64](t, unit, 0x1p-52)
	}
	checkQR[float32](t, 1, 0x1p-23)
}

func checkQR[F num.Float](t *testing.T, unit, eps float64) {
	for _, shape := range [][2]int{{1, 1}, {6, 3}, {9, 9}, {50, 40}, {90, 70}} {
		c := changed[F]{r: rand.New(rand.NewPCG(uint64(shape[0]), 7)), unit: unit}
		a := mat.NewDense(shape[0], shape[1], nil)
		for range shape[0] {
			_, row := c.vector(shape[1])
			a.SetRow(len(c.rows), row)
			c.rows = append(c.rows, row)
		}
		f := must.Have(NewQR[F](a))(t)
		c.f = f
		size := 1.
		for step := range 60 {
			kind := c.step(t)
			m, n := c.f.Dims()
			product, gap := c.f.product()
			diff := mat.NewDense(m, n, nil)
			for i := range m {
				for j := range n {
					diff.Set(i, j, (product.At(i, j)-c.rows[i][j])/unit)
					size = max(size, math.Abs(c.rows[i][j])/unit) // errors are those of the largest that was
				}
			}
			tol := 20 * float64(max(m, n)+step) * eps
			if e := mat.Norm(diff, 2); !(e <= tol*size*math.Sqrt(float64(m*n))) || !(gap <= tol) {
				t.Fatalf("%d×%d in units of %g, step %d, %s: QR is off by %g of %g, QᵀQ by %g", m, n, unit, step, kind, e, size, gap)
			}
		}
	}
}

// TestQRSolve compares least squares with those of gonum, and says what is refused.
func TestQRSolve(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	a := mat.NewDense(7, 3, nil)
	b := make([]float64, 7)
	for i := range b {
		b[i] = r.NormFloat64()
		a.SetRow(i, []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()})
	}
	f := must.Have(NewQR[float64](a))(t)
	x := make([]float64, 3)
	must.Do(t, f.SolveVec(x, b))
	var want mat.VecDense
	must.Do(t, want.SolveVec(a, mat.NewVecDense(7, b)))
	for i := range x {
		if !(math.Abs(x[i]-want.AtVec(i)) <= 1e-13) {
			t.Errorf("x[%d] is %g, not %g", i, x[i], want.AtVec(i))
		}
	}
	var data *gram.DataError
	bad := []float64{0, math.NaN(), 0}
	if err := f.InsertRow(0, bad); !errors.As(err, &data) || data.Row != 1 {
		t.Errorf("a row with NaN: %v", err)
	}
	if err := f.InsertColumn(0, append(bad, 0, 0, 0, 0)); !errors.As(err, &data) || data.Row != 1 {
		t.Errorf("a column with NaN: %v", err)
	}
	if err := f.RankOne(b, bad); !errors.As(err, &data) || data.Argument != "v" {
		t.Errorf("RankOne with NaN: %v", err)
	}
	var singular *gram.NotPDError
	must.Do(t, f.InsertColumn(1, make([]float64, 7)))
	if err := f.SolveVec(make([]float64, 4), b); !errors.As(err, &singular) || singular.Pivot != 1 {
		t.Errorf("a column of zeros: %v", err)
	}
	square, _ := NewQR[float64](a.Slice(0, 3, 0, 3))
	for i, bad := range []func(){
		func() { f.MoveColumn(0, 4) }, func() { f.MoveColumn(-1, 0) }, func() { f.DeleteColumn(4) }, func() { f.DeleteRow(-1) }, func() { _ = f.InsertRow(0, b) },
		func() { _ = f.InsertRow(9, bad) }, func() { _ = f.InsertColumn(5, b) }, func() { square.DeleteRow(0) },
		func() { _ = square.InsertColumn(0, bad) }, func() { _, _ = NewQR[float64](a.T()) }, func() { _ = f.SolveVec(x, x) },
	} {
		if must.Recovered(bad) == nil {
			t.Errorf("call %d does not panic", i)
		}
	}
}

func BenchmarkQR(b *testing.B) {
	for _, n := range []int{16, 64, 256, 512} {
		a := mat.NewDense(n+2, n, nil)
		r := rand.New(rand.NewPCG(1, 1))
		for i := range n + 2 {
			for j := range n {
				a.Set(i, j, r.NormFloat64())
			}
		}
		f, _ := NewQR[float64](a)
		u, v := make([]float64, n+2), make([]float64, n)
		for i := range v {
			u[i], v[i] = r.NormFloat64(), r.NormFloat64()
		}
		b.Run(fmt.Sprintf("RankOne/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				_ = f.RankOne(u, v)
				for i := range v { // the next change undoes this one
					v[i] *= -1
				}
			}
		})
		b.Run(fmt.Sprintf("Column/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				f.DeleteColumn(0)
				_ = f.InsertColumn(0, u)
			}
		})
		b.Run(fmt.Sprintf("MoveColumn/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				f.MoveColumn(0, n-1)
				f.MoveColumn(n-1, 0)
			}
		})
		b.Run(fmt.Sprintf("Row/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				f.DeleteRow(0)
				_ = f.InsertRow(0, v)
			}
		})
	}
}
