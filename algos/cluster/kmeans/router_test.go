package kmeans

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/program"
	"gonum.org/v1/gonum/mat"
)

// parts is the program of the number of a row's part.
func parts[F gram.Float](r program.Router[F]) gram.Program[F] {
	d, k := r.Dims()
	var all []gram.Program[F]
	for p := range k {
		all = append(all, &program.Constant[F]{D: d, Values: []F{F(p)}})
	}
	return program.NewRouted("kmeans", r, all, 1, false)
}

func route[F gram.Float](r program.Router[F], x *mat.Dense) []int {
	n, _ := x.Dims()
	dst := gram.MakeRows[F](n, 1)
	parts(r).Rows(dst, gram.As[F](gram.Of(x), nil))
	label := make([]int, n)
	for i, v := range dst.Data {
		label[i] = int(v)
		if v != v {
			label[i] = -1
		}
	}
	return label
}

// Routers send rows where Assign does: far from the origin, at the same distance from
// several centers, and nowhere with NaN.
func TestRouter(t *testing.T) {
	x, _ := blobs(3, 600, 5, 7, 0.5, 20)
	means := must.Have(Config{K: 7}.Fit(t.Context(), x))(t)
	tree := must.Have(Tree{Branch: 3, Leaf: 40}.Fit(t.Context(), x))(t)
	x.Set(17, 3, math.NaN())
	tied := &Model{centers: mat.NewDense(4, 5, nil)}
	for c, v := range []float64{3, 1, -1, 1} {
		tied.centers.Set(c, 2, v)
	}
	zero := mat.NewDense(3, 5, nil)
	zero.Set(1, 2, 2)
	for _, c := range []struct {
		name string
		m    Centered
		x    *mat.Dense
	}{{"k-means", means, x}, {"tree", tree, x}, {"ties", tied, zero}} {
		want := c.m.Assign(nil, c.x)
		double, single := route[float64](NewRouter[float64](c.m, nil), c.x), route[float32](NewRouter[float32](c.m, nil), c.x)
		for _, i := range []int{0, 1, 17 % len(want)} {
			alone := c.x.Slice(i, i+1, 0, 5).(*mat.Dense)
			if got := route[float64](NewRouter[float64](c.m, nil), alone)[0]; got != want[i] {
				t.Fatalf("%s: row %d alone is sent to %d, assigned to %d", c.name, i, got, want[i])
			}
		}
		other := 0
		for i, p := range want {
			if double[i] != p {
				t.Fatalf("%s: row %d is sent to %d, assigned to %d", c.name, i, double[i], p)
			}
			if single[i] != p {
				other++
			}
		}
		if other > 0 {
			t.Errorf("%s: %d rows are sent to other parts in float32", c.name, other)
		}
	}
	// A router assigns the rows themselves, more than it sends down together, and none.
	long := mat.NewDense(program.RoutedRows+50, 5, nil)
	for i := range program.RoutedRows + 50 {
		long.SetRow(i, x.RawRowView(i%600))
	}
	for name, m := range map[string]Centered{"k-means": means, "tree": tree} {
		want := m.Assign(nil, long)
		for _, n := range []int{program.RoutedRows + 50, 1, 0} {
			double, single := make([]int32, n), make([]int32, n)
			NewRouter[float64](m, nil).Assign(double, gram.Of(long).Slice(0, n))
			NewRouter[float32](m, nil).Assign(single, gram.As[float32](gram.Of(long).Slice(0, n), nil))
			for i, w := range want[:n] {
				if int(double[i]) != w || int(single[i]) != w {
					t.Fatalf("%s: row %d is assigned to %d and to %d in float32, want %d", name, i, double[i], single[i], w)
				}
			}
		}
		alone := []int32{0}
		if NewRouter[float64](m, nil).Assign(alone, gram.Of(long).Slice(17, 18)); alone[0] != -1 {
			t.Errorf("%s: a row with NaN alone is assigned to %d", name, alone[0])
		}
	}
	to := []int{4, 4, 0, 1, 2, 2, 3}
	for i, p := range route[float64](NewRouter[float64](means, to), x) {
		if c := means.Assign(nil, x)[i]; c >= 0 && p != to[c] || c < 0 && p != -1 {
			t.Fatalf("row %d of cluster %d is sent to %d", i, c, p)
		}
	}
}
