package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"gonum.org/v1/gonum/mat"
)

// With one item whose rows are all in the sample, falkon has the bytes of a fit in memory, with settings that are chosen, too; with
// several items its predictions are the same.
func TestProductsAreFit(t *testing.T) {
	rings := dataset.Rings(1500, 3, .2, 1)
	for name, test := range map[string]struct {
		d        *dataset.Set
		file     string
		settings []string
		bound    float64 // of the difference that the order of sums makes: what tol leaves of a solution with this λ
	}{
		"values":        {dataset.Friedman1(1500, 5, .5, 1), "a.csv", []string{"m=40"}, 1e-8},
		"per row":       {dataset.Friedman1(1500, 5, .5, 1), "a.csv", []string{"m=40", "per-row=true", "no-bias=true", "landmarks=kmeans"}, 1e-8},
		"classes":       {rings, "a.libsvm", []string{"m=40", "tol=3e-10"}, 1e-5}, // λ is chosen, and so small that round-off leaves a residual near 1e-10
		"given":         {rings, "a.libsvm", []string{"m=40", "gamma=0.5", "lambda=0.1", "tol=1e-10"}, 1e-8},
		"single":        {rings, "a.libsvm", []string{"m=40", "gamma=0.5", "lambda=0.1", "tol=1e-10", "single=true"}, 1e-8},
		"default width": {dataset.Friedman1(1500, 5, .5, 1), "a.csv", []string{"kernel=laplacian", "lambda=0.1"}, 1e-8},
	} {
		t.Run(name, func(t *testing.T) {
			path := saved(t, test.file, test.d)
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			whole := inMemory(t, path, "falkon", test.settings, training.Prepare{})
			for _, items := range []int64{1, 5} {
				j, err := New(Spec{Data: path, Method: "falkon", Settings: test.settings, Seed: 3, ItemBytes: info.Size()/items + 1})
				if err != nil {
					t.Fatal(err)
				}
				m, f, err := j.Fit(t.Context(), gram.Run{})
				if err != nil {
					t.Fatal(err)
				}
				if items == 1 {
					if !bytes.Equal(bytesOf(t, m), bytesOf(t, whole)) {
						t.Error("another model than in memory")
					}
					continue
				}
				if len(j.Items) != int(items) || f.Info.N != 1500 {
					t.Fatalf("%d items, %d rows", len(j.Items), f.Info.N)
				}
				scores := func(m any) []float64 {
					if c, is := m.(interface {
						Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense
					}); is {
						return c.Scores(nil, test.d.X).RawMatrix().Data
					}
					return m.(gram.Regressor).Predict(nil, test.d.X)
				}
				got, want := scores(m.Model), scores(whole.Model)
				for i, v := range got {
					if !(math.Abs(v-want[i]) <= test.bound*(1+math.Abs(want[i]))) {
						t.Fatalf("row %d: %v, in memory %v", i, v, want[i])
					}
				}
			}
		})
	}
}

// A folder goes on where its processes were killed: without factors, without states, and with a damaged one. What does not
// belong together is refused.
func TestProductsGoOn(t *testing.T) {
	for _, single := range []string{"single=false", "single=true"} {
		t.Run(single, func(t *testing.T) { productsGoOn(t, single) })
	}
}

func productsGoOn(t *testing.T, single string) {
	path := saved(t, "a.csv", dataset.Friedman1(600, 5, .5, 1))
	j, err := New(Spec{Data: path, Method: "falkon", Settings: []string{"m=20", "lambda=0.01", "gamma=0.1", single}, Seed: 3, ItemBytes: 20000})
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := j.Fit(t.Context(), gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := Create(filepath.Join(t.TempDir(), "work"), j)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(name, words string) {
		t.Helper()
		_, err := w.Pass(t.Context(), name, gram.Run{})
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", name, err)
		}
	}
	refused("products", "scan has not read")
	passes := 0
	for ; ; passes++ {
		if w, err = Open(w.Dir); err != nil {
			t.Fatal(err)
		}
		name, err := w.Next(t.Context(), gram.Run{})
		if err != nil {
			t.Fatal(err)
		}
		if name == "" {
			break
		}
		if passes > 1 { // a pass that is begun is told without the factors
			factors := filepath.Join(w.Dir, "factors-0-000000.state")
			if err := os.Rename(factors, factors+".away"); err != nil {
				t.Fatal(err)
			}
			if again, err := w.Next(t.Context(), gram.Run{}); again != name || err != nil {
				t.Errorf("next says %q and %q, %v", name, again, err)
			}
			if _, err := os.Stat(factors); err == nil {
				t.Error("the factors are computed again for a pass that is begun")
			}
			if err := os.Rename(factors+".away", factors); err != nil {
				t.Fatal(err)
			}
		}
		asked := name
		if passes%2 == 1 && passes > 1 {
			asked = productsPass
		}
		p, err := w.Pass(t.Context(), asked, gram.Run{})
		if err == nil && p.Name != name {
			t.Fatalf("pass %s is %s, want %s", asked, p.Name, name)
		}
		if err == nil {
			err = w.Make(t.Context(), p, gram.Run{})
		}
		if err != nil {
			t.Fatal(err)
		}
		switch passes {
		case 1:
			refused("normal", "next says")
			refused("products-x", "want products-P")
			refused("products-009", "next says")
			if s, err := w.Status(); err != nil || s.Ended || len(s.Passes) != 2 || s.Passes[1].Pass != "products-000" {
				t.Errorf("the status %+v, %v", s, err)
			}
			if _, _, err := w.Model(t.Context(), gram.Run{}); err == nil || !strings.Contains(err.Error(), "the pass products-001 is not complete") {
				t.Errorf("a model without products: %v", err)
			}
		case 3:
			if err := os.Remove(filepath.Join(w.Dir, "factors-0-000000.state")); err != nil {
				t.Fatal(err)
			}
		case 4: // the pass is asked for again
			if err := os.Remove(w.path(p, node{0, 1})); err != nil {
				t.Fatal(err)
			}
		}
	}
	if passes < 6 {
		t.Errorf("%d passes", passes)
	}
	if s, err := w.Status(); err != nil || !s.Ended || s.Reads != passes-1 || s.Passes[len(s.Passes)-1].Pass != productName(passes-3) { // one was made again
		t.Errorf("the status %+v, %v", s, err)
	}
	m, _, err := w.Model(t.Context(), gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytesOf(t, m), bytesOf(t, want)) {
		t.Error("another model")
	}
}

// Errors name the setting, the file or the classes.
func TestProductsRefused(t *testing.T) {
	path := saved(t, "a.csv", dataset.Friedman1(300, 5, .5, 1))
	one := filepath.Join(t.TempDir(), "one.csv")
	if err := os.WriteFile(one, []byte("a,y\n"+strings.Repeat("1,x\n2,x\n", 50)), 0o666); err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(t.TempDir(), "large.csv")
	if err := os.WriteFile(large, []byte("a,y\n"+strings.Repeat("1,2\n2,5\n", 50)+"1,1e300\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		s    Spec
		run  gram.Run
		want string
	}{
		"m":       {Spec{Data: path, Settings: []string{"m=200"}, Sample: 100}, gram.Run{}, "m is 200, want at most 100"},
		"matrix":  {Spec{Data: path, Settings: []string{"kernel=matrix"}}, gram.Run{}, "kernel"},
		"classes": {Spec{Data: one, Task: "classes"}, gram.Run{}, "classes is 1, want at least 2"},
		"target":  {Spec{Data: large, Task: "regression", Settings: []string{"lambda=0.1", "m=5"}, Sample: 5}, gram.Run{}, "large.csv"},
		"memory":  {Spec{Data: path, Settings: []string{"m=200", "lambda=0.1"}}, gram.Run{MemoryLimit: 100000}, "the limit is"},
		"rounds":  {Spec{Data: path, Settings: []string{"rounds=3"}}, gram.Run{}, "rounds"},
	} {
		test.s.Method = "falkon"
		j, err := New(test.s)
		if err == nil {
			_, _, err = j.Fit(t.Context(), test.run)
		}
		if err == nil || !strings.Contains(fmt.Sprint(err), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Only a fit that is not divided is one of passes over all rows.
func TestByPasses(t *testing.T) {
	path := saved(t, "a.csv", dataset.Friedman1(60, 5, .5, 1))
	for most, want := range map[int]bool{0: true, 30: false} {
		if j := have(New(Spec{Data: path, Method: "falkon", Settings: []string{"m=5"}, Task: "regression", Cap: most}))(t); j.ByPasses() != want {
			t.Errorf("parts of up to %d rows: %v", most, !want)
		}
	}
}

// ended is a context that ends at a look.
type ended struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
}

func (c *ended) Err() error {
	if c.left.Add(-1) == 0 {
		c.cancel()
	}
	return c.Context.Err()
}

// A fit ends with the error of its context at whichever look it ends.
func TestProductsLooks(t *testing.T) {
	path := saved(t, "a.csv", dataset.Friedman1(300, 5, .5, 1))
	j, err := New(Spec{Data: path, Method: "falkon", Settings: []string{"m=10", "lambda=0.1", "gamma=0.1", "tol=0.01"}, ItemBytes: 20000})
	if err != nil {
		t.Fatal(err)
	}
	fit := func(looks int64) (int64, error) {
		c := &ended{}
		c.Context, c.cancel = context.WithCancel(t.Context())
		defer c.cancel()
		c.left.Store(looks)
		m, _, err := j.Fit(c, gram.Run{Workers: 1})
		if err == nil && m == nil {
			t.Error("neither a model nor an error")
		}
		return looks - c.left.Load(), err
	}
	const more = 1 << 40
	total, err := fit(more)
	if err != nil || total < 10 {
		t.Fatalf("%d looks, %v", total, err)
	}
	for k := int64(1); k <= total; k += 1 + k/8 {
		if _, err := fit(k); err != nil && !errors.Is(err, context.Canceled) || err == nil && k < total-3 {
			t.Errorf("the context ended at look %d of %d: %v", k, total, err)
		}
	}
}

// The sample has four rows for each landmark, unless its size is given.
func TestProductsSample(t *testing.T) {
	path := saved(t, "a.csv", dataset.Friedman1(300, 5, .5, 1))
	for settings, want := range map[string]int{"m=6000": 24000, "m=100": 20000} {
		j, err := New(Spec{Data: path, Method: "falkon", Settings: []string{settings}})
		if err != nil {
			t.Fatal(err)
		}
		if j.Spec.Sample != want {
			t.Errorf("%s: a sample of %d rows, want %d", settings, j.Spec.Sample, want)
		}
	}
}
