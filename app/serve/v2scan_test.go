package serve

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/dataset"
)

// named is the model of m under a name of a server.
func named(h *Server, name string) *served {
	models := *h.models.Load()
	return models[slices.IndexFunc(models, func(m *served) bool { return m.name == name })]
}

// checkScan compares what scan reads with what parseInference, which stands on encoding/json, says of the same body, and
// reports whether scan has read the body.
func checkScan(t *testing.T, m *served, body []byte) bool {
	t.Helper()
	s := m.scratch()
	defer m.give(s)
	got := &s.plain
	if !got.scan(body, m) {
		return false
	}
	want, p := m.parseInference(body, "")
	if p != nil {
		t.Fatalf("%s: scan reads what is refused: %s", body, p.Error)
	}
	if got.n != want.n || !bytes.Equal(got.id, want.id) || got.answerOptions != want.answerOptions || len(got.outputs) != len(want.outputs) {
		t.Fatalf("%s: scan reads %d rows, id %s, %+v, %d outputs, want %d, %s, %+v, %d", body, got.n, got.id, got.answerOptions, len(got.outputs), want.n, want.id, want.answerOptions, len(want.outputs))
	}
	for i := range got.n {
		for j := range m.model.Dim {
			g, _ := got.cell(j)
			if w, err := want.cell(j); err != nil || g != w {
				t.Fatalf("%s: cell %d of row %d is %v, want %v, %v", body, j+1, i+1, g, w, err)
			}
		}
	}
	if p := want.rest(); p != nil {
		t.Fatalf("%s: scan reads what is refused: %s", body, p.Error)
	}
	return true
}

// Requests that clients write are scanned, and those with anything more are left to parseInference.
func TestScan(t *testing.T) {
	h := protocolServer(t)
	m := named(h, "values")
	tensor := func(data string) string {
		return `{"inputs":[{"name":"x","datatype":"FP64","shape":[2,3],"data":` + data + `}]}`
	}
	for body, want := range map[string]bool{
		tensor("[1,2,3,4,5,6]"):                  true,
		tensor("[[1,-2.5e-3,0],[4E+2,5,1e300]]"): true,
		" {\n\t\"id\" : \"ü\" ,\r\"inputs\" : [ " + tensor("[ 1 , 2,3,4,5,6 ]")[11:] + " ":       true,
		`{"inputs":[{"data":[7,8,9],"shape":[1,3],"datatype":"INT32","name":""}],"id":""}`:       true,
		`{"inputs":[{"data":[7,8,9],"shape":[1,3],"datatype":"BYTES","name":"x"}]}`:              false,
		`{"inputs":[{"data":[7,8,9],"shape":[1,3],"datatype":"INT32","name":"x"}],"outputs":[]}`: false,
		tensor("[1,2,3,4,5,6]") + "x":                     false,
		tensor("[1,2,3,4,5,6]") + "\x00":                  false,
		tensor("[1,2,3,4,5]"):                             false,
		tensor("[1,2,3,4,5,6,7]"):                         false,
		tensor("[1,2,3,4,5,1e999]"):                       false,
		tensor("[1,2,3,4,5,06]"):                          false,
		tensor("[1,2,3,4,5,.6]"):                          false,
		tensor("[1,2,3,4,5,6.]"):                          false,
		tensor("[1,2,3,4,5,null]"):                        false,
		tensor("[1,2,3,4,5,6,]"):                          false,
		tensor("[[1,2],[3,4],[5,6]]"):                     false,
		tensor("[[1,2,3],4,5,6]"):                         false,
		tensor("[[1,2,3],[4,5,6]"):                        false,
		strings.Replace(tensor("[1,2,3]"), "2", "1.0", 1): false,
		`{"inputs":[]}`:                                   false, `{}`: false, ``: false, `{"id":"a","id":"b","inputs":[]}`: false,
	} {
		if got := checkScan(t, m, []byte(body)); got != want {
			t.Errorf("%s: scanned is %v, want %v", body, got, want)
		}
	}
	if checkScan(t, named(h, "table"), []byte(tensor("[1,2,3,4,5,6]"))) {
		t.Error("rows of a table with categories are scanned")
	}
	if !checkScan(t, named(h, "sparse"), []byte(tensor("[1,0,3,4,5,6]"))) {
		t.Error("rows of a sparse model are not scanned")
	}
}

// Requests that a few changed bytes have broken are read as parseInference reads them, or left to it.
func TestScanBroken(t *testing.T) {
	m := named(protocolServer(t), "values")
	r := rand.New(rand.NewPCG(1, 7))
	const alphabet = `0123456789-+.eE[]{},:" nul\x` + "\t\x00\xff"
	scanned := 0
	for range 50_000 {
		body := []byte(`{"id":"7","inputs":[{"name":"x","datatype":"FP64","shape":[2,3],"data":[[1,-2.5],[10.25,4e1],[0,6]]}]}`)
		if r.IntN(2) == 0 {
			body = []byte(`{"inputs":[{"name":"x","shape":[2,3],"datatype":"INT8","data":[[1,2,3],[4.5,5,-6]]}]}`)
		}
		for range r.IntN(4) {
			at := r.IntN(len(body))
			switch r.IntN(3) {
			case 0:
				body[at] = alphabet[r.IntN(len(alphabet))]
			case 1:
				body = slices.Delete(body, at, at+1)
			default:
				body = slices.Insert(body, at, alphabet[r.IntN(len(alphabet))])
			}
		}
		if checkScan(t, m, body) {
			scanned++
		}
	}
	if scanned < 5000 {
		t.Errorf("%d of 50000 requests were scanned", scanned)
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte(`{"id":"7","inputs":[{"name":"x","datatype":"FP64","shape":[2,3],"data":[[1,-2.5,1e5],[10.25,4e1,0]]}]}`))
	f.Add([]byte(`{"inputs":[{"data":[1,2,3],"shape":[1,3],"datatype":"INT8","name":"x"}]} `))
	h := New(values(dataset.Dense), testConfig)
	h.Set("m", values(dataset.Dense))
	m := named(h, "m")
	f.Fuzz(func(t *testing.T, body []byte) { checkScan(t, m, body) })
}

// Requests one after the other, and at the same time, use the same memory and answer their own rows, also after a
// request of many rows, one that is refused and one whose prediction is not finite.
func TestScratch(t *testing.T) {
	h := protocolServer(t)
	done := make(chan error, 4)
	for c := range 4 {
		go func() {
			for i := range 300 {
				body := fmt.Sprintf(`{"id":"%d","inputs":[{"name":"x","datatype":"FP64","shape":[1,3],"data":[%d,%d,1]}]}`, i, i, 1000*c)
				want := fmt.Sprintf(`"id":"%d","outputs":[{"name":"value","datatype":"FP64","shape":[1],"data":[%d]}]}`, i, i+1000*c+1)
				switch i % 5 {
				case 2:
					body, want = strings.Replace(body, ",1]", "]", 1), "has fewer than"
				case 3:
					body, want = strings.Replace(body, ",1]", ",1e308]", 1), "value"
				case 4:
					body, want = strings.Replace(body, `[1,3],"data":[`, `[2,3],"data":[1,2,3,`, 1), fmt.Sprintf(`"shape":[2],"data":[6,%d]`, i+1000*c+1)
				}
				if _, text := post(h, "/v2/models/values/infer", "", body); !strings.Contains(text, want) {
					done <- fmt.Errorf("%s: %s, want %s", body, text, want)
					return
				}
			}
			done <- nil
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// A path of the protocol finds the same model with the shortcut and without.
func TestInferring(t *testing.T) {
	h := protocolServer(t)
	h.Set("a/b", values(dataset.Dense))
	h.Set("..", values(dataset.Dense))
	for path, want := range map[string]string{
		"/v2/models/values/infer": "values", "/v2/models/x/infer": "", "/v2/models//infer": "", "/v2/models/values/infer/": "", "/v2/models/../infer": "",
		"/v2/models/a/b/infer": "", "/v2/models/a%2Fb/infer": "", "/v2/models/values/versions/1/infer": "", "/v2/models/values": "",
	} {
		r := httptest.NewRequest(http.MethodPost, path, nil)
		got := ""
		if m := h.inferring(r); m != nil {
			got = m.name
			if _, pattern := h.mux.Handler(r); pattern != r.Pattern {
				t.Errorf("%s: the pattern is %q, that of the mux is %q", path, r.Pattern, pattern)
			}
		}
		if got != want {
			t.Errorf("%s is of the model %q, want %q", path, got, want)
		}
	}
	if code, text := post(h, "/v2/models/a%2Fb/infer", "", `{}`); code != 400 {
		t.Errorf("a name with a slash: %d %s", code, text)
	}
}

// A request of one row takes no memory beside what the model and net/http take.
func TestInferAllocations(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector, which -short goes with, drops pooled memory")
	}
	h := New(values(dataset.Dense), testConfig)
	h.Set("m", values(dataset.Dense))
	r := httptest.NewRequest(http.MethodPost, "/v2/models/m/infer", nil)
	text := []byte(`{"inputs":[{"name":"x","datatype":"FP64","shape":[1,3],"data":[1,2,3]}]}`)
	body := bytes.NewReader(text)
	r.Body, r.ContentLength = io.NopCloser(body), body.Size()
	w := &discard{header: http.Header{}}
	// The status of the answer, its values, and what a garbage collection takes from the pool meanwhile.
	if n := testing.AllocsPerRun(200, func() { body.Reset(text); h.ServeHTTP(w, r) }); n > 4 || w.status != http.StatusOK {
		t.Errorf("%v allocations, status %d", n, w.status)
	}
}
