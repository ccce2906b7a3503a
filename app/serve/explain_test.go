package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/explain"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"gonum.org/v1/gonum/mat"
)

// forest is a model of trees on two columns, with the rows it was trained on.
func forest(t *testing.T) (*pipeline.Model, *dataset.Set) {
	t.Helper()
	d := dataset.Rings(200, 2, .1, 1)
	m := catalog.Must("gbdt")
	model, err := training.Prepare{Scale: training.NoScale}.Train(t.Context(), m, m.New(), d, gram.Run{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return model, d
}

// Requests that want it are told what the columns contribute, as package explain computes it: the numbers add up to the score of
// the class, over /v1 and over the Open Inference Protocol.
func TestExplanations(t *testing.T) {
	model, d := forest(t)
	h := New(model, testConfig)
	h.Set("rings", model)
	if code, text := post(h, "/v1/predict", "application/json", `{"row":[0.5,0.5],"explain":true}`); code != 400 || !strings.Contains(text, "--explain") {
		t.Errorf("without rows: %d %s", code, text)
	}
	for _, name := range []string{"", "rings"} {
		if err := h.SetExplained(name, model, d.X); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []string{"[0.5,0.5]", "[2,0.1]"} {
		var a struct {
			Class       string
			Scores      []float64
			Explanation explain.Explanation
		}
		code, text := post(h, "/v1/predict?explain=1", "application/json", `{"row":`+row+`,"scores":true}`)
		if err := json.Unmarshal([]byte(text), &a); err != nil || code != 200 {
			t.Fatalf("%d %s", code, text)
		}
		sign := 1.0
		if a.Class == model.Names[0] {
			sign = -1
		}
		e := a.Explanation
		if total := e.Mean + e.Contributions[0] + e.Contributions[1]; !(math.Abs(total-sign*a.Scores[0]) < 1e-9) || e.Output != a.Class || e.Unit != "score" || !e.Exact {
			t.Errorf("%s: %s adds up to %g", row, text, total)
		}
		var tensors struct {
			Outputs []struct {
				Name  string
				Shape []int
				Data  []any
			}
		}
		body := fmt.Sprintf(`{"parameters":{"explain":true},"inputs":[{"name":"x","datatype":"FP64","shape":[1,2],"data":%s}]}`, row)
		code, text = post(h, "/v2/models/rings/infer", "application/json", body)
		if err := json.Unmarshal([]byte(text), &tensors); err != nil || code != 200 {
			t.Fatalf("%d %s", code, text)
		}
		got := map[string]string{}
		for _, o := range tensors.Outputs {
			got[o.Name] = fmt.Sprint(o.Shape, o.Data)
		}
		if want := fmt.Sprintf("[1 2] [%v %v]", e.Contributions[0], e.Contributions[1]); got["contributions"] != want || got["mean"] != fmt.Sprintf("[1] [%v]", e.Mean) {
			t.Errorf("tensors %v, want %s", got, want)
		}
	}
	for _, c := range []struct {
		url, kind, body string
		code            int
		want            string
	}{
		{"/v1/predict", "application/json", `{"rows":[` + strings.Repeat("[0,0],", 2) + `[0,0]],"explain":true}`, 413, "more than 2 rows to explain"},
		{"/v1/predict", "application/json", `{"row":[0,0],"explain":7}`, 400, "explain is a number"},
		{"/v1/predict?explain=true", "application/x-ndjson", "[0,0]\n", 400, "the rows of a stream are not explained"},
		{"/v1/predict?explain=often", "application/json", `{"row":[0,0]}`, 400, "parameter explain"},
		{"/v2/models/rings/infer", "application/json", `{"parameters":{"explain":true},"inputs":[{"name":"x","datatype":"FP64","shape":[3,2],"data":[0,0,0,0,0,0]}]}`, 413, "3 rows to explain"},
		{"/v2/models/rings/infer", "application/json", `{"inputs":[{"name":"x","datatype":"FP64","shape":[1,2],"data":[0,0]}],"outputs":[{"name":"mean"}]}`, 400, "the parameter explain"},
	} {
		few := New(model, Config{Limits: Limits{Explain: 2}, Log: quiet()})
		for _, name := range []string{"", "rings"} {
			if err := few.SetExplained(name, model, d.X); err != nil {
				t.Fatal(err)
			}
		}
		if code, text := post(few, c.url, c.kind, c.body); code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: %d %s, want %d %s", c.url, c.body, code, text, c.code, c.want)
		}
	}
	for path, want := range map[string]string{"/openapi.json": `"contributions"`, "/": `"explain":true`, "/v1/model": `"explains":true`, "/v2/models/rings": `{"name":"contributions","datatype":"FP64","shape":[-1,2]}`} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s has no %s", path, want)
		}
	}
	h.Set("rings", model) // without rows
	if code, _ := post(h, "/v1/models/rings/predict?explain=1", "application/json", `{"row":[0,0]}`); code != 400 {
		t.Errorf("a new model is explained: %d", code)
	}
}

// A model that takes another's place has its rows from the first request on.
func TestExplanationsOfTheNext(t *testing.T) {
	model, d := forest(t)
	h := New(model, testConfig)
	set := func() {
		if err := h.SetExplained("", model, d.X); err != nil {
			t.Error(err)
		}
	}
	set()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 50 {
			set()
		}
	}()
	for more := true; more; {
		select {
		case <-done:
			more = false
		default:
		}
		if code, text := post(h, "/v1/predict?explain=1", "application/json", `{"row":[0,0]}`); code != 200 {
			t.Fatalf("%d %s", code, text)
		}
	}
}

// A model without trees is explained by sampling, a model of labels without trees is not, and the client's leaving ends the work.
func TestExplanationsOfOthers(t *testing.T) {
	model := values(dataset.Dense)
	h := New(model, testConfig)
	background := mat.NewDense(2, 3, []float64{0, 0, 0, 1, 1, 1})
	if err := h.SetExplained("", model, background); err != nil {
		t.Fatal(err)
	}
	code, text := post(h, "/v1/predict", "application/json", `{"row":[1,2,3],"explain":true}`)
	var a struct {
		Value       float64
		Explanation explain.Explanation
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil || code != 200 {
		t.Fatalf("%d %s", code, text)
	}
	if e := a.Explanation; !(math.Abs(e.Mean+e.Contributions[0]+e.Contributions[1]+e.Contributions[2]-6) < 1e-9) || e.Unit != "value" || e.Exact || !(e.Contributions[2] > e.Contributions[1]) {
		t.Errorf("%s", text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/predict", bytes.NewReader([]byte(`{"row":[1,2,3],"explain":true}`))))
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("a client that has gone gets %d %s", w.Code, w.Body)
	}
	if err := New(labels(), testConfig).SetExplained("", labels(), background); err == nil || !strings.Contains(err.Error(), "trees") {
		t.Errorf("sets of labels: %v", err)
	}
	if err := h.SetExplained("", model, mat.NewDense(2, 4, nil)); err == nil {
		t.Error("rows of four columns are taken")
	}
	if code, text := post(h, "/v1/predict", "application/json", `{"row":[1,2,3],"explain":true}`); code != 200 {
		t.Errorf("a model that could not be set takes the rows of the one before: %d %s", code, text)
	}
}
