// Package algotest tests the contract that every estimator of the module keeps.
package algotest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Data is a problem to fit. An estimator uses the target of its Kind.
type Data struct {
	X       mat.Matrix
	Value   []float64
	Labels  gram.Labels
	Tags    *sparse.CSR
	Weights []float64
}

// Kind is the kind of target that an estimator needs.
type Kind uint8

const (
	Unsupervised   Kind = iota // rows alone
	Regression                 // a value for each row
	Classification             // a class for each row
	MultiLabel                 // labels for each row
)

// Subject is an estimator with its settings. Fit and Decode return a nil Model if the
// estimator returns no model.
type Subject struct {
	Kind       Kind
	Fit        func(ctx context.Context, d Data, run gram.Run) (*Model, error)
	Plan       func(s gram.Shape, run gram.Run) (gram.Plan, error)
	Decode     func(f *modelfile.File) (*Model, error) // nil if models are not stored
	Weighted   bool                                    // Fit uses Data.Weights
	Golden     string                                  // name of the file in testdata with a stored model; needs Decode
	GoldenRows int                                     // that the stored model is fitted to; 0: 40
	Older      []string                                // names of files of older versions, which are read but not written
	Memory     gram.Shape                              // the problem on which the plan's memory is measured; zero: 20 000×16 with 3 outputs
	// TwoClasses says why rows of one class alone are an error; if it is empty, a fit to them says that class.
	TwoClasses string
	DenseNaN   bool // outputs of a row with NaN are not checked

	// Random lists the stages of a fit that draw random numbers, named as draw.stage does;
	// nil means none, AnyStage that the stages are not compared. Redrawn lists the stages
	// that make a stream again because they repeat the same work.
	Random, Redrawn []string

	// Exact fits with settings under which weights are exactly repetitions of rows; if there
	// are none, Unequal says why. Halved, if set, fits with half the weight of the loss, which compensates for
	// doubling the weights of all rows. See weights.
	Exact, Halved func(ctx context.Context, d Data, run gram.Run) (*Model, error)
	Unequal       string
	WeightTol     float64 // tolerance for outputs under equivalent weights, relative to the largest; 0: 1e-8

	Long  gram.Shape // the problem on which checks of the context are timed; zero: Memory
	Share float64    // share of a fit that may pass without a check of the context, see Looks; 0: 0.2

	RowBytes int // bytes that predictions allocate for each row beside the result, see workspaces; 0: 6

	NoProgram bool    // models have no programs: Program64 and Program32 return errors
	Rounding  float64 // tolerance for outputs of float32 programs, relative to the largest; 0: 1e-4, see Compiled

	Units    bool // settings are in units of the target, so that the model is not linear in it
	AnyCells bool // cells may be finite numbers of any size

	Kept float64 // largest ratio of the plan's ModelBytes to those of a file, see plan; 0: 2

	// Brief leaves out seeds, scales, workspaces, compiled models and corrupted files: of a subject that wraps one whose
	// own test checks them. With -renew nothing is left out.
	Brief bool
}

// Tests allocate much and keep little, so that most of what a collector does is done in vain.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// Model is a fitted model as the checks see it. Fitted makes one of a model of any type.
type Model struct {
	Output func(x mat.Matrix) *mat.Dense // predictions, scores or features: one row per row of x
	Encode func(w *modelfile.Writer) error
	Public any // the model itself, whose functions of rows are tested; nil: it has none
}

// Fitted returns the result of a fit, or of a function that reads a file, as a Model; a
// nil m gives a nil Model. The output is the scores of a classifier, all functions or
// the value of a regressor, the features of a map, or the parts that rows are assigned
// to.
func Fitted[M interface {
	comparable
	modelfile.Model
}](m M, err error) (*Model, error) {
	var none M
	if m == none {
		return nil, err
	}
	return &Model{Public: m, Encode: m.Encode, Output: func(x mat.Matrix) *mat.Dense { return output(m, x) }}, err
}

// output returns the output of a model for Fitted.
func output(m any, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	switch m := m.(type) {
	case interface { // a clustering, even if its clusters are classes, too
		Labels() []int
		Assign(dst []int, x mat.Matrix) []int
	}:
		out := mat.NewDense(n, 1, nil)
		for i, part := range m.Assign(nil, x) {
			out.Set(i, 0, float64(part))
		}
		return out
	case gram.Classifier:
		return m.Scores(nil, x)
	case interface {
		PredictAll(dst *mat.Dense, x mat.Matrix) *mat.Dense
	}:
		return m.PredictAll(nil, x)
	case gram.Regressor:
		return mat.NewDense(n, 1, m.Predict(nil, x))
	case gram.FeatureMap:
		return m.Map(nil, x)
	}
	panic(fmt.Sprintf("algotest: a model of type %T has no output", m))
}

// Ranking does for models of label sets what Fitted does for others. The output is the
// scores of all labels, and missing for labels that the model does not list.
func Ranking[M interface {
	comparable
	gram.Ranker
	modelfile.Model
}](missing float64) func(m M, err error) (*Model, error) {
	return func(m M, err error) (*Model, error) {
		var none M
		if m == none {
			return nil, err
		}
		return &Model{Public: m, Encode: m.Encode, Output: func(x mat.Matrix) *mat.Dense { return Scores(m, x, missing) }}, err
	}
}

// Scores returns the output of a model of Ranking. A damaged file may claim very many
// labels, so only the first 5000 are taken.
func Scores(m gram.Ranker, x mat.Matrix, missing float64) *mat.Dense {
	n, _ := x.Dims()
	labels := min(m.NumLabels(), 5000)
	out := mat.NewDense(n, labels, nil)
	for i, list := range m.Top(nil, x, labels) {
		row := out.RawRowView(i)
		for l := range row {
			row[l] = missing
		}
		for _, s := range list {
			if s.Label < labels {
				row[s.Label] = s.Score
			}
		}
	}
	return out
}

var update = flag.Bool("update", false, "write the golden files of this version")

var large = flag.Bool("large", false, "check larger fits, and nothing else of the contract: their memory and how often they look at the context")

// Serial skips a test of arithmetic if the race detector runs with -short: it would find
// nothing and take many times as long.
func Serial(t *testing.T) {
	if race.Enabled && testing.Short() {
		t.Skip("arithmetic: runs without the race detector")
	}
}

// Check tests the contract; the names of the subtests list its parts. Every fit gets the
// seed of run, and no statistic of any is NaN. With the race detector and -short only the parts with several goroutines
// are tested. With -large only the parts with larger fits are tested, which are skipped without it.
func Check(t *testing.T, s Subject) {
	s = s.numbers(t)
	if *large {
		s.larger(t)
		return
	}
	if race.Enabled && testing.Short() {
		t.Run("concurrent prediction", s.concurrent)
		t.Run("any number of workers", s.workers)
		t.Run("goroutines end", NoGoroutines)
		return
	}
	t.Run("fingerprint", s.Fingerprint)
	whole := !s.Brief || *renew
	t.Run("refit equals fit", s.refit)
	if whole {
		t.Run("seeds", s.seeds)
		t.Run("scales", s.scales)
		t.Run("workspaces", s.workspaces)
		t.Run("compiled", s.compiled)
	}
	t.Run("inputs are untouched", s.inputs)
	t.Run("rows are independent", s.independent)
	t.Run("small and degenerate data", s.degenerate)
	t.Run("bad values are rejected", s.bad)
	t.Run("targets", s.targets)
	t.Run("progress", s.progress)
	t.Run("cancellation", s.cancellation)
	t.Run("concurrent prediction", s.concurrent)
	t.Run("any number of workers", s.workers)
	t.Run("wrong number of columns", s.columns)
	t.Run("destinations", s.destinations)
	t.Run("other kinds of rows", s.otherRows)
	if s.Weighted {
		t.Run("weights", s.weights)
	}
	if s.Decode != nil {
		t.Run("round trip", s.roundTrip)
		t.Run("written", s.written)
		if whole {
			t.Run("corrupted files", s.corrupted)
		}
	}
	if s.Golden != "" {
		t.Run("golden file", s.golden)
	}
	if s.Plan != nil {
		t.Run("plan", s.plan)
		t.Run("memory limit", s.limit)
	}
	s.larger(t)
	t.Run("goroutines end", NoGoroutines)
}

// larger tests the parts of the contract with larger fits.
func (s Subject) larger(t *testing.T) {
	if s.Plan != nil || s.Long.N > 0 {
		t.Run("looks at the context", s.interruptible)
	}
	if s.Plan != nil {
		t.Run("peak memory", s.memory)
	}
}

// onlyLarge skips a test of a larger fit unless -large is given.
func onlyLarge(t *testing.T) {
	if !*large {
		t.Skip("larger fits: needs -large")
	}
}

// Problem returns n rows of d numbers with targets of every kind that depend on them:
// classes, and a last column that is a nonlinear function of the others.
func Problem(seed uint64, n, d, classes int) Data {
	r := rng.New(seed, 77)
	x := &mat.Dense{}
	if n > 0 {
		x = mat.NewDense(n, d, nil)
	}
	p := Data{X: x, Value: make([]float64, n), Weights: make([]float64, n)}
	p.Labels = gram.Labels{Class: make([]int, n), Names: []string{"zero", "one", "two", "three"}[:classes]}
	p.Tags = &sparse.CSR{N: n, D: 5, Ptr: []int{0}}
	for i := range n {
		c := i % classes
		p.Labels.Class[i] = c
		row := x.RawRowView(i)
		var sum float64
		for j := range row {
			row[j] = r.NormFloat64()
			if j%classes == c {
				row[j] += 2
			}
			sum += row[j]
		}
		p.Value[i] = math.Sin(sum) + row[0] + 0.1*r.NormFloat64()
		p.Weights[i] = float64(r.IntN(3) + 1)
		p.Tags.Col = append(p.Tags.Col, int32(c))
		if row[0] > 1 {
			p.Tags.Col = append(p.Tags.Col, 4)
		}
		p.Tags.Ptr = append(p.Tags.Ptr, len(p.Tags.Col))
	}
	return p
}

func small() Data { return Problem(1, 90, 4, 3) }

// atMost returns n, or the rows of the problem on which memory is measured if these are fewer: their number says which fits
// take long.
func (s Subject) atMost(n int) int {
	if s.Memory.N > 0 {
		return min(n, s.Memory.N)
	}
	return n
}

var run = gram.Run{Seed: 12}

func (s Subject) fit(t *testing.T, d Data, run gram.Run) *Model {
	t.Helper()
	m, err := s.Fit(context.Background(), d, run)
	var ce *gram.ConvergenceError
	if err != nil && !(errors.As(err, &ce) && m != nil) {
		t.Fatal(err)
	}
	if m == nil {
		t.Fatal("no model and no error")
	}
	return m
}

func (s Subject) bytes(t *testing.T, m *Model) []byte {
	t.Helper()
	return write(t, encoder(m.Encode))
}

// write returns the bytes of m as a model file.
func write(t *testing.T, m modelfile.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := modelfile.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// encoder is a function that writes a model.
type encoder func(w *modelfile.Writer) error

// Encode calls e, so that an encoder is a modelfile.Model.
func (e encoder) Encode(w *modelfile.Writer) error { return e(w) }

// same fails the test if two outputs differ in a bit.
func same(t *testing.T, what string, got, want *mat.Dense) {
	t.Helper()
	gr, gc := got.Dims()
	wr, wc := want.Dims()
	if gr != wr || gc != wc {
		t.Fatalf("%s: %d×%d, want %d×%d", what, gr, gc, wr, wc)
	}
	for i := range gr {
		for j := range gc {
			if math.Float64bits(got.At(i, j)) != math.Float64bits(want.At(i, j)) {
				t.Fatalf("%s: row %d, column %d is %v, want %v", what, i, j, got.At(i, j), want.At(i, j))
			}
		}
	}
}

func finite(t *testing.T, what string, m *mat.Dense) {
	t.Helper()
	r, c := m.Dims()
	for i := range r {
		for j := range c {
			if v := m.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%s: row %d, column %d is %v", what, i, j, v)
			}
		}
	}
}

func (s Subject) refit(t *testing.T) {
	d := small()
	for _, x := range []mat.Matrix{d.X, sparse.FromDense(d.X)} {
		d.X = x
		a, b := s.fit(t, d, run), s.fit(t, d, run)
		same(t, fmt.Sprintf("second fit on %T", x), b.Output(d.X), a.Output(d.X))
		if s.Decode != nil && !bytes.Equal(s.bytes(t, a), s.bytes(t, b)) {
			t.Errorf("the second fit on %T is stored in other bytes", x)
		}
	}
}

func (s Subject) inputs(t *testing.T) {
	d, before := small(), small()
	for _, sparseRows := range []bool{false, true} {
		if sparseRows {
			d.X, before.X = sparse.FromDense(d.X), sparse.FromDense(before.X)
		}
		m := s.fit(t, d, run)
		out := m.Output(d.X)
		kept := mat.DenseCopyOf(out)
		if !mat.Equal(d.X, before.X) || !slices.Equal(d.Value, before.Value) || !slices.Equal(d.Weights, before.Weights) ||
			!slices.Equal(d.Labels.Class, before.Labels.Class) || !slices.Equal(d.Labels.Names, before.Labels.Names) ||
			!slices.Equal(d.Tags.Col, before.Tags.Col) || !slices.Equal(d.Tags.Ptr, before.Tags.Ptr) {
			t.Fatal("the data have changed")
		}
		// The model must keep copies: the data are overwritten, and its output must not
		// change.
		scribble := small()
		if sparseRows {
			scribble.X = sparse.FromDense(scribble.X)
		}
		m = s.fit(t, scribble, run)
		switch x := scribble.X.(type) {
		case *mat.Dense:
			x.Scale(3, x)
		case *sparse.CSR:
			for i := range x.Val {
				x.Val[i] *= 3
			}
		}
		for i := range scribble.Value {
			scribble.Value[i], scribble.Labels.Class[i] = -1, 0
		}
		same(t, "after overwriting the training data", m.Output(d.X), kept)
	}
}

func (s Subject) independent(t *testing.T) {
	d := small()
	m := s.fit(t, d, run)
	other := Problem(2, 150, 4, 3)
	n, cols := other.X.Dims()
	csr := sparse.FromDense(other.X)
	whole := m.Output(other.X)
	finite(t, "output", whole)
	// The rows come in another order.
	order := rng.New(5, 0).Perm(n)
	mixed := mat.NewDense(n, cols, nil)
	for i, o := range order {
		for j := range cols {
			mixed.Set(i, j, other.X.At(o, j))
		}
	}
	_, width := whole.Dims()
	want := mat.NewDense(n, width, nil)
	for i, o := range order {
		want.SetRow(i, whole.RawRowView(o))
	}
	same(t, "rows in another order", m.Output(mixed), want)
	// The rows come in other batches, with a larger stride, and sparse.
	wide := mat.NewDense(n, cols+3, nil)
	wide.Slice(0, n, 0, cols).(*mat.Dense).Copy(other.X)
	wholeCSR := m.Output(csr)
	for _, size := range []int{1, 2, 7, 64, 149} {
		for lo := 0; lo < n; lo += size {
			hi := min(lo+size, n)
			same(t, fmt.Sprintf("rows %d to %d alone", lo, hi), m.Output(wide.Slice(lo, hi, 0, cols)), mat.DenseCopyOf(whole.Slice(lo, hi, 0, width)))
			same(t, fmt.Sprintf("sparse rows %d to %d alone", lo, hi), m.Output(csr.Slice(lo, hi)), mat.DenseCopyOf(wholeCSR.Slice(lo, hi, 0, width)))
		}
	}
	if !mat.EqualApprox(whole, wholeCSR, 1e-6*(1+mat.Max(whole)-mat.Min(whole))) {
		t.Error("sparse rows give another output than dense ones")
	}
	// A row with NaN must not change the outputs of the others.
	if !s.DenseNaN {
		mixed.Copy(other.X)
		mixed.Set(3, cols-1, math.NaN())
		got := m.Output(mixed)
		for j := range width {
			if v := got.At(3, j); !math.IsNaN(v) && v != -1 {
				t.Errorf("the output of a row with NaN is %v", v)
			}
		}
		got.SetRow(3, whole.RawRowView(3))
		same(t, "beside a row with NaN", got, whole)
	}
}

// expected reports whether err is an error that data or settings may cause.
func expected(err error) bool {
	var (
		ce *gram.ConfigError
		de *gram.DataError
		pe *gram.NotPDError
		ve *gram.ConvergenceError
	)
	return errors.As(err, &ce) || errors.As(err, &de) || errors.As(err, &pe) || errors.As(err, &ve)
}

// degenerate fits rows that are few, equal or constant.
func (s Subject) degenerate(t *testing.T) {
	three := make([]int, 0, 270)
	for i := range 90 {
		three = append(three, i, i, i)
	}
	base, constant, constantY, oneClass, zero := small(), small(), small(), small(), small()
	constant.X.(*mat.Dense).Apply(func(_, _ int, _ float64) float64 { return 0.5 }, constant.X)
	for i := range 90 {
		constantY.Value[i] = 2
	}
	clear(oneClass.Labels.Class)
	zero.X.(*mat.Dense).Zero()
	for _, c := range []struct {
		name string
		d    Data
		must bool // whether a model is required
	}{
		{"one row", base.pick([]int{0}), false},
		{"two rows", base.pick([]int{0, 1}), false},
		{"three rows", base.pick([]int{0, 1, 2}), false},
		{"one column", Problem(3, 90, 1, 3), true},
		{"two classes", Problem(3, 90, 4, 2), true},
		{"rows three times", base.pick(three), true},
		{"constant rows", constant, true},
		{"zero rows", zero, true},
		{"constant target", constantY, true},
		{"one class", oneClass, s.TwoClasses == ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, x := range []mat.Matrix{c.d.X, sparse.FromDense(c.d.X)} {
				c.d.X = x
				s.survives(t, c.d, c.must)
			}
		})
	}
	none := Problem(3, 0, 4, 3)
	none.X = &sparse.CSR{D: 4, Ptr: []int{0}}
	m, err := s.Fit(context.Background(), none, run)
	var de *gram.DataError
	if m == nil && (!expected(err) || errors.As(err, &de) && de.Reason == "") {
		t.Errorf("no rows: error %v", err)
	}
	if s.Kind == Regression {
		d := constantY
		out := s.fit(t, d, run).Output(d.X)
		for i := range 90 {
			if v := out.At(i, 0); !(math.Abs(v-2) < 0.5) {
				t.Fatalf("the prediction for a constant target 2 is %v", v)
			}
		}
	}
}

// survives fits d: there is a model of finite outputs, which its file keeps, or, unless there must be one, an error.
func (s Subject) survives(t *testing.T, d Data, must bool) {
	t.Helper()
	m, err := s.Fit(context.Background(), d, run)
	if err != nil && (must || !expected(err)) {
		var ce *gram.ConvergenceError
		if !errors.As(err, &ce) || m == nil {
			t.Fatalf("%T: %v", d.X, err)
		}
	}
	if m == nil {
		if err == nil {
			t.Fatal("no model and no error")
		}
		return
	}
	out := m.Output(d.X)
	finite(t, "output", out)
	n, cols := d.X.Dims()
	if out.RawMatrix().Rows != n {
		t.Fatalf("%d rows of output for %d", out.RawMatrix().Rows, n)
	}
	if s.Decode == nil || cols != 4 {
		return
	}
	f, err := modelfile.Read(bytes.NewReader(s.bytes(t, m)))
	if err != nil {
		t.Fatal(err)
	}
	back, err := s.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "model read from a file", back.Output(d.X), out)
}

func (s Subject) bad(t *testing.T) {
	wantAt := func(what string, d Data, row, col int) {
		t.Helper()
		_, err := s.Fit(context.Background(), d, run)
		var de *gram.DataError
		if !errors.As(err, &de) || de.Row != row || de.Col != col {
			t.Errorf("%s: error %v, want one at row %d, column %d", what, err, row, col)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		d := small()
		d.X.(*mat.Dense).Set(17, 2, v)
		wantAt(fmt.Sprint(v), d, 17, 2)
		d.X = sparse.FromDense(d.X)
		wantAt(fmt.Sprint("sparse ", v), d, 17, 2)
		d.X = mat.Transpose{Matrix: mat.DenseCopyOf(d.X.T())}
		wantAt(fmt.Sprint("other matrix with ", v), d, 17, 2)
		if s.Kind == Regression {
			d := small()
			d.Value[23] = v
			wantAt(fmt.Sprint("target ", v), d, 23, -1)
		}
		if s.Weighted {
			d := small()
			d.Weights[31] = v
			wantAt(fmt.Sprint("weight ", v), d, 31, -2)
		}
	}
	d := small()
	d.Value, d.Labels.Class = d.Value[:80], d.Labels.Class[:80]
	if s.Kind == Regression || s.Kind == Classification {
		wantAt("80 targets for 90 rows", d, 80, -1)
	}
	if s.Weighted {
		d := small()
		d.Weights[7] = -1
		wantAt("negative weight", d, 7, -2)
		d.Weights = make([]float64, 90)
		wantAt("no weight at all", d, 0, -2)
		d.Weights = make([]float64, 80)
		wantAt("80 weights for 90 rows", d, 80, -2)
	}
}

func (s Subject) cancellation(t *testing.T) {
	d := Problem(4, s.atMost(600), 4, 3)
	want := s.fit(t, d, run).Output(d.X)
	for asks := int64(0); ; asks += max(1, asks) {
		ctx := newCountdown(asks)
		m, err := s.Fit(ctx, d, run)
		if ctx.Context.Err() == nil {
			if asks < 3 {
				t.Errorf("the context was looked at only %d times", asks)
			}
			var ce *gram.ConvergenceError
			if err != nil && !errors.As(err, &ce) {
				t.Fatalf("not cancelled, but %v", err)
			}
			same(t, "after a fit that was not cancelled", m.Output(d.X), want)
			ctx.cancel()
			break
		}
		if err == nil && asks > 0 { // goroutines may look for the last time when all is done
			same(t, fmt.Sprintf("without an error although cancelled when asked for the %d. time", asks+1), m.Output(d.X), want)
			continue
		}
		if err != context.Canceled {
			t.Fatalf("cancelled when asked for the %d. time: error %v", asks+1, err)
		}
		if asks == 0 && m != nil {
			t.Error("a model although the context was done from the start")
		}
		if m != nil {
			finite(t, "output of the model so far", m.Output(d.X))
		}
	}
	Obeys(t, func(ctx context.Context) error {
		r := run
		r.Workers = 1
		_, err := s.Fit(ctx, d, r)
		return err
	})
}

func (s Subject) concurrent(t *testing.T) {
	d := small()
	m := s.fit(t, d, run)
	want := m.Output(d.X)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 3 {
				if !mat.Equal(m.Output(d.X), want) {
					t.Error("another output beside other goroutines")
				}
			}
		})
	}
	wg.Wait()
	if _, is := m.Public.(gram.Compiler); is && !s.NoProgram {
		p, single := programs(t, m.Public)
		together(t, p, rounded(d.X))
		together(t, single, rounded(d.X))
	}
}

func (s Subject) workers(t *testing.T) {
	d := Problem(6, 700, 5, 3)
	var want *mat.Dense
	var file []byte
	for _, w := range []int{1, 2, 7} {
		r := run
		r.Workers = w
		m := s.fit(t, d, r)
		got := m.Output(d.X)
		if want == nil {
			want = got
			if s.Decode != nil {
				file = s.bytes(t, m)
			}
			continue
		}
		same(t, fmt.Sprintf("%d workers", w), got, want)
		if s.Decode != nil && !bytes.Equal(s.bytes(t, m), file) {
			t.Errorf("%d workers: stored in other bytes", w)
		}
	}
}

func (s Subject) columns(t *testing.T) {
	d := small()
	m := s.fit(t, d, run)
	for _, x := range []mat.Matrix{mat.NewDense(2, 3, nil), mat.NewDense(2, 5, nil), sparse.FromDense(mat.NewDense(2, 5, nil))} {
		func() {
			defer func() {
				if recover() == nil {
					_, c := x.Dims()
					t.Errorf("no panic for %d columns instead of 4", c)
				}
			}()
			m.Output(x)
		}()
	}
}

func (s Subject) roundTrip(t *testing.T) {
	d := small()
	m := s.fit(t, d, run)
	stored := s.bytes(t, m)
	f, err := modelfile.Read(bytes.NewReader(stored))
	if err != nil {
		t.Fatal(err)
	}
	back, err := s.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "model read from a file", back.Output(d.X), m.Output(d.X))
	if !bytes.Equal(s.bytes(t, back), stored) {
		t.Error("stored again, the file has other bytes")
	}
	// The model is also read from a mapped file.
	path := filepath.Join(t.TempDir(), "model")
	if err := modelfile.Save(path, encoder(m.Encode)); err != nil {
		t.Fatal(err)
	}
	mapped, err := modelfile.Map(path)
	if err != nil {
		t.Fatal(err)
	}
	defer mapped.Close()
	if back, err = s.Decode(mapped); err != nil {
		t.Fatal(err)
	}
	same(t, "model of a mapped file", back.Output(d.X), m.Output(d.X))
	// A file of another method must be refused.
	var b bytes.Buffer
	err = modelfile.Write(&b, encoder(func(w *modelfile.Writer) error { return w.Header("another", 1, struct{}{}) }))
	if err != nil {
		t.Fatal(err)
	}
	if f, err = modelfile.Read(&b); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Decode(f); err == nil {
		t.Error("the file of another method is accepted")
	}
}

// golden compares the outputs of stored models of all versions with the outputs that they
// had when they were stored. A file holds a model, rows and outputs.
func (s Subject) golden(t *testing.T) {
	path := filepath.Join("testdata", s.Golden)
	if *update {
		if _, err := os.Stat(path); err == nil {
			t.Fatalf("%s exists: a new version gets a new file", path)
		}
		d := Problem(8, cmp.Or(s.GoldenRows, 40), 3, 3)
		m := s.fit(t, d, run)
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		err := modelfile.Save(path, encoder(func(w *modelfile.Writer) error {
			if err := w.Header("golden", 1, struct{}{}); err != nil {
				return err
			}
			w.Dense("x", d.X.(*mat.Dense))
			w.Dense("output", m.Output(d.X))
			return m.Encode(w.Sub("model"))
		}))
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range append([]string{s.Golden}, s.Older...) {
		path := filepath.Join("testdata", name)
		s.reproduces(t, path)
		// Files that were stored under the same name before, NAME-first.gram.
		more, err := filepath.Glob(strings.TrimSuffix(path, ".gram") + "-*.gram")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range more {
			s.reproduces(t, path)
		}
	}
}

// reproduces compares the outputs of the model in a golden file with those stored in the
// file.
func (s Subject) reproduces(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if info.Size() > 20<<10 {
		t.Errorf("%s has %d bytes, more than 20 KiB", path, info.Size())
	}
	f, err := modelfile.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	x, err := f.Dense("x", -1, -1)
	if err != nil {
		t.Fatal(err)
	}
	want, err := f.Dense("output", -1, -1)
	if err != nil {
		t.Fatal(err)
	}
	sub, err := f.Sub("model")
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Decode(sub)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Output(x); !mat.EqualApprox(got, want, 1e-9) {
		t.Errorf("%s: the stored model's output is\n%v\nit was\n%v", path, mat.Formatted(got), mat.Formatted(want))
	}
}

func (s Subject) limit(t *testing.T) {
	d := small()
	r := run
	r.MemoryLimit = 1
	_, err := s.Fit(context.Background(), d, r)
	var me *gram.MemoryError
	if !errors.As(err, &me) || me.Limit != 1 || me.Need <= 1 {
		t.Errorf("error %v under a limit of one byte", err)
	}
	// The smallest limit that is accepted must not change a bit.
	want := s.fit(t, d, run).Output(d.X)
	if me != nil {
		r.MemoryLimit = me.Need
		m, err := s.Fit(context.Background(), d, r)
		var ce *gram.ConvergenceError
		if err != nil && !(errors.As(err, &ce) && m != nil) {
			t.Errorf("the error named %d bytes, which is not enough either: %v", me.Need, err)
		} else {
			same(t, "under the smallest limit", m.Output(d.X), want)
		}
	}
}

func (s Subject) memory(t *testing.T) {
	shape := s.Memory
	if shape.N == 0 {
		shape = gram.Shape{N: 20_000, D: 16, Outputs: 3}
	}
	onlyLarge(t)
	plan, err := s.Plan(shape, run)
	if err != nil {
		t.Fatal(err)
	}
	d := Problem(9, shape.N, shape.D, max(2, min(shape.Outputs, 4)))
	CheckPeak(t, plan.PeakBytes, func() {
		if _, err := s.Fit(context.Background(), d, run); err != nil {
			var ce *gram.ConvergenceError
			if !errors.As(err, &ce) {
				t.Error(err)
			}
		}
	})
}
