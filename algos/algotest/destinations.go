package algotest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/metric"
	"gonum.org/v1/gonum/mat"
)

// allValues is a model that predicts several values for each row: dst and the result are n×outputs.
type allValues interface {
	PredictAll(dst *mat.Dense, x mat.Matrix) *mat.Dense
}

// destinations checks what the model's own functions promise about their arguments. A
// nil destination is allocated, one of the right shape is filled and returned, and any
// other panics before anything is written to it. Rows may be any mat.Matrix with any
// number of rows. A wrong number of columns panics.
func (s Subject) destinations(t *testing.T) {
	m := s.fit(t, small(), run)
	if m.Public == nil {
		t.Skip("the model has no functions of rows")
	}
	other := Problem(2, 6, 5, 3).X
	symmetric := func(i, j int) float64 { return other.At(min(i, j), max(i, j)) }
	all := append(functions(m.Public), scoreFunctions(m.Public)...)
	if len(all) == 0 {
		t.Fatalf("a %T has none of the functions that a model has", m.Public)
	}
	for _, f := range all {
		for _, n := range []int{0, 1, 2, 5} {
			f.check(t, n, 4, other.At)
		}
		f.check(t, 4, 4, symmetric)
		f.check(t, 4, 4, func(i, j int) float64 {
			if i == j {
				return 1 + float64(i)
			}
			return 0
		})
	}
	if r, ok := m.Public.(gram.Ranker); ok {
		for i, want := range metric.Top(r.(scorer).Scores(nil, small().X), 3) {
			if got := r.Top(nil, small().X, 3); !slices.Equal(got[i], want) {
				t.Fatalf("row %d: Top gives %v, the scores %v", i, got[i], want)
			}
		}
	}
	// The rows of a model with one column may be vectors.
	m = s.fit(t, Problem(3, 90, 1, 3), run)
	for _, f := range append(functions(m.Public), scoreFunctions(m.Public)...) {
		for _, n := range []int{0, 1, 2, 5} {
			f.check(t, n, 1, other.At)
		}
	}
}

// function is a function of the model that takes rows. into calls it with a
// destination of n rows and width columns that has been filled, or nil for n < 0. It
// returns the result as a matrix, whether the destination is unchanged, and whether
// the function returned the destination.
type function struct {
	name  string
	width int // 0: the destination is a slice
	into  func(x mat.Matrix, n, width int) (out *mat.Dense, untouched, same bool)
	again func(x mat.Matrix) (call func()) // returns calls of the function with the result of the previous call as destination
}

// functions returns the functions whose destination is a slice or a matrix.
func functions(model any) []function {
	var all []function
	several := false
	if m, ok := model.(allValues); ok {
		all = append(all, ofDense("PredictAll", m.PredictAll))
		several = all[len(all)-1].width != 1
	}
	if m, ok := model.(gram.Regressor); ok && !several {
		all = append(all, ofSlice("Predict", m.Predict, minusSeven[float64], func(v float64) []float64 { return []float64{v} }, 1))
	}
	if m, ok := model.(gram.Classifier); ok {
		all = append(all, ofDense("Scores", m.Scores))
		all = append(all, ofSlice("Predict", m.Predict, minusSeven[int], func(c int) []float64 { return []float64{float64(c)} }, 1))
	}
	if m, ok := model.(interface {
		Map(dst *mat.Dense, x mat.Matrix) *mat.Dense
	}); ok {
		all = append(all, ofDense("Map", m.Map))
	}
	if m, ok := model.(interface {
		Features(dst *mat.Dense, x mat.Matrix) *mat.Dense
	}); ok {
		all = append(all, ofDense("Features", m.Features))
	}
	if m, ok := model.(interface {
		Assign(dst []int, x mat.Matrix) []int
	}); ok {
		all = append(all, ofSlice("Assign", m.Assign, minusSeven[int], func(c int) []float64 { return []float64{float64(c)} }, 1))
	}
	return all
}

// A scorer is a ranker that shows its scores, as all do.
type scorer interface {
	Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense
}

// scoreFunctions returns the functions of a ranker, for fewer labels than there are, for all
// and for more.
func scoreFunctions(model any) []function {
	m, ok := model.(gram.Ranker)
	if !ok {
		return nil
	}
	all := []function{ofDense("Scores", model.(scorer).Scores)}
	for _, k := range []int{1, m.NumLabels(), m.NumLabels() + 3} {
		flat := func(top []gram.Scored) []float64 {
			row := make([]float64, 1+2*k)
			row[0] = float64(len(top))
			for i, s := range top {
				row[1+2*i], row[2+2*i] = float64(s.Label), s.Score
				if i > 0 && (s.Score > top[i-1].Score || s.Score == top[i-1].Score && s.Label <= top[i-1].Label) {
					panic(fmt.Sprintf("Top of %d: %v is not in order", k, top))
				}
			}
			return row
		}
		top := func(dst [][]gram.Scored, x mat.Matrix) [][]gram.Scored { return m.Top(dst, x, k) }
		all = append(all, ofSlice(fmt.Sprintf("Top of %d", k), top, func() []gram.Scored { return []gram.Scored{{Label: -7}} }, flat, 1+2*k))
	}
	return all
}

func minusSeven[E int | float64]() E { return -7 }

// ofSlice makes a function of one whose destination is a slice; row turns an element
// into width numbers.
func ofSlice[E any](name string, f func(dst []E, x mat.Matrix) []E, filler func() E, row func(E) []float64, width int) function {
	again := func(x mat.Matrix) func() {
		var dst []E
		return func() { dst = f(dst, x) }
	}
	return function{name: name, again: again, into: func(x mat.Matrix, n, _ int) (*mat.Dense, bool, bool) {
		var dst []E
		if n >= 0 {
			dst = make([]E, n)
			for i := range dst {
				dst[i] = filler()
			}
		}
		var got []E
		isFiller := func(e E) bool { return fmt.Sprint(e) == fmt.Sprint(filler()) }
		if caught(func() { got = f(dst, x) }) {
			return nil, !slices.ContainsFunc(dst, func(e E) bool { return !isFiller(e) }), false
		}
		out := &mat.Dense{}
		if len(got) > 0 {
			out = mat.NewDense(len(got), width, nil)
			for i, e := range got {
				out.SetRow(i, row(e))
			}
		}
		return out, false, len(got) == len(dst) && (len(got) == 0 || &got[0] == &dst[0])
	}}
}

// ofDense makes a function of one whose destination is a matrix. The destination is
// part of a larger matrix, so that writes outside it are noticed.
func ofDense(name string, f func(dst *mat.Dense, x mat.Matrix) *mat.Dense) function {
	out := function{name: name, width: -1, again: func(x mat.Matrix) func() {
		var dst *mat.Dense
		return func() { dst = f(dst, x) }
	}}
	out.into = func(x mat.Matrix, n, width int) (*mat.Dense, bool, bool) {
		var dst *mat.Dense
		const filler = -7
		around := mat.NewDense(max(n, 0)+2, width+3, nil)
		for i := range max(n, 0) + 2 {
			for j := range width + 3 {
				around.Set(i, j, filler)
			}
		}
		switch {
		case n == 0:
			dst = &mat.Dense{}
		case n > 0:
			dst = around.Slice(1, n+1, 1, width+1).(*mat.Dense)
		}
		touched := func(inside bool) bool {
			rows, columns := around.Dims()
			for i := range rows {
				for j := range columns {
					in := i > 0 && i <= n && j > 0 && j <= width
					if in == inside && around.At(i, j) != filler {
						return true
					}
				}
			}
			return false
		}
		var got *mat.Dense
		if caught(func() { got = f(dst, x) }) {
			return nil, !touched(true) && !touched(false), false
		}
		if touched(false) {
			panic(name + " writes beside its destination")
		}
		return mat.DenseCopyOf(orEmpty(got)), false, got == dst
	}
	return out
}

// orEmpty returns m in a form that can be copied even if it has no rows.
func orEmpty(m *mat.Dense) mat.Matrix {
	if n, _ := m.Dims(); n == 0 {
		return &mat.Dense{}
	}
	return m
}

func caught(f func()) (caught bool) {
	defer func() {
		if p := recover(); p != nil {
			if s, ok := p.(string); ok && strings.HasPrefix(s, "Top of") {
				panic(p)
			}
			caught = true
		}
	}()
	f()
	return false
}

// check calls the function with the n×d matrix in every kind.
func (f function) check(t *testing.T, n, d int, at func(i, j int) float64) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s of %d rows: %s", f.name, n, fmt.Sprintf(format, args...))
	}
	kinds := Kinds(n, d, at)
	want := map[bool]*mat.Dense{} // by whether rows are sparse
	for _, sparse := range []bool{false, true} {
		name := map[bool]string{false: "a type of its own", true: "*sparse.CSR"}[sparse]
		out, _, _ := f.into(kinds[name], -1, 0)
		if out == nil {
			fail("a panic for %s without a destination", name)
			return
		}
		if r, _ := out.Dims(); r != n {
			fail("%d rows of output", r)
			return
		}
		want[sparse] = out
	}
	_, width := want[false].Dims()
	for name, x := range kinds {
		want := want[strings.Contains(name, "sparse")]
		right := []int{-1, n}
		for _, rows := range right {
			out, _, same := f.into(x, rows, width)
			switch {
			case out == nil:
				fail("a panic for %s and a destination of %d rows", name, rows)
				return
			case !equal(out, want):
				fail("another result for %s and a destination of %d rows", name, rows)
			case rows > 0 && !same:
				fail("%s: the result is not the destination", name)
			}
		}
		wrong := [][2]int{{n + 1, width}}
		if n > 1 {
			wrong = append(wrong, [2]int{n - 1, width})
		}
		if n > 0 && f.width != 0 {
			wrong = append(wrong, [2]int{n, width + 1})
			if width > 1 {
				wrong = append(wrong, [2]int{n, width - 1})
			}
		}
		for _, shape := range wrong {
			if shape[1] == 0 {
				shape[1] = 1
			}
			out, untouched, _ := f.into(x, shape[0], shape[1])
			if out != nil {
				fail("%s: a destination of %v instead of %d×%d is accepted", name, shape, n, width)
			} else if !untouched {
				fail("%s: a destination of %v is written to before the panic", name, shape)
			}
		}
	}
	if n == 0 {
		return
	}
	for name, x := range Kinds(n, d+1, func(i, j int) float64 { return at(i, j%d) }) {
		out, untouched, _ := f.into(x, n, width)
		if out != nil {
			fail("%d columns of %s instead of %d are accepted", d+1, name, d)
		} else if !untouched {
			fail("%d columns of %s instead of %d: the destination is written to before the panic", d+1, name, d)
		}
	}
}

// equal reports whether two matrices have the same bits.
func equal(a, b *mat.Dense) bool {
	r, c := a.Dims()
	if n, d := b.Dims(); n != r || d != c {
		return false
	}
	for i := range r {
		for j := range c {
			if math.Float64bits(a.At(i, j)) != math.Float64bits(b.At(i, j)) {
				return false
			}
		}
	}
	return true
}

// otherRows fits to every kind of matrix that is neither dense nor sparse, which must
// give the model of dense rows, and to matrices without rows or columns.
func (s Subject) otherRows(t *testing.T) {
	d := small()
	want := s.fit(t, d, run).Output(d.X)
	for _, name := range []string{"a type of its own", "a mat.Transpose"} {
		other := d
		other.X = Kinds(90, 4, d.X.At)[name]
		same(t, name, s.fit(t, other, run).Output(d.X), want)
	}
	d = Problem(3, 90, 1, 3)
	want = s.fit(t, d, run).Output(d.X)
	other := d
	other.X = Kinds(90, 1, d.X.At)["*mat.VecDense"]
	same(t, "*mat.VecDense", s.fit(t, other, run).Output(d.X), want)
	// Random features need no rows. For other models no rows must be an error of the
	// data or the settings, not a panic.
	empty := Problem(1, 0, 4, 3)
	for name, x := range Kinds(0, 4, nil) {
		empty.X = x
		var m *Model
		var err error
		switch {
		case caught(func() { m, err = s.Fit(context.Background(), empty, run) }):
			t.Errorf("a panic for no rows as %s", name)
		case err != nil && !expected(err):
			t.Errorf("no rows as %s: %v", name, err)
		case err == nil:
			finite(t, "output of a model of no rows", m.Output(small().X))
		}
	}
	// Rows without columns must be refused.
	d = small()
	for _, name := range []string{"a type of its own", "*sparse.CSR"} {
		d.X = Kinds(90, 0, nil)[name]
		var m *Model
		var err error
		switch {
		case caught(func() { m, err = s.Fit(t.Context(), d, run) }):
			t.Errorf("a panic for rows without columns as %s", name)
		case m != nil || !expected(err):
			t.Errorf("rows without columns as %s: %v", name, err)
		}
	}
}
