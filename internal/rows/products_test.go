package rows

import (
	"context"
	"errors"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

func TestProducts(t *testing.T) {
	r := rng.New(1, 0)
	const n, d, k = 200, 1200, 1500 // two blocks of rows
	x, b, c := mat.NewDense(n, d, nil), mat.NewDense(d, k, nil), mat.NewDense(n, k, nil)
	for _, m := range []*mat.Dense{x, b, c} {
		rows, _ := m.Dims()
		for i := range rows {
			for j := range m.RawRowView(i) {
				m.Set(i, j, float64(r.IntN(9)-4))
			}
		}
	}
	var want, wantT mat.Dense
	want.Mul(x, b)
	wantT.Mul(x.T(), c)
	for _, m := range []mat.Matrix{x, sparse.FromDense(x)} {
		p := NewProducts(gram.Of(m), 2)
		got, gotT := mat.NewDense(n, k, nil), mat.NewDense(d, k, nil)
		gotT.Set(0, 0, 1e9)
		must.Do(t, errors.Join(p.Mul(t.Context(), got, b), p.MulTrans(t.Context(), gotT, c)))
		if !mat.Equal(got, &want) || !mat.Equal(gotT, &wantT) {
			t.Errorf("%T: products differ", m)
		}
		done, cancel := context.WithCancel(t.Context())
		cancel()
		if p.Mul(done, got, b) == nil || p.MulTrans(done, gotT, c) == nil {
			t.Errorf("%T: products do not stop", m)
		}
	}
}
