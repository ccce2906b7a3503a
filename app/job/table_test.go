package job

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/encode"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

// writeTable puts rows with categories, one of 40 levels, quoted names and texts and missing cells
// into a file, and returns its path.
func writeTable(t *testing.T, rows int, class bool) string {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	var b bytes.Buffer
	b.WriteString("age,color,\"place, code\",x,y\n")
	for range rows {
		age, color, place, x := 40+10*r.NormFloat64(), r.IntN(4), r.IntN(40), r.Float64()
		y := .1*age + .5*float64(color) + .2*float64(place%7) + x*x + .1*r.NormFloat64()
		text := fmt.Sprintf("%.3f", age)
		if r.IntN(8) == 0 {
			text = []string{"", "NA", "?"}[r.IntN(3)]
		}
		target := fmt.Sprintf("%.4f", y)
		if class {
			target = []string{"low", "high"}[int(max(0, min(1, y-5)))]
		}
		fmt.Fprintf(&b, "%s,%s,p%02d,%.4f,%s\n", text, []string{"red", `"dark, blue"`, "green", ""}[color], place, x, target)
	}
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// inMemory fits the method to all rows of the file.
func inMemory(t *testing.T, path, method string, settings []string, p training.Prepare) *pipeline.Model {
	t.Helper()
	set, err := dataset.Open(path, dataset.Options{Table: true})
	if err != nil {
		t.Fatal(err)
	}
	m, err := catalog.Find(method)
	if err != nil {
		t.Fatal(err)
	}
	f := m.New()
	if err := f.Settings().Set(settings...); err != nil {
		t.Fatal(err)
	}
	model, err := p.Train(t.Context(), m, f, set, gram.Run{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// encoded returns the bytes of schema and encoding.
func encoded(t *testing.T, m *pipeline.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := errors.Join(modelfile.Write(&b, m.Schema), modelfile.Write(&b, m.Encoding)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Of a table with categories and missing cells a stream of any number of items learns the schema and
// the encoding that a fit in memory learns, bit for bit, and in pieces the model of one process.
func TestTable(t *testing.T) {
	values, classes := writeTable(t, 500, false), writeTable(t, 500, true)
	for _, test := range []struct {
		name, data, method string
		settings           []string
		config             encode.Config
		passes             []string
	}{
		{"onehot, median", values, "linear", nil, encode.Config{Categories: encode.OneHot}, []string{"survey", "scan", "normal"}},
		{"onehot, mean", values, "linear", nil, encode.Config{Categories: encode.OneHot, Fill: encode.Mean}, []string{"survey", "scan", "normal"}},
		{"target", values, "nystrom", []string{"m=20", "gamma=0.3"}, encode.Config{Categories: encode.TargetMean}, []string{"survey", "means", "scan", "normal"}},
		{"classes", classes, "linear", []string{"model=logistic"}, encode.Config{}, []string{"survey", "means", "scan", "newton-00", "newton-01"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			whole := inMemory(t, test.data, test.method, test.settings, training.Prepare{Encode: test.config, Scale: training.Standard})
			spec := Spec{Data: test.data, Method: test.method, Settings: test.settings, Scale: "standard", Seed: 3, Table: &Table{Encode: test.config}}
			var first *pipeline.Model
			for _, limit := range []int64{0, 9000, 2000} {
				spec.ItemBytes = limit
				j, err := New(spec)
				if err != nil {
					t.Fatal(err)
				}
				m, _, err := j.Fit(t.Context(), gram.Run{})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(encoded(t, m), encoded(t, whole)) {
					t.Fatalf("%d items: the encoding is not that of a fit in memory", len(j.Items))
				}
				if first = m; limit > 0 {
					continue
				}
				if test.config.Categories != encode.OneHot { // rows are divided otherwise for the cross-fitting
					continue
				}
				set, err := dataset.Open(test.data, whole.Options(dataset.Options{}))
				if err != nil {
					t.Fatal(err)
				}
				a, errA := whole.Predict(set.X, false, 0)
				b, errB := m.Predict(set.X, false, 0)
				if err := errors.Join(errA, errB); err != nil {
					t.Fatal(err)
				}
				for i := range a.Value {
					if d := a.Value[i] - b.Value[i]; !(d*d <= 1e-18) {
						t.Fatalf("row %d: %v from a stream, %v in memory", i, b.Value[i], a.Value[i])
					}
				}
			}
			j, err := New(spec)
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "work")
			w, err := Create(dir, j)
			if err != nil {
				t.Fatal(err)
			}
			var passes []string
			for {
				name, err := w.Next(t.Context(), gram.Run{})
				if err != nil {
					t.Fatal(err)
				}
				if name == "" {
					break
				}
				passes = append(passes, name)
				if w, err = Open(dir); err != nil { // each pass in a process of its own
					t.Fatal(err)
				}
				p, err := w.Pass(t.Context(), name, gram.Run{})
				if err != nil {
					t.Fatal(err)
				}
				for _, k := range rand.New(rand.NewPCG(1, 1)).Perm(p.Pieces()) {
					if err := w.Item(t.Context(), p, k, gram.Run{}); err != nil {
						t.Fatal(err)
					}
				}
			}
			if len(passes) < len(test.passes) || !slices.Equal(passes[:len(test.passes)], test.passes) {
				t.Errorf("passes %v, want %v", passes, test.passes)
			}
			m, _, err := w.Model(t.Context(), gram.Run{})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(bytesOf(t, m), bytesOf(t, first)) {
				t.Error("pieces give another model than one process")
			}
		})
	}
}

// Trees of a table on disk have the bytes of those in memory, with splits of categories and of missing
// cells.
func TestTableOnDisk(t *testing.T) {
	path, settings := writeTable(t, 1500, false), []string{"rounds=3", "monotone=age:1,x:-1"}
	j, err := New(Spec{Data: path, Method: "gbdt", Settings: settings, Seed: 3, ItemBytes: 9000, Table: &Table{}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := j.First(t.Context(), gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := j.Features(t.Context(), s, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.FitDisk(t.Context(), t.TempDir(), gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	if want := inMemory(t, path, "gbdt", settings, training.Prepare{}); !bytes.Equal(bytesOf(t, m), bytesOf(t, want)) {
		t.Error("another model than in memory")
	}
	if signs := m.Model.(*gbdt.Regressor).Config().Monotone; !slices.Equal(signs, []int{1, 0, 0, -1}) {
		t.Errorf("the signs of the columns are %v", signs)
	}
}

// Errors of a stream of a table name the place, or the column.
func TestTableErrors(t *testing.T) {
	line := func(k int) string { return fmt.Sprintf("%d.5,%s,%d\n", k, []string{"a", "b"}[k%2], k) }
	for _, test := range []struct {
		bad, want string
		table     Table
	}{
		{"3,a,4,5\n", "table.csv:52", Table{}},
		{"2020-01-02,a,5\n", `table.csv:52:1: column "u" holds dates`, Table{}},
		{"one,a,5\n", `table.csv:52:1: column "u": "one" is not a number`, Table{}},
		{"3,a,\n", "table.csv:52:5: the target is missing", Table{}},
		{"3,a,4\n", "at most 65536 levels", Table{Categories: []string{"wide"}}},
	} {
		var b strings.Builder
		b.WriteString("u,v,y\n")
		for k := range 50 {
			b.WriteString(line(k))
		}
		b.WriteString(test.bad)
		if test.table.Categories != nil {
			b.Reset()
			b.WriteString("wide,y\n")
			for k := range 1<<16 + 1 {
				fmt.Fprintf(&b, "%d,%d\n", k, k)
			}
			test.want = `column "wide" has more than 65536 levels`
		}
		path := filepath.Join(t.TempDir(), "table.csv")
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		j, err := New(Spec{Data: path, Method: "linear", Task: "regression", ItemBytes: 300, Table: &test.table})
		if test.table.Categories != nil {
			j, err = New(Spec{Data: path, Method: "linear", Task: "regression", ItemBytes: 300e3, Table: &test.table})
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err = j.First(t.Context(), gram.Run{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %s", test.bad, err, test.want)
		}
	}
	if _, err := New(Spec{Data: "x.csv", Method: "dc-krr", Table: &Table{}}); err == nil || !strings.Contains(err.Error(), "Table") {
		t.Errorf("a divided fit: %v", err)
	}
}

// Rows that DropMissing leaves out of a stream are as if they were not there.
func TestTableDropMissing(t *testing.T) {
	path := writeTable(t, 600, false)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole := inMemory(t, path, "linear", nil, training.Prepare{Scale: training.Standard})
	lines := strings.SplitAfter(string(text), "\n")
	for k := 40; k < len(lines)-1; k += 90 {
		lines[k] += "200,brown,p99,77,NA\n"
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := New(Spec{Data: path, Method: "linear", Scale: "standard", Seed: 3, ItemBytes: 2000, Table: &Table{DropMissing: []string{"y"}}})
	if err != nil {
		t.Fatal(err)
	}
	if m, _, err := j.Fit(t.Context(), gram.Run{}); err != nil || !slices.Equal(encoded(t, m), encoded(t, whole)) {
		t.Fatalf("%d items: another encoding than without the rows, %v", len(j.Items), err)
	}
}
