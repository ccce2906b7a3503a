package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/serve"
	"net/http"
	"net/http/httptest"
)

// houses returns a table with text, quotes, gaps and a number of rooms, whose price depends
// on all of them. The columns come in the given order.
func houses(seed uint64, n int, order ...string) string {
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	cell := func(text string) string {
		if strings.ContainsAny(text, ",\" ") {
			return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
		}
		return text
	}
	line := func(cells map[string]string) {
		for j, name := range order {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteString(cell(cells[name]))
		}
		b.WriteByte('\n')
	}
	header := map[string]string{}
	for _, name := range order {
		header[name] = name
	}
	line(header)
	streets := []string{`Oak, "upper"`, "Elm", "Ash lane"}
	for range n {
		street, rooms, age := r.IntN(3), 1+r.IntN(6), 100*r.Float64()
		price := 50*float64(rooms) - age/2 + []float64{0, 80, -40}[street] + 2*r.NormFloat64()
		cells := map[string]string{
			"street": streets[street], "rooms": fmt.Sprint(rooms), "age, years": fmt.Sprintf("%.3f", age), "price": fmt.Sprintf("%.2f", price),
		}
		switch r.IntN(20) {
		case 0:
			cells["age, years"] = []string{"", "NA", "?", "NaN"}[r.IntN(4)]
		case 1:
			cells["street"] = ""
		}
		line(cells)
	}
	return b.String()
}

var houseColumns = []string{"street", "rooms", "age, years", "price"}

// A table with categories and gaps is fitted, and its columns are found by name: swapped
// ones give the same figures, missing and unknown ones are errors that name them.
func TestTableByName(t *testing.T) {
	train := write(t, "train.csv", houses(1, 400, houseColumns...))
	model := filepath.Join(t.TempDir(), "m.gram")
	if out := ok(t, "fit", "--method", "linear", "--data", train, "-o", model, "--set", "lambda=1e-3"); !strings.HasPrefix(out, "the target is \"price\", the last column; --target names another\n2 numbers, 1 category, 2 columns with missing cells: 7 features\n") {
		t.Errorf("fit says %q", out)
	}
	same := figuresOf(t, ok(t, "eval", "--model", model, "--data", write(t, "same.csv", houses(2, 300, houseColumns...)), "--json"))
	if !(same["r2"].Value > .9) {
		t.Errorf("r2 is %v", same["r2"].Value)
	}
	swapped := write(t, "swapped.csv", houses(2, 300, "price", "age, years", "street", "rooms"))
	if other := figuresOf(t, ok(t, "eval", "--model", model, "--data", swapped, "--json")); other["rmse"].Value != same["rmse"].Value {
		t.Errorf("swapped columns: rmse %v, want %v", other["rmse"].Value, same["rmse"].Value)
	}
	want := ok(t, "predict", "--model", model, "--data", swapped, "-o", "-")
	if got := ok(t, "predict", "--model", model, "--data", write(t, "bare.csv", houses(2, 300, "rooms", "street", "age, years")), "-o", "-"); got != want {
		t.Error("other predictions without the target")
	}
	fails(t, 1, []string{"bad.csv:1", `column "rooms" is not there`}, "predict", "--model", model, "-o", "-",
		"--data", write(t, "bad.csv", "street,\"age, years\"\nElm,3\n"))
	fails(t, 1, []string{"bad.csv:1", `there was no column "room" in training (did you mean rooms?)`}, "eval", "--model", model,
		"--data", write(t, "bad.csv", "street,room,\"age, years\",price\nElm,3,4,5\n"))
	more := write(t, "more.csv", "street,rooms,\"age, years\",color of the door\nElm,3,4,red\n")
	fails(t, 1, []string{"more.csv:1", `there was no column "color of the door" in training (--ignore 'color of the door')`}, "predict", "--model", model, "-o", "-", "--data", more)
	ok(t, "predict", "--model", model, "-o", "-", "--data", more, "--ignore", "color of the door")
	ok(t, "predict", "--model", model, "-o", "-", "--data", more, "--ignore", "4")
	fails(t, 1, []string{"bad.csv:2:", `a cell of column "rooms" is missing`}, "predict", "--model", model, "-o", "-",
		"--data", write(t, "bad.csv", "street,rooms,\"age, years\"\nElm,NA,4\n"))
	fails(t, 1, []string{"bad.csv:1", `no column is called "price"`}, "eval", "--model", model,
		"--data", write(t, "bad.csv", "street,rooms,\"age, years\"\nElm,3,4\n"))
	fails(t, 1, []string{"libsvm files cannot hold"}, "predict", "--model", model, "--data", write(t, "a.libsvm", "1 1:1 2:3\n"), "-o", "-")
	if out := warned(t, `1 of 1 rows have a text in column "street" that was not in training, such as "new street"`,
		"predict", "--model", model, "--data", write(t, "new.csv", "street,rooms,\"age, years\"\nnew street,3,4\n"), "-o", "-"); strings.Contains(out, "NaN") {
		t.Errorf("an unknown street: %q", out)
	}

	// The server takes the same cells as objects and as arrays.
	m, err := catalog.LoadFitted(model)
	if err != nil {
		t.Fatal(err)
	}
	s := serve.New(m, serve.Config{})
	ask := func(row string) (int, string) {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/predict", strings.NewReader(`{"row": `+row+`}`)))
		return w.Code, w.Body.String()
	}
	line := strings.TrimSpace(ok(t, "predict", "--model", model, "-o", "-", "--json", "--data", write(t, "one.csv", "rooms,\"age, years\",street\n4,?,\"Oak, \"\"upper\"\"\"\n")))
	if got := strings.TrimSpace(ok(t, "predict", "--model", model, "-o", "-", "--json", "--data", write(t, "one.jsonl", `{"street": "Oak, \"upper\"", "age, years": null, "rooms": 4}`+"\n"))); got != line {
		t.Errorf("from JSON: %s, want %s", got, line)
	}
	for _, row := range []string{
		`{"street": "Oak, \"upper\"", "rooms": 4, "age, years": null}`, `{"age, years": null, "rooms": 4, "price": 3, "street": "Oak, \"upper\""}`,
		`["Oak, \"upper\"", 4, null]`,
	} {
		if code, body := ask(row); code != http.StatusOK || strings.TrimSpace(body) != line {
			t.Errorf("%s: %d %s, want %s", row, code, body, line)
		}
	}
	for row, want := range map[string]string{
		`{"street": "Elm", "age, years": null}`:                      `column "rooms": is not there`,
		`{"street": "Elm", "rooms": null, "age, years": 1}`:          `column "rooms": null`,
		`{"street": "Elm", "rooms": "4", "age, years": 1}`:           `column "rooms": want a number`,
		`{"street": "Elm", "rooms": 4, "age, years": 1, "room": 1}`:  `no column "room"`,
		`{"street": "Elm", "rooms": 4, "age, years": 1, "rooms": 1}`: `twice`,
		`{"indices": [1, 2], "values": [1, 2]}`:                      `categories`,
		`{"1": 3}`:                                                   `no column "1"`,
		`{"street": ["Elm"], "rooms": 4, "age, years": 1}`:           `column "street": want a text`,
		`["Elm", 4]`: `2 columns`,
		`{"street": "Elm", "rooms": 4, "age, years": 1, "indices": [1]}`: `no column "indices"`,
	} {
		if code, body := ask(row); code != http.StatusUnprocessableEntity || !strings.Contains(strings.ReplaceAll(body, `\"`, `"`), want) {
			t.Errorf("%s: %d %s, want %s", row, code, body, want)
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/model", nil))
	if text, _ := io.ReadAll(w.Body); !strings.Contains(string(text), `"names":["street","rooms","age, years"],"target":"price"`) {
		t.Errorf("/v1/model says %s", text)
	}
}

// numbers writes a table of two columns of numbers and a target that f makes of them.
func numbers(seed uint64, n int, header string, f func(i int, a, b float64) string) string {
	r := rand.New(rand.NewPCG(seed, 2))
	var s strings.Builder
	fmt.Fprintln(&s, header)
	for i := range n {
		a, b := r.NormFloat64(), r.NormFloat64()
		fmt.Fprintf(&s, "%g,%g,%s\n", a, b, f(i, a, b))
	}
	return s.String()
}

// table writes n lines.
func table(n int, line func(i int) string) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintln(&s, line(i))
	}
	return s.String()
}

// Tables as people have them are learned, or refused with a message that says what to do.
func TestRealLifeTables(t *testing.T) {
	whole := func(k int) func(i int, a, b float64) string {
		return func(i int, _, _ float64) string { return fmt.Sprint(1 + i%k) }
	}
	value := func(_ int, a, b float64) string { return fmt.Sprintf("%.3f", a-2*b) }
	column := func(cells func(i int) string) func(i int, a, b float64) string {
		return func(i int, a, b float64) string { return cells(i) + "," + value(i, a, b) }
	}
	for _, c := range []struct {
		name, table string
		args        []string
		want        string // in the output of a fit, or in its error if that begins with !
	}{
		{"a target of 28 whole numbers", numbers(1, 400, "a,b,rings", whole(28)), nil, `the target "rings" holds 28 different whole numbers, taken as values; --task classes`},
		{"the same as classes", numbers(1, 400, "a,b,rings", whole(28)), []string{"--task", "classes"}, "28 classes"},
		{"a rating", numbers(1, 300, "a,b,stars", whole(5)), nil, `holds 5 different whole numbers, taken as classes; --task regression`},
		{"values with one NA", numbers(2, 300, "a,b,y", func(i int, a, b float64) string {
			if i == 150 {
				return "NA"
			}
			return value(i, a, b)
		}), nil, `!:152:`},
		{"values with one typing error", numbers(2, 300, "a,b,y", func(i int, a, b float64) string {
			if i == 0 {
				return "1.2.3"
			}
			return value(i, a, b)
		}), nil, `!the target holds numbers and the text "1.2.3" (line 2)`},
		{"values as classes", numbers(2, 300, "a,b,y", value), []string{"--task", "classes"}, "!task regression"},
		{"text as values", numbers(2, 300, "a,b,y", func(i int, a, _ float64) string { return map[bool]string{true: "yes", false: "no"}[a > 0] }), []string{"--task", "regression"}, "!task classes"},
		{"a method of the other task", numbers(1, 400, "a,b,rings", whole(28)), []string{"--method", "svm"}, "!method svm does not learn regression: the target \"rings\" holds 28 different whole numbers, taken as values; --task classes"},
		{"a method for values", numbers(3, 300, "a,b,sold", func(_ int, a, _ float64) string { return map[bool]string{true: "yes", false: "no"}[a > 0] }), []string{"--method", "svr", "--target", "sold"}, "!method svr does not learn classes: methods that do are nu-svm (as nu-svr), svm (as svr), linear"},
		{"the last column", numbers(5, 60, "a,b,width", value), nil, `the target is "width", the last column; --target names another`},
		{"a column of row numbers", numbers(5, 60, "a,b,id,y", column(func(i int) string { return fmt.Sprint(7 + i) })), nil, `the column "id" only numbers the rows; --ignore leaves it out`},
		{"yes and no", numbers(3, 300, "a,b,sold", func(_ int, a, _ float64) string { return map[bool]string{true: "yes", false: "no"}[a > 0] }), nil, "2 classes"},
		{"one class", numbers(3, 50, "a,b,sold", func(int, float64, float64) string { return "yes" }), nil, "!one class"},
		{"one in two hundred", numbers(4, 1000, "a,b,fraud", func(i int, a, b float64) string { return map[bool]string{true: "1", false: "0"}[i%200 == 7] }), nil, "2 classes"},
		{"dates", numbers(5, 60, "a,b,day,y", column(func(i int) string { return fmt.Sprintf("2024-03-%02d", 1+i%28) })), nil, "2 numbers, 0 categories, 1 date (as year, month, weekday and days), 0 columns with missing cells: 6 features"},
		{"dates in some cells", numbers(5, 60, "a,b,day,y", column(func(i int) string { return []string{"soon", "2024-03-01"}[min(i, 1)] })), nil, `!column "day" holds dates in 59 of its 60 cells that are not missing: correct the others, leave the column out, or take it as a category (--ignore day or --category day)`},
		{"dates in an order that is not known", numbers(5, 60, "a,b,day,y", column(func(i int) string { return fmt.Sprintf("03/%02d/2024", 1+i%28) })), nil, `!column "day" holds dates or times such as "03/01/2024": write dates as 2024-01-31 and times as 2024-01-31T18:30:00, leave the column out, or take it as a category (--ignore day or --category day)`},
		{"dates left out", numbers(5, 60, "a,b,day,y", column(func(i int) string { return fmt.Sprintf("2024-03-%02d", 1+i%28) })), []string{"--ignore", "day"}, "2 columns, values"},
		{"names of people", numbers(5, 60, "a,b,who,y", column(func(i int) string { return fmt.Sprintf("person %d", i) })), nil, `!column "who" has 60 different texts in 60 rows`},
		{"decimal commas", numbers(5, 60, "a,b,width,y", column(func(i int) string { return fmt.Sprintf(`"%d,5"`, i) })), nil, `!column "width": "0,5" is a number with a decimal comma (--decimal-comma or --ignore width or --category width)`},
		{"decimal commas, said", strings.ReplaceAll(strings.ReplaceAll(numbers(5, 60, "a,b,y", value), ",", ";"), ".", ","), []string{"--decimal-comma"}, "2 columns, values"},
		{"a wrong cell", numbers(5, 60, "a,b,width,y", column(func(i int) string {
			if i == 33 {
				return "wide"
			}
			return fmt.Sprint(i)
		})), nil, `!column "width": "wide" is not a number, as other cells of the column are`},
		{"an empty column", numbers(5, 60, "a,b,note,y", column(func(int) string { return "" })), nil, `3 features; without any value, and 0 in all rows: column "note"`},
		{"codes", numbers(5, 60, "a,b,zip,y", column(func(i int) string { return fmt.Sprint(10000 + 7*(i%3)) })), []string{"--category", "zip"}, "2 numbers, 1 category, 0 columns with missing cells: 5 features"},
		{"two columns of one name", numbers(5, 60, "a,a,y", value), nil, `!columns 1 and 2 are both called "a"`},
		{"an index without a name", numbers(5, 60, ",b,y", value), nil, "!column 1 has no name, but is no number of the row: write a name or leave it out (--ignore 1)"},
		{"an index of pandas", "Unnamed: 0,a,b,y\n" + table(60, func(i int) string { return fmt.Sprintf("%d,%g,%d,%d", 7*i, float64(i%7), i*i, i) }), nil, `column "Unnamed: 0" is left out: it has the numbers or names of the rows`},
		{"row names of R", `"","a","b","y"` + "\n" + table(60, func(i int) string { return fmt.Sprintf(`"row %d",%g,%d,%d`, i, float64(i%7), i*i, i) }), nil, "column 1, which has no name, is left out: it has the numbers or names of the rows"},
		{"formatted numbers", "a,b,y\n" + table(60, func(i int) string { return fmt.Sprintf(`"%d,%03d.50",%d %%,%d`, i%5+1, i, i*i, i) }), nil, `!column "a": "1,000.50" is a number with a unit or separators (--formatted-numbers or --ignore a or --category a)`},
		{"formatted numbers, said", "a,b,y\n" + table(60, func(i int) string { return fmt.Sprintf(`"%d,%03d.50",%d %%,%d`, i%5+1, i, i*i, i) }), []string{"--formatted-numbers"}, "2 columns, values"},
		{"commas between thousands", "a,b,y\n" + table(60, func(i int) string { return fmt.Sprintf(`"%d,%03d",%d,%d`, i%5+1, i, i*i, i) }), nil, `!column "a": "1,000" is a number with a decimal comma, or with one between thousands (--decimal-comma or --formatted-numbers or --ignore a or --category a)`},
		{"texts and no header", "1,red,2.5\n3,blue,3.5\n4,red,1.5\n5,blue,2.25\n", nil, "!seems to have no header (--no-header or --header)"},
		{"no header and a gap", "1.5,,2.5\n3,1,3.5\n4,2,1.5\n", nil, "!seems to have no header (--no-header or --header)"},
		{"no header", strings.TrimPrefix(numbers(5, 60, "", value), "\n"), nil, "!seems to have no header (--no-header or --header)"},
		{"no header, said", strings.TrimPrefix(numbers(5, 60, "", value), "\n"), []string{"--no-header"}, "2 columns, values"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, model := write(t, "table.csv", c.table), filepath.Join(t.TempDir(), "m.gram")
			args := append([]string{"fit", "--data", path, "-o", model}, c.args...)
			if len(c.args) == 0 || c.args[0] != "--method" {
				args = append(args, "--method", "linear")
			}
			if want, bad := strings.CutPrefix(c.want, "!"); bad {
				fails(t, 1, []string{want}, args...)
				return
			}
			out, stderr, code := cli(t, args...)
			if code != 0 || !strings.Contains(out, c.want) {
				t.Errorf("fit says %q, want %q", out, c.want)
			}
			// A model that never gives the rare class comes with a warning.
			if constant := c.name == "one in two hundred"; constant != strings.Contains(stderr, "no better than a constant") || !constant && stderr != "" {
				t.Errorf("standard error %q", stderr)
			}
			how := []string{"eval", "--model", model, "--data", path, "--json"}
			if c.name == "decimal commas, said" {
				how = append(how, "--decimal-comma")
			}
			if c.name == "formatted numbers, said" {
				how = append(how, "--formatted-numbers")
			}
			if c.name == "no header, said" {
				how = append(how, "--no-header")
			}
			for _, f := range figuresOf(t, ok(t, how...)) {
				if math.IsNaN(f.Value) {
					t.Errorf("%s is NaN", f.Metric)
				}
			}
		})
	}
}

// Tables are divided and converted with their names, categories and gaps.
func TestSplitTable(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	text := houses(3, 100, houseColumns...)
	whole := write(t, "whole.csv", text)
	ok(t, "split", whole, in("train.csv"), in("test.csv"))
	train, err := os.ReadFile(in("train.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]bool{}
	for _, name := range []string{"whole.csv", "train.csv", "test.csv"} {
		ok(t, "convert", map[bool]string{true: whole, false: in(name)}[name == "whole.csv"], in("c-"+name))
		read, err := os.ReadFile(in("c-" + name))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(strings.TrimSpace(string(read)), "\n") {
			switch {
			case name == "whole.csv":
				lines[line] = true
			case !lines[line]:
				t.Errorf("%s, line %d is %q, which the table does not have", name, i+1, line)
			}
		}
	}
	if !strings.HasPrefix(string(train), "street,rooms,\"age, years\",price\n") {
		t.Errorf("the header is %.60q", train)
	}
	fails(t, 1, []string{`column "street" is a category`}, "convert", whole, in("a.libsvm"))
	// A search and a comparison encode each part of the rows by itself.
	ok(t, "fit", "--method", "krr", "--data", whole, "-o", in("m.gram"), "--scale", "standard", "--search", "lambda=0.01,0.1", "--folds", "3", "--categories", "target")
	var d struct{ D int }
	if err := json.Unmarshal([]byte(warned(t, "a linear model does better", "fit", "--method", "gbdt", "--data", whole, "-o", in("m.gram"), "--set", "min-rows=40", "--json")), &d); err != nil || d.D != 3 {
		t.Errorf("%+v, %v", d, err)
	}
}

// Probabilities, intervals, explanations and compiled programs of a table's model go by its
// columns, not by what the columns have become.
func TestTrustedTable(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	train, test := write(t, "train.csv", houses(5, 300, houseColumns...)), write(t, "test.csv", houses(6, 100, "rooms", "street", "price", "age, years"))
	ok(t, "fit", "--method", "gbdt", "--data", train, "-o", in("trees.gram"), "--conformal", "--categories", "onehot")
	ok(t, "fit", "--method", "krr", "--data", train, "-o", in("krr.gram"))
	ok(t, "fit", "--method", "linear", "--data", train, "--target", "rooms", "--ignore", "price", "-o", in("rooms.gram"), "--proba")
	if f := figuresOf(t, ok(t, "eval", "--model", in("trees.gram"), "--data", test, "--interval", ".9", "--json")); !(f["coverage"].Value > .75) {
		t.Errorf("the coverage is %v", f["coverage"].Value)
	}
	if out := ok(t, "predict", "--model", in("rooms.gram"), "--data", test, "--proba", "-o", "-"); strings.Count(out, "\n") != 100 {
		t.Errorf("%d predictions", strings.Count(out, "\n"))
	}
	for model, columns := range map[string]string{"trees.gram": "shapley", "krr.gram": "relevance"} {
		var r struct {
			Columns []struct {
				Name               string
				Shapley, Relevance *float64
			}
		}
		if err := json.Unmarshal([]byte(ok(t, "explain", "--model", in(model), "--data", test, "--partial", "1,3", "--json")), &r); err != nil {
			t.Fatal(err)
		}
		names := map[string]bool{}
		for _, c := range r.Columns {
			names[c.Name] = (columns == "shapley") == (c.Shapley != nil) && (columns == "relevance") == (c.Relevance != nil)
		}
		if len(r.Columns) != 3 || !names["street"] || !names["rooms"] || !names["age, years"] {
			t.Errorf("%s: %+v", model, r.Columns)
		}
	}
	ok(t, "compile", "--model", in("krr.gram"), "--method", "exact", "-o", in("fast.gram"))
	want, got := figuresOf(t, ok(t, "eval", "--model", in("krr.gram"), "--data", test, "--json")), figuresOf(t, ok(t, "eval", "--model", in("fast.gram"), "--data", test, "--json"))
	if d := got["rmse"].Value/want["rmse"].Value - 1; !(math.Abs(d) <= 1e-4) {
		t.Errorf("compiled: rmse %v, want %v", got["rmse"].Value, want["rmse"].Value)
	}
}

// Predictions are a table if the file is one by its name, or if columns of the data are kept:
// with the cells as they were written, the target's too, and the columns of the model as before.
func TestPredictTable(t *testing.T) {
	kinds := func(order ...string) string {
		r := rand.New(rand.NewPCG(7, 1))
		var b strings.Builder
		b.WriteString(strings.Join(order, ",") + "\n")
		for i := range 120 {
			x, y := r.NormFloat64(), r.NormFloat64()
			cells := map[string]string{"x": fmt.Sprint(x), "y": fmt.Sprint(y), "kind": `"yes, it is"`, "id": fmt.Sprintf("%04d", i), "note": `"a ""b"""`}
			if x < 0 {
				cells["kind"] = "no"
			}
			for j, name := range order {
				if j > 0 {
					b.WriteByte(',')
				}
				b.WriteString(cells[name])
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
	dir := t.TempDir()
	model, out := filepath.Join(dir, "m.gram"), filepath.Join(dir, "p.csv")
	ok(t, "fit", "--method", "linear", "--data", write(t, "train.csv", kinds("x", "y", "kind")), "-o", model, "--proba", "--conformal")
	data := write(t, "new.csv", kinds("id", "y", "kind", "x", "note"))
	ok(t, "predict", "--model", model, "--data", data, "--keep", "id,kind,note,y", "--scores", "--proba", "--interval", ".9", "-o", out)
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"id", "kind", "note", "y", "class", "score", "probability_no", "probability_yes, it is", "in_set_no", "in_set_yes, it is"}; !slices.Equal(rows[0], want) {
		t.Errorf("columns %q, want %q", rows[0], want)
	}
	plain := strings.Split(strings.TrimSpace(ok(t, "predict", "--model", model, "--data", data, "--ignore", "id,note", "--json", "--scores", "--proba", "--interval", ".9", "-o", "-")), "\n")
	right := 0
	for i, row := range rows[1:] {
		var p struct {
			Class                 string
			Scores, Probabilities []float64
			Set                   []string
		}
		if err := json.Unmarshal([]byte(plain[i]), &p); err != nil {
			t.Fatal(err)
		}
		in := map[bool]string{true: "1", false: "0"}
		want := []string{fmt.Sprintf("%04d", i), row[1], `a "b"`, row[3], p.Class, fmt.Sprint(p.Scores[0]), fmt.Sprint(p.Probabilities[0]), fmt.Sprint(p.Probabilities[1]),
			in[slices.Contains(p.Set, "no")], in[slices.Contains(p.Set, "yes, it is")]}
		if !slices.Equal(row, want) {
			t.Fatalf("row %d is %q, want %q", i+1, row, want)
		}
		if row[1] == row[4] {
			right++
		}
	}
	if len(rows) != 121 || right < 110 {
		t.Errorf("%d rows, of which %d agree with the target", len(rows)-1, right)
	}
	// A table without names: the columns have their numbers.
	bare := func(text string) string { return text[strings.Index(text, "\n")+1:] }
	numbered := filepath.Join(dir, "n.gram")
	ok(t, "fit", "--method", "linear", "--no-header", "--data", write(t, "bare.csv", bare(kinds("x", "y", "kind"))), "-o", numbered)
	if got := ok(t, "predict", "--model", numbered, "--no-header", "--data", write(t, "more.csv", bare(kinds("id", "x", "y"))), "--keep", "1", "-o", "-"); !strings.HasPrefix(got, "1,class\n0000,") {
		t.Errorf("got %.40q", got)
	}
	// A number of JSON is kept with all of its digits.
	lines := write(t, "new.jsonl", `{"id": 12345678901234567890, "price": 1.50, "x": 1, "y": 2}`+"\n")
	if got := ok(t, "predict", "--model", model, "--data", lines, "--keep", "id,price", "-o", "-"); got != "id,price,class\n12345678901234567890,1.50,\"yes, it is\"\n" {
		t.Errorf("got %q", got)
	}
	// Values and label sets have columns, too.
	values := filepath.Join(dir, "v.gram")
	ok(t, "fit", "--method", "gp", "--data", write(t, "values.csv", kinds("x", "y")), "-o", values)
	if got := ok(t, "predict", "--model", values, "--data", data, "--ignore", "kind,note", "--keep", "id", "--interval", ".9", "-o", "-"); !strings.HasPrefix(got, "id,value,low,high\n0000,") {
		t.Errorf("got %.60q", got)
	}
	fails(t, 1, []string{"new.csv:1", `no column is called "name"`}, "predict", "--model", model, "--data", data, "--keep", "name", "-o", "-")
	fails(t, 2, []string{"--json", "--keep", "leave one out"}, "predict", "--model", model, "--data", data, "--keep", "id", "--json", "-o", "-")
	fails(t, 1, []string{"Keep is [id]", "libsvm"}, "predict", "--model", numbered, "--data", write(t, "a.libsvm", "1 1:2 2:3\n"), "--keep", "id", "-o", "-")
}
