package onnx

import (
	stdbytes "bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/algos/divide/dckrr"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/app/internal/repo"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
	"github.com/gramworks/gram/structured"
	"gonum.org/v1/gonum/mat"
)

var modules = flag.String("onnxruntime", "", "folder whose node_modules has onnxruntime-node, to run the models in it")

// notExported has the stored models that cannot be written, with what the error says.
var notExported = map[string]string{
	"fastxml-labels":    "*fastxml.Model is neither",
	"gbml-labels":       "*gbml.Model is neither",
	"gp-classes":        "depends on the variance",
	"inductive-classes": "*itml.Classifier is neither",
	"ldkl-classes":      "*ldkl.Classifier is neither",
	"meka-classes":      "*meka.Model is no basis",
	"meka-values":       "*meka.Model is no basis",
	"plt-labels":        "*plt.Model is neither",
	"sleec-labels":      "*sleec.Model is neither",
}

// golden returns the stored models of all methods with rows of their data.
func golden(t *testing.T) map[string]struct {
	p *pipeline.Model
	x *mat.Dense
} {
	t.Helper()
	all := map[string]struct {
		p *pipeline.Model
		x *mat.Dense
	}{}
	paths, err := filepath.Glob("../catalog/testdata/*.gram")
	if err != nil || len(paths) < 40 {
		t.Fatal(len(paths), err)
	}
	for _, path := range paths {
		f, err := modelfile.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if f.Method() != "golden" { // of a table
			continue
		}
		x, err := f.Dense("x", -1, -1)
		if err != nil {
			t.Fatal(err)
		}
		sub, err := f.Sub("model")
		if err != nil {
			t.Fatal(err)
		}
		p, err := pipeline.Decode(sub, catalog.Registry())
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		name = name[:strings.LastIndex(name, "-v")]
		all[name] = struct {
			p *pipeline.Model
			x *mat.Dense
		}{p, x}
	}
	return all
}

// compare evaluates p's export and compares its outputs with what p predicts. tol is a share
// of the largest output. It returns the export, and its input and outputs as JSON.
func compare(t *testing.T, p *pipeline.Model, x *mat.Dense, precision predict.Precision, tol float64) (model, results []byte) {
	t.Helper()
	var b stdbytes.Buffer
	left, err := Write(&b, p, precision)
	if err != nil {
		t.Fatal(err)
	}
	n, d := x.Dims()
	in := array{kind: typeDouble, dims: []int{n, d}}
	rounded := mat.DenseCopyOf(x)
	for i := range n {
		for j := range d {
			v := x.At(i, j)
			if precision == predict.Float32 {
				v = float64(float32(v))
			}
			in.real = append(in.real, v)
			rounded.Set(i, j, v)
		}
	}
	if precision == predict.Float32 {
		in.kind = typeFloat
	}
	got := evaluate(t, b.Bytes(), in)
	outputs := map[string]any{}
	for name, r := range got {
		outputs[name] = r.real
		if r.kind == typeString {
			outputs[name] = r.text
		}
	}
	results = must(json.Marshal(map[string]any{"x": in.real, "dims": in.dims, "outputs": outputs}))
	checkClose := func(name string, want mat.Matrix) {
		t.Helper()
		r, ok := got[name]
		if !ok {
			t.Fatalf("there is no output %s", name)
		}
		rows, k := want.Dims()
		// A class without rows in a part has the score −MaxFloat64 there.
		const none = -math.MaxFloat64
		var largest float64
		for i := range rows {
			for c := range k {
				if w := want.At(i, c); w != none {
					largest = max(largest, math.Abs(w))
				}
			}
		}
		for i := range rows {
			for c := range k {
				w, v := want.At(i, c), r.real[i*k+c]
				if w == none && precision == predict.Float32 {
					w = -math.MaxFloat32
				}
				if !(math.Abs(v-w) <= tol*largest) {
					t.Errorf("%s of row %d is %g, want %g; the largest is %g", name, i, v, w, largest)
					return
				}
			}
		}
	}
	if m, ok := p.Model.(gram.Ranker); ok {
		scores := m.(interface {
			Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense
		}).Scores(nil, must(p.Scaled(rounded)))
		checkClose("scores", scores)
		return b.Bytes(), results
	}
	_, classes := p.Model.(gram.Classifier)
	want, err := p.Answer(rounded, pipeline.Want{Scores: classes})
	if err != nil {
		t.Fatal(err)
	}
	if !classes {
		checkClose("value", mat.NewDense(n, 1, want.Value))
		return b.Bytes(), results
	}
	checkClose("scores", want.Scores)
	_, columns := want.Scores.Dims()
	for i, c := range want.Class {
		sure := true // unless rounding decides
		for a := range columns {
			gap := math.Abs(want.Scores.At(i, a))
			if columns > 1 && a != c {
				gap = want.Scores.At(i, c) - want.Scores.At(i, a)
			}
			sure = sure && (gap > 1e-3 || columns > 1 && a == c)
		}
		if calibration.Pairs(p.Model.(gram.Classifier)) {
			sure = true
		}
		if sure && got["label"].text[i] != p.Names[c] {
			t.Errorf("row %d is of class %s, want %s", i, got["label"].text[i], p.Names[c])
		}
	}
	if m := p.Probabilities(); m != nil {
		if _, there := got["probabilities"]; there {
			checkClose("probabilities", m.Probabilities(nil, calibration.Scores(p.Model.(gram.Classifier), must(p.Scaled(rounded)))))
		} else if len(left) == 0 || !strings.HasPrefix(left[0], "probabilities: ") {
			t.Errorf("there are no probabilities, and nothing says so: %q", left)
		}
	}
	return b.Bytes(), results
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// The table of docs/models.md names every method, on the side of those that are exported or of the
// others.
func TestPage(t *testing.T) {
	page := string(must(os.ReadFile(repo.Path(t, "docs/models.md"))))
	_, table, _ := strings.Cut(page, "| exported | not exported, and why |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var sides [2]string
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		sides[0], sides[1] = sides[0]+cells[1], sides[1]+cells[2]
	}
	for _, m := range catalog.Methods() {
		side := 0
		for name := range notExported {
			if strings.HasPrefix(name, m.Name+"-") {
				side = 1
			}
		}
		if !strings.Contains(sides[side], "`"+m.Name+"`") {
			t.Errorf("%s is not among the methods %s", m.Name, []string{"that are exported", "that are not"}[side])
		}
	}
}

// The stored model of every method, and what it compiles to, has an export that predicts the
// same in either precision, or is refused with the reason.
func TestEveryMethod(t *testing.T) {
	dir := t.TempDir()
	exported := 0
	for name, m := range golden(t) {
		t.Run(name, func(t *testing.T) {
			if want, refused := notExported[name]; refused {
				var b stdbytes.Buffer
				_, err := Write(&b, m.p, predict.Float64)
				if !errors.Is(err, ErrNotExported) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), m.p.Method) || b.Len() > 0 {
					t.Errorf("%d bytes, %v", b.Len(), err)
				}
				return
			}
			exported++
			for precision, tol := range map[predict.Precision]float64{predict.Float64: 1e-10, predict.Float32: 2e-5} {
				model, results := compare(t, m.p, m.x, precision, tol)
				keep(t, dir, name, precision, model, results)
				c, _, err := m.p.Compile(t.Context(), predict.Options{Method: predict.Exact, Precision: precision})
				if err != nil {
					t.Fatal(err)
				}
				compare(t, c, m.x, precision, tol)
			}
		})
	}
	if exported < 30 {
		t.Errorf("%d models are exported", exported)
	}
	judge(t, dir)
}

// Sums and products of kernels, with parts of every kind, have an export that predicts the same.
func TestComposite(t *testing.T) {
	d := algotest.Problem(5, 40, 4, 2)
	dir := t.TempDir()
	for name, expr := range map[string]string{
		"sum":     "gaussian(gamma=0.3)+0.5*linear+2*polynomial(degree=2)+laplacian(gamma=0.1)",
		"product": "matern(nu=0.5,length=3)*rational-quadratic*gaussian(gamma=0.1)",
		"nested":  "(gaussian+2*linear)*matern(nu=2.5)+3*sigmoid(scale=0.1)",
	} {
		m := catalog.Must("krr")
		f := catalogtest.Trainable(t, m, "lambda=0.1", "kernel="+expr)
		p, err := training.Train(t.Context(), m, f, catalogtest.Set(d, algotest.Regression), training.Unit, gram.Run{})
		if err != nil {
			t.Fatal(err)
		}
		for precision, tol := range map[predict.Precision]float64{predict.Float64: 1e-10, predict.Float32: 2e-4} {
			model, results := compare(t, p, mat.DenseCopyOf(d.X), precision, tol)
			keep(t, dir, name, precision, model, results)
		}
	}
	judge(t, dir)
}

// keep writes an export and its results for judge.
func keep(t *testing.T, dir, name string, precision predict.Precision, model, results []byte) {
	t.Helper()
	for suffix, file := range map[string][]byte{".onnx": model, ".json": results} {
		if err := os.WriteFile(filepath.Join(dir, name+"."+precision.String()+suffix), file, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// judge has the checker of ONNX and its inference of shapes look at the files of a folder,
// and runs them in onnxruntime if the flag says where that is.
func judge(t *testing.T, dir string) {
	t.Helper()
	if *modules != "" {
		out, err := exec.CommandContext(t.Context(), "node", "testdata/run.cjs", dir, *modules).CombinedOutput()
		if err != nil {
			t.Error(err)
		}
		t.Logf("%s", out)
	}
	if testing.Short() {
		return
	}
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import onnx").Run() != nil {
			continue
		}
		out, err := exec.CommandContext(t.Context(), python, "testdata/check.py", dir).CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		t.Logf("%s", out)
		return
	}
	t.Log("the files were not checked: there is no Python with onnx (Debian: python3-onnx)")
}

// Every kernel, every kind of pseudo-landmarks, scaling with a constant column, and trees of
// every number of outputs.
func TestParts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n, d int, offset float64) *mat.Dense {
		x := mat.NewDense(n, d, nil)
		for i := range n {
			for j := range d {
				x.Set(i, j, offset+r.NormFloat64())
			}
		}
		return x
	}
	x, points := random(20, 4, 3), random(7, 4, 3)
	points.SetRow(0, x.RawRowView(0)) // a distance of 0
	kernels := []kernel.Kernel{
		kernel.Gaussian{Gamma: .3}, kernel.Laplacian{Gamma: .3}, kernel.Polynomial{Degree: 3, Offset: 1}, kernel.Homogeneous{Degree: 2},
		kernel.Linear{}, kernel.Matern{Nu: .5, Length: 2}, kernel.Matern{Nu: 1.5, Length: 2}, kernel.Matern{Nu: 2.5, Length: 2},
		kernel.RationalQuadratic{Alpha: 1.5, Length: 2}, kernel.Sigmoid{Scale: .1, Offset: -1},
	}
	for _, k := range []kernel.Kernel{kernels[0], kernels[5]} {
		scaled, err := kernel.NewScaled(k, []float64{1, .5, 0, 2})
		if err != nil {
			t.Fatal(err)
		}
		kernels = append(kernels, scaled)
	}
	far := mat.NewDense(5, 7, nil)
	far.Apply(func(i, j int, _ float64) float64 { return 1 + r.Float64() }, far)
	bases := []basis.Basis{
		basis.NewFourier(random(4, 5, 0), 0), basis.NewPlainFourier(random(4, 5, 0), 0),
		basis.NewStructured(kernel.Gaussian{Gamma: .3}, structured.Haar, random(3, 4, 0), 4, []float64{3, 3, 3, 3}, 0),
		basis.NewProducts(kernel.Gaussian{Gamma: .3}, points, []int32{0, 1, 3, 3}, 0),
		basis.NewRooted(basis.NewValues(kernel.Gaussian{Gamma: .3}, points, 0), random(7, 6, 0)),
	}
	for _, k := range kernels {
		bases = append(bases, basis.NewValues(k, points, 0))
	}
	for _, kind := range []basis.PseudoKind{basis.Lower, basis.Upper, basis.Mid} {
		bases = append(bases, basis.NewTriangle(kernel.Matern{Nu: 1.5, Length: 2}, kind, points, far, 0))
	}
	dir := t.TempDir()
	for i, b := range bases {
		_, m := b.Dims()
		p := &pipeline.Model{
			Method: "test", Task: dataset.Regression, Dim: 4, Model: functional{basis.Function{Basis: b, Coef: random(m, 2, 0), Bias: []float64{1, -1}}},
			Scaling: &dataset.Scaling{Shift: []float64{1, 0, -1, 2}, Divisor: []float64{2, 1, 0, .5}, Width: 2, Low: 3},
		}
		for precision, tol := range map[predict.Precision]float64{predict.Float64: 1e-12, predict.Float32: 2e-5} {
			model, results := compare(t, p, x, precision, tol)
			keep(t, dir, "basis"+strconv.Itoa(i), precision, model, results)
			if t.Failed() {
				t.Fatalf("%T %v in %v", b, b, precision)
			}
		}
	}
	unknown := functional{basis.Function{Basis: basis.NewValues(own{}, points, 0), Coef: random(7, 1, 0), Bias: []float64{0}}}
	if _, err := Write(io.Discard, &pipeline.Model{Method: "test", Task: dataset.Regression, Dim: 4, Model: unknown}, predict.Float64); !errors.Is(err, ErrNotExported) || !strings.Contains(err.Error(), "the mine kernel") {
		t.Error(err)
	}
	for classes := range 4 {
		y := make([]string, 20)
		for i := range y {
			y[i] = strconv.Itoa(i % max(1, classes))
		}
		var model modelfile.Model
		var err error
		c := gbdt.Config{Rounds: 5, MinRows: 2}
		value := mat.Col(nil, 0, x)
		if classes == 1 {
			c.Loss = gbdt.Poisson
			for i, v := range value {
				value[i] = math.Abs(v)
			}
		}
		if classes < 2 {
			c.Rounds = 1 + 4*classes
			model, err = c.FitValues(t.Context(), x, value, nil)
		} else {
			model, err = c.Fit(t.Context(), x, gram.NewLabels(y), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		if classes == 0 {
			model = model.(*gbdt.Regressor).First(0)
		}
		for precision, tol := range map[predict.Precision]float64{predict.Float64: 1e-12, predict.Float32: 1e-5} {
			model, results := compare(t, must(pipeline.New(model, 4, nil)), x, precision, tol)
			keep(t, dir, "trees"+strconv.Itoa(classes), precision, model, results)
		}
	}
	judge(t, dir)
}

// Trees send missing numbers where those of the model do; those that split categories are refused.
func TestMissing(t *testing.T) {
	x, y := mat.NewDense(60, 2, nil), make([]float64, 60)
	for i := range y {
		y[i] = float64(i % 4)
		x.SetRow(i, []float64{float64(i % 8), float64(i % 3)})
		if y[i] == 1 {
			x.Set(i, 0, math.NaN())
		}
	}
	c := gbdt.Config{Rounds: 5, MinRows: 2, Columns: []gbdt.Column{{Missing: true}, {}}}
	model, err := c.FitValues(t.Context(), x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	for precision, kind := range map[predict.Precision]int64{predict.Float64: typeDouble, predict.Float32: typeFloat} {
		var b stdbytes.Buffer
		if _, err := Write(&b, must(pipeline.New(model, 2, nil)), precision); err != nil {
			t.Fatal(err)
		}
		got := evaluate(t, b.Bytes(), array{kind: kind, dims: []int{60, 2}, real: x.RawMatrix().Data})["value"].real
		for i, want := range model.Predict(nil, x) {
			if !(math.Abs(got[i]-want) <= 1e-6) {
				t.Fatalf("%v: the value of row %d is %v, want %v", precision, i, got[i], want)
			}
		}
	}
	c.Columns[1].Levels = 3
	for i := range y {
		y[i] = 10 * x.At(i, 1)
	}
	if model, err = c.FitValues(t.Context(), x, y, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(io.Discard, must(pipeline.New(model, 2, nil)), predict.Float64); !errors.Is(err, ErrNotExported) || !strings.Contains(err.Error(), "categories") {
		t.Error(err)
	}
}

// functional is a function as a model.
type functional struct{ f basis.Function }

func (m functional) Function() (basis.Function, error) { return m.f, nil }

func (functional) Encode(*modelfile.Writer) error { panic("not stored") }

// Predict returns the first output.
func (m functional) Predict(_ []float64, x mat.Matrix) []float64 {
	var out mat.Dense
	out.Mul(m.f.Basis.Map(nil, x), m.f.Coef)
	values := mat.Col(nil, 0, &out)
	for i := range values {
		values[i] += m.f.Bias[0]
	}
	return values
}

// own is a kernel that nobody knows.
type own struct{}

func (own) Eval(x, y []float64) float64 { return 1 }

func (own) Spec() kernel.Spec { return kernel.Spec{Name: "mine"} }

// Where the models of parts have a kernel without a formula, so has the whole.
func TestPartsWithoutFormula(t *testing.T) {
	x := mat.NewDense(6, 1, []float64{1, 2, 3, 11, 12, 13})
	y := gram.NewLabels(strings.Split("ababab", ""))
	m, err := dckrr.Config{Local: krr.Config{Kernel: own{}}, Parts: 2}.FitClasses(t.Context(), x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &pipeline.Model{Method: "test", Task: dataset.Classes, Names: y.Names, Dim: 1, Model: m}
	if _, err := Write(io.Discard, p, predict.Float64); !errors.Is(err, ErrNotExported) || !strings.Contains(err.Error(), "the mine kernel") {
		t.Error(err)
	}
}

// A model of a table is refused: its columns are encoded.
func TestTable(t *testing.T) {
	f, err := modelfile.ReadFile("../catalog/testdata/linear-table-values-v2.gram")
	if err != nil {
		t.Fatal(err)
	}
	p, err := pipeline.Decode(f, catalog.Registry())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Write(io.Discard, p, predict.Float64); !errors.Is(err, ErrNotExported) || !strings.Contains(err.Error(), "table") {
		t.Error(err)
	}
}

// A float32 is above a number exactly if it is above the bound that stands for the number.
func TestFloor32(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 10000 {
		f := float32(r.NormFloat64())
		v := float64(f) * (1 + float64(r.IntN(5)-2)*0x1p-26) // f, or between f and one of its neighbors
		bound := floor32(v)
		if bound != float64(float32(bound)) {
			t.Fatalf("%v is no float32", bound)
		}
		for _, g := range []float32{math.Nextafter32(f, 9), f, math.Nextafter32(f, -9), float32(bound)} {
			if (float64(g) > v) != (float64(g) > bound) {
				t.Fatalf("%v, against %v and its bound %v", g, v, bound)
			}
		}
	}
}
