package cholupdate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num"
	"gonum.org/v1/gonum/mat"
)

// TestMove moves and inserts rows and columns, of factors that have slid, too, and compares with the matrix.
func TestMove(t *testing.T) {
	t.Run("float32", checkMove[float32])
	t.Run("float64", checkMove[float64])
}

func checkMove[F num.Float](t *testing.T) {
	for _, n := range []int{1, 2, 3, 9, 40} {
		r := rand.New(rand.NewPCG(uint64(n), 9))
		all := definite(r, n+9)
		f := must.Have(NewFactor[F](all))(t)
		f.DeleteFirst(6)
		order := make([]int, n+3)
		for i := range order {
			order[i] = 6 + i
		}
		check := func(what string) {
			t.Helper()
			want := mat.NewSymDense(f.Len(), nil)
			for i := range f.Len() {
				for j := range i + 1 {
					want.SetSym(i, j, all.At(order[i], order[j]))
				}
				if d := f.Triangular(); !(d.Data[i*(d.Stride+1)] > 0) {
					t.Fatalf("n=%d, %s: element %d of the diagonal is %g", n, what, i, d.Data[i*(d.Stride+1)])
				}
			}
			if e := distance(f.gramOf(), want); !(e <= 1000*epsilon[F]()) {
				t.Fatalf("n=%d, %s: off by %g", n, what, e)
			}
		}
		for range 30 {
			from, to := r.IntN(f.Len()), r.IntN(f.Len())
			f.Move(from, to)
			v := order[from]
			order = append(order[:from:from], order[from+1:]...)
			order = append(order[:to:to], append([]int{v}, order[to:]...)...)
			check(fmt.Sprintf("Move(%d, %d)", from, to))
			if j := r.IntN(f.Len()); r.IntN(2) == 0 { // and back in elsewhere
				f.Delete(j)
				v, to := order[j], r.IntN(f.Len()+1)
				order = append(order[:j:j], order[j+1:]...)
				order = append(order[:to:to], append([]int{v}, order[to:]...)...)
				column := make([]F, len(order))
				for i := range column {
					column[i] = F(all.At(order[i], v))
				}
				must.Have(f.Insert(to, column))(t)
				check(fmt.Sprintf("Insert(%d)", to))
			}
		}
	}
}

func epsilon[F num.Float]() float64 {
	if F(1)+F(0x1p-40) == 1 {
		return 0x1p-23
	}
	return 0x1p-52
}

func TestMoveErrors(t *testing.T) {
	f := must.Have(NewFactor[float64](mat.NewSymDense(2, []float64{2, 1, 1, 3})))(t)
	var data *gram.DataError
	if _, err := f.Insert(0, []float64{1, 0, math.NaN()}); !errors.As(err, &data) || data.Row != 2 {
		t.Errorf("a column with NaN: %v", err)
	}
	var failed *gram.NotPDError
	if _, err := f.Insert(1, []float64{2, 1, 1}); !errors.As(err, &failed) || failed.Pivot != 2 || f.Len() != 2 {
		t.Errorf("a column that makes the matrix indefinite: %v", err)
	}
	for i, call := range []func(){
		func() { f.Move(0, 2) }, func() { f.Move(-1, 0) }, func() { _, _ = f.Insert(3, make([]float64, 3)) }, func() { _, _ = f.Insert(0, make([]float64, 2)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("call %d does not panic", i)
				}
			}()
			call()
		}()
	}
}

func BenchmarkMove(b *testing.B) {
	for _, n := range []int{64, 256} {
		f, err := NewFactor[float64](definite(rand.New(rand.NewPCG(1, 1)), n))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				f.Move(0, n-1)
				f.Move(n-1, 0)
			}
		})
	}
}
