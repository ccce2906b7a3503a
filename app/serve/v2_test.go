package serve

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/algos/conformal"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"gonum.org/v1/gonum/mat"
)

// table has a number, a truth value and a category with missing cells. The stored value of a category is the number
// of its level, which the model adds up.
func table() *pipeline.Model {
	m := values(dataset.Dense)
	m.Schema = &dataset.Schema{Target: "y", Columns: []dataset.Column{
		{Name: "a"}, {Name: "ripe", Kind: dataset.Category, Levels: []string{"False", "True"}}, {Name: "size", Kind: dataset.Category, Levels: []string{"1", "2", "3"}, Missing: true},
	}}
	return m
}

func protocolServer(t *testing.T) *Server {
	h := New(values(dataset.Dense), testConfig)
	trusted, sets := values(dataset.Dense), classes()
	sets.Calibration = calibration.Softmax(3)
	var err error
	if trusted.Conformal, err = conformal.FitValues([]float64{0, 0, 0}, []float64{1, .5, .25}); err != nil {
		t.Fatal(err)
	}
	if sets.Conformal, err = conformal.FitClasses(mat.NewDense(3, 3, []float64{3, 0, 0, 0, 3, 0, 0, 0, 1}), []int{0, 1, 2}, false); err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]*pipeline.Model{
		"values": values(dataset.Dense), "sparse": values(dataset.Sparse), "classes": classes(), "labels": labels(), "table": table(), "trusted": trusted, "sets": sets,
	} {
		h.Set(name, m)
	}
	return h
}

// Requests as the protocol's clients write them, and what is wrong with others.
func TestInfer(t *testing.T) {
	h := protocolServer(t)
	const rows = `"inputs":[{"name":"x","datatype":"FP64","shape":[2,3],"data":`
	for _, c := range []struct {
		model, body string
		code        int
		want        string
	}{
		{"values", `{"id":"7",` + rows + `[1,2,3,4,5,6]}]}`, 200, `{"model_name":"values","model_version":"","id":"7","outputs":[{"name":"value","datatype":"FP64","shape":[2],"data":[6,15]}]}`},
		{"values", `{` + rows + ` [ [1,2,3] , [4,5,6] ] }]}`, 200, `"data":[6,15]`},
		{"sparse", `{` + rows + `[[1,2,3],[4,5,6]]}]}`, 200, `"data":[6,15]`},
		{"values", `{"parameters":{"content_type":"np"},"inputs":[{"name":"x","datatype":"INT32","shape":[1,3],"parameters":{"content_type":"np"},"data":[1,2,-3]}]}`, 200, `"data":[0]`},
		{"classes", `{` + rows + `[0,0,0,0,0,1]}]}`, 200, `"outputs":[{"name":"class","datatype":"BYTES","shape":[2],"data":["a","b\""]}]`},
		{"classes", `{` + rows + `[0,0,0,0,0,1]}],"outputs":[{"name":"scores"}]}`, 200, `"outputs":[{"name":"scores","datatype":"FP64","shape":[2,3],"data":[0,1,0,1,0,2]}]`},
		{"labels", `{"parameters":{"top":2},` + rows + `[0,0,0,0,0,1]}]}`, 200, `{"name":"labels","datatype":"INT64","shape":[2,2],"data":[0,1,0,1]},{"name":"scores","datatype":"FP64","shape":[2,2],"data":[0,-1,1,0]}`},
		{"trusted", `{"parameters":{"interval":0.5},` + rows + `[1,2,3,4,5,6]}]}`, 200, `{"name":"low","datatype":"FP64","shape":[2],"data":[5.5,14.5]}`},
		{"sets", `{"parameters":{"interval":0.5},` + rows + `[1,0,0,0,0,0]}]}`, 200, `{"name":"set","datatype":"BOOL","shape":[2,3],"data":[`},
		{"sets", `{` + rows + `[1,0,0,0,0,0]}]}`, 200, `"probabilities"`},
		{"table", `{"inputs":[{"name":"size","datatype":"BYTES","shape":[2,1],"data":["3",null]},{"name":"a","datatype":"FP32","shape":[2,1],"data":[1,5]},{"name":"ripe","datatype":"BOOL","shape":[2],"data":[true,false]},{"name":"y","datatype":"FP32","shape":[2],"data":[0,0]}]}`, 422, "row 2: the prediction is not a finite number"},
		{"table", `{"inputs":[{"name":"size","datatype":"INT64","shape":[1],"data":[3]},{"name":"a","datatype":"FP32","shape":[1],"data":[1]},{"name":"ripe","datatype":"BYTES","shape":[1],"data":["true"]}]}`, 200, `"data":[4]`},

		{"values", ``, 400, "not JSON"},
		{"values", `[]`, 400, "the body is an array, want an object"},
		{"values", `{}`, 400, "there are no inputs"},
		{"values", `{"id":7}`, 400, "id is a number"},
		{"values", `{"inputs":[],"inputs":[]}`, 400, "inputs is there twice"},
		{"values", `{"input":[]}`, 400, "unknown field"},
		{"values", `{"inputs":[7]}`, 400, "inputs 1 is a number"},
		{"values", `{"inputs":[{"name":"x","datatype":"FP16","shape":[1,3],"data":[1,2,3]}]}`, 400, `the datatype is \"FP16\"`},
		{"values", `{"inputs":[{"name":"x","datatype":"FP64","shape":[1,1,3],"data":[1,2,3]}]}`, 400, "more than two dimensions"},
		{"values", `{"inputs":[{"name":"x","datatype":"FP64","shape":[0,3],"data":[]}]}`, 400, "the shape is [0 3]"},
		{"values", `{"inputs":[{"name":"x","datatype":"FP64","shape":[1,3]}]}`, 400, "want data"},
		{"values", `{"inputs":[{"name":"x","datatype":"FP64","shape":[1,3],"data":7}]}`, 400, "data is a number"},
		{"values", `{"inputs":[{"name":"x","datatype":"FP64","shape":[1,2],"data":[1,2]}]}`, 400, "want one input of shape [rows,3]"},
		{"values", `{` + rows + `[1,2,3,4,5]}]}`, 422, "row 2: column 3: input \\\"x\\\" has fewer than the 6 cells"},
		{"values", `{` + rows + `[1,2,3,4,5,6,7]}]}`, 400, "more than the 6 cells"},
		{"values", `{` + rows + `[[1,2],[3,4,5,6]]}]}`, 422, "do not all have 3 cells"},
		{"values", `{` + rows + `[[1,2,3,4],[5,6]]}]}`, 422, "do not all have 3 cells"},
		{"values", `{` + rows + `[[1,2,3],[4,5,6,7]]}]}`, 400, "more than the 6 cells"},
		{"values", `{` + rows + `[1,2,3,4,null,6]}]}`, 422, "row 2: column 2: want a number, not null"},
		{"values", `{` + rows + `[1,2,3,4,"5",6]}]}`, 422, "row 2: column 2: the datatype is FP64, and the cell is a string"},
		{"values", `{` + rows + `[1,2,3,4,[[5]],6]}]}`, 422, "want a number, not an array"},
		{"values", `{` + rows + `[1,2,3,4,1e999,6]}]}`, 422, "beyond the range"},
		{"values", `{"inputs":[{"name":"x","datatype":"FP64","shape":[6,3],"data":[1]}]}`, 413, "6 rows in a request, the limit is 5"},
		{"values", `{` + rows + `[1,2,3,4,5,6]}],"outputs":[{"name":"class"}]}`, 400, `none that is left of [\"value\"]`},
		{"values", `{` + rows + `[1,2,3,4,5,6]}],"outputs":[{"name":"value"},{"name":"value"}]}`, 400, "none that is left"},
		{"values", `{` + rows + `[1,2,3,4,5,6]}],"outputs":[{"name":"value","parameters":{"binary_data":5}}]}`, 400, "bool"},
		{"values", `{` + rows + `[1,2,3,4,5,6]}],"outputs":[{"name":5}]}`, 400, "name"},
		{"values", `{` + rows + `[1,2,3,4,5,6]}],"outputs":[{"name":"value","name":"value"}]}`, 400, "twice"},
		{"values", `{"parameters":{"interval":0.5},` + rows + `[1,2,3,4,5,6]}]}`, 400, "the model has no intervals"},
		{"labels", `{"parameters":{"top":99},` + rows + `[0,0,0,0,0,1]}]}`, 400, "top is 99"},
		{"labels", `{"parameters":{"top":"2"},` + rows + `[0,0,0,0,0,1]}]}`, 400, "parameter top"},
		{"table", `{` + rows + `[0,0,0,0,0,1]}]}`, 400, "send a tensor for each column, by name"},
		{"table", `{"inputs":[{"name":"a","datatype":"FP32","shape":[1],"data":[1]},{"name":"ripe","datatype":"BOOL","shape":[1],"data":[true]}]}`, 400, "column \\\"size\\\": is not there"},
		{"table", `{"inputs":[{"name":"a","datatype":"FP32","shape":[1],"data":[1]},{"name":"ripe","datatype":"BOOL","shape":[2],"data":[true,true]}]}`, 400, "has 2 rows"},
		{"table", `{"inputs":[{"name":"a","datatype":"FP32","shape":[1],"data":[1]},{"name":"rype","datatype":"BOOL","shape":[1],"data":[true]}]}`, 400, "no column \\\"rype\\\""},
		{"table", `{"inputs":[{"name":"size","datatype":"BYTES","shape":[1],"data":["3"]},{"name":"a","datatype":"BYTES","shape":[1],"data":["1"]},{"name":"ripe","datatype":"BOOL","shape":[1],"data":[true]}]}`, 422, "column \\\"a\\\": want a number, not a string"},
		{"nothing", `{}`, 404, "there is no model"},
	} {
		code, text := post(h, "/v2/models/"+c.model+"/infer", "application/json", c.body)
		if code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("%s %s:\n%d %s, want %d with\n%s", c.model, c.body, code, text, c.code, c.want)
		}
		if !json.Valid([]byte(text)) {
			t.Errorf("%s: not JSON: %s", c.body, text)
		}
	}
}

// ask2 sends a request with binary tensors after its JSON.
func ask2(h http.Handler, model, head string, tail []byte) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/v2/models/"+model+"/infer", strings.NewReader(head+string(tail)))
	r.Header.Set("Content-Type", "application/octet-stream")
	r.Header.Set(headLength, strconv.Itoa(len(head)))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Every datatype of binary tensors gives the cells that JSON gives, and the answer may be binary, too.
func TestBinary(t *testing.T) {
	h := protocolServer(t)
	for datatype, cells := range map[string]any{
		"INT8": []int8{1, -2, 3}, "UINT8": []uint8{1, 254, 3}, "INT16": []int16{1, -2, 3}, "UINT16": []uint16{1, 65000, 3}, "INT32": []int32{1, -2, 3}, "UINT32": []uint32{1, 4e9, 3},
		"INT64": []int64{1, -2, 3}, "UINT64": []uint64{1, 1 << 52, 3}, "FP32": []float32{1, -2.5, 3}, "FP64": []float64{1, -2.5, 1e300}, "BOOL": []bool{true, false, true},
	} {
		raw, err := binary.Append(nil, binary.LittleEndian, cells)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(cells)
		if b, is := cells.([]uint8); is {
			text = fmt.Appendf(nil, "[%d,%d,%d]", b[0], b[1], b[2])
		}
		_, want := post(h, "/v2/models/values/infer", "", fmt.Sprintf(`{"inputs":[{"name":"x","datatype":%q,"shape":[1,3],"data":%s}]}`, datatype, text))
		got := ask2(h, "values", fmt.Sprintf(`{"inputs":[{"name":"x","datatype":%q,"shape":[1,3],"parameters":{"binary_data_size":%d}}]}`, datatype, len(raw)), raw)
		if got.Code != 200 || got.Body.String() != want || !strings.Contains(want, `"data":[`) {
			t.Errorf("%s: %d %s, want %s", datatype, got.Code, got.Body, want)
		}
	}
	w := ask2(h, "classes", `{"parameters":{"binary_data_output":true},"inputs":[{"name":"x","datatype":"INT8","shape":[2,3],"parameters":{"binary_data_size":6}}],"outputs":[{"name":"class"},{"name":"scores","parameters":{"binary_data":false}}]}`, []byte{0, 0, 0, 0, 0, 2})
	head := `{"model_name":"classes","model_version":"","outputs":[{"name":"class","datatype":"BYTES","shape":[2],"parameters":{"binary_data_size":11}},{"name":"scores","datatype":"FP64","shape":[2,3],"data":[0,1,0,2,-1,4]}]}`
	if want := head + "\x01\x00\x00\x00a\x02\x00\x00\x00ü"; w.Body.String() != want || w.Header().Get(headLength) != strconv.Itoa(len(head)) || w.Header().Get("Content-Type") != "application/octet-stream" {
		t.Errorf("%s %v, want\n%s", w.Body, w.Header(), want)
	}
	// A number in a column of categories is its text.
	cells := append([]byte("\x04\x00\x00\x00True"), binary.LittleEndian.AppendUint64(nil, math.Float64bits(2))...)
	column := func(name, datatype string, size int) string {
		return fmt.Sprintf(`{"name":%q,"datatype":%q,"shape":[1],"parameters":{"binary_data_size":%d}}`, name, datatype, size)
	}
	named := `{"inputs":[{"name":"a","datatype":"FP32","shape":[1],"data":[1]},` + column("ripe", "BYTES", 8) + `,` + column("size", "FP64", 8) + `]}`
	if w := ask2(h, "table", named, cells); !strings.Contains(w.Body.String(), `"data":[3]`) {
		t.Errorf("%s", w.Body)
	}
	bad := func(x float64) []byte { return binary.LittleEndian.AppendUint64(make([]byte, 16), math.Float64bits(x)) }
	one := `{"inputs":[{"name":"x","datatype":"FP64","shape":[1,3],"parameters":{"binary_data_size":24}}]}`
	for _, c := range []struct {
		model, head string
		data        []byte
		want        string
	}{
		{"values", one, bad(math.NaN()), "column 3: null"},
		{"values", one, bad(math.Inf(1)), "column 3: infinity"},
		{"values", one, bad(1)[:23], "23 bytes are left"},
		{"values", one, append(bad(1), 0), "1 bytes of the body belong to no tensor"},
		{"values", strings.Replace(one, "24", "16", 1), bad(1)[:16], "16 bytes for 3 cells"},
		{"values", strings.Replace(one, "24", "-1", 1), nil, "binary_data_size is -1"},
		{"values", strings.Replace(one, `"parameters"`, `"data":[1,2,3],"parameters"`, 1), bad(1), "want data, or"},
		{"values", `{"inputs":[{"name":"x","datatype":"BOOL","shape":[1,3],"parameters":{"binary_data_size":3}}]}`, []byte{0, 1, 2}, "a BOOL is 2"},
		{"values", `{"inputs":[{"name":"x","datatype":"BYTES","shape":[1,3],"parameters":{"binary_data_size":5}}]}`, []byte("\x01\x00\x00\x00a"), "want a number, not a text"},
		{"table", named, append([]byte("\xff\x00\x00\x00True"), cells[8:]...), "ends within a text"},
	} {
		if w := ask2(h, c.model, c.head, c.data); w.Code < 400 || w.Code >= 500 || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s, want %s", c.head, w.Code, w.Body, c.want)
		}
	}
	r := httptest.NewRequest(http.MethodPost, "/v2/models/values/infer", strings.NewReader(one))
	r.Header.Set(headLength, "4000")
	w = httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != 400 || !strings.Contains(w.Body.String(), headLength) {
		t.Errorf("a head longer than the body: %d %s", w.Code, w.Body)
	}
}

// linearModel is a model that can be stored; more are its last values.
func linearModel(t *testing.T, more ...float64) *pipeline.Model {
	t.Helper()
	data := &dataset.Set{X: mat.NewDense(4, 1, []float64{0, 1, 2, 3}), Value: append([]float64{1, 3, 5, 7}[len(more):], more...)}
	method := catalog.Must("linear")
	m, err := training.Train(t.Context(), method, method.New(), data, training.NoScale, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A platform asks for the server, its models and their versions, which are those of their contents.
func TestMetadata(t *testing.T) {
	h := protocolServer(t)
	m := linearModel(t)
	h.Set("linear", m)
	var about struct {
		Versions        []string
		Inputs, Outputs []tensorInfo
	}
	text := ask(h, "/v2/models/linear").Body.Bytes()
	if err := json.Unmarshal(text, &about); err != nil || len(about.Versions) != 1 || len(about.Versions[0]) != 12 {
		t.Fatalf("%v: %s", err, text)
	}
	version := about.Versions[0]
	h.Set("again", m)
	h.Set("other", linearModel(t, 1))
	list := ask(h, "/v1/models").Body.String()
	if !strings.Contains(list, `"linear":"`+version+`"`) || !strings.Contains(list, `"again":"`+version+`"`) || strings.Contains(list, `"other":"`+version+`"`) {
		t.Errorf("the versions are %s, that of linear is %s", list, version)
	}
	for path, want := range map[string]string{
		"/v2": `"extensions":["binary_tensor_data"]`, "/v2/health/live": `"ok"`, "/v2/health/ready": `"ok"`, "/v2/models/linear/ready": `"ok"`,
		"/v2/models/linear/versions/" + version: `"platform":"gram_linear"`, "/v2/models/linear/versions/1": "has the version", "/v1/models/linear": `"sha256":"` + version,
		"/v2/models/table":   `"inputs":[{"name":"a","datatype":"FP64","shape":[-1,1]},{"name":"ripe","datatype":"BYTES","shape":[-1,1]}`,
		"/v2/models/labels":  `"outputs":[{"name":"labels","datatype":"INT64","shape":[-1,-1]}`,
		"/v2/models/trusted": `{"name":"low","datatype":"FP64","shape":[-1]}`,
	} {
		if text := ask(h, path).Body.String(); !strings.Contains(text, want) {
			t.Errorf("%s: %s, want %s", path, text, want)
		}
	}
	r := httptest.NewRequest(http.MethodPost, "/v1/models/linear/predict", strings.NewReader(`{"row":[1]}`))
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Header().Get("Model-Version") != version {
		t.Errorf("an answer has the header %v, want %s", w.Header(), version)
	}
	h.Stop()
	if w := ask(h, "/v2/health/ready"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("a server that stops is ready: %d", w.Code)
	}
}

// The log has the trace of a request whose header traceparent is valid.
func TestTraceID(t *testing.T) {
	const id, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for head, want := range map[string]string{
		"00-" + id + "-" + parent + "-01": id, "01-" + id + "-" + parent + "-01-more": id, "": "", "00-" + id + "-" + parent: "", "00-" + id + "-" + parent + "-01-more": "",
		"ff-" + id + "-" + parent + "-01": "", "00-" + strings.ToUpper(id) + "-" + parent + "-01": "", "00-" + strings.Repeat("0", 32) + "-" + parent + "-01": "", "00-" + id + "-" + strings.Repeat("0", 16) + "-01": "",
	} {
		if got := traceID(http.Header{"Traceparent": {head}}); got != want {
			t.Errorf("%q: %q, want %q", head, got, want)
		}
	}
}

// FuzzInfer checks that any body gets an answer in JSON, and never a 5xx.
func FuzzInfer(f *testing.F) {
	for _, s := range []string{
		`{"inputs":[{"name":"x","datatype":"FP64","shape":[2,3],"data":[[1,2,3],[4,5,6]]}],"outputs":[{"name":"value"}]}`, `{"id":"a","parameters":{"top":2,"interval":0.5}}`,
		`{"inputs":[{"name":"x","datatype":"INT8","shape":[1,3],"parameters":{"binary_data_size":3}}]}` + "\x01\x02\x03",
	} {
		f.Add([]byte(s), -1)
		f.Add([]byte(s), max(0, len(s)-3))
	}
	h := New(values(dataset.Dense), testConfig)
	for name, m := range map[string]*pipeline.Model{"classes": classes(), "labels": labels(), "table": table()} {
		if name == "table" {
			m.Model = regressor{} // without the beast
		}
		h.Set(name, m)
	}
	f.Fuzz(func(t *testing.T, body []byte, head int) {
		for _, name := range []string{"classes", "labels", "table"} {
			r := httptest.NewRequest(http.MethodPost, "/v2/models/"+name+"/infer", strings.NewReader(string(body)))
			if head >= 0 {
				r.Header.Set(headLength, strconv.Itoa(head))
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code >= 500 || w.Code != 200 && !json.Valid(w.Body.Bytes()) || w.Body.Len() == 0 {
				t.Fatalf("status %d: %s", w.Code, w.Body)
			}
		}
	})
}

// The page asks for each column, with the levels of categories, and escapes what the model calls them; the description
// is JSON that names the columns.
func TestIndex(t *testing.T) {
	m := table()
	m.Schema.Columns[0].Name = `<script>alert("a")`
	h := New(m, testConfig)
	page := ask(h, "/")
	if text := page.Body.String(); page.Code != 200 || !strings.Contains(text, "&lt;script&gt;alert(&#34;a&#34;)") || strings.Contains(text, "<script>alert") ||
		!strings.Contains(text, "<option>True</option>") || !strings.Contains(text, "(missing)") || page.Header().Get("Content-Security-Policy") == "" {
		t.Errorf("%d %v\n%s", page.Code, page.Header(), text)
	}
	wide := values(dataset.Sparse)
	wide.Dim = 100_000
	if text := ask(New(wide, testConfig), "/").Body.String(); !strings.Contains(text, "an array of 100000 numbers") {
		t.Errorf("the page of a wide model:\n%s", text)
	}
	for _, m := range []*pipeline.Model{m, classes(), labels()} {
		var d struct {
			OpenAPI    string
			Paths      map[string]any
			Components struct{ Schemas map[string]any }
		}
		h := New(m, testConfig)
		if err := json.Unmarshal(ask(h, "/openapi.json").Body.Bytes(), &d); err != nil || d.OpenAPI != "3.1.0" || d.Components.Schemas["Row"] == nil {
			t.Errorf("%v: %+v", err, d)
		}
		h.Set("m", m)
		for path, about := range d.Paths {
			path = strings.NewReplacer("{name}", "m", "/versions/{version}", "").Replace(path)
			want := http.StatusOK
			if about.(map[string]any)["post"] != nil {
				want = http.StatusMethodNotAllowed
			}
			if w := ask(h, path); w.Code != want {
				t.Errorf("%s: %d, want %d", path, w.Code, want)
			}
		}
	}
}
