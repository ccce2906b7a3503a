package gen

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Tests of the whole module have limits that were found on these problems, so their
// numbers must not change. A weighted sum also notices another order.
func TestPinned(t *testing.T) {
	sum := func(m mat.Matrix) float64 {
		n, d := m.Dims()
		var s float64
		for i := range n {
			for j := range d {
				s += m.At(i, j) * math.Sqrt(float64(1+i*d+j))
			}
		}
		return s
	}
	column := func(v []float64) float64 { return sum(mat.NewVecDense(len(v), v)) }
	class := func(l gram.Labels) float64 {
		var s float64
		for i, c := range l.Class {
			s += float64(c*(i+1)) + float64(len(l.Names[c]))
		}
		return s
	}
	blobs, labels := Blobs(40, 3, 4, 5, 1)
	x, y, w := Linear(30, 4, .5, 2)
	sx, sy := Smooth(30, 4, .5, 3)
	dup, index := Duplicates(x, 20, 6, 4)
	var places float64
	for k, i := range index {
		places += float64(i * (k + 1))
	}
	a, q := Spectrum([]float64{3, 2, 1}, 5)
	tx, ty := Tagged(30, 50, 5, 8, 3, 6)
	for what, c := range map[string]struct{ got, want float64 }{
		"Normal":               {sum(Normal(9, 5, 1)), 7.62769169408887},
		"Orthogonal":           {sum(Orthogonal(6, 1)), 14.9647727518856},
		"Spectrum":             {sum(a) + 3*sum(q), 6.44722397650291},
		"Geometric":            {column(Geometric(5, 16)), 2.5298737316725},
		"SPD":                  {sum(SPD(6, 100, 1)), 12.8198591183683},
		"LowRank":              {sum(LowRank(6, 2, .5, 1)), 27.9309277526999},
		"Blobs":                {sum(blobs), 1180.17761523274},
		"classes of Blobs":     {class(labels), 1320},
		"Flip":                 {class(Flip(labels, .3, 7)), 1132},
		"Linear":               {sum(x), 26.6830162540595},
		"targets of Linear":    {column(y), -27.511481683154},
		"weights of Linear":    {column(w), 0.132084846434986},
		"Smooth":               {sum(sx), 68.0505257260235},
		"targets of Smooth":    {column(sy), -5.80044339313478},
		"Duplicates":           {sum(dup), 15.7316280258201},
		"places in Duplicates": {places, 531},
		"Sparse":               {sum(Sparse(20, 30, .2, 8)), -63.7025928559816},
		"Tagged":               {sum(tx), 3577.00720024129},
		"labels of Tagged":     {sum(ty), 782.365992010454},
	} {
		if !(math.Abs(c.got-c.want) <= 1e-9*math.Abs(c.want)) {
			t.Errorf("%q: %.15g, was %.15g", what, c.got, c.want)
		}
	}
}

func TestOrthogonal(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 40} {
		q := Orthogonal(n, uint64(n))
		var p mat.Dense
		p.Mul(q, q.T())
		for i := range n {
			p.Set(i, i, p.At(i, i)-1)
		}
		if e := mat.Norm(&p, math.Inf(1)); !(e < 1e-13*float64(n)) {
			t.Errorf("n %d: QQᵀ−I is %g", n, e)
		}
	}
	// Uniform: entries have mean 0 and variance 1/n, also in the corners.
	var first, last []float64
	for seed := range uint64(2000) {
		q := Orthogonal(4, seed)
		first, last = append(first, q.At(0, 0)), append(last, q.At(3, 3))
	}
	for _, v := range [][]float64{first, last} {
		if m, s := stat.MeanVariance(v, nil); !(math.Abs(m) <= .05) || !(math.Abs(s-.25) <= .03) {
			t.Errorf("mean %v, variance %v", m, s)
		}
	}
}

func TestSpectra(t *testing.T) {
	for _, cond := range []float64{1, 10, 1e6} {
		a := SPD(20, cond, 1)
		var e mat.EigenSym
		if !e.Factorize(a, false) {
			t.Fatal("no eigenvalues")
		}
		want := Geometric(20, cond)
		slices.Sort(want)
		for k, v := range e.Values(nil) {
			if !(math.Abs(v-want[k]) < 1e-13) {
				t.Errorf("cond %g: eigenvalue %d is %g, want %g", cond, k, v, want[k])
			}
		}
	}
	if g := Geometric(1, 5); g[0] != 1 {
		t.Error(g)
	}
	var e mat.EigenSym
	e.Factorize(LowRank(20, 3, .01, 1), false)
	v := e.Values(nil)
	if !(math.Abs(v[0]-.01) <= 1e-12) || !(math.Abs(v[16]-.01) <= 1e-12) || v[17] < 1 {
		t.Errorf("eigenvalues %v", v)
	}
}

func TestProblems(t *testing.T) {
	for _, d := range []int{1, 5} {
		x, y := Blobs(300, d, 4, 20, 1)
		var center [4][]float64
		for c := range center {
			center[c] = make([]float64, d)
		}
		for i, c := range y.Class {
			for j := range d {
				center[c][j] += x.At(i, j) / 75
			}
		}
		for i, c := range y.Class { // the nearest center is right
			best, least := -1, math.Inf(1)
			for k := range center {
				var s float64
				for j := range d {
					e := x.At(i, j) - center[k][j]
					s += e * e
				}
				if s < least {
					best, least = k, s
				}
			}
			if best != c {
				t.Fatalf("d %d: row %d is nearer to class %d", d, i, best)
			}
		}
		z := Flip(y, .3, 2)
		changed := 0
		for i := range z.Class {
			if z.Class[i] != y.Class[i] {
				changed++
			}
		}
		if changed < 60 || changed > 120 {
			t.Errorf("%d of 300 labels changed", changed)
		}
	}
	x, y, w := Linear(50, 3, 0, 1)
	for i := range y {
		var s float64
		for j := range w {
			s += w[j] * x.At(i, j)
		}
		if !(math.Abs(s-y[i]) <= 1e-13) {
			t.Fatalf("row %d: %v, want %v", i, y[i], s)
		}
	}
	sx, sy := Smooth(200, 2, 0, 1)
	for i, v := range sy {
		if !(math.Abs(v) <= 1.5) || !(math.Abs(sx.At(i, 0)) <= 1) {
			t.Fatalf("row %d: %v", i, v)
		}
	}
	d, from := Duplicates(x, 80, 10, 1)
	for i, k := range from {
		if k >= 10 || !slices.Equal(d.RawRowView(i), x.RawRowView(k)) {
			t.Fatal(i, k)
		}
	}
}

func TestSparse(t *testing.T) {
	for _, p := range []float64{0, .05, .5, 1} {
		a := Sparse(200, 300, p, 1)
		must.Do(t, a.Validate())
		if got, sd := float64(a.NNZ())/60000, math.Sqrt(p*(1-p)/60000); !(math.Abs(got-p) <= 5*sd) {
			t.Errorf("density %v, want %v", got, p)
		}
	}
}

func TestViews(t *testing.T) {
	x := Normal(5, 3, 1)
	s := Strided(x, 7)
	if !mat.Equal(s, x) || s.RawMatrix().Stride != 7 || !math.IsNaN(s.RawMatrix().Data[3]) {
		t.Error("strided")
	}
	o := Opaque(x)
	if _, ok := o.(*mat.Dense); ok || !mat.Equal(o, x) {
		t.Error("opaque")
	}
	if mat.Equal(x, Normal(5, 3, 2)) || !mat.Equal(x, Normal(5, 3, 1)) {
		t.Error("seed")
	}
}

func TestTagged(t *testing.T) {
	x, y := Tagged(500, 200, 10, 100, 4, 1)
	for _, a := range []*sparse.CSR{x, y} {
		must.Do(t, a.Validate())
	}
	if x.NNZ() < 500*7 || x.NNZ() > 500*10 || y.NNZ() < 500*3 || y.NNZ() > 500*4 {
		t.Errorf("%d ones, %d labels", x.NNZ(), y.NNZ())
	}
	// Two topics: labels go with columns.
	var both, all int
	for i := range 500 {
		col, _ := x.Row(i)
		label, _ := y.Row(i)
		low := 0
		for _, j := range col {
			if j < 100 {
				low++
			}
		}
		for _, l := range label {
			all++
			if (l < 50) == (2*low > len(col)) {
				both++
			}
		}
	}
	if float64(both) < 0.75*float64(all) {
		t.Errorf("%d of %d labels are of the row's topic", both, all)
	}
}
