//go:build cgo

package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gramworks/gram/modelfile"
)

// fields are the members of a structure of gram.h, or the arguments of a function, by name. A text is a char *, texts are an array
// with a NULL at its end, numbers in a slice an array, fields a structure, and fields in a slice an array of structures.
type fields map[string]any

// with returns f with other members; path says in which structure of f they are: "options", or "" for f itself.
func (f fields) with(path string, more fields) fields {
	f = maps.Clone(f)
	if path == "" {
		maps.Copy(f, more)
		return f
	}
	part, rest, _ := strings.Cut(path, ".")
	inner, _ := f[part].(fields)
	if columns, is := f[part].([]fields); is { // the first one
		columns = slices.Clone(columns)
		columns[0] = columns[0].with(rest, more)
		f[part] = columns
		return f
	}
	if inner == nil {
		inner = fields{}
	}
	f[part] = inner.with(rest, more)
	return f
}

// inC returns v as a value of a type of the C interface.
func inC(to reflect.Type, v any) reflect.Value {
	pointer := func(p unsafe.Pointer) reflect.Value {
		if to.Kind() == reflect.UnsafePointer {
			return reflect.ValueOf(p).Convert(to)
		}
		return reflect.NewAt(to.Elem(), p).Convert(to)
	}
	switch v := v.(type) {
	case nil:
		return reflect.Zero(to)
	case string:
		return pointer(unsafe.Pointer(unsafe.StringData(v + "\x00")))
	case []string:
		texts := make([]unsafe.Pointer, len(v)+1)
		for i, s := range v {
			texts[i] = unsafe.Pointer(unsafe.StringData(s + "\x00"))
		}
		return pointer(unsafe.Pointer(&texts[0]))
	case fields:
		p := reflect.New(to.Elem())
		v.put(p.Elem())
		return p
	case []fields:
		all := reflect.MakeSlice(reflect.SliceOf(to.Elem()), len(v), len(v))
		for i, f := range v {
			f.put(all.Index(i))
		}
		return pointer(all.UnsafePointer())
	}
	if from := reflect.ValueOf(v); from.Kind() == reflect.Slice {
		return pointer(from.UnsafePointer())
	} else {
		return from.Convert(to)
	}
}

// put sets the members of a structure, which cgo does not export.
func (f fields) put(to reflect.Value) {
	for name, v := range f {
		if name == "type" {
			name = "_type"
		}
		at := to.FieldByName(name)
		reflect.NewAt(at.Type(), at.Addr().UnsafePointer()).Elem().Set(inC(at.Type(), v))
	}
}

// header is what gram.h declares: the names of the members of each structure, and of the arguments of each function.
func header(t *testing.T) (structures, functions map[string][]string) {
	t.Helper()
	b, err := os.ReadFile("gram.h")
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(string(b), "")
	structures, functions = map[string][]string{}, map[string][]string{}
	last := regexp.MustCompile(`(\w+)(\[\d+\])?$`)
	names := func(list, separators string) (all []string) {
		for _, one := range strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
			if m := last.FindStringSubmatch(strings.TrimSpace(one)); m != nil {
				all = append(all, m[1])
			}
		}
		return all
	}
	for _, m := range regexp.MustCompile(`(?s)typedef struct \{(.*?)\} (\w+);`).FindAllStringSubmatch(text, -1) {
		structures[m[2]] = names(m[1], ";,")
	}
	for _, m := range regexp.MustCompile(`extern [^;]*?(gram_\w+)\(([^;]*)\);`).FindAllStringSubmatch(text, -1) {
		functions[m[1]] = names(m[2], ",")
	}
	if len(structures) < 7 || len(functions) < 30 {
		t.Fatalf("gram.h declares %v and %v", structures, functions)
	}
	return structures, functions
}

// fitted calls one of the functions that fit, and returns the bytes of its model, or its status and message.
func fitted(t *testing.T, function string, arguments fields) string {
	t.Helper()
	_, names := header(t)
	f := reflect.ValueOf(map[string]any{"gram_fit": gram_fit, "gram_fit_table": gram_fit_table, "gram_fit_map": gram_fit_map}[function])
	var in []reflect.Value
	for i, name := range names[function] {
		switch to := f.Type().In(i); name {
		case "model", "map", "error":
			in = append(in, reflect.New(to.Elem()))
		default:
			in = append(in, inC(to, arguments[name]))
		}
	}
	status := f.Call(in)[0].Int()
	message := in[len(in)-1].Elem().FieldByName("message")
	text := unsafe.Slice((*byte)(message.Addr().UnsafePointer()), message.Len())
	out := fmt.Sprint(status, " ", string(text[:max(0, bytes.IndexByte(text, 0))]))
	handle := in[len(in)-2].Elem()
	if handle.Uint() == 0 {
		return out
	}
	got := reflect.ValueOf(storable).Call([]reflect.Value{handle})
	m, is := got[0].Interface().(modelfile.Model)
	if !is {
		t.Fatalf("no model can be stored: %v", got[1])
	}
	var b bytes.Buffer
	if err := modelfile.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return out + b.String()
}

// Calls from which the effects are seen. Rows have a column more in memory than the matrix has.
var (
	calls = func() map[string]fields {
		const n, d = 60, 3
		x, sparse, col, ptr := make([]float64, n*(d+1)), []float64{}, []int32{}, []int64{0}
		class, value, sets, ends := make([]int64, n), make([]float64, n), []int32{}, []int64{0}
		place, whole := make([]int32, n), make([]int64, n)
		for i := range n {
			for j := range d + 1 {
				x[i*(d+1)+j] = math.Sin(float64(i*i*(j+2)+j)) + float64(j)/3
				if j < d && (i+j)%3 > 0 {
					sparse, col = append(sparse, x[i*(d+1)+j]), append(col, int32(j))
				}
			}
			ptr = append(ptr, int64(len(col)))
			value[i] = x[i*(d+1)] * x[i*(d+1)+1]
			if value[i] > 0.1 || i%9 == 0 {
				class[i] = 1
			}
			sets = append(sets, int32(class[i]), int32(2+i%2))
			ends = append(ends, int64(len(sets)))
			place[i], whole[i] = int32(i%3), int64(i*i%11)
		}
		rows := fields{"data": x, "n": n, "d": d, "stride": d + 1}
		classes := fields{"method": "svm", "settings": []string{"gamma=1"}, "x": rows, "y": fields{"label": class, "classes": 2}}
		values := classes.with("", fields{"method": "krr", "settings": []string{"gamma=1", "lambda=0.1"}, "y": fields{"value": value}})
		return map[string]fields{
			"classes": classes, "values": values,
			"sparse": classes.with("", fields{"x": fields{"data": sparse, "ptr": ptr, "col": col, "n": n, "d": d}}),
			"sets": classes.with("", fields{"method": "fastxml", "settings": []string{"trees=2"},
				"y": fields{"sets": fields{"n": n, "d": 4, "ptr": ends, "col": sets}}}),
			"drawn": values.with("", fields{"method": "rff", "settings": []string{"gamma=1", "lambda=0.1", "m=5"}}),
			"trees": values.with("", fields{"method": "gbdt", "settings": []string{"rounds=3", "min-rows=5"}}),
			"map":   {"method": "nystrom", "settings": []string{"gamma=1", "m=5"}, "x": rows},
			"table": {"method": "gbdt", "settings": []string{"rounds=3", "min-rows=5"}, "target": "y", "table": fields{"n": n, "columns": 3, "column": []fields{
				{"name": "color", "type": 3, "data": place, "levels": []string{"red", "green", "blue"}, "count": 3},
				{"name": "size", "type": 0, "data": value}, {"name": "y", "type": 2, "data": whole},
			}}},
		}
	}()
)

// effect is a change of a call: a member of a structure, whose path in the call is at, gets another value. beside is set in that
// structure before, and does not change the model where it is the same way of saying something.
type effect struct {
	call, at string
	beside   fields
	value    any
}

// other returns n numbers.
func other(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = math.Abs(math.Cos(float64(i * i)))
	}
	return v
}

// fifty returns n numbers of classes.
func fifty(n int) []int64 {
	v := make([]int64, n)
	for i := range v {
		v[i] = int64(i / 2 % 2)
	}
	return v
}

// effects has a line for each member of a structure that a caller fills, and each argument of a function that fits.
var effects = map[string]effect{
	"gram_matrix data":   {"classes", "x", nil, other(240)},
	"gram_matrix n":      {"map", "x", nil, 50},
	"gram_matrix d":      {"classes", "x", nil, 2},
	"gram_matrix stride": {"classes", "x", nil, 3},
	"gram_matrix ptr":    {"sparse", "x", nil, append(make([]int64, 60), 120)},
	"gram_matrix col":    {"sparse", "x", fields{"d": 200}, []int32{4: 1, 119: 0}},
	"gram_matrix type":   {"classes", "x", nil, 1},

	"gram_target label":   {"classes", "y", nil, fifty(60)},
	"gram_target names":   {"classes", "y", nil, []string{"no", "yes"}},
	"gram_target classes": {"classes", "y", nil, 3},
	"gram_target value":   {"values", "y", nil, other(60)},
	"gram_target sets":    {"sets", "y", nil, fields{"n": 60, "d": 4, "ptr": slices.Repeat([]int64{0}, 61)}},

	"gram_column name":   {"table", "table.column", nil, "shade"},
	"gram_column data":   {"table", "table.column", nil, make([]int32, 60)},
	"gram_column levels": {"table", "table.column", nil, []string{"red", "green", "black"}},
	"gram_column count":  {"table", "table.column", nil, 2},
	"gram_column type":   {"table", "table.column", fields{"levels": []string{"2020-01-31", "2020-02-01", "2021-03-04"}}, 4},
	"gram_table column":  {"table", "table", nil, []fields{{}, {}, {}}},
	"gram_table columns": {"table", "table", nil, 2},
	"gram_table n":       {"table", "table", nil, 50},

	"gram_options seed":          {"drawn", "options", nil, 7},
	"gram_options workers":       {"classes", "options", nil, 3},
	"gram_options memory_limit":  {"classes", "options", nil, 1000},
	"gram_options scale":         {"classes", "options", nil, "none"},
	"gram_options probabilities": {"classes", "options", nil, "platt"},
	"gram_options progress":      {"classes", "options", nil, other(1)},
	"gram_options cancel":        {"classes", "options", nil, 1 << 60},
	"gram_options conformal":     {"classes", "options", nil, 0.3},
	"gram_options adaptive":      {"classes", "options", fields{"conformal": 0.3, "probabilities": "platt"}, 1},
	"gram_options from":          {"trees", "options", nil, 1 << 60},
	"gram_options search":        {"classes", "options", nil, "c=0.01,10"},
	"gram_options trials":        {"classes", "options", fields{"search": "auto", "folds": 2, "trials": 3, "seed": 4}, 1},
	"gram_options folds":         {"classes", "options", fields{"search": "c=0.1,1,10", "seed": 4}, 2},
	"gram_options metric":        {"classes", "options", fields{"search": "c=0.1,1,10"}, "logloss"},
	"gram_options budget":        {"classes", "options", fields{"search": "auto", "folds": 2, "trials": 3, "seed": 4}, 1e-9},

	"gram_fit method":         {"values", "", nil, "falkon"},
	"gram_fit settings":       {"values", "", nil, []string{"gamma=2", "lambda=0.1"}},
	"gram_fit x":              {"sparse", "", nil, calls["classes"]["x"]},
	"gram_fit y":              {"classes", "", nil, calls["sets"]["y"]},
	"gram_fit weights":        {"classes", "", nil, other(60)},
	"gram_fit options":        {"classes", "", nil, fields{"scale": "none"}},
	"gram_fit_table method":   {"table", "", nil, "krr"},
	"gram_fit_table settings": {"table", "", nil, []string{"rounds=4"}},
	"gram_fit_table table":    {"table", "", nil, fields{}},
	"gram_fit_table target":   {"table", "", nil, "color"},
	"gram_fit_table task":     {"table", "", nil, "regression"},
	"gram_fit_table weights":  {"table", "", nil, other(60)},
	"gram_fit_table options":  {"table", "", nil, fields{"conformal": 0.3}},
	"gram_fit_map method":     {"map", "", nil, "rff"},
	"gram_fit_map settings":   {"map", "", nil, []string{"gamma=1", "m=6"}},
	"gram_fit_map x":          {"map", "", nil, calls["sparse"]["x"]},
	"gram_fit_map options":    {"map", "", nil, fields{"seed": 7}},
}

// How a fit runs changes nothing of the model: the test looks whether it arrives in what running returns.
var arrives = map[string]func(run reflect.Value) bool{
	"gram_options workers":  func(run reflect.Value) bool { return run.FieldByName("Workers").Int() == 3 },
	"gram_options progress": func(run reflect.Value) bool { return !run.FieldByName("Progress").IsNil() },
}

// elsewhere are members whose effect another test sees.
var elsewhere = map[string]string{
	"gram_options context": "testdata/program.c calls progress, which looks at it",
	"gram_table arrow":     "testdata/program.c and test_arrow of the Python module compare the model with that of the columns",
}

// of returns the function that makes the call of a name.
func of(call string) string {
	if call == "map" || call == "table" {
		return "gram_fit_" + call
	}
	return "gram_fit"
}

// Every member of the structures of gram.h, and every argument of its functions that fit, changes the model or is refused. A new
// one needs a line in effects.
func TestEveryMemberHasAnEffect(t *testing.T) {
	structures, functions := header(t)
	known := map[string]bool{}
	for _, s := range []string{"gram_matrix", "gram_target", "gram_column", "gram_table", "gram_options"} {
		for _, member := range structures[s] {
			known[s+" "+member] = true
		}
	}
	for _, f := range []string{"gram_fit", "gram_fit_table", "gram_fit_map"} {
		for _, argument := range functions[f] {
			if argument != "model" && argument != "map" && argument != "error" {
				known[f+" "+argument] = true
			}
		}
	}
	for name := range known {
		if _, is := effects[name]; is == (elsewhere[name] != "") {
			t.Errorf("%s: an effect is listed: %v, a test of its own: %q", name, is, elsewhere[name])
		}
	}
	for name, e := range effects {
		_, member, _ := strings.Cut(name, " ")
		if !known[name] {
			t.Errorf("gram.h has no %s", name)
			continue
		}
		before := calls[e.call].with(e.at, e.beside)
		after := before.with(e.at, fields{member: e.value})
		if looked := arrives[name]; looked != nil {
			run := reflect.ValueOf(running)
			got := run.Call([]reflect.Value{inC(run.Type().In(0), after["options"])})[0]
			if !looked(got.FieldByName("run")) {
				t.Errorf("%s does not arrive in the fit", name)
			}
			continue
		}
		a, b := fitted(t, of(e.call), before), fitted(t, of(e.call), after)
		if !strings.HasPrefix(a, "0 ") {
			t.Errorf("%s: the call without it: %.200s", name, a)
		}
		if a != fitted(t, of(e.call), before) {
			t.Errorf("%s: two fits without it differ, so that the test cannot fail", name)
		}
		if a == b {
			t.Errorf("%s changes nothing", name)
		}
	}
}

// An option that a call has no use for is refused: nothing that is asked for is silently left out.
func TestEveryOptionAloneIsRefusedOrHasAnEffect(t *testing.T) {
	structures, _ := header(t)
	none := map[string]string{
		"classes seed": "exact machines draw nothing", "workers": "no result depends on it", "progress": "only looks", "context": "is the argument of progress",
		"table seed": "trees of all rows and columns draw nothing", "table scale": "none is what trees have anyway",
		"map scale": "none is what maps have anyway",
	}
	for _, call := range []string{"classes", "map", "table"} {
		before := fitted(t, of(call), calls[call])
		for _, member := range structures["gram_options"] {
			if none[member]+none[call+" "+member] == "" && fitted(t, of(call), calls[call].with("options", fields{member: effects["gram_options "+member].value})) == before {
				t.Errorf("%s takes the option %s and does nothing with it", of(call), member)
			}
		}
	}
}

// What says the same in another way gives the same model.
func TestNothingElseHasAnEffect(t *testing.T) {
	compact := make([]float64, 0, 180)
	rows := calls["classes"]["x"].(fields)["data"].([]float64)
	for i := range 60 {
		compact = append(compact, rows[4*i:4*i+3]...)
	}
	for name, c := range map[string]struct {
		call, at string
		more     fields
	}{
		"rows side by side":          {"classes", "x", fields{"data": compact, "stride": 0}},
		"names that are the default": {"classes", "y", fields{"names": []string{"0", "1"}}},
		"zeros for options":          {"classes", "options", fields{}},
		"a seed without draws":       {"classes", "options", fields{"seed": 7}},
		"goroutines":                 {"drawn", "options", fields{"workers": 3}},
		"a limit that is not met":    {"drawn", "options", fields{"memory_limit": 1 << 40}},
		"the scale that is chosen":   {"classes", "options", fields{"scale": "standard"}},
		"a task that is found":       {"table", "", fields{"task": "classes"}},
		"the default of a setting":   {"map", "", fields{"settings": []string{"m=5", "gamma=1", "kernel=gaussian"}}},
	} {
		if a, b := fitted(t, of(c.call), calls[c.call]), fitted(t, of(c.call), calls[c.call].with(c.at, c.more)); a != b {
			t.Errorf("%s: another result, %.150q, %.150q", name, a, b)
		}
	}
}
