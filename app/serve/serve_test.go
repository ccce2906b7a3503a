package serve

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/algos/conformal"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// The models of these tests predict the sum of a row.
type regressor struct {
	slow  time.Duration
	beast bool   // panics on a sum of 666
	sizes *[]int // of the batches, nil: they are not noted
}

func (regressor) Encode(*modelfile.Writer) error { return errors.New("not stored") }

func (m regressor) Predict(_ []float64, x mat.Matrix) []float64 {
	time.Sleep(m.slow)
	n, d := x.Dims()
	if m.sizes != nil {
		*m.sizes = append(*m.sizes, n)
	}
	dst := make([]float64, n)
	for i := range dst {
		for j := range d {
			dst[i] += x.At(i, j)
		}
		if m.beast && dst[i] == 666 {
			panic("the number of the beast")
		}
	}
	return dst
}

type classifier struct{ names []string }

func (classifier) Encode(*modelfile.Writer) error { return errors.New("not stored") }
func (m classifier) Classes() []string            { return m.names }

func (m classifier) Scores(_ *mat.Dense, x mat.Matrix) *mat.Dense {
	sum := regressor{}.Predict(nil, x)
	s := mat.NewDense(len(sum), 3, nil)
	for i, v := range sum {
		s.SetRow(i, []float64{v, 1 - v, 2 * v})
	}
	return s
}

func (m classifier) Predict(_ []int, x mat.Matrix) []int {
	sum := regressor{}.Predict(nil, x)
	c := make([]int, len(sum))
	for i, v := range sum {
		c[i] = -1
		if v-v == 0 {
			c[i] = int(math.Abs(v)) % 3
		}
	}
	return c
}

type ranker struct{}

func (ranker) Encode(*modelfile.Writer) error { return errors.New("not stored") }
func (ranker) NumLabels() int                 { return 4 }

func (ranker) Top(_ [][]gram.Scored, x mat.Matrix, k int) [][]gram.Scored {
	var out [][]gram.Scored
	for _, v := range (regressor{}).Predict(nil, x) {
		var top []gram.Scored
		for l := range min(k, 4) {
			top = append(top, gram.Scored{Label: l, Score: v - float64(l)})
		}
		out = append(out, top)
	}
	return out
}

var testLimits = Limits{Body: 4000, Rows: 5, Top: 10, Timeout: 10 * time.Second}

var testConfig = Config{Limits: testLimits, Log: quiet()}

func values(storage dataset.Storage) *pipeline.Model {
	return &pipeline.Model{Method: "test", Task: dataset.Regression, Dim: 3, Model: regressor{beast: true}, Storage: storage}
}

func classes() *pipeline.Model {
	names := []string{"a", "b\"", "ü"}
	return &pipeline.Model{Method: "test", Task: dataset.Classes, Dim: 3, Names: names, Model: classifier{names}, Storage: dataset.Dense}
}

func labels() *pipeline.Model {
	return &pipeline.Model{Method: "test", Task: dataset.MultiLabel, Dim: 3, Model: ranker{}, Storage: dataset.Sparse}
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// post sends a body to a handler and returns the answer.
func post(h http.Handler, url, kind, body string) (int, string) {
	r := httptest.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

const ndjson = "application/x-ndjson"

// columnOf lists the rows of TestAnswers that are wrong in one column.
var columnOf = map[string]int{
	`{"row":[1,null,3]}`: 2, `{"row":[1,"2",3]}`: 2, `{"row":[1,[2],3]}`: 2, `{"row":[1,true,3]}`: 2, `{"rows":[[1,2,3],[1,2,1e999]]}`: 3,
	`{"row":{"1":"a"}}`: 1, `{"row":{"1":1,"1":2}}`: 1, `{"row":{"indices":[1,3],"values":[1,"x"]}}`: 3,
}

func TestAnswers(t *testing.T) {
	dense, thin := New(values(dataset.Dense), testConfig), New(values(dataset.Sparse), testConfig)
	named, ranked := New(classes(), testConfig), New(labels(), testConfig)
	scaled := values(dataset.Dense)
	scaled.Scaling = &dataset.Scaling{Shift: []float64{1, 0, 0}, Divisor: []float64{2, 1, 0}, Width: 1}
	shifted := New(scaled, testConfig)
	for _, c := range []struct {
		h      http.Handler
		body   string
		status int
		want   string
	}{
		{dense, `{"row":[1,2,3.5]}`, 200, `{"value":6.5}`},
		{dense, " { \"rows\" : [ [1 , 2,3e0 ] ,\n{\"3\": 0.5,\"1\":1}, {\"indices\":[2],\"values\":[-1e-3]},{} ] } \n", 200, `{"predictions":[{"value":6},{"value":1.5},{"value":-0.001},{"value":0}]}`},
		{thin, `{"rows":[[1,0,3],{"3":0.5,"1":1},{"values":[4,5],"indices":[3,1]},[0,0,0]]}`, 200, `{"predictions":[{"value":4},{"value":1.5},{"value":9},{"value":0}]}`},
		{dense, `{"rows":[]}`, 200, `{"predictions":[]}`},
		{shifted, `{"rows":[[5,1,9],{"1":1}]}`, 200, `{"predictions":[{"value":3},{"value":0}]}`},
		{named, `{"row":[1,0,0]}`, 200, `{"class":"b\""}`},
		{named, `{"rows":[[1,1,0],[0,0,0]],"scores":true}`, 200, `{"predictions":[{"class":"ü","scores":[2,-1,4]},{"class":"a","scores":[0,1,0]}]}`},
		{ranked, `{"row":{"2":1},"top":2}`, 200, `{"labels":[{"label":0,"score":1},{"label":1,"score":0}]}`},
		{ranked, `{"row":[0,0,0]}`, 200, `{"labels":[{"label":0,"score":0},{"label":1,"score":-1},{"label":2,"score":-2},{"label":3,"score":-3}]}`},

		{dense, ``, 400, `the body is empty`},
		{dense, `{"row":[1,2,3]`, 400, `the body is not JSON: it ends too early`},
		{dense, `[1,2,3]`, 400, `the body is an array`},
		{dense, `{"row":[1,2,3],"row":[1,2,4]}`, 400, `row is there twice`},
		{dense, `{"row":[1,2,3],"top":2,"t\u006fp":3}`, 400, `top is there twice`},
		{dense, `{"row":[1,2,3],"top":"2"}`, 400, `want a whole number`},
		{dense, `{"row":[1,2,3],"scores":1}`, 400, `want true or false`},
		{dense, `{"row":{"indices":[1],"indices":[2],"values":[1]}}`, 422, `indices is there twice`},
		{dense, `{}`, 400, `want {\"row\"`},
		{dense, `{"row":[1,2,3],"rows":[]}`, 400, `want {\"row\"`},
		{dense, `{"row":[1,2,3]} x`, 400, `goes on`},
		{dense, `{"row":[1,2,3],"score":true}`, 400, `unknown field`},
		{dense, `{"row":[1,2,NaN]}`, 400, `invalid character`},
		{dense, `{"rows":7}`, 400, `rows is a number`},
		{dense, `{"rows":null}`, 400, `rows is null`},
		{dense, `{"row":null}`, 422, `not null`},
		{dense, `{"rows":[1,2]}`, 422, `"row":1`},
		{dense, `{"row":[1,2]}`, 422, `2 columns, the model has 3`},
		{dense, `{"row":[1,2,3,4]}`, 422, `more than the model's 3`},
		{dense, `{"row":[1,null,3]}`, 422, `"column":2`},
		{dense, `{"row":[1,"2",3]}`, 422, `not a string`},
		{dense, `{"row":[1,[2],3]}`, 422, `not an array`},
		{dense, `{"row":[1,true,3]}`, 422, `not a boolean`},
		{dense, `{"rows":[[1,2,3],[1,2,1e999]]}`, 422, `"row":2,"column":3`},
		{thin, `{"row":{"4":1}}`, 422, `columns 1 to 3`},
		{dense, `{"row":{"0":1}}`, 422, `columns 1 to 3`},
		{dense, `{"row":{"x":1}}`, 422, `is no column`},
		{dense, `{"row":{"1":"a"}}`, 422, `not a string`},
		{dense, `{"row":{"1":1,"1":2}}`, 422, `there twice`},
		{dense, `{"row":{"1":1,"indices":[2],"values":[1]}}`, 422, `beside`},
		{dense, `{"row":{"indices":[2]}}`, 422, `two arrays`},
		{dense, `{"row":{"indices":[1,2],"values":[1]}}`, 422, `2 indices and 1 values`},
		{dense, `{"row":{"indices":[1],"values":[1,2]}}`, 422, `more values`},
		{dense, `{"row":{"indices":[1,3],"values":[1,"x"]}}`, 422, `not a string`},
		{dense, `{"row":{"indices":[-1],"values":["x"]}}`, 422, `not a string`},
		{dense, `{"row":{"indices":[1.5],"values":[1]}}`, 422, `want a column number`},
		{dense, `{"row":{"indices":[1,1,1,1],"values":[1,1,1,1]}}`, 422, `more indices`},
		{dense, `{"row":[1e308,1e308,0]}`, 422, `too large`},
		{named, `{"rows":[[0,0,0],[1e308,1e308,0]]}`, 422, `"row":2`},
		{dense, `{"row":[1,2,3],"scores":true}`, 400, `scores are for`},
		{ranked, `{"row":[1,2,3],"top":11}`, 400, `want 1 to 10`},
		{dense, `{"rows":[{},{},{},{},{},{}]}`, 413, `more than 5 rows`},
		{dense, `{"row":[1,2,3` + strings.Repeat(" ", 5000) + `]}`, 413, `limit is 4000`},
		{dense, `{"row":[333,333,0]}`, 500, `internal error`},
	} {
		status, got := post(c.h, "/v1/predict", "", c.body)
		if status != c.status || !json.Valid([]byte(got)) {
			t.Errorf("%.60s: status %d, want %d: %s", c.body, status, c.status, got)
		}
		if status == 200 && got != c.want+"\n" || !strings.Contains(got, c.want) {
			t.Errorf("%.60s: %s, want %s", c.body, got, c.want)
		}
		var said struct{ Column, Row int }
		if err := json.Unmarshal([]byte(got), &said); err != nil || said.Column != columnOf[c.body] {
			t.Errorf("%.60s: column %d, want %d, %v", c.body, said.Column, columnOf[c.body], err)
		}
		if many := strings.Contains(c.body, `"rows"`) && status == 422; many != (said.Row > 0) {
			t.Errorf("%.60s: row %d", c.body, said.Row)
		}
		if (status == 200) == strings.Contains(got, `"error"`) {
			t.Errorf("%.60s: status %d with %s", c.body, status, got)
		}
	}
}

// A model with probabilities and with intervals or sets answers them in a request, in a
// stream and by parameters of the URL.
func TestTrust(t *testing.T) {
	sets := classes()
	sets.Calibration = calibration.Softmax(3)
	var err error
	if sets.Conformal, err = conformal.FitClasses(mat.NewDense(3, 3, []float64{3, 0, 0, 0, 3, 0, 0, 0, 1}), []int{0, 1, 2}, false); err != nil {
		t.Fatal(err)
	}
	intervals := values(dataset.Dense)
	if intervals.Conformal, err = conformal.FitValues([]float64{0, 0, 0}, []float64{1, .5, .25}); err != nil {
		t.Fatal(err)
	}
	c, v := New(sets, Config{Log: quiet()}), New(intervals, Config{Log: quiet()})
	plain := New(classes(), Config{Log: quiet()})
	const row = `{"row":[1,1,0]`
	for _, q := range []struct {
		s          *Server
		url, body  string
		code       int
		want, kind string
	}{
		{c, "/v1/predict", row + `,"probabilities":true}`, 200, `"probabilities":[`, ""},
		{c, "/v1/predict?interval=.7", row + `}`, 200, `"set":[`, ""},
		{c, "/v1/predict?probabilities=true&interval=.5", "[1,1,0]\n", 200, `"probabilities":[`, "application/x-ndjson"},
		{v, "/v1/predict", `{"row":[1,2,3],"interval":0.5}`, 200, `,"low":`, ""},
		{v, "/v1/predict", `{"row":[1,2,3],"interval":0.99}`, 400, `at most 0.75`, ""},
		{v, "/v1/predict", `{"row":[1,2,3],"interval":"x"}`, 400, `want a number`, ""},
		{v, "/v1/predict", `{"row":[1,2,3],"probabilities":true}`, 400, `models of classes`, ""},
		{c, "/v1/predict", row + `,"probabilities":1}`, 400, `want true or false`, ""},
		{plain, "/v1/predict?probabilities=true", row + `}`, 400, `no probabilities`, ""},
		{plain, "/v1/predict?interval=.9", row + `}`, 400, `no intervals`, ""},
		{plain, "/v1/predict?interval=x", row + `}`, 400, `interval`, ""},
	} {
		code, text := post(q.s, q.url, q.kind, q.body)
		if code != q.code || !strings.Contains(text, q.want) {
			t.Errorf("%s %s: %d %s, want %d with %s", q.url, q.body, code, text, q.code, q.want)
		}
	}
}

func TestURL(t *testing.T) {
	h := New(classes(), testConfig)
	for _, c := range []struct {
		method, url string
		status      int
		want        string
	}{
		{"GET", "/healthz", 200, `{"status":"ok"}`},
		{"HEAD", "/healthz", 200, ``},
		{"GET", "/v1/model", 200, `"columns":3,"classes":["a","b\"","ü"]`},
		{"GET", "/v1/predict", 405, `takes POST`},
		{"PUT", "/v1/predict", 405, `takes POST`},
		{"POST", "/healthz", 405, `takes GET`},
		{"GET", "/x", 404, `/v1/predict`},
		{"POST", "/v1/predict?scores=true", 200, `"scores":[0,1,0]`},
		{"POST", "/v1/predict?scores=x", 400, `parameter scores`},
		{"POST", "/v1/predict?k=3", 400, `no parameter`},
		{"POST", "/v1/predict?top=0", 400, `top is 0`},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(c.method, c.url, strings.NewReader(`{"row":{}}`)))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %d %s", c.method, c.url, w.Code, w.Body)
		}
		if (w.Code == 405) != (w.Header().Get("Allow") != "") {
			t.Errorf("%s %s: Allow is %q", c.method, c.url, w.Header().Get("Allow"))
		}
	}
	r := httptest.NewRequest("POST", "/v1/predict", strings.NewReader("x"))
	r.Header.Set("Content-Encoding", "gzip")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != 415 {
		t.Errorf("gzip: %d", w.Code)
	}
}

// TestBlocks checks that rows that do not fit one block are answered in order.
func TestBlocks(t *testing.T) {
	wide := values(dataset.Dense)
	wide.Dim = blockBytes / 8 / 2 // two rows a block
	h := New(wide, testConfig)
	if h.first().block != 2 {
		t.Fatalf("%d rows a block", h.first().block)
	}
	_, got := post(h, "/v1/predict", "", `{"rows":[{"1":1},{"2":2},{"3":3},{"4":4},{"5":5}]}`)
	if want := `{"predictions":[{"value":1},{"value":2},{"value":3},{"value":4},{"value":5}]}` + "\n"; got != want {
		t.Errorf("%s", got)
	}
	// A row that cannot be answered ends the request, whichever block it is in.
	for row := range 5 {
		rows := []string{`{"1":1}`, `{"1":1}`, `{"1":1}`, `{"1":1}`, `{"1":1}`}
		rows[row] = `{"1":1e308,"2":1e308}`
		status, got := post(h, "/v1/predict", "", `{"rows":[`+strings.Join(rows, ",")+`]}`)
		if status != http.StatusUnprocessableEntity || !strings.Contains(got, fmt.Sprintf(`"row":%d`, row+1)) {
			t.Errorf("row %d overflows: %d %s", row+1, status, got)
		}
	}
	var sizes []int
	wide.Model = regressor{sizes: &sizes}
	post(h, "/v1/predict", "", `{"rows":[{},{},{},{},{}]}`)
	if !slices.Equal(sizes, []int{2, 2, 1}) {
		t.Errorf("the rows of a request are predicted in blocks of %v", sizes)
	}
	sizes = nil
	_, got = post(h, "/v1/predict", ndjson, "{\"1\":1}\n{\"2\":2}\n{\"3\":3}")
	if want := "{\"value\":1}\n{\"value\":2}\n{\"value\":3}\n"; got != want {
		t.Errorf("%s", got)
	}
	if !slices.Equal(sizes, []int{2, 1}) {
		t.Errorf("lines that are there together are predicted in blocks of %v", sizes)
	}
}

// TestScaledModel checks that a model of the catalog with a scaling gives the
// answers that it predicts for the rows of a file.
func TestScaledModel(t *testing.T) {
	for _, storage := range []dataset.Storage{dataset.Dense, dataset.Sparse} {
		d := dataset.Rings(100, 3, .1, 1)
		if storage == dataset.Sparse {
			d.X = sparse.FromDense(d.X)
		}
		method, err := catalog.Find("nystrom")
		if err != nil {
			t.Fatal(err)
		}
		f := method.New()
		m, err := training.Train(t.Context(), method, f, d, training.MinMax, gram.Run{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		want, err := m.Predict(d.X, true, 0)
		if err != nil {
			t.Fatal(err)
		}
		l := testLimits
		l.Rows, l.Body = 100, 1<<20
		h := New(m, Config{Limits: l, Log: quiet()})
		var rows [][]float64
		for i := range 100 {
			rows = append(rows, mat.Row(nil, i, d.X))
		}
		body, _ := json.Marshal(map[string]any{"rows": rows, "scores": true})
		status, text := post(h, "/v1/predict", "", string(body))
		var got struct {
			Predictions []struct {
				Class  string
				Scores []float64
			}
		}
		if err := json.Unmarshal([]byte(text), &got); status != 200 || err != nil || len(got.Predictions) != 100 {
			t.Fatalf("%d %v: %s", status, err, text)
		}
		for i, p := range got.Predictions {
			if p.Class != m.Names[want.Class[i]] {
				t.Fatalf("row %d: class %s, want %s", i, p.Class, m.Names[want.Class[i]])
			}
			for c, v := range p.Scores {
				// Blocks of other sizes may add up in another order.
				if !(math.Abs(v-want.Scores.At(i, c)) < 1e-9) {
					t.Fatalf("row %d, class %d: %g, want %g", i, c, v, want.Scores.At(i, c))
				}
			}
		}
	}
}

// TestStream checks that every line is answered before the next one is sent, and
// that an error in a line affects no other.
func TestStream(t *testing.T) {
	server := httptest.NewServer(New(values(dataset.Dense), testConfig))
	defer server.Close()
	in, out := io.Pipe()
	go func() { out.Write([]byte("[1,2,3]\n")) }()
	r, err := http.Post(server.URL+"/v1/predict", ndjson, in)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	answers := bufio.NewReader(r.Body)
	expect := func(want string) {
		t.Helper()
		got, err := answers.ReadString('\n')
		if err != nil || !strings.Contains(got, want) {
			t.Fatalf("%q %v, want %s", got, err, want)
		}
	}
	expect(`{"value":6}`)
	for _, c := range [][2]string{
		{"{\"1\":4}\r\n", `{"value":4}`},
		{"\n  \n[1,2]\n", `"line":5`},
		{"nonsense\n", `not JSON`},
		{"[1e308,1e308,0]\n", `"line":7`},
		{"[0,0,1]\n[0,0,2]\n[0,null,2]\n[0,0,3]\n", `{"value":1}`},
	} {
		out.Write([]byte(c[0]))
		expect(c[1])
	}
	expect(`{"value":2}`)
	expect(`"line":10,"column":2`)
	expect(`{"value":3}`)
	out.Write([]byte("[0,0,4]"))
	out.Close()
	expect(`{"value":4}`)
	if _, err := answers.ReadByte(); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
}

func TestStreamLimits(t *testing.T) {
	l := testLimits
	l.Timeout = 100 * time.Millisecond
	server := httptest.NewServer(New(values(dataset.Dense), Config{Limits: l, Log: quiet()}))
	defer server.Close()
	for _, c := range []struct{ body, want string }{
		{"[1,2,3]\n" + strings.Repeat(" ", 5000) + "\n", "more than 4000 bytes"},
		{"[1,2,3]\n", "no line for"},
	} {
		in, out := io.Pipe()
		go func() { out.Write([]byte(c.body)) }()
		r, err := http.Post(server.URL+"/v1/predict", ndjson, in)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(r.Body)
		r.Body.Close()
		out.Close()
		if s := string(got); !strings.HasPrefix(s, "{\"value\":6}\n") || !strings.Contains(s, c.want) {
			t.Errorf("%q, want %s", s, c.want)
		}
	}
	// A request of several blocks to a slow model runs into the time limit.
	slow := values(dataset.Dense)
	slow.Dim, slow.Model = blockBytes/8, regressor{slow: 150 * time.Millisecond}
	if status, got := post(New(slow, Config{Limits: l, Log: quiet()}), "/v1/predict", "", `{"rows":[{},{},{}]}`); status != 503 || !strings.Contains(got, "took more than") {
		t.Errorf("%d %s", status, got)
	}
}

// TestStreamEndsEarly checks that a stream that is not read to its end leaves
// nothing for the next request on the connection.
func TestStreamEndsEarly(t *testing.T) {
	var logged bytes.Buffer
	var mu sync.Mutex
	server := httptest.NewUnstartedServer(New(values(dataset.Dense), testConfig))
	server.Config.ErrorLog = log.New(&locked{&logged, &mu}, "", 0)
	server.Start()
	defer server.Close()
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	body := strings.Repeat("x", int(testLimits.Body)+1) + strings.Repeat("\n[1,2,3]", 1000)
	fmt.Fprintf(c, "POST /v1/predict HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", ndjson, len(body), body)
	answer, err := io.ReadAll(c)
	if err != nil || !strings.Contains(string(answer), "the line has more than") {
		t.Errorf("%q, %v", answer, err)
	}
	mu.Lock()
	defer mu.Unlock()
	if logged.Len() > 0 {
		t.Errorf("the log says %s", logged.String())
	}
}

// deaf is a client that takes a number of writes and then goes away.
type deaf struct {
	http.ResponseWriter
	writes int
}

func (d *deaf) Flush() {}

func (d *deaf) Write(p []byte) (int, error) {
	if d.writes--; d.writes < 0 {
		return 0, net.ErrClosed
	}
	return len(p), nil
}

// TestStreamWithoutListener checks that a stream ends when nobody takes its
// answers, though the request goes on.
func TestStreamWithoutListener(t *testing.T) {
	for writes := range 3 {
		in, out := io.Pipe()
		r := httptest.NewRequest(http.MethodPost, "/v1/predict", in)
		r.Header.Set("Content-Type", ndjson)
		h, done := New(values(dataset.Dense), testConfig), make(chan struct{})
		go func() {
			defer close(done)
			defer in.Close()
			h.ServeHTTP(&deaf{httptest.NewRecorder(), writes}, r)
		}()
		for range writes + 1 {
			if _, err := out.Write([]byte("[1,2,3]\n")); err != nil {
				t.Fatalf("the stream ends before its client is gone: %v", err)
			}
		}
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			t.Errorf("after %d writes and one in vain the stream waits for more lines", writes)
			out.Close()
			<-done
		}
	}
}

// TestStop checks that a stream ends after the lines it has received, that a
// request in flight is finished, and that /healthz answers 503.
func TestStop(t *testing.T) {
	m := values(dataset.Dense)
	m.Model = regressor{slow: 200 * time.Millisecond}
	h := New(m, testConfig)
	server := httptest.NewServer(h)
	defer server.Close()
	in, out := io.Pipe()
	defer out.Close()
	go func() { out.Write([]byte("[1,2,3]\n")) }()
	r, err := http.Post(server.URL+"/v1/predict", ndjson, in)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	answers := bufio.NewReader(r.Body)
	if got, err := answers.ReadString('\n'); err != nil || got != "{\"value\":6}\n" {
		t.Fatalf("%q %v", got, err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		r, err := http.Post(server.URL+"/v1/predict", "", strings.NewReader(`{"row":[1,1,1]}`))
		if err != nil {
			t.Error(err)
			return
		}
		defer r.Body.Close()
		if text, err := io.ReadAll(r.Body); err != nil || string(text) != "{\"value\":3}\n" {
			t.Errorf("in flight: %q %v", text, err)
		}
	})
	time.Sleep(50 * time.Millisecond)
	h.Stop()
	if err := server.Config.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if got, err := io.ReadAll(answers); err != nil || !strings.Contains(string(got), "the server stops") {
		t.Errorf("the stream ends with %q %v", got, err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/healthz", nil))
	if w.Code != 503 {
		t.Errorf("health is %d", w.Code)
	}
}

// TestBeside checks that requests that fail or panic do not affect other
// requests.
func TestBeside(t *testing.T) {
	var logged bytes.Buffer
	var mu sync.Mutex
	server := httptest.NewServer(New(values(dataset.Dense), Config{Limits: testLimits, Log: slog.New(slog.NewTextHandler(&locked{&logged, &mu}, nil))}))
	defer server.Close()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				body, want := fmt.Sprintf(`{"row":[%d,%d,0]}`, g, i), fmt.Sprintf("{\"value\":%d}\n", g+i)
				if g%2 == 1 {
					body = []string{`{"row":[333,333,0]}`, `{"row":`, `{"rows":[[1,2]]}`, strings.Repeat("x", 5000)}[i%4]
				}
				r, err := http.Post(server.URL+"/v1/predict", "", strings.NewReader(body))
				if err != nil {
					if g%2 == 0 {
						t.Error(err)
					}
					continue // a body that is too large may be cut off
				}
				got, err := io.ReadAll(r.Body)
				r.Body.Close()
				if g%2 == 0 && (err != nil || string(got) != want) {
					t.Errorf("%q %v, want %q", got, err, want)
				}
			}
		})
	}
	wg.Wait()
	mu.Lock()
	defer mu.Unlock()
	if !strings.Contains(logged.String(), "number of the beast") {
		t.Error("the panic is not in the log")
	}
}

type locked struct {
	w  io.Writer
	mu *sync.Mutex
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

// FuzzPredict checks that any body gets an answer in JSON, and never a 5xx.
func FuzzPredict(f *testing.F) {
	for _, s := range []string{
		`{"row":[1,2,3]}`, `{"rows":[[1,2,3],{"1":2,"3":4},{"indices":[1],"values":[2]}],"scores":true}`, `{"row":{"\u0031":1}}`,
		"[1,2,3]\n{}\nx\n\n[1e400,0,0]", `{"rows":[[[[]]]]}`, `{"row":{"indices":[1,"]",{}],"values":[{"a":"\\\"]"}]}}`, `{"top":-1,"row":[]}`,
	} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	l := testLimits
	var all []*Server
	thin := values(dataset.Sparse)
	thin.Model = regressor{}
	for _, m := range []*pipeline.Model{classes(), thin, labels()} {
		all = append(all, New(m, Config{Limits: l}))
	}
	f.Fuzz(func(t *testing.T, body []byte, stream bool) {
		kind := ""
		if stream {
			kind = ndjson
		}
		for _, s := range all {
			status, got := post(s, "/v1/predict", kind, string(body))
			if status >= 500 {
				t.Fatalf("status %d: %s", status, got)
			}
			for _, line := range strings.Split(strings.TrimSuffix(got, "\n"), "\n") {
				if line != "" && !json.Valid([]byte(line)) {
					t.Fatalf("not JSON: %s", line)
				}
			}
			if !stream && got == "" {
				t.Fatal("no answer")
			}
		}
	})
}

// A server that allows fewer labels than the default gives that many.
func TestFewLabels(t *testing.T) {
	l := testLimits
	l.Top = 2
	for _, m := range []*pipeline.Model{values(dataset.Dense), classes(), labels()} {
		h := New(m, Config{Limits: l, Log: quiet()})
		status, text := post(h, "/v1/predict", "", `{"row":[1,2,3]}`)
		if want := map[bool]int{true: 2}[m.Task == dataset.MultiLabel]; status != 200 || strings.Count(text, `"label":`) != want {
			t.Errorf("%s: %d %s", m.Task, status, text)
		}
		if status, text := post(h, "/v1/predict", "", `{"row":[1,2,3],"top":3}`); status != 400 || !strings.Contains(text, "1 to 2") {
			t.Errorf("%s: %d %s", m.Task, status, text)
		}
	}
}

// An error in a row names the column if it lies in one column.
func TestBadRow(t *testing.T) {
	for column, want := range map[int]string{0: "is late", 1: "column 1: is late", 7: "column 7: is late"} {
		if got := badf(column, "is %s", "late").Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A text that was not in training is counted, and named where that is asked for. A truth value is the
// same in all spellings.
func TestUnknown(t *testing.T) {
	m := values(dataset.Dense)
	m.Schema = &dataset.Schema{Columns: []dataset.Column{
		{Name: "a"}, {Name: "ripe", Kind: dataset.Category, Levels: []string{"False", "True"}}, {Name: "color", Kind: dataset.Category, Levels: []string{"green", "red"}, Missing: true},
	}}
	h := New(m, testConfig)
	answer := func(row string) string {
		t.Helper()
		status, text := post(h, "/v1/predict", "", `{"unknown":true,"row":`+row+`}`)
		if status != http.StatusOK {
			t.Fatalf("%s: %d %s", row, status, text)
		}
		return text
	}
	yes := answer(`{"a":1,"ripe":true,"color":"red"}`)
	for _, same := range []string{`{"a":1,"ripe":"True","color":"red"}`, `[1,"TRUE","red"]`} {
		if text := answer(same); text != yes || !strings.Contains(text, `"unknown":[]}`) {
			t.Errorf("%s: %s, want %s", same, text, yes)
		}
	}
	_, absent := post(h, "/v1/predict", "", `{"row":[1,true,null]}`) // which this model has no answer to
	for _, same := range []string{`""`, `"NA"`} {
		if _, text := post(h, "/v1/predict", "", `{"row":[1,true,`+same+`]}`); text != absent {
			t.Errorf("%s: %s, want %s", same, text, absent)
		}
	}
	if text := answer(`[1,"xyz","blue"]`); !strings.Contains(text, `"unknown":[2,3]}`) {
		t.Error(text)
	}
	if _, text := post(h, "/v1/predict?unknown=true", ndjson, `[1,false,"blue"]`); !strings.Contains(text, `"unknown":[3]}`) {
		t.Error(text)
	}
	if _, text := post(h, "/v1/predict", "", `{"row":[1,"xyz","red"]}`); strings.Contains(text, "unknown") {
		t.Error(text)
	}
	if _, text := post(h, "/v1/predict", "", `{"unknown":1,"row":[1,"xyz","red"]}`); !strings.Contains(text, "unknown is a number") {
		t.Error(text)
	}
	text := ask(h, "/metrics").Body.String()
	for _, want := range []string{`gram_unknown_levels_total{column="ripe",model=""} 2`, `gram_unknown_levels_total{column="color",model=""} 2`} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
}

// A row by names has all columns, each once, and no others. One that has not is an error, and the next row counts as if
// it had not been there.
func TestNamedRows(t *testing.T) {
	m := values(dataset.Dense)
	m.Schema = &dataset.Schema{Target: "y", Columns: []dataset.Column{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
	h := New(m, testConfig)
	for row, want := range map[string]string{
		`{"a":1,"c":2}`:               `is not there`,
		`{"a":1,"b":2,"c":3,"d":4}`:   `no column`,
		`{"a":1,"b":2,"a":3,"c":3}`:   `is there twice`,
		`{"c":1,"a":"x","b":3}`:       `not a string`,
		`{"b":1,"y":2,"a":3,"c":"x"}`: `not a string`,
	} {
		_, text := post(h, "/v1/predict", ndjson, `{"a":1,"b":2,"c":3}`+"\n"+row+"\n"+`{"c":3,"b":2,"y":5,"a":1}`)
		lines := strings.Split(text, "\n")
		if len(lines) < 3 || lines[0] != `{"value":6}` || !strings.Contains(lines[1], want) || lines[2] != lines[0] {
			t.Errorf("%s: %s", row, text)
		}
	}
}

// A date is a text, and nothing else is one.
func TestDates(t *testing.T) {
	m := values(dataset.Dense)
	m.Schema = &dataset.Schema{Columns: []dataset.Column{{Name: "a"}, {Name: "when", Kind: dataset.Date}, {Name: "c"}}}
	h := New(m, testConfig)
	_, day := post(h, "/v1/predict", "", `{"row":{"a":1,"when":"1970-01-04","c":0}}`)
	m.Schema = nil
	if _, number := post(New(m, testConfig), "/v1/predict", "", `{"row":[1,3,0]}`); day != number || !strings.Contains(day, "value") {
		t.Errorf("%s, want %s", day, number)
	}
	for _, cell := range []string{`3`, `"4.1.1970"`, `true`, `null`, `""`} {
		status, text := post(h, "/v1/predict", "", `{"row":[1,`+cell+`,0]}`)
		if want := map[bool]string{true: "null, but no cell", false: "want a date such as"}[cell == "null"]; status != http.StatusUnprocessableEntity || !strings.Contains(text, want) || !strings.Contains(text, "when") {
			t.Errorf("%s: %d %s", cell, status, text)
		}
	}
}

// sums predicts the sum of the numbers of a row that are not 0.
type sums struct{ regressor }

func (sums) Predict(_ []float64, x mat.Matrix) []float64 {
	s := gram.Of(x)
	dst := make([]float64, s.N())
	for i := range dst {
		s.Each(i, func(_ int, v float64) { dst[i] += v })
	}
	return dst
}

// A model that says it is for dense rows of 2³⁰ columns, as a forged file may, takes no memory for the
// columns of a row that names a few of them.
func TestWideRows(t *testing.T) {
	m := values(dataset.Dense)
	m.Dim, m.Model = 1<<30, sums{}
	h := New(m, testConfig)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	status, text := post(h, "/v1/predict", "", `{"rows":[{"3":1,"1073741824":2},{"indices":[7],"values":[5]}]}`)
	runtime.ReadMemStats(&after)
	if status != 200 || !strings.Contains(text, `{"value":3},{"value":5}`) {
		t.Errorf("%d %s", status, text)
	}
	if b := after.TotalAlloc - before.TotalAlloc; b > 16<<20 {
		t.Errorf("the answer allocates %d bytes", b)
	}
}
