package pipeline_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/serve"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
	"gonum.org/v1/gonum/mat"
)

// cauchy is a kernel as a user would write it: 1/(1+γ‖x−y‖²).
type cauchy struct{ Gamma float64 }

func (k cauchy) Eval(x, y []float64) float64 {
	var s float64
	for j, v := range x {
		s += (v - y[j]) * (v - y[j])
	}
	return 1 / (1 + k.Gamma*s)
}

func (k cauchy) Spec() kernel.Spec {
	return kernel.Spec{Name: "cauchy", Params: map[string]float64{"gamma": k.Gamma}}
}

// squares is a feature map of a user: it returns the columns and their squares.
type squares int

func (b squares) Dims() (d, features int) { return int(b), 2 * int(b) }

func (b squares) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	s := gram.Of(x)
	if dst == nil {
		dst = mat.NewDense(s.N(), 2*int(b), nil)
	}
	fill(gram.View(dst), s)
	return dst
}

func fill[F gram.Float](dst gram.Rows[F], x gram.Samples[F]) {
	_, d := x.Dims()
	for i := range dst.N {
		row := dst.Row(i)
		copy(row, x.Row(row[d:], i))
		for j, v := range row[:d] {
			row[d+j] = v * v
		}
	}
}

func (b squares) With64(coef *mat.Dense, bias []float64) gram.Program[float64] {
	return basis.NewProgram(b, coef, bias, fill[float64])
}

func (b squares) With32(coef *mat.Dense, bias []float64) gram.Program[float32] {
	return basis.NewProgram(b, coef, bias, fill[float32])
}

func (b squares) Cost(k, size int) gram.Plan {
	return gram.Plan{Flops: float64(int(b) * (1 + 4*k)), ModelBytes: int64(2 * int(b) * k * size), Description: "squares"}
}

func (b squares) Encode(w *modelfile.Writer) error { return w.Header("squares", 1, int(b)) }

// every is a selector of a user: it takes rows at equal distances.
type every struct{}

func (every) Select(_ context.Context, _ kernel.Kernel, x mat.Matrix, _ []float64, m int, _ gram.Run) (landmark.Points, error) {
	s := gram.Of(x)
	_, d := s.Dims()
	p := landmark.Points{U: mat.NewDense(m, d, nil)}
	for i := range m {
		p.Index = append(p.Index, i*s.N()/m)
		s.CopyRow(p.U.RawRowView(i), p.Index[i])
	}
	return p, nil
}

// registry has the kernels and feature maps of this program.
func registry() *pipeline.Registry {
	r := catalog.Registry()
	r.Kernels["cauchy"] = func(s kernel.Spec) (kernel.Kernel, error) {
		if g := s.Params["gamma"]; g > 0 {
			return cauchy{g}, nil
		}
		return nil, fmt.Errorf("cauchy with gamma %v", s.Params["gamma"])
	}
	r.Bases["squares"] = func(f *modelfile.File) (basis.Basis, error) {
		var d int
		if err := f.Expect("squares", 1, &d); err != nil {
			return nil, err
		}
		if d < 1 {
			return nil, f.Errorf("", "%d columns", d)
		}
		return squares(d), nil
	}
	return r
}

// fitted returns pipelines with a kernel, a feature map and a selector of a user.
func fitted(t *testing.T) map[string]*pipeline.Model {
	t.Helper()
	d := algotest.Problem(1, 150, 4, 3)
	out := map[string]*pipeline.Model{}
	add := func(name string, m modelfile.Model, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		scaling, err := dataset.Standardize(d.X)
		if err != nil {
			t.Fatal(err)
		}
		p, err := pipeline.New(m, 4, scaling)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = p
	}
	scaling, err := dataset.Standardize(d.X)
	if err != nil {
		t.Fatal(err)
	}
	x := scaling.Apply(d.X)
	machine, err := svm.Config{Kernel: cauchy{.5}, C: 3}.Fit(t.Context(), x, d.Labels, nil)
	add("svm of a kernel", machine, err)
	values, err := krr.Config{Kernel: cauchy{.5}, NoBias: true}.Fit(t.Context(), x, d.Value, nil)
	add("krr of a kernel", values, err)
	phi, err := nystrom.Config{Kernel: cauchy{.5}, Landmarks: every{}, M: 30}.Fit(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	onLandmarks, err := linear.SVM{}.Fit(t.Context(), phi, x, d.Labels, nil)
	add("linear on landmarks of a selector", onLandmarks, err)
	onSquares, err := linear.Ridge{}.Fit(t.Context(), squares(4), x, d.Value, nil)
	add("linear on a feature map", onSquares, err)
	plain, err := linear.SVM{}.Fit(t.Context(), nil, x, d.Labels, nil)
	add("linear", plain, err)
	return out
}

// say returns the predictions of a pipeline for fixed rows.
func say(p *pipeline.Model) (string, error) {
	x := algotest.Problem(2, 20, 4, 3).X
	out, err := p.Predict(x, false, 0)
	if err != nil {
		return "", err
	}
	if out.Class != nil {
		return fmt.Sprint(out.Class), nil
	}
	return fmt.Sprintf("%.9g", out.Value), nil
}

// Pipelines with a user's kernel, feature map and selector are fitted, stored, read
// by another process, and used there to predict, to compile and to serve.
func TestUsersOwn(t *testing.T) {
	if path := os.Getenv("GRAM_TEST_PIPELINE"); path != "" { // the other process
		p, err := pipeline.Load(path, registry())
		if err != nil {
			t.Fatal(err)
		}
		text, err := say(p)
		fmt.Printf("said %s\nsaid %v\n", text, err)
		return
	}
	x := algotest.Problem(2, 20, 4, 3).X.(*mat.Dense)
	dir := t.TempDir()
	for name, p := range fitted(t) {
		t.Run(name, func(t *testing.T) {
			want, err := say(p)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".gram")
			if err := pipeline.Save(path, p, registry()); err != nil {
				t.Fatal(err)
			}
			own, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), own, "-test.run=^TestUsersOwn$", "-test.v=false")
			cmd.Env = append(os.Environ(), "GRAM_TEST_PIPELINE="+path)
			text, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(text), "said "+want+"\nsaid <nil>\n") {
				t.Errorf("another process says %s, %v; want %s", text, err, want)
			}
			for _, precision := range []predict.Precision{predict.Float64, predict.Float32} {
				fast, program, err := p.Compile(t.Context(), predict.Options{Method: predict.Exact, Precision: precision})
				if err != nil {
					t.Fatal(err)
				}
				if program.Cost().Flops <= 0 {
					t.Errorf("the program costs %+v", program.Cost())
				}
				compiled := filepath.Join(dir, "compiled.gram")
				if err := pipeline.Save(compiled, fast, registry()); err != nil {
					t.Fatal(err)
				}
				back, err := pipeline.Load(compiled, registry())
				if err != nil {
					t.Fatal(err)
				}
				a, err := p.Predict(x, false, 0)
				if err != nil {
					t.Fatal(err)
				}
				b, err := back.Predict(x, false, 0)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(a.Class, b.Class) {
					t.Errorf("compiled in %s: classes %v, want %v", precision, b.Class, a.Class)
				}
				for i, v := range a.Value {
					if !(math.Abs(b.Value[i]-v) <= 1e-4*(1+math.Abs(v))) {
						t.Errorf("compiled in %s: row %d is %g, want %g", precision, i, b.Value[i], v)
					}
				}
				answer := httptest.NewRecorder()
				row := fmt.Sprint(x.RawRowView(0))
				request := httptest.NewRequest(http.MethodPost, "/v1/predict", strings.NewReader(`{"row": `+strings.ReplaceAll(row, " ", ", ")+`}`))
				request.Header.Set("Content-Type", "application/json")
				serve.New(back, serve.Config{}).ServeHTTP(answer, request)
				if answer.Code != http.StatusOK {
					t.Errorf("served: %d, %s", answer.Code, answer.Body)
				} else if a.Class != nil && !strings.Contains(answer.Body.String(), `"`+p.Names[a.Class[0]]+`"`) {
					t.Errorf("served: %s, want class %s", answer.Body, p.Names[a.Class[0]])
				}
			}
		})
	}
}

// Parts that could not be read again are refused by name, and no file is left.
func TestSaveRefuses(t *testing.T) {
	own := map[string]string{
		"svm of a kernel": `kernel "cauchy"`, "krr of a kernel": `kernel "cauchy"`,
		"linear on landmarks of a selector": `kernel "cauchy"`, "linear on a feature map": `feature map "squares"`,
	}
	for name, p := range fitted(t) {
		fast, _, err := p.Compile(t.Context(), predict.Options{Method: predict.Exact})
		if err != nil {
			t.Fatal(err)
		}
		for what, m := range map[string]*pipeline.Model{name: p, name + ", compiled": fast} {
			path := filepath.Join(t.TempDir(), "model.gram")
			err := pipeline.Save(path, m, catalog.Registry())
			want, refused := own[name]
			if refused != (err != nil) || refused && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", what, err)
			}
			if _, err := os.Stat(path); refused != os.IsNotExist(err) {
				t.Errorf("%s: a file is there: %t", what, err == nil)
			}
			if !refused {
				continue
			}
			// A file that was stored with the registry is refused without it.
			if err := pipeline.Save(path, m, registry()); err != nil {
				t.Fatal(err)
			}
			if _, err := pipeline.Load(path, catalog.Registry()); err == nil {
				t.Errorf("%s: it is read by a program that does not know it", what)
			}
		}
	}
}

// Parts that do not fit are refused.
func TestNew(t *testing.T) {
	p := fitted(t)["linear"]
	if _, err := pipeline.New(p.Model, 5, nil); err == nil {
		t.Error("a model for 4 columns is one for 5")
	}
	if _, err := pipeline.New(p.Model, 0, nil); err == nil {
		t.Error("a model without columns")
	}
	if _, err := pipeline.New(&picking{0, 0}, 0, nil); err == nil || !strings.Contains(err.Error(), "0 columns") {
		t.Errorf("a model for no columns: %v", err)
	}
	if _, err := pipeline.New(p.Scaling, 4, nil); err == nil {
		t.Error("a scaling is a model")
	}
	narrow, err := dataset.Standardize(mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 7}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pipeline.New(p.Model, 4, narrow); err == nil {
		t.Error("a scaling of other columns")
	}
	x := algotest.Problem(1, 60, 4, 3)
	m, err := linear.SVM{}.Fit(t.Context(), opaque{4}, x.X, x.Labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pipeline.New(m, 4, nil); err == nil || !strings.Contains(err.Error(), "opaque") {
		t.Errorf("a feature map that cannot be stored: %v", err)
	}
}

// opaque is a feature map that cannot be stored.
type opaque struct{ d int }

func (b opaque) Dims() (d, features int) { return b.d, b.d }

func (b opaque) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense { return basis.Identity(b.d).Map(dst, x) }
