package program

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// scaled is a program of two outputs: factor times the first number of a row, and the
// sum of all numbers. It records the number of rows of each call.
type scaled[F gram.Float] struct {
	d      int
	factor F
	cost   gram.Plan
	calls  []int
}

func (p *scaled[F]) Dims() (d, outputs int) { return p.d, 2 }
func (p *scaled[F]) Cost() gram.Plan        { return p.cost }
func (p *scaled[F]) Row(dst, x []F)         { Row(p, dst, x) }
func (p *scaled[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	Check("scaled", p, dst, x)
	p.calls = append(p.calls, dst.N)
	buf := make([]F, p.d)
	for i := range dst.N {
		row := x.Row(buf, i)
		var sum F
		for _, v := range row {
			sum += v
		}
		dst.Row(i)[0], dst.Row(i)[1] = p.factor*row[0], sum
	}
}

// byFirst sends a row to the parts by its first number: 0 and 1 to the part of that
// number, NaN to none, and 2, in a mixed program, to both, with weights 1/4 and 3/4.
type byFirst[F gram.Float] struct {
	d     int
	mixed bool
	most  int // rows at a time
}

func (r *byFirst[F]) Dims() (d, parts int) { return r.d, 3 }
func (r *byFirst[F]) Cost() gram.Plan {
	return gram.Plan{Flops: 5, ModelBytes: 100, PeakBytes: 1000, FullKernel: true, Description: "router"}
}

func (r *byFirst[F]) Route(to *Routes[F], x gram.Samples[F]) {
	r.most = max(r.most, x.N())
	var rows [2][]int32
	var weight [2][]F
	var none []int32
	for i := range x.N() {
		switch v := x.At(i, 0); {
		case v != v:
			none = append(none, int32(i))
		case v == 2 && r.mixed:
			rows[0], weight[0] = append(rows[0], int32(i)), append(weight[0], .25)
			rows[1], weight[1] = append(rows[1], int32(i)), append(weight[1], .75)
		default:
			p := int(v) % 2
			rows[p], weight[p] = append(rows[p], int32(i)), append(weight[p], 1)
		}
	}
	to.None(none)
	for p := range rows {
		to.Part(p, rows[p], weight[p])
	}
}

// A Routed program gives every row the outputs of its part or the weighted sum of those
// of its parts, for rows side by side and scattered, dense and sparse, with gaps in
// memory, and in more than one block. A row without a part gets NaN, and nothing outside
// the destination is written.
func TestRouted(t *testing.T) {
	routedProgram[float64](t)
	routedProgram[float32](t)
}

func routedProgram[F gram.Float](t *testing.T) {
	const d = 3
	for _, mixed := range []bool{false, true} {
		router := &byFirst[F]{d: d, mixed: mixed}
		parts := []*scaled[F]{{d: d, factor: 10}, {d: d, factor: 100}}
		p := NewRouted("test", Router[F](router), []gram.Program[F]{parts[0], parts[1], nil}, 2, mixed)
		for name, part := range map[string]func(i int) float64{
			"all in one part":  func(i int) float64 { return 1 },
			"in turn":          func(i int) float64 { return float64(i % 2) },
			"two halves":       func(i int) float64 { return float64(i / 60 % 2) },
			"some in none":     func(i int) float64 { return []float64{0, 1, 1, math.NaN(), 2}[i*i%5] },
			"all but some":     func(i int) float64 { return float64((i%17 + 15) / 16 % 2) },
			"all in both":      func(i int) float64 { return 2 },
			"first and last 1": func(i int) float64 { return map[bool]float64{true: 1}[i == 0 || i > 100] },
		} {
			for _, n := range []int{0, 1, 2, 47, 48, 49, 97, 1023, 1024, 1025, 2049} {
				wide := gram.MakeRows[F](n, d+2)
				x := gram.Rows[F]{Data: wide.Data, N: n, D: d, Stride: d + 2}
				if n > 0 {
					x.Data = x.Data[:(n-1)*(d+2)+d]
				}
				dense := mat.NewDense(max(n, 1), d, nil)
				for i := range n {
					for j := range d {
						v := float64((i*j)%5) - 1
						if j == 0 {
							v = part(i)
						}
						x.Row(i)[j] = F(v)
						dense.Set(i, j, v)
					}
				}
				a := sparse.FromDense(dense.Slice(0, max(n, 1), 0, d).(*mat.Dense))
				if n == 0 {
					a = &sparse.CSR{D: d, Ptr: []int{0}}
				}
				for kind, rows := range map[string]gram.Samples[F]{"dense": gram.Dense(x), "sparse": gram.Sparse[F](a)} {
					out := gram.MakeRows[F](n, 4) // two columns and a gap of two
					for i := range out.Data {
						out.Data[i] = -77
					}
					dst := gram.Rows[F]{Data: out.Data, N: n, D: 2, Stride: 4}
					parts[0].calls, parts[1].calls = nil, nil
					p.Rows(dst, rows)
					for i := range n {
						var sum F
						for _, v := range x.Row(i) {
							sum += v
						}
						factor := map[float64]F{0: 10, 1: 100, 2: 10}[part(i)]
						if mixed && part(i) == 2 {
							factor = 10./4 + 300./4
						}
						want := []F{factor * x.Row(i)[0], sum}
						if part(i) != part(i) {
							want = []F{F(math.NaN()), F(math.NaN())}
						}
						for c, v := range want {
							if got := dst.Row(i)[c]; got != v && (got == got || v == v) {
								t.Fatalf("mixed %t, %s, %d %s rows: output %d of row %d is %v, want %v", mixed, name, n, kind, c, i, got, v)
							}
						}
						if g := out.Row(i)[2:]; g[0] != -77 || g[1] != -77 {
							t.Fatalf("%s, %d rows: written beside row %d", name, n, i)
						}
						one := make([]F, 2)
						if kind == "dense" {
							p.Row(one, x.Row(i))
							if !same(one, dst.Row(i)) {
								t.Fatalf("%s, %d rows: row %d alone is %v", name, n, i, one)
							}
						}
					}
					for _, calls := range [][]int{parts[0].calls, parts[1].calls} {
						for _, k := range calls {
							if k > 48 || k < 1 {
								t.Fatalf("a part gets %d rows at a time", k)
							}
						}
					}
				}
			}
		}
		if router.most != RoutedRows {
			t.Errorf("the router gets up to %d rows", router.most)
		}
		r := p.pool.Get().(*Routes[F])
		if r.dst.Data != nil || r.x.N() != 0 {
			t.Error("the rows of a caller are kept")
		}
		if d, k := p.Dims(); d != 3 || k != 2 {
			t.Errorf("%d columns, %d outputs", d, k)
		}
		got := must.Recovered(func() { p.Row(make([]F, 3), make([]F, 3)) })
		if got != "test: the shapes of the rows and their destination do not fit the program" {
			t.Errorf("panic %v", got)
		}
	}
}

func same[F gram.Float](a, b []F) bool {
	return slices.EqualFunc(a, b, func(v, w F) bool { return v == w || v != v && w != w })
}

// The cost of a Routed program is that of the router and the mean of the parts. It holds
// all parts and works in the memory of the largest part and a block of rows.
func TestRoutedCost(t *testing.T) {
	parts := []gram.Program[float32]{
		&scaled[float32]{d: 3, cost: gram.Plan{Flops: 10, ModelBytes: 7, PeakBytes: 40}},
		nil,
		&scaled[float32]{d: 3, cost: gram.Plan{Flops: 30, ModelBytes: 5, PeakBytes: 30}},
	}
	router := &byFirst[float32]{d: 3}
	got := NewRouted("test", Router[float32](router), parts, 2, false).Cost()
	if want := (gram.Plan{Flops: 25, ModelBytes: 112, PeakBytes: 1040 + 48*5*4, FullKernel: true, Description: "2 programs, each for a part of the rows"}); got != want {
		t.Errorf("cost %+v, want %+v", got, want)
	}
	if got := NewRouted("test", Router[float32](router), parts[1:2], 2, false).Cost(); got.Flops != 5 || got.ModelBytes != 100 {
		t.Errorf("without parts: %+v", got)
	}
	c := &Constant[float32]{D: 3, Values: []float32{4, 5}}
	dst := gram.MakeRows[float32](2, 2)
	c.Rows(dst, gram.Dense(gram.MakeRows[float32](2, 3)))
	one := make([]float32, 2)
	c.Row(one, make([]float32, 3))
	if d, k := c.Dims(); d != 3 || k != 2 || !slices.Equal(dst.Data, []float32{4, 5, 4, 5}) || !slices.Equal(one, c.Values) {
		t.Errorf("constants %v for %d columns, %d outputs", dst.Data, d, k)
	}
	if got := c.Cost(); got != (gram.Plan{ModelBytes: 8, Description: "constant outputs"}) {
		t.Errorf("constants cost %+v", got)
	}
}

// Gather returns the rows that it is asked for: a view if they lie side by side,
// otherwise copies in memory that is used again.
func TestGather(t *testing.T) {
	wide := gram.Rows[float64]{Data: make([]float64, 8*5), N: 8, D: 3, Stride: 5}
	thin := mat.NewDense(8, 3, nil)
	ones := &sparse.CSR{N: 8, D: 3, Ptr: []int{0}}
	for i := range 8 {
		for j := range 3 {
			wide.Row(i)[j] = float64(10*i + j)
			thin.Set(i, j, float64((10*i+j)*((i+j)%2)))
			if (i*j+i)%3 == 1 {
				ones.Col = append(ones.Col, int32(j))
			}
		}
		ones.Ptr = append(ones.Ptr, len(ones.Col))
	}
	for name, x := range map[string]gram.Samples[float64]{
		"dense": gram.Dense(wide), "sparse": gram.Sparse[float64](sparse.FromDense(thin)),
		"ones": gram.Sparse[float64](ones), "part": gram.Sparse[float64](sparse.FromDense(thin)).Slice(1, 8),
	} {
		var b Batch[float64]
		for _, index := range [][]int32{{}, {3}, {0, 1, 2}, {0, 2}, {1, 2, 4, 6}, {0, 1, 2, 3, 4, 6}, {5, 6}, {0, 6}} {
			y := b.Gather(x, index)
			if n, d := y.Dims(); n != len(index) || d != 3 {
				t.Fatalf("%s, rows %v: %d×%d", name, index, n, d)
			}
			nonzeros := 0
			for i, r := range index {
				for j := range 3 {
					if y.At(i, j) != x.At(int(r), j) {
						t.Fatalf("%s, rows %v: number %d of row %d is %v, want %v", name, index, j, i, y.At(i, j), x.At(int(r), j))
					}
					if x.At(int(r), j) != 0 {
						nonzeros++
					}
				}
			}
			if y.IsSparse() != x.IsSparse() || y.IsSparse() && y.NNZ() != nonzeros {
				t.Errorf("%s, rows %v: sparse %t, %d numbers", name, index, y.IsSparse(), y.NNZ())
			}
		}
		if race.Enabled {
			continue
		}
		if a := testing.AllocsPerRun(10, func() { b.Gather(x, []int32{0, 1, 2, 3, 4, 6}) }); a != 0 {
			t.Errorf("%s: %g allocations", name, a)
		}
	}
}

// Conversions of numbers to both types.
func TestNumbers(t *testing.T) {
	inf := math.Inf(1)
	const large = math.MaxFloat32
	if got := Convert[float32]([]float64{1.5, 1e300, -1e300, inf, -inf, large}); !slices.Equal(got, []float32{1.5, large, -large, float32(inf), float32(-inf), large}) {
		t.Errorf("converted to %v", got)
	}
	if got := Convert[float64]([]float64{1.5, 1e300, -inf}); !slices.Equal(got, []float64{1.5, 1e300, -inf}) {
		t.Errorf("converted to %v", got)
	}
	for _, v := range []float64{0, 1, .1, -.1, 1 + 1e-9, -1 - 1e-9, 1e300, 16777217} {
		if Floor[float64](v) != v {
			t.Errorf("Floor(%v) = %v in float64", v, Floor[float64](v))
		}
		f := Floor[float32](v)
		if next := math.Nextafter32(f, float32(inf)); float64(f) > v || float64(next) <= v {
			t.Errorf("Floor(%v) = %v in float32", v, f)
		}
	}
	nan := math.NaN()
	for _, c := range []struct {
		row  []float64
		want bool
	}{{nil, false}, {[]float64{1, inf, 3}, false}, {[]float64{inf, -inf}, false}, {[]float64{nan}, true}, {[]float64{1, nan, 3}, true}, {[]float64{inf, nan}, true}, {[]float64{1, 2, nan}, true}} {
		if HasNaN(c.row) != c.want {
			t.Errorf("HasNaN(%v) = %t", c.row, !c.want)
		}
	}
	s := make([]int, 2, 5)
	if g := Grow(s, 5); len(g) != 5 || &g[0] != &s[0] {
		t.Error("memory that is enough is not used again")
	}
	if g := Grow(s, 6); len(g) != 6 {
		t.Errorf("%d numbers, want 6", len(g))
	}
	if Size[float64](3) != 24 || Size[float32](3) != 12 {
		t.Error("sizes of three numbers")
	}
	row := []float64{1, 2, 3}
	if Fill(row, 7); !slices.Equal(row, []float64{7, 7, 7}) {
		t.Errorf("filled %v", row)
	}
	if r := Rows[float32](mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})); r.N != 2 || r.D != 3 || !slices.Equal(r.Data, []float32{1, 2, 3, 4, 5, 6}) {
		t.Errorf("rows %+v", r)
	}
}

// Evaluate computes all rows, a grain at a time, on several goroutines.
func TestEvaluate(t *testing.T) {
	for _, n := range []int{0, 1, 6, 7, 8, 50} {
		x := mat.NewDense(max(n, 1), 3, nil)
		for i := range n {
			x.SetRow(i, []float64{float64(i), 1, 2})
		}
		p := &scaled[float64]{d: 3, factor: 2}
		dst := mat.NewDense(max(n, 1), 2, nil)
		if n == 0 {
			Evaluate(1, 7, p, &mat.Dense{}, &sparse.CSR{D: 3, Ptr: []int{0}})
			continue
		}
		Evaluate(1, 7, p, dst, x)
		for i := range n {
			if dst.At(i, 0) != float64(2*i) || dst.At(i, 1) != float64(i+3) {
				t.Errorf("row %d of %d is %v", i, n, dst.RawRowView(i))
			}
		}
		for _, k := range p.calls {
			if k > 7 {
				t.Errorf("%d rows at a time", k)
			}
		}
	}
}

// Shapes that do not fit panic before anything is written.
func TestCheck(t *testing.T) {
	p := &scaled[float64]{d: 3}
	x, dst := gram.MakeRows[float64](4, 3), gram.MakeRows[float64](4, 2)
	for name, c := range map[string]struct {
		dst gram.Rows[float64]
		x   gram.Rows[float64]
		ok  bool
	}{
		"fits":               {dst, x, true},
		"fewer columns":      {dst, gram.Rows[float64]{Data: x.Data, N: 4, D: 2, Stride: 3}, false},
		"fewer outputs":      {gram.Rows[float64]{Data: dst.Data, N: 4, D: 1, Stride: 2}, x, false},
		"fewer destinations": {dst.Slice(0, 3), x, false},
		"short rows":         {dst, gram.Rows[float64]{Data: x.Data[:11], N: 4, D: 3, Stride: 3}, false},
		"short destination":  {gram.Rows[float64]{Data: dst.Data[:7], N: 4, D: 2, Stride: 2}, x, false},
	} {
		if got := must.Recovered(func() { Check("test", p, c.dst, gram.Dense(c.x)) }); (got == nil) != c.ok {
			t.Errorf("%s: panic %v", name, got)
		}
	}
}

// compiler has programs of different widths, or an error.
type compiler struct{ err error }

func (c compiler) Program64() (gram.Program[float64], error) { return &scaled[float64]{d: 64}, c.err }
func (c compiler) Program32() (gram.Program[float32], error) { return &scaled[float32]{d: 32}, c.err }

func TestOf(t *testing.T) {
	wide, err := Of[float64](compiler{})
	narrow, err32 := Of[float32](compiler{})
	if err != nil || err32 != nil {
		t.Fatal(err, err32)
	}
	if d, _ := wide.Dims(); d != 64 {
		t.Error("the program in float64 is another")
	}
	if d, _ := narrow.Dims(); d != 32 {
		t.Error("the program in float32 is another")
	}
	fails := errors.New("none")
	if p, err := Of[float64](compiler{fails}); p != nil || err != fails {
		t.Errorf("%v, %v", p, err)
	}
}

// The outputs of a Bounded program stay within their bounds, and NaN is left.
func TestBounded(t *testing.T) {
	inner := &scaled[float64]{d: 2, factor: 2, cost: gram.Plan{Flops: 10, ModelBytes: 7, PeakBytes: 40, Description: "inner"}}
	p := &Bounded[float64]{Program: inner, Low: []float64{0, -1}, High: []float64{1, 3}}
	if got, want := p.Cost(), (gram.Plan{Flops: 14, ModelBytes: 39, PeakBytes: 40, Description: "inner"}); got != want {
		t.Errorf("cost %+v, want %+v", got, want)
	}
	nan := math.NaN()
	for _, c := range []struct{ x, want []float64 }{
		{[]float64{.25, 1}, []float64{.5, 1.25}},
		{[]float64{2, 3}, []float64{1, 3}},
		{[]float64{-1, -1}, []float64{0, -1}},
		{[]float64{nan, 0}, []float64{nan, nan}},
	} {
		dst := gram.MakeRows[float64](1, 2)
		p.Rows(dst, gram.Dense(gram.Rows[float64]{Data: c.x, N: 1, D: 2, Stride: 2}))
		one := make([]float64, 2)
		p.Row(one, c.x)
		if !same(dst.Data, c.want) || !same(one, c.want) {
			t.Errorf("%v: %v and, alone, %v, want %v", c.x, dst.Data, one, c.want)
		}
	}
}
