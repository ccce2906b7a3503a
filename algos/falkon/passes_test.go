package falkon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// added is a sum function of Passes.Solve that adds the rows of x from cut to cut, in blocks, and merges the sums.
func added(ctx context.Context, p *Passes, x, y *mat.Dense, cuts ...int) func(int, *Coefficients) (*Sums, error) {
	n, d := x.Dims()
	_, outputs := y.Dims()
	cuts = append(append([]int{0}, cuts...), n)
	return func(_ int, v *Coefficients) (*Sums, error) {
		all := p.Sums(v)
		for k := range len(cuts) - 1 {
			s := p.Sums(v)
			for lo := cuts[k]; lo < cuts[k+1]; lo += BlockRows {
				hi := min(lo+BlockRows, cuts[k+1])
				if err := s.Add(ctx, x.Slice(lo, hi, 0, d), y.Slice(lo, hi, 0, outputs).(*mat.Dense)); err != nil {
					return nil, err
				}
			}
			if err := all.Merge(s); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
}

// written returns the model as bytes.
func written(t *testing.T, m modelfile.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := modelfile.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// If the sample is all rows the model has the bytes of FitAll, and if the rows are cut its predictions.
func TestPassesAreFit(t *testing.T) {
	d := algotest.Problem(3, 2_500, 3, 3)
	x, y := mat.DenseCopyOf(d.X), two(d)
	wide := mat.NewDense(2_500, 5, nil) // products with more than four columns take another path
	for j := range 5 {
		wide.SetCol(j, mat.Col(nil, j%2, y))
	}
	for name, c := range map[string]Config{
		"plain":     {NoBias: true},
		"bias":      {},
		"per row":   {Lambda: gram.Set(1e-6), Penalty: solve.PerRow, Landmarks: landmark.KMeans{}},
		"laplacian": {Kernel: kernel.Laplacian{Gamma: .3}, M: 7},
	} {
		for _, y := range []*mat.Dense{y, wide} {
			if c.Kernel == nil {
				c.Kernel = gauss
			}
			if c.M == 0 {
				c.M = 40
			}
			c.Seed = 5
			want, err := c.FitAll(t.Context(), x, y, nil)
			if err != nil {
				t.Fatal(name, err)
			}
			p, f, err := c.Passes(t.Context(), x, y, 2_500)
			if err != nil {
				t.Fatal(name, err)
			}
			m, err := p.Solve(t.Context(), f, gram.Run{}, added(t.Context(), p, x, y))
			if err != nil {
				t.Fatal(name, err)
			}
			if !bytes.Equal(written(t, m), written(t, want)) {
				t.Errorf("%s: another model than in memory", name)
			}
			a, b := m.Stats(), want.Stats()
			a.SelectSeconds, a.FactorSeconds, a.SolveSeconds = b.SelectSeconds, b.FactorSeconds, b.SolveSeconds
			if !reflect.DeepEqual(a, b) {
				t.Errorf("%s: %+v, in memory %+v", name, a, b)
			}
			cut, err := p.Solve(t.Context(), f, gram.Run{}, added(t.Context(), p, x, y, 1, 700, 700, 1900))
			if err != nil {
				t.Fatal(name, err)
			}
			got, whole := cut.PredictAll(nil, x), want.PredictAll(nil, x)
			got.Sub(got, whole)
			if e := mat.Norm(got, math.Inf(1)) / mat.Norm(whole, math.Inf(1)); !(e <= 1e-8) {
				t.Errorf("%s: predictions of cut rows differ by %g", name, e)
			}
		}
	}
}

// With landmarks, targets and a preconditioner from a sample that is far from all rows, the function is the minimizer over all rows.
func TestPassesOptimum(t *testing.T) {
	d := algotest.Problem(3, 2_500, 3, 3)
	x, y := mat.DenseCopyOf(d.X), two(d)
	z := mat.DenseCopyOf(algotest.Problem(4, 40, 3, 3).X)
	for i := range 2_500 { // the sample has another mean
		y.Set(i, 0, y.At(i, 0)+float64(i)/100)
	}
	index := []int{3, 70, 200, 220, 250, 280, 299}
	for _, c := range []Config{{Landmarks: landmark.Fixed{Index: index}}, {Landmarks: landmark.Fixed{Index: index}, NoBias: true}} {
		c.Kernel, c.Tol, c.Lambda = gauss, 1e-12, gram.Set(1e-3)
		sample := x.Slice(0, 300, 0, 3).(*mat.Dense)
		p, f, err := c.Passes(t.Context(), sample, y.Slice(0, 300, 0, 2).(*mat.Dense), 2_500)
		if err != nil {
			t.Fatal(err)
		}
		m, err := p.Solve(t.Context(), f, gram.Run{}, added(t.Context(), p, x, y, 1000))
		if err != nil {
			t.Fatal(err)
		}
		u := mat.NewDense(len(index), 3, nil)
		for j, i := range index {
			u.SetRow(j, x.RawRowView(i))
		}
		want := oracle(x, u, y, nil, 1e-3, bool(!c.NoBias), z)
		got := m.PredictAll(nil, z)
		got.Sub(got, want)
		if e := mat.Norm(got, math.Inf(1)) / mat.Norm(want, math.Inf(1)); !(e <= 1e-8) {
			t.Errorf("bias %v: predictions differ by %g", !c.NoBias, e)
		}
	}
}

// errLater ends a Solve whose next pass is not made.
var errLater = errors.New("later")

// A solution that begins again after each pass, with all states from bytes, has the bytes of one that does not stop.
func TestPassesResume(t *testing.T) {
	d := algotest.Problem(3, 500, 3, 3)
	x, y := mat.DenseCopyOf(d.X), two(d)
	c := Config{Kernel: gauss, M: 30, Lambda: gram.Set(.01)}
	p, f, err := c.Passes(t.Context(), x.Slice(0, 200, 0, 3), y.Slice(0, 200, 0, 2).(*mat.Dense), 500)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := p.Solve(t.Context(), f, gram.Run{}, added(t.Context(), p, x, y))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"passes": written(t, p), "factors": written(t, exchanged(f.Exchange))}
	for made := 0; ; made++ {
		p, f, latest := read(t, files["passes"], DecodePasses), &Factors{}, (*Coefficients)(nil)
		read(t, files["factors"], func(file *modelfile.File) (*Factors, error) { return modelfile.Get(file, f, (*Factors).Exchange) })
		m, err := p.Solve(t.Context(), f, gram.Run{}, func(number int, v *Coefficients) (*Sums, error) {
			name := fmt.Sprint("sums ", number)
			if files[name] == nil {
				latest = v
				if made != number {
					t.Fatalf("pass %d is asked for after %d", number, made)
				}
				return nil, errLater
			}
			return read(t, files[name], func(file *modelfile.File) (*Sums, error) {
				return modelfile.Get(file, p.Sums(v), (*Sums).Exchange)
			}), nil
		})
		if err == nil {
			if made < 4 || !bytes.Equal(written(t, m), written(t, whole)) {
				t.Errorf("%d passes, and another model", made)
			}
			return
		}
		if err != errLater {
			t.Fatal(err)
		}
		s, err := added(t.Context(), p, x, y)(made, latest)
		if err != nil {
			t.Fatal(err)
		}
		files[fmt.Sprint("sums ", made)] = written(t, exchanged(s.Exchange))
	}
}

// exchanged is a state as a model.
type exchanged func(x *modelfile.Exchange)

// Encode writes the state.
func (e exchanged) Encode(w *modelfile.Writer) error { return modelfile.Put(w, e) }

// read is the inverse of written.
func read[M any](t *testing.T, b []byte, decode func(f *modelfile.File) (M, error)) M {
	t.Helper()
	f, err := modelfile.Read(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	m, err := decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// What does not belong together is refused, and so are settings that a sample cannot meet.
func TestPassesRefused(t *testing.T) {
	d := algotest.Problem(3, 100, 3, 3)
	x, y := mat.DenseCopyOf(d.X), mat.NewDense(100, 1, d.Value)
	refused := func(name string, err error, words string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := Config{Kernel: gauss, M: 30, Lambda: gram.Set(.01)}
	p, f, err := c.Passes(t.Context(), x, y, 200)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = c.Passes(t.Context(), x, y, 99)
	refused("fewer rows than the sample", err, "at least the 100")
	c.M = 120
	_, _, err = c.Passes(t.Context(), x, y, 200)
	refused("more landmarks than rows of the sample", err, "at most 100")
	c.M, c.MemoryLimit = 30, 1000
	_, _, err = c.Passes(t.Context(), x, y, 200)
	if large := (*gram.MemoryError)(nil); !errors.As(err, &large) {
		t.Errorf("1000 bytes: %v", err)
	}
	c.M, c.MemoryLimit = 20, 0
	other, small, err := c.Passes(t.Context(), x, y, 200)
	if err != nil {
		t.Fatal(err)
	}
	refused("sums", p.Sums(nil).Merge(other.Sums(nil)), "do not go with")
	_, err = p.Solve(t.Context(), small, gram.Run{}, added(t.Context(), p, x, y))
	refused("factors", err, "order 20")
	_, err = p.Solve(t.Context(), f, gram.Run{}, added(t.Context(), p, x, y))
	refused("half of the rows", err, "100, want 200")
	bad := mat.DenseCopyOf(x)
	bad.Set(7, 1, math.NaN())
	_, _, err = c.Passes(t.Context(), bad, y, 200)
	refused("NaN", err, "row 8, column 2")
	target := mat.DenseCopyOf(y)
	target.Set(9, 0, math.NaN())
	_, _, err = c.Passes(t.Context(), x, target, 200)
	refused("NaN as a target", err, "row 10")
	_, _, err = c.Passes(t.Context(), x, y.Slice(0, 99, 0, 1).(*mat.Dense), 200)
	if data := (*gram.DataError)(nil); !errors.As(err, &data) {
		t.Errorf("fewer targets: %v", err)
	}
	_, _, err = c.Passes(t.Context(), &sparse.CSR{D: 3, Ptr: []int{0}}, &mat.Dense{}, 200)
	algotest.Names(t, "rows", 0, err)
	c.Kernel = nil
	_, _, err = c.Passes(t.Context(), x, y, 200)
	algotest.Names(t, "Kernel", nil, err)
	_, err = c.PlanPasses(gram.Shape{N: 200, D: 3}, 100)
	algotest.Names(t, "Kernel", nil, err)
	c = Config{Kernel: gauss, M: 20, Landmarks: unplanned{}}
	if p, err := c.PlanPasses(gram.Shape{N: 200, D: 3}, 100); err != errUnplanned || p != (gram.Plan{}) {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := c.Plan(gram.Shape{N: 200, D: 3}); err != errUnplanned || p != (gram.Plan{}) {
		t.Errorf("%+v, %v", p, err)
	}
	if _, _, err = c.Passes(t.Context(), x, y, 200); err != errUnplanned {
		t.Errorf("passes without a plan: %v", err)
	}
}

// unplanned is a selector whose plan fails.
type unplanned struct{ landmark.Uniform }

var errUnplanned = errors.New("no plan")

func (unplanned) Plan(gram.Shape, int, gram.Run) (gram.Plan, error) { return gram.Plan{}, errUnplanned }

// Passes say how large they are; sums take rows, targets and coefficients of their shapes alone, and no rows change nothing.
func TestPassesShapes(t *testing.T) {
	d := algotest.Problem(3, 100, 3, 3)
	x, y := mat.DenseCopyOf(d.X), two(d)
	for _, noBias := range []bool{false, true} {
		c := Config{Kernel: gauss, M: 30, Lambda: gram.Set(.01), NoBias: modelfile.Not(noBias)}
		p, f := must.Have2(c.Passes(t.Context(), x, y, 100))(t)
		columns := 3
		if noBias {
			columns = 2
		}
		if d, outputs := p.Dims(); d != 3 || outputs != 2 || p.Landmarks() != 30 || p.Columns() != columns || f.Bytes() != 8*30*31 {
			t.Errorf("%d columns and %d targets, %d landmarks, %d right sides, factors of %d bytes", d, outputs, p.Landmarks(), p.Columns(), f.Bytes())
		}
		peak := func(workers int) int64 {
			c.Workers = workers
			return must.Have(c.PlanPasses(gram.Shape{N: 100, D: 3, Outputs: 2}, 100))(t).PeakBytes
		}
		if each := peak(4) - peak(3); each != p.PieceBytes() || each < 8*30*1000 {
			t.Errorf("a goroutine more takes %d bytes, a piece %d", each, p.PieceBytes())
		}
		coefficients := func(m, columns int) *Coefficients { return &Coefficients{V: mat.NewDense(m, columns, nil)} }
		s, of := p.Sums(nil), p.Sums(coefficients(30, columns))
		add := func(s *Sums, x mat.Matrix, y *mat.Dense) func() { return func() { _ = s.Add(t.Context(), x, y) } }
		for want, calls := range map[string][]func(){
			"falkon: the coefficients are not those of the passes": {
				func() { p.Sums(coefficients(29, columns)) }, func() { p.Sums(coefficients(30, columns+1)) }, func() { p.Sums(coefficients(30, columns-1)) },
			},
			"falkon: the rows have another length than the landmarks": {add(s, mat.NewDense(5, 2, nil), y), add(of, mat.NewDense(5, 4, nil), nil)},
			"falkon: the targets have another shape than those of the sample": {
				add(s, x, mat.NewDense(99, 2, nil)), add(s, x, mat.NewDense(100, 1, nil)), add(s, x, mat.NewDense(100, 3, nil)),
			},
		} {
			for i, call := range calls {
				if p := must.Recovered(call); p != want {
					t.Errorf("call %d: panic %v, want %q", i, p, want)
				}
			}
		}
		must.Do(t, s.Add(t.Context(), x, y))
		of = p.Sums(&Coefficients{V: mat.DenseCopyOf(s.sum)})
		must.Do(t, of.Add(t.Context(), x, nil)) // the targets are not looked at
		before := mat.DenseCopyOf(of.sum)
		must.Do(t, of.Add(t.Context(), &sparse.CSR{D: 3, Ptr: []int{0}}, nil))
		must.Do(t, s.Add(t.Context(), &sparse.CSR{D: 3, Ptr: []int{0}}, &mat.Dense{}))
		if s.Rows() != 100 || of.Rows() != 100 || !mat.Equal(of.sum, before) || mat.Norm(before, 1) == 0 {
			t.Errorf("%d and %d rows after a block without any", s.Rows(), of.Rows())
		}
	}
}

// A solution whose context ends after some passes is the model so far.
func TestPassesEnd(t *testing.T) {
	d := algotest.Problem(3, 500, 3, 3)
	x, y := mat.DenseCopyOf(d.X), two(d)
	p, f := must.Have2(Config{Kernel: gauss, M: 40, Lambda: gram.Set(1e-6), Tol: 1e-14}.Passes(t.Context(), x, y, 500))(t)
	for last := range 6 {
		for _, ended := range []bool{false, true} { // whether the pass does not come to its end; it is not used in either case
			ctx, cancel := context.WithCancel(t.Context())
			asked := 0
			sum := added(t.Context(), p, x, y)
			m, err := p.Solve(ctx, f, gram.Run{}, func(number int, v *Coefficients) (*Sums, error) {
				if asked++; number == last {
					if cancel(); ended {
						return nil, ctx.Err()
					}
				}
				return sum(number, v)
			})
			if !errors.Is(err, context.Canceled) || asked > last+1 || (m != nil) != (last > 1) {
				t.Errorf("ended at pass %d: %d passes, %v, a model: %t", last, asked, err, m != nil)
			}
			if m != nil && (m.Stats().Iterations >= last || m.Stats().Residual <= 1e-14) {
				t.Errorf("ended at pass %d: %+v", last, m.Stats())
			}
			cancel()
		}
	}
}

// The beginning and the solution end with the error of their context at whichever look it ends.
func TestPassesLooks(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 3)
	x, y := mat.DenseCopyOf(d.X), mat.NewDense(60, 1, d.Value)
	c := Config{Kernel: gauss, M: 10, Lambda: gram.Set(.1)}
	looktest.Every(t, func(ctx context.Context) (any, error) {
		p, f, err := c.Passes(ctx, x, y, 60)
		if err != nil {
			return nil, err
		}
		m, err := p.Solve(ctx, f, gram.Run{}, added(ctx, p, x, y, 20))
		if err != nil {
			return nil, err
		}
		return m.Predict(nil, x), nil
	})
}

// A row of the sample costs the preconditioner its kernel values and its part of a product of the columns, up to four rows for
// each landmark.
func TestPlanPassesSample(t *testing.T) {
	const n, d, m = 100_000, 3, 100
	flops := func(sample int) float64 {
		return must.Have(Config{Kernel: gauss, M: m}.PlanPasses(gram.Shape{N: n, D: d, Outputs: 1}, sample))(t).Flops
	}
	each := float64(2*m*m + m*(2*d+25))
	if got := (flops(300) - flops(200)) / 100; !(math.Abs(got-each) <= 1e-6*each) {
		t.Errorf("a row of the sample costs %g flops, want %g", got, each)
	}
	if more, most := flops(5*m), flops(4*m); more != most {
		t.Errorf("%g flops with more rows than the preconditioner takes, %g with those", more, most)
	}
}
