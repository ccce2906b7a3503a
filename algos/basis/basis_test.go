package basis

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"github.com/gramworks/gram/structured"
	"gonum.org/v1/gonum/mat"
)

func normal(seed uint64, n, d int) *mat.Dense {
	r := rng.New(seed, 0)
	x := mat.NewDense(n, d, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = r.NormFloat64()
	}
	return x
}

// squares is a basis as a user would write it: x_j² for every column.
type squares struct{ d int }

func (b squares) Dims() (d, features int) { return b.d, b.d }

func (b squares) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	if dst == nil {
		dst = mat.NewDense(n, b.d, nil)
	}
	fillSquares(gram.View(dst), gram.Of(x))
	return dst
}

func fillSquares[F gram.Float](dst gram.Rows[F], x gram.Samples[F]) {
	for i := range dst.N {
		row := dst.Row(i)
		copy(row, x.Row(row, i))
		for j, v := range row {
			row[j] = v * v
		}
	}
}

func (b squares) With64(coef *mat.Dense, bias []float64) gram.Program[float64] {
	return NewProgram(b, coef, bias, fillSquares[float64])
}

func (b squares) With32(coef *mat.Dense, bias []float64) gram.Program[float32] {
	return NewProgram(b, coef, bias, fillSquares[float32])
}

func (b squares) Cost(k, size int) gram.Plan {
	return gram.Plan{Flops: float64(b.d * (1 + 2*k)), ModelBytes: int64(size * b.d * k), Description: "squares"}
}

func (b squares) Encode(w *modelfile.Writer) error { return w.Header("squares", 1, b.d) }

// every returns a basis of each kind for rows of 6 numbers.
func every() map[string]Basis {
	x := normal(1, 40, 6)
	u := mat.DenseCopyOf(x.Slice(0, 9, 0, 6))
	omega := normal(2, 6, 5)
	values := NewValues(rbf, u, 0)
	return map[string]Basis{
		"identity":      Identity(6),
		"values":        values,
		"laplacian":     NewValues(kernel.Laplacian{Gamma: .3}, u, 1),
		"thin values":   NewSparseValues(rbf, u, 0),
		"fourier":       NewFourier(omega, 0),
		"plain fourier": NewPlainFourier(omega, 2),
		"structured":    ofSeeds(rbf, structured.Haar, x, 3, 4),
		"products":      columns(rbf, Products, x, 5, 7),
		"triangle":      columns(rbf, Mid, x, 5, 7),
		"rooted":        NewRooted(values, normal(3, 9, 4)),
		"few columns":   NewRooted(Identity(6), normal(11, 6, 2)),
		"twice":         NewRooted(NewRooted(NewFourier(omega, 0), normal(4, 10, 7)), normal(5, 7, 3)),
		"user":          squares{6},
		"user, rooted":  NewRooted(squares{6}, normal(6, 6, 2)),
	}
}

// The programs of a basis are the products of its features with coefficients, in both
// precisions, for rows of every kind, alone as in a batch and without allocation; and
// so are those of the plainer function that it folds to.
func TestPrograms(t *testing.T) {
	x := normal(7, 101, 6)
	for i := range 101 {
		x.Set(i, i%6, 0)
	}
	for name, b := range every() {
		t.Run(name, func(t *testing.T) {
			_, m := b.Dims()
			for _, k := range []int{1, 3, manyValues, manyOutputs} {
				f := Function{b, normal(8, m, k), normal(10, 1, k).RawRowView(0)}
				if k == 3 {
					for j := range m / 2 {
						clear(f.Coef.RawRowView(j))
					}
				}
				var want mat.Dense
				want.Mul(b.Map(nil, x), f.Coef)
				for i := range 101 {
					for c, v := range f.Bias {
						want.Set(i, c, want.At(i, c)+v)
					}
				}
				same(t, must.Have(f.Program64())(t), x, &want, 1e-12)
				same(t, must.Have(f.Program32())(t), x, &want, 1e-4)
				if d, outputs := f.Dims(); d != 6 || outputs != k {
					t.Errorf("%d functions of %d columns, want %d of 6", outputs, d, k)
				}
				g := f.Folded()
				same(t, g.Basis.With64(g.Coef, g.Bias), x, &want, 1e-12)
				if _, outer := g.Basis.(Outer); outer {
					t.Error("the basis that is left has a root")
				}
				cost := f.Basis.With64(f.Coef, f.Bias).Cost()
				if told := b.Cost(k, 8); k != 3 && (told.Flops != cost.Flops || told.PeakBytes != cost.PeakBytes) {
					t.Errorf("the basis tells of %g flops and %d bytes, the program of %g and %d", told.Flops, told.PeakBytes, cost.Flops, cost.PeakBytes)
				}
				got, rows := g.Cost(8).Flops, cost.Flops
				r, is := b.(*Rooted)
				if narrow := is && r.narrow(k); narrow != (is && k == manyOutputs) {
					t.Errorf("%d functions of %s are by the features: %v", k, name, narrow)
				} else if !(got > 0 && (got <= rows) != narrow) {
					t.Errorf("%g flops folded, %g as it is", got, rows)
				}
			}
		})
	}
}

func same[F gram.Float](t *testing.T, p gram.Program[F], x, want *mat.Dense, tol float64) {
	t.Helper()
	n, k := want.Dims()
	rows := program.Rows[F](x)
	got, alone := gram.MakeRows[F](n, k), gram.MakeRows[F](n, k)
	p.Rows(got, gram.Sparse[F](sparse.FromDense(x)))
	close := func(what string) {
		for i := range n {
			for c, v := range got.Row(i) {
				if w := want.At(i, c); !(math.Abs(float64(v)-w) <= tol*(1+math.Abs(w))) {
					t.Fatalf("%T, %s: row %d, output %d is %v, want %v", p, what, i, c, v, w)
				}
			}
		}
	}
	close("sparse rows")
	p.Rows(got, gram.Dense(rows))
	close("dense rows")
	for i := range n {
		p.Row(alone.Row(i), rows.Row(i))
	}
	if !slices.Equal(alone.Data, got.Data) {
		t.Errorf("%T: a row alone gives other bits than in a batch", p)
	}
	if race.Enabled {
		return // sync.Pool drops values then
	}
	if a := testing.AllocsPerRun(20, func() { p.Row(alone.Row(0), rows.Row(0)); p.Rows(got, gram.Dense(rows)) }); a != 0 {
		t.Errorf("%T: %g allocations", p, a)
	}
	for what, wrong := range map[string]func(){
		"short row":         func() { p.Row(alone.Row(0), rows.Row(0)[1:]) },
		"short destination": func() { p.Row(alone.Row(0)[1:], rows.Row(0)) },
		"fewer rows":        func() { p.Rows(got.Slice(1, n), gram.Dense(rows)) },
		"other columns":     func() { p.Rows(got, gram.Dense(gram.MakeRows[F](n, 7))) },
	} {
		if must.Recovered(wrong) == nil {
			t.Errorf("%T: %s is taken", p, what)
		}
	}
}

// A sparse matrix without values has ones in its places.
func TestIdentityOfOnes(t *testing.T) {
	ones := &sparse.CSR{N: 3, D: 4, Ptr: []int{0, 2, 2, 3}, Col: []int32{1, 3, 0}}
	f := Function{Identity(4), normal(1, 4, 2), []float64{10, 20}}
	dst := gram.MakeRows[float64](3, 2)
	must.Have(f.Program64())(t).Rows(dst, gram.Sparse[float64](ones))
	for c, b := range f.Bias {
		for i, want := range []float64{f.Coef.At(1, c) + f.Coef.At(3, c) + b, b, f.Coef.At(0, c) + b} {
			if got := dst.Row(i)[c]; !(math.Abs(got-want) <= 1e-14) {
				t.Errorf("row %d, function %d: %v, want %v", i, c, got, want)
			}
		}
	}
}

// A function is finite if its coefficients and constants are, whatever lies beside a slice of coefficients.
func TestFinite(t *testing.T) {
	all := normal(1, 5, 4)
	all.Set(2, 3, math.NaN())
	f := Function{Identity(5), all.Slice(0, 5, 0, 3).(*mat.Dense), []float64{1, -1e300, 1e300}}
	if !f.Finite() {
		t.Error("a finite function is not")
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, at := range []*float64{&f.Coef.RawRowView(0)[0], &f.Coef.RawRowView(4)[2], &f.Bias[0], &f.Bias[2]} {
			old := *at
			if *at = bad; f.Finite() {
				t.Errorf("a function with %v is finite", bad)
			}
			*at = old
		}
	}
}

// What a basis was made of is what it returns.
func TestMadeOf(t *testing.T) {
	x, u := normal(1, 40, 6), normal(2, 9, 6)
	v := NewValues(kernel.Laplacian{Gamma: .3}, u, 1)
	if v.Kernel() != (kernel.Laplacian{Gamma: .3}) || v.Landmarks() != u || !mat.Equal(v.Points(), u.T()) {
		t.Error("other values")
	}
	block := gram.MakeRows[float64](40, 9)
	v.Block().Fill(block, gram.Of(x))
	if !slices.Equal(block.Data, v.Map(nil, x).RawMatrix().Data) {
		t.Error("the block has other values than the features")
	}
	if NewFourier(normal(2, 6, 5), 0).Plain() || !NewPlainFourier(normal(2, 6, 5), 0).Plain() {
		t.Error("the features of the one are plain, not those of the other")
	}
	for _, workers := range []int{0, 1, 3} {
		f, u := NewPlainFourier(normal(2, 6, 5), workers), NewValues(rbf, u, workers)
		g, _ := NewFourier(normal(2, 6, 5), workers).folded(normal(3, 10, 2))
		if f.workers != workers || f.With(f.omega).(*Fourier).workers != workers || g.workers != workers || u.workers != workers || u.With(u.Points()).(*Values).workers != workers {
			t.Errorf("not the %d workers that were given", workers)
		}
	}
	root := normal(3, 9, 4)
	r := NewRooted(v, root)
	if inner, of := r.Inner(); inner != Basis(v) || of != root || r.Root() != root {
		t.Error("another inner basis or root")
	}
	if raw, a := r.Factor(); raw != gram.FeatureMap(v) || a != root {
		t.Error("other factors")
	}
	products := NewProducts(rbf, u, []int32{0, 1, 4, 4}, 0)
	if kind, pairs, far := products.Columns(); kind != Products || !slices.Equal(pairs, []int32{0, 1, 4, 4}) || far != nil {
		t.Errorf("%v, %v, %v", kind, pairs, far)
	}
	if products.Kernel() != rbf || products.Landmarks() != u {
		t.Error("other products")
	}
	far := normal(4, 3, 9)
	far.MulElem(far, far)
	if kind, pairs, of := NewTriangle(rbf, Upper, u, far, 0).Columns(); kind != Upper || pairs != nil || of != far {
		t.Errorf("%v, %v, %v", kind, pairs, of)
	}
	seeds := normal(5, 2, 6)
	s := NewStructured(kernel.Linear{}, structured.Hadamard, seeds, 4, nil, 0)
	if h, of, b := s.Seeds(); h != structured.Hadamard || of != seeds || b != 4 || s.Kernel() != (kernel.Linear{}) {
		t.Error("other seeds")
	}
}

// A basis without pseudo-landmarks has the kernel values alone, before and after it was stored.
func TestNoPseudo(t *testing.T) {
	x, u := normal(1, 20, 3), normal(2, 5, 3)
	for name, c := range map[string]*Pseudo{"products": NewProducts(rbf, u, nil, 0), "bounds": NewTriangle(rbf, Mid, u, nil, 0)} {
		got := c.Map(nil, x)
		if _, width := got.Dims(); width != 5 || !mat.EqualApprox(got, NewValues(rbf, u, 0).Map(nil, x), 1e-14) {
			t.Errorf("%s: %d columns, or other values", name, width)
		}
	}
}

// Arguments of other shapes panic: a root, coefficients and constants, rows and destinations.
func TestShapes(t *testing.T) {
	u := normal(2, 5, 3)
	pseudo := newPseudoBlock[float64](NewProducts(rbf, u, []int32{0, 1}, 0))
	product := pseudo.times(gram.MakeRows[float64](6, 2))
	block := NewStructuredBlock[float64](NewStructured(rbf, structured.Haar, u, 2, nil, 0))
	rows := func(n, d int) gram.Rows[float64] { return gram.MakeRows[float64](n, d) }
	short := rows(4, 3)
	short.Data = short.Data[:11]
	narrow := rows(4, 10)
	narrow.Data = narrow.Data[:39]
	for name, f := range map[string]func(){
		"fewer rows of a root": func() { NewRooted(Identity(3), normal(1, 2, 2)) },
		"more rows of a root":  func() { NewRooted(Identity(3), normal(1, 4, 2)) },
		"fewer constants":      func() { NewProgram(squares{3}, normal(1, 3, 2), make([]float64, 1), fillSquares[float64]) },
		"more constants":       func() { NewProgram(squares{3}, normal(1, 3, 2), make([]float64, 3), fillSquares[float64]) },
		"fewer coefficients":   func() { pseudo.times(rows(5, 2)) },
		"more coefficients":    func() { pseudo.times(rows(7, 2)) },
		"rows of a product":    func() { product.Rows(rows(3, 2), gram.Dense(rows(4, 3))) },
		"columns of a product": func() { product.Rows(rows(4, 3), gram.Dense(rows(4, 3))) },
		"memory of a product": func() {
			product.Rows(gram.Rows[float64]{Data: make([]float64, 7), N: 4, D: 2, Stride: 2}, gram.Dense(rows(4, 3)))
		},
		"columns of x":             func() { block.Fill(rows(4, 10), gram.Dense(rows(4, 4))) },
		"rows of a destination":    func() { block.Fill(rows(3, 10), gram.Dense(rows(4, 3))) },
		"columns of a destination": func() { block.Fill(rows(4, 9), gram.Dense(rows(4, 3))) },
		"memory of x":              func() { block.Fill(rows(4, 10), gram.Dense(short)) },
		"memory of a destination":  func() { block.Fill(narrow, gram.Dense(rows(4, 3))) },
	} {
		if text, is := must.Recovered(f).(string); !is || !strings.HasPrefix(text, "basis: ") {
			t.Errorf("%s: panic %q", name, text)
		}
	}
	product.Rows(rows(4, 2), gram.Dense(rows(4, 3)))
	block.Fill(rows(4, 10), gram.Dense(rows(4, 3)))
}

// Points without coefficients are left out of a folded function, but for one.
func TestFoldedPoints(t *testing.T) {
	v := NewValues(rbf, normal(1, 5, 3), 0)
	coef := mat.NewDense(5, 2, nil)
	coef.Set(1, 1, 2)
	coef.Set(4, 0, 3)
	f := Function{v, coef, make([]float64, 2)}.Folded()
	if u := f.Basis.(*Values).Landmarks(); !mat.Equal(u, mat.NewDense(2, 3, slices.Concat(v.u.RawRowView(1), v.u.RawRowView(4)))) {
		t.Errorf("points %v", mat.Formatted(u))
	}
	if !mat.Equal(f.Coef, mat.NewDense(2, 2, []float64{0, 2, 3, 0})) {
		t.Errorf("coefficients %v", mat.Formatted(f.Coef))
	}
	none := Function{v, mat.NewDense(5, 2, nil), make([]float64, 2)}.Folded()
	if _, m := none.Basis.Dims(); m != 1 {
		t.Errorf("%d points without any coefficient", m)
	}
}

// Chain and Shift are the derivative of a function of the features by the points, and
// Fill the features at any points.
func TestLearnable(t *testing.T) {
	x := normal(1, 150, 4)
	e := normal(2, 150, 20)
	for name, b := range map[string]Learnable{
		"values":        NewValues(kernel.Gaussian{Gamma: .3}, normal(3, 5, 4), 0),
		"thin values":   NewSparseValues(kernel.Gaussian{Gamma: .3}, normal(3, 5, 4), 0),
		"fourier":       NewFourier(normal(4, 4, 5), 0),
		"plain fourier": NewPlainFourier(normal(4, 4, 5), 0),
	} {
		for _, s := range []gram.Samples[float64]{gram.Of(x), gram.Of(sparse.FromDense(x))} {
			d, p := b.Dims()
			// f = Σ e∘φ.
			value := func(b Learnable) float64 {
				phi := mat.NewDense(150, p, nil)
				must.Do(t, b.Fill(t.Context(), 3, phi, s))
				if !mat.Equal(phi, b.Map(nil, s)) {
					t.Fatalf("%s: Fill differs from Map", name)
				}
				phi.MulElem(phi, e.Slice(0, 150, 0, p))
				return mat.Sum(phi)
			}
			u := mat.DenseCopyOf(b.Points())
			_, m := u.Dims()
			slope, sums := mat.DenseCopyOf(e.Slice(0, 150, 0, p)), make([]float64, m)
			b.Chain(slope, b.Map(nil, x), sums)
			var g mat.Dense
			g.Mul(x.T(), slope.Slice(0, 150, 0, m))
			Shift(&g, u, sums)
			if v, ok := b.(*Values); ok && (v.Thin() != (name == "thin values") || v.With(u).(*Values).Thin() != v.Thin()) {
				t.Errorf("%s: thin is %v", name, v.Thin())
			}
			if b.Scale() <= 0 {
				t.Errorf("%s: scale %g", name, b.Scale())
			}
			for i := range d {
				for j := range m {
					want := g.At(i, j)
					const h = 1e-5
					at := func(step float64) float64 {
						v := mat.DenseCopyOf(u)
						v.Set(i, j, v.At(i, j)+step)
						next := b.With(v)
						if !mat.Equal(next.Points(), v) {
							t.Fatalf("%s: other points than those given", name)
						}
						return value(next)
					}
					if got := (at(h) - at(-h)) / (2 * h); !(math.Abs(got-want) <= 1e-6*(1+math.Abs(want))) {
						t.Fatalf("%s: derivative by point %d, column %d is %g, Chain and Shift say %g", name, j, i, got, want)
					}
				}
			}
		}
	}
	if must.Recovered(func() { NewValues(kernel.Laplacian{Gamma: 1}, normal(3, 5, 4), 0).Scale() }) == nil {
		t.Error("points of the Laplacian are learned")
	}
}

// What is read from a file has the bits of what was written; a basis of a user is not
// read.
func TestFiles(t *testing.T) {
	x := normal(9, 30, 6)
	for name, b := range every() {
		if name == "user, rooted" { // refused by name before it is written
			if err := modelfile.Write(new(bytes.Buffer), b); err == nil || !strings.Contains(err.Error(), "squares") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		back, err := Decode(stored(t, b))
		if name == "user" {
			var fe *modelfile.FormatError
			if !errors.As(err, &fe) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !mat.Equal(back.Map(nil, x), b.Map(nil, x)) {
			t.Errorf("%s: other features after reading", name)
		}
		if v, is := b.(*Values); is && back.(*Values).Thin() != v.Thin() {
			t.Errorf("%s: for sparse rows %v after reading", name, !v.Thin())
		}
	}
}

// shelf is a value for files that brings feature maps.
type shelf Registry

func (s shelf) BasisRegistry() Registry { return Registry(s) }

// A basis of a user is written and read, alone and inside another, if the file's value has its method; the methods of
// this package are read by this package whatever a registry has for them.
func TestRegistry(t *testing.T) {
	x := normal(9, 30, 6)
	wrong := errors.New("not what is registered")
	read := shelf{
		"squares": func(f *modelfile.File) (Basis, error) {
			var d int
			err := f.Expect("squares", 1, &d)
			return squares{d}, err
		},
		identityMethod: func(*modelfile.File) (Basis, error) { return nil, wrong },
	}
	for name, b := range map[string]Basis{"alone": squares{6}, "inside": NewRooted(squares{6}, normal(6, 6, 2)), "identity": Identity(6)} {
		var file bytes.Buffer
		must.Do(t, modelfile.Write(&file, forged(func(w *modelfile.Writer) error { return Encode(w.With(read), b) })))
		f := must.Have(modelfile.Read(&file))(t)
		back, err := Decode(f.With(read))
		if err != nil || !mat.Equal(back.Map(nil, x), b.Map(nil, x)) {
			t.Errorf("%s: other features, or %v", name, err)
		}
	}
	for name, value := range map[string]any{"no value": nil, "another value": 7, "another method": shelf{"cubes": read["squares"]}} {
		err := modelfile.Write(new(bytes.Buffer), forged(func(w *modelfile.Writer) error { return Encode(w.With(value), squares{6}) }))
		if err == nil || !strings.Contains(err.Error(), "squares") {
			t.Errorf("%s: %v", name, err)
		}
	}
	must.Do(t, modelfile.Write(new(bytes.Buffer), forged(func(w *modelfile.Writer) error { return Encode(w, Identity(6)) })))
	for name, b := range map[string]Basis{"values": NewValues(unknown{rbf}, normal(1, 3, 6), 0), "rooted": NewRooted(NewValues(unknown{rbf}, normal(1, 3, 6), 0), normal(2, 3, 2))} {
		if err := modelfile.Write(new(bytes.Buffer), forged(func(w *modelfile.Writer) error { return Encode(w, b) })); err == nil {
			t.Errorf("%s: a kernel of a user is written without a registry", name)
		}
	}
}

// unknown is a kernel that no file has.
type unknown struct{ kernel.Gaussian }

func (unknown) Spec() kernel.Spec { return kernel.Spec{Name: "unknown"} }

func stored(t *testing.T, m modelfile.Model) *modelfile.File {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, modelfile.Write(&b, m))
	f := must.Have(modelfile.Read(&b))(t)
	return f
}

// forged is a file by hand.
type forged func(w *modelfile.Writer) error

func (f forged) Encode(w *modelfile.Writer) error { return f(w) }

func TestForged(t *testing.T) {
	for name, f := range map[string]forged{
		"no columns": func(w *modelfile.Writer) error { return w.Header(identityMethod, 1, 0) },
		"no such kernel": func(w *modelfile.Writer) error {
			w.Float64("points", make([]float64, 4), 2, 2)
			return w.Header(valuesMethod, 1, kernel.Spec{Name: "nothing"})
		},
		"not finite": func(w *modelfile.Writer) error {
			w.Float64("points", []float64{1, math.NaN()}, 1, 2)
			return w.Header(valuesMethod, 1, rbf.Spec())
		},
		"no points": func(w *modelfile.Writer) error {
			w.Float64("points", nil, 0, 2)
			return w.Header(valuesMethod, 1, rbf.Spec())
		},
		"columns of another version": func(w *modelfile.Writer) error { return w.Header(identityMethod, 2, 3) },
		"columns that are no number": func(w *modelfile.Writer) error { return w.Header(identityMethod, 1, "three") },
		"values of another version": func(w *modelfile.Writer) error {
			w.Float64("points", make([]float64, 4), 2, 2)
			return w.Header(valuesMethod, 2, rbf.Spec())
		},
		"no array of points": func(w *modelfile.Writer) error { return w.Header(valuesMethod, 1, rbf.Spec()) },
		"a kernel for other columns": func(w *modelfile.Writer) error {
			k, err := kernel.NewScaled(rbf, []float64{1, 2, 3})
			if err != nil {
				return err
			}
			spec, err := kernel.Encode(w, k)
			if err != nil {
				return err
			}
			w.Float64("points", make([]float64, 4), 2, 2)
			return w.Header(valuesMethod, 1, storedValues{spec, false})
		},
		"a root of another version": func(w *modelfile.Writer) error {
			if err := Identity(3).Encode(w.Sub("inner")); err != nil {
				return err
			}
			w.Float64("root", make([]float64, 3), 3, 1)
			return w.Header(rootedMethod, 2, struct{}{})
		},
		"a root of nothing": func(w *modelfile.Writer) error {
			if err := w.Sub("inner").Header("svm", 1, struct{}{}); err != nil {
				return err
			}
			w.Float64("root", make([]float64, 3), 3, 1)
			return w.Header(rootedMethod, 1, struct{}{})
		},
		"no root": func(w *modelfile.Writer) error {
			if err := Identity(2).Encode(w.Sub("inner")); err != nil {
				return err
			}
			return w.Header(rootedMethod, 1, struct{}{})
		},
		"no frequencies": func(w *modelfile.Writer) error {
			w.Float64("frequencies", nil, 2, 0)
			return w.Header(fourierMethod, 1, struct{ Plain bool }{})
		},
		"a root for other features": func(w *modelfile.Writer) error {
			if err := Identity(2).Encode(w.Sub("inner")); err != nil {
				return err
			}
			w.Float64("root", make([]float64, 3), 3, 1)
			return w.Header(rootedMethod, 1, struct{}{})
		},
		"a root alone": func(w *modelfile.Writer) error {
			w.Float64("root", make([]float64, 3), 3, 1)
			return w.Header(rootedMethod, 1, struct{}{})
		},
		"another method": func(w *modelfile.Writer) error { return w.Header("svm", 1, struct{}{}) },
	} {
		var fe *modelfile.FormatError
		if _, err := Decode(stored(t, f)); err == nil || !errors.As(err, &fe) && name != "no such kernel" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
