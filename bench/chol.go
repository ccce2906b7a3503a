package bench

import (
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/cholupdate"
	"gonum.org/v1/gonum/blas"
)

func cholCases(quick bool) []Case {
	orders := []int{16, 64, 128, 256, 512, 1024, 2048}
	if quick {
		orders = []int{64, 256, 1024}
	}
	return slices.Concat(
		choleskyChanges[float64](orders), choleskyChanges[float32](orders),
		identityPlusRankOne[float64](orders), identityPlusRankOne[float32](orders))
}

// choleskyChanges are A ± xxᵀ on the upper factor, whose rows are contiguous.
// A rotation takes four products and two sums an element.
func choleskyChanges[F gram.Float](orders []int) []Case {
	var cases []Case
	for _, n := range orders {
		for _, c := range []struct{ kernel, shape string }{
			{"chol_update", fmt.Sprint(n)},
			{"chol_downdate", fmt.Sprintf("%d, in place", n)},
			{"chol_downdate", fmt.Sprintf("%d, transactional", n)},
		} {
			cases = append(cases, Case{
				Kernel: c.kernel, Type: typeName[F](), N: n, Shape: c.shape,
				Flops: 3 * float64(n) * float64(n), op: opFMA,
				bytes: float64(n * (n + 1) * size[F]()), memory: memUpdate, room: n * (n + 1) / 2 * size[F](),
				operands: func() work { return choleskyWork[F](n, c.kernel == "chol_update", c.shape[len(c.shape)-1] == 'e') },
			})
		}
	}
	slices.SortStableFunc(cases, func(a, b Case) int { // all updates before all downdates
		switch {
		case a.Kernel == b.Kernel:
			return 0
		case a.Kernel > b.Kernel:
			return -1
		}
		return 1
	})
	return cases
}

func choleskyWork[F gram.Float](n int, update, inPlace bool) work {
	// Far from losing definiteness, however often x is taken away in one run.
	u := random[F](n * n)
	for i := range n {
		for j := range n {
			u[i*n+j] *= F(0.1 / float64(n))
		}
		u[i*n+i] = 1
	}
	x := random[F](n)
	for i := range x {
		x[i] *= F(1e-5 / float64(n))
	}
	u, reset := restored(u)
	t := cholupdate.Triangular[F]{Uplo: blas.Upper, Diag: blas.NonUnit, N: n, Stride: n, Data: u}
	change := func() error { _, err := cholupdate.Downdate(t, x); return err }
	if inPlace {
		change = func() error { _, err := cholupdate.DowndateInPlace(t, x); return err }
	}
	if update {
		change = func() error { return cholupdate.Update(t, x) }
	}
	return work{Reset: reset, Run: func(int) {
		if err := change(); err != nil {
			panic("bench: " + err.Error())
		}
	}}
}

// identityPlusRankOne are B·L for L = chol(I + β·wwᵀ) and an r×r matrix B.
func identityPlusRankOne[F gram.Float](orders []int) []Case {
	var cases []Case
	for _, r := range orders {
		cases = append(cases, Case{
			Kernel: "ident_rank1_apply", Type: typeName[F](), N: r, Shape: fmt.Sprintf("%dx%d", r, r),
			Flops: 5 * float64(r) * float64(r), op: opFMA,
			bytes: float64(2 * r * r * size[F]()), memory: memUpdate, room: r * r * size[F](),
			shared: true,
			operands: func() work {
				b, reset := restored(random[F](r * r))
				var l cholupdate.IdentityPlusRankOne[F]
				if _, err := l.Set(0.1/float64(r), random[F](r)); err != nil {
					panic("bench: " + err.Error())
				}
				rows := gram.Rows[F]{Data: b, N: r, D: r, Stride: r}
				return work{Run: func(threads int) { l.ApplyRight(rows, threads) }, Reset: reset}
			},
		})
	}
	return cases
}
