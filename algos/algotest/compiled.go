package algotest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/internal/topk"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// compiled tests the contract of programs for three and for two classes. Programs of
// a model that was read from a file must give the same bits, and models of degenerate
// data must have programs, too.
func (s Subject) compiled(t *testing.T) {
	classes := []int{3}
	if s.Kind == Classification {
		classes = append(classes, 2)
	}
	for _, c := range classes {
		m := s.fit(t, Problem(1, 90, 4, c), run)
		if _, is := m.Public.(gram.Compiler); !is {
			return
		}
		if s.NoProgram {
			for name, program := range map[string]func() error{
				"Program64": func() error { _, err := m.Public.(gram.Compiler).Program64(); return err },
				"Program32": func() error { _, err := m.Public.(gram.Compiler).Program32(); return err },
			} {
				if program() == nil {
					t.Errorf("%s returns no error", name)
				}
			}
			return
		}
		x := Problem(2, 150, 4, c).X.(*mat.Dense)
		Compiled(t, m.Public, x, s.Rounding)
		if s.Decode == nil {
			continue
		}
		f, err := modelfile.Read(bytes.NewReader(s.bytes(t, m)))
		if err != nil {
			t.Fatal(err)
		}
		back, err := s.Decode(f)
		if err != nil {
			t.Fatal(err)
		}
		before, single := programs(t, m.Public)
		after, singleAfter := programs(t, back.Public)
		same(t, "program of a model that was read from a file", outputs(after, x), outputs(before, x))
		same(t, "float32 program of a model that was read from a file", outputs(singleAfter, x), outputs(single, x))
	}
	one, constant := small(), small()
	clear(one.Labels.Class)
	for i := range 90 {
		constant.X.(*mat.Dense).SetRow(i, []float64{0.5, 0.5, 0.5, 0.5})
	}
	for name, d := range map[string]Data{"one column": Problem(3, 90, 1, 3), "one class": one, "constant rows": constant} {
		m, _ := s.Fit(context.Background(), d, run)
		if m == nil {
			continue // for some methods a single class is an error
		}
		p, single := programs(t, m.Public)
		x := rounded(d.X)
		said := answersOf(m.Public, x)
		said.hold(t, name, outputs(p, x), doubleRounding)
		said.hold(t, name+", float32", outputs(single, x), 1e-1) // coefficients of equal rows cancel, and of many landmarks on a line
	}
}

// Allowed differences between programs and their model, relative to the model's
// largest output.
const (
	doubleRounding = 1e-9
	singleRounding = 1e-4
)

// Compiled tests the contract of the programs of a gram.Compiler on the rows of x, of
// which there are 150. Programs in float32 may differ from the model by rounding
// relative to its largest output; 0 means 1e-4.
func Compiled(t *testing.T, model any, x *mat.Dense, rounding float64) {
	t.Helper()
	p, single := programs(t, model)
	d, k := p.Dims()
	if sd, sk := single.Dims(); sd != d || sk != k {
		t.Fatalf("%d×%d numbers in float64, %d×%d in float32", d, k, sd, sk)
	}
	rounding = cmp.Or(rounding, singleRounding)
	x = rounded(x)
	thin, ones := mat.DenseCopyOf(x), mat.DenseCopyOf(x)
	thin.Apply(func(i, j int, v float64) float64 {
		if (i+j)%3 > 0 {
			return 0
		}
		return v
	}, x)
	ones.Apply(func(_, _ int, v float64) float64 {
		if v > 0 {
			return 1
		}
		return 0
	}, x)
	for name, x := range map[string]*mat.Dense{"rows": x, "rows with zeros": thin, "rows of ones": ones} {
		a := sparse.FromDense(x)
		if name == "rows of ones" {
			a.Val = nil
		}
		said := answersOf(model, x)
		other := said.hold(t, name, outputs(p, x), doubleRounding)
		other += said.hold(t, name+" in float32", outputs(single, x), rounding)
		other += said.hold(t, "sparse "+name, sparseOutputs(p, a), doubleRounding)
		other += said.hold(t, "sparse "+name+" in float32", sparseOutputs(single, a), rounding)
		if n, _ := x.Dims(); other > n/10 {
			t.Errorf("%s: %d other classes than the model's in %d rows", name, other, 4*n)
		}
		if name != "rows of ones" {
			independentRows(t, p, x, a)
			independentRows(t, single, x, a)
		}
	}
	nanRows(t, p, x)
	nanRows(t, single, x)
	wrongShapes(t, p)
	wrongShapes(t, single)
	cost(t, p)
	cost(t, single)
	if !race.Enabled { // under the detector a sync.Pool drops values
		allocations(t, p, x, thin)
		allocations(t, single, x, thin)
	}
}

func programs(t *testing.T, model any) (gram.Program[float64], gram.Program[float32]) {
	t.Helper()
	c := model.(gram.Compiler)
	p, err := c.Program64()
	if err != nil {
		t.Fatal(err)
	}
	single, err := c.Program32()
	if err != nil {
		t.Fatal(err)
	}
	return p, single
}

// rounded returns x with all numbers rounded to float32.
func rounded(x mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	r := mat.NewDense(n, d, nil)
	r.Apply(func(_, _ int, v float64) float64 { return float64(float32(v)) }, x)
	return r
}

// rowsOf returns a matrix in F with a gap of the given size between rows.
func rowsOf[F gram.Float](x *mat.Dense, gap int) gram.Rows[F] {
	n, d := x.Dims()
	wide := gram.MakeRows[F](n, d+gap)
	r := gram.Rows[F]{Data: wide.Data, N: n, D: d, Stride: wide.Stride}
	for i := range n {
		for j := range d {
			r.Row(i)[j] = F(x.At(i, j))
		}
	}
	return r
}

// widened returns a copy of r in float64.
func widened[F gram.Float](r gram.Rows[F]) *mat.Dense {
	x := mat.NewDense(r.N, r.D, nil)
	for i := range r.N {
		for j, v := range r.Row(i) {
			x.Set(i, j, float64(v))
		}
	}
	return x
}

// outputs returns the outputs of p for the rows of x.
func outputs[F gram.Float](p gram.Program[F], x *mat.Dense) *mat.Dense {
	return fill(p, gram.Dense(rowsOf[F](x, 0)))
}

func sparseOutputs[F gram.Float](p gram.Program[F], a *sparse.CSR) *mat.Dense {
	return fill(p, gram.Sparse[F](a))
}

func fill[F gram.Float](p gram.Program[F], x gram.Samples[F]) *mat.Dense {
	_, k := p.Dims()
	dst := gram.MakeRows[F](x.N(), k)
	for i := range dst.Data {
		dst.Data[i] = -7
	}
	p.Rows(dst, x)
	return widened(dst)
}

// answers holds the predictions of a model for rows.
type answers struct {
	values *mat.Dense      // the numbers that a program computes
	class  []int           // nil: the model has no classes
	votes  int             // number of classes of whose pairs the outputs are functions; 0: they are not
	top    [][]gram.Scored // nil: the model has no labels
}

func answersOf(model any, x *mat.Dense) answers {
	n, _ := x.Dims()
	switch m := model.(type) {
	case gram.Classifier:
		said := answers{class: m.Predict(nil, x)}
		if p, ok := m.(interface{ Pairs() bool }); ok && p.Pairs() {
			said.votes = len(m.Classes())
			said.values = m.(interface {
				Values(dst *mat.Dense, x mat.Matrix) *mat.Dense
			}).Values(nil, x)
			return said
		}
		said.values = m.Scores(nil, x)
		return said
	case allValues:
		return answers{values: m.PredictAll(nil, x)}
	case gram.Regressor:
		return answers{values: mat.NewDense(n, 1, m.Predict(nil, x))}
	case gram.Ranker:
		return answers{values: Scores(m, x, math.Inf(-1)), top: m.Top(nil, x, m.NumLabels())}
	}
	panic(fmt.Sprintf("a %T says nothing about rows", model))
}

// hold compares the outputs of a program with the predictions of the model. Numbers
// may differ by tol relative to the largest; classes and the order of labels may
// differ only where scores are as close as that. It returns the number of rows with
// another class.
func (said answers) hold(t *testing.T, what string, got *mat.Dense, tol float64) (other int) {
	t.Helper()
	n, k := said.values.Dims()
	if gn, gk := got.Dims(); gn != n || gk != k {
		t.Fatalf("%s: %d×%d outputs, want %d×%d", what, gn, gk, n, k)
	}
	var largest float64
	for i := range n {
		for _, v := range said.values.RawRowView(i) {
			if math.Abs(v) <= math.MaxFloat32 {
				largest = max(largest, math.Abs(v))
			}
		}
	}
	tol *= largest
	votes := make([]float64, said.votes)
	var list topk.List
	for i := range n {
		values, want := got.RawRowView(i), said.values.RawRowView(i)
		for j, v := range want {
			g := values[j]
			beyond := math.Abs(v) > math.MaxFloat32 && math.Abs(g) >= math.MaxFloat32 && math.Signbit(v) == math.Signbit(g)
			if g != v && !beyond && !(math.Abs(g-v) <= tol) {
				t.Fatalf("%s: output %d of row %d is %v, the model's %v", what, j, i, g, v)
			}
		}
		if said.class != nil {
			scores, gap := values, gapOf(want)
			if said.votes > 0 {
				multiclass.Vote(votes, values)
				scores, gap = votes, math.Abs(want[0])
				for _, v := range want {
					gap = min(gap, math.Abs(v))
				}
			}
			if c := multiclass.Decide(scores); c != said.class[i] {
				other++
				if !(gap <= 2*tol) {
					t.Fatalf("%s: class %d for row %d, the model's is %d", what, c, i, said.class[i])
				}
			}
		}
		if said.top == nil {
			continue
		}
		list.Reset(k)
		for l, v := range values {
			if !math.IsInf(v, -1) && v == v {
				list.Add(l, v)
			}
		}
		top := list.Take(nil)
		if len(top) != len(said.top[i]) {
			t.Fatalf("%s: %d labels of row %d have a score, %d in the model", what, len(top), i, len(said.top[i]))
		}
		for q, s := range said.top[i] {
			if at := top[q].Label; at != s.Label && !(math.Abs(want[at]-s.Score) <= 2*tol) {
				t.Fatalf("%s: label %d of row %d is %d, the model's is %d", what, q, i, at, s.Label)
			}
		}
	}
	return other
}

// gapOf returns the difference between the largest score and the next.
func gapOf(scores []float64) float64 {
	if len(scores) == 1 {
		return math.Abs(scores[0])
	}
	first, second := math.Inf(-1), math.Inf(-1)
	for _, v := range scores {
		first, second = max(first, v), max(second, min(first, v))
	}
	return first - second
}

// independentRows computes dense and sparse rows one by one and in batches of other
// sizes, from and to memory with gaps, which must not change.
func independentRows[F gram.Float](t *testing.T, p gram.Program[F], x *mat.Dense, a *sparse.CSR) {
	t.Helper()
	n, _ := x.Dims()
	_, k := p.Dims()
	dense, sparseRows := rowsOf[F](x, 3), gram.Sparse[F](a)
	whole, wholeSparse := outputs(p, x), sparseOutputs(p, a)
	out := make([]F, k)
	for i := range n {
		p.Row(out, dense.Row(i))
		same(t, fmt.Sprintf("%T: row %d alone", p, i), widened(gram.Rows[F]{Data: out, N: 1, D: k, Stride: k}), mat.DenseCopyOf(whole.Slice(i, i+1, 0, k)))
	}
	const gap, canary = 2, -7
	dst := gram.MakeRows[F](n, k+gap)
	for _, size := range []int{1, 2, 7, 64, 149} {
		for _, inCSR := range []bool{false, true} {
			for i := range dst.Data {
				dst.Data[i] = canary
			}
			to := gram.Rows[F]{Data: dst.Data, N: n, D: k, Stride: dst.Stride}
			rows, want := gram.Dense(dense), whole
			if inCSR {
				rows, want = sparseRows, wholeSparse
			}
			for lo := 0; lo < n; lo += size {
				hi := min(lo+size, n)
				p.Rows(to.Slice(lo, hi), rows.Slice(lo, hi))
			}
			same(t, fmt.Sprintf("%T: batches of %d rows, sparse: %t", p, size, inCSR), widened(to), want)
			for i := range n {
				for j := range gap {
					if dst.Row(i)[k+j] != canary {
						t.Fatalf("%T writes beside row %d of its destination", p, i)
					}
				}
			}
		}
	}
	// There are more rows than programs process at a time.
	_, d := x.Dims()
	const times = 8
	many := mat.NewDense(times*n, d, nil)
	for i := range times * n {
		many.SetRow(i, x.RawRowView(i%n))
	}
	got, gotSparse := outputs(p, many), sparseOutputs(p, sparse.FromDense(many))
	for i := range times {
		part := func(m *mat.Dense) *mat.Dense { return mat.DenseCopyOf(m.Slice(i*n, (i+1)*n, 0, k)) }
		same(t, fmt.Sprintf("%T: %d rows", p, times*n), part(got), whole)
		same(t, fmt.Sprintf("%T: %d sparse rows", p, times*n), part(gotSparse), wholeSparse)
	}
	p.Rows(gram.Rows[F]{D: k, Stride: max(1, k)}, gram.Dense(gram.Rows[F]{D: d, Stride: max(1, d)}))
	p.Rows(gram.Rows[F]{D: k, Stride: max(1, k)}, sparseRows.Slice(n/2, n/2))
}

// nanRows puts NaN into a row. The outputs of that row must become NaN, and the
// others must not change.
func nanRows[F gram.Float](t *testing.T, p gram.Program[F], x *mat.Dense) {
	t.Helper()
	const at = 3
	_, d := x.Dims()
	for _, column := range []int{0, d - 1} {
		bad := mat.DenseCopyOf(x)
		bad.Set(at, column, math.NaN())
		for j, v := range outputs(p, mat.DenseCopyOf(bad.Slice(at, at+1, 0, d))).RawRowView(0) {
			if v == v {
				t.Fatalf("%T: output %d of a row with NaN is %v, alone", p, j, v)
			}
		}
		for _, isSparse := range []bool{false, true} {
			got, want := outputs(p, bad), outputs(p, x)
			if isSparse {
				got, want = sparseOutputs(p, sparse.FromDense(bad)), sparseOutputs(p, sparse.FromDense(x))
			}
			for j, v := range got.RawRowView(at) {
				if v == v {
					t.Fatalf("%T: output %d of a row with NaN is %v, sparse: %t", p, j, v, isSparse)
				}
			}
			got.SetRow(at, want.RawRowView(at))
			same(t, fmt.Sprintf("%T: beside a row with NaN, sparse: %t", p, isSparse), got, want)
		}
	}
}

var shapes = regexp.MustCompile(`^[a-z0-9]+: the shapes of the rows and their destination do not fit the program$`)

// wrongShapes calls p with all shapes that are too short or too long.
func wrongShapes[F gram.Float](t *testing.T, p gram.Program[F]) {
	t.Helper()
	d, k := p.Dims()
	refused := func(what string, dst []F, f func()) {
		t.Helper()
		for i := range dst {
			dst[i] = -7
		}
		defer func() {
			t.Helper()
			if message, ok := recover().(string); !ok || !shapes.MatchString(message) {
				t.Errorf("%T: %s: panic %q", p, what, message)
			}
			for _, v := range dst {
				if v != -7 {
					t.Errorf("%T: %s: the destination is written to before the panic", p, what)
					return
				}
			}
		}()
		f()
	}
	for _, c := range [][2]int{{d - 1, k}, {d + 1, k}, {d, k - 1}, {d, k + 1}} {
		dst, x := make([]F, c[1]), make([]F, c[0])
		refused(fmt.Sprintf("a row of %d numbers for %d", c[0], c[1]), dst, func() { p.Row(dst, x) })
	}
	for _, c := range [][4]int{{3, d, 2, k}, {2, d, 3, k}, {3, d + 1, 3, k}, {3, d, 3, k + 1}, {3, d, 3, k - 1}} {
		dst, x := gram.MakeRows[F](c[2], c[3]), gram.MakeRows[F](c[0], c[1])
		refused(fmt.Sprintf("%d×%d for %d×%d", c[0], c[1], c[2], c[3]), dst.Data, func() { p.Rows(dst, gram.Dense(x)) })
		a := &sparse.CSR{N: c[0], D: c[1], Ptr: make([]int, c[0]+1)}
		refused(fmt.Sprintf("sparse %d×%d for %d×%d", c[0], c[1], c[2], c[3]), dst.Data, func() { p.Rows(dst, gram.Sparse[F](a)) })
	}
	dst, x := gram.MakeRows[F](3, k), gram.MakeRows[F](3, d)
	x.Data = x.Data[1:]
	refused("rows longer than their memory", dst.Data, func() { p.Rows(dst, gram.Dense(x)) })
	dst, x = gram.MakeRows[F](3, k), gram.MakeRows[F](3, d)
	dst.Data = dst.Data[1:]
	refused("a destination longer than its memory", dst.Data, func() { p.Rows(dst, gram.Dense(x)) })
}

// cost compares the Cost of p with the numbers that it holds.
func cost[F gram.Float](t *testing.T, p gram.Program[F]) {
	t.Helper()
	c := p.Cost()
	if !(c.Flops > 0) || math.IsInf(c.Flops, 0) || c.ModelBytes <= 0 || c.PeakBytes < 0 || c.Description == "" {
		t.Errorf("%T: the cost is %+v", p, c)
	}
	const little = 256 // shapes and settings
	held := bytesOf(reflect.ValueOf(p), map[uintptr]bool{})
	if c.ModelBytes > 2*held+little || held > 2*c.ModelBytes+little {
		t.Errorf("%T: the cost names %d bytes, the program holds %d", p, c.ModelBytes, held)
	}
}

// bytesOf returns the memory of all slices of numbers that can be reached from v,
// without pools.
func bytesOf(v reflect.Value, seen map[uintptr]bool) (sum int64) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() || v.Kind() == reflect.Pointer && seen[v.Pointer()] {
			return 0
		}
		if v.Kind() == reflect.Pointer {
			seen[v.Pointer()] = true
		}
		return bytesOf(v.Elem(), seen)
	case reflect.Struct:
		if strings.HasPrefix(v.Type().String(), "sync.") {
			return 0
		}
		for i := range v.NumField() {
			sum += bytesOf(v.Field(i), seen)
		}
	case reflect.Slice:
		if v.Len() == 0 || seen[v.Pointer()] {
			return 0
		}
		seen[v.Pointer()] = true
		fallthrough
	case reflect.Array:
		if v.Kind() == reflect.Slice && plain(v.Type().Elem()) {
			return int64(v.Len()) * int64(v.Type().Elem().Size())
		}
		for i := range v.Len() {
			sum += bytesOf(v.Index(i), seen)
		}
	}
	return sum
}

// plain reports whether values of the type refer to no other memory.
func plain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map, reflect.Func, reflect.Chan, reflect.String, reflect.UnsafePointer:
		return false
	case reflect.Array:
		return plain(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !plain(t.Field(i).Type) {
				return false
			}
		}
	}
	return true
}

// allocations counts the allocations for one row and for batches once workspaces
// exist.
func allocations[F gram.Float](t *testing.T, p gram.Program[F], x, thin *mat.Dense) {
	t.Helper()
	n, _ := x.Dims()
	_, k := p.Dims()
	rows, dst, out := rowsOf[F](x, 0), gram.MakeRows[F](n, k), make([]F, k)
	full, some := gram.Sparse[F](sparse.FromDense(x)), gram.Sparse[F](sparse.FromDense(thin))
	for what, f := range map[string]func(){
		"one row":             func() { p.Row(out, rows.Row(n/2)) },
		"a batch":             func() { p.Rows(dst, gram.Dense(rows)) },
		"one sparse row":      func() { p.Rows(dst.Slice(0, 1), some.Slice(5, 6)) },
		"sparse rows":         func() { p.Rows(dst, some) },
		"sparse rows, filled": func() { p.Rows(dst, full) },
	} {
		f()
		if a := testing.AllocsPerRun(20, f); a > 0 {
			t.Errorf("%T: %v allocations for %s", p, a, what)
		}
	}
}

// together calls p from four goroutines at once, twice in each, and fails the test if an output differs from that of a call
// alone.
func together[F gram.Float](t *testing.T, p gram.Program[F], x *mat.Dense) {
	t.Helper()
	want := outputs(p, x)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 2 {
				if !equal(outputs(p, x), want) {
					t.Errorf("%T: other outputs beside other goroutines", p)
				}
			}
		})
	}
	group.Wait()
}
