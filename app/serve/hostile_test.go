package serve

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
)

var hostile = flag.Int("hostile", 0, "requests of TestHostileRequests, each of which must be answered within a second; 0: 3000, whenever")

// odd is what a hostile client puts where a value belongs.
var odd = []string{
	"1", "0", "-0", "1e308", "-1e309", "1e-400", "1E+2", "01", "+1", ".5", "1.", "0x10", "NaN", "Infinity", "null", "true", `"1"`, `""`, "{}", "[]", "[1]", `{"1":1}`, "99999999999999999999",
	"9223372036854775808", "-1", "4294967297", "2147483648", `"\ud800"`, `"\u0000"`, "\xff", "\"\xff\"", " 1 ", "\t1\n", "1 1", "1,", ",", "", strings.Repeat("9", 400), "0." + strings.Repeat("0", 400) + "1",
}

// hostileValue returns JSON, or nearly JSON, for a row.
func hostileValue(r *rand.Rand, depth int) string {
	pick := func() string {
		if r.IntN(12) > 0 {
			return fmt.Sprint(r.IntN(7) - 3)
		}
		return odd[r.IntN(len(odd))]
	}
	list := func(n int, f func() string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = f()
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	switch r.IntN(9) {
	case 0, 1, 2:
		return list([]int{3, 3, 3, 3, 3, 3, 2, 4, 0, 300}[r.IntN(10)], pick)
	case 3:
		parts := make([]string, r.IntN(4))
		for i := range parts {
			parts[i] = fmt.Sprintf("%q:%s", []string{"1", "2", "3", "4", "0", "01", "-1", "", "x", "4294967297", "1e0", "\u0661"}[r.IntN(12)], pick())
		}
		return "{" + strings.Join(parts, ",") + "}"
	case 4:
		n := r.IntN(4)
		return fmt.Sprintf(`{"indices":%s,"values":%s}`, list(n, pick), list(n+r.IntN(2)*r.IntN(2), pick))
	case 5:
		return strings.Repeat([]string{"[", `{"row":`, `{"1":[`}[r.IntN(3)], 1+r.IntN(500))
	case 6:
		if depth > 0 {
			return list(r.IntN(8), func() string { return hostileValue(r, depth-1) })
		}
	case 7:
		return pick()
	}
	return list(3, func() string { return fmt.Sprint(r.IntN(9)) })
}

// hostileRequest returns the bytes of a request.
func hostileRequest(r *rand.Rand) []byte {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	mostly := func(good string, from ...string) string { // so that a good part of the requests gets to the next check
		if r.IntN(8) > 0 {
			return good
		}
		return pick(from...)
	}
	var body string
	stream := r.IntN(4) == 0
	if stream {
		for range r.IntN(6) {
			body += hostileValue(r, 1) + pick("\n", "\n", "\r\n", "\n\n", "")
		}
	} else {
		var members []string
		for range 1 + r.IntN(3)*r.IntN(2) {
			switch r.IntN(6) {
			case 0, 1:
				members = append(members, `"row":`+hostileValue(r, 1))
			case 2, 3:
				rows := make([]string, r.IntN(7))
				for i := range rows {
					rows[i] = hostileValue(r, 0)
				}
				members = append(members, `"rows":[`+strings.Join(rows, ",")+`]`)
			case 4:
				members = append(members, pick(`"scores":`, `"top":`, `"Row":`, `"r\u006fw":`, `"x":`, `"":`)+odd[r.IntN(len(odd))])
			default:
				members = append(members, pick(`"scores":true`, `"top":2`, `"top":1000000000`, `"scores":1`))
			}
		}
		body = "{" + strings.Join(members, ",") + "}" + mostly("", "\n", "{}", "\x00")
	}
	path := mostly("/v1/predict", "/v1/models/a/predict", "/v1/models//predict", "/v1/model", "/v1/models/a", "/metrics", "/readyz", "/../v1/predict", "/v1/predict/", "//", "*", "/%2e%2e/%00",
		"/v1/predict?top=2&scores=true", "/v1/predict?top=-1", "/v1/predict?top=1;scores", "/v1/predict?%zz", "/v1/predict?x=1", "http://other/v1/predict")
	head := mostly("POST", "GET", "HEAD", "PUT", "OPTIONS", "CONNECT", "X") + " " + path + " HTTP/1.1\r\nHost: " + mostly("x", "", "[::1]:80", "a b") + "\r\n"
	kind := "application/json"
	if stream {
		kind = ndjson
	}
	head += "Content-Type: " + mostly(kind, "application/json", "application/x-ndjson", "text/plain", "application/json; charset=utf-8", "application/json;;", "", "multipart/form-data") + "\r\n"
	if r.IntN(8) == 0 {
		head += pick("Expect: 100-continue", "Content-Encoding: gzip", "Authorization: Bearer x", "Connection: upgrade", "Cookie: "+strings.Repeat("x", 3000), "X: \x01") + "\r\n"
	}
	if r.IntN(8) == 0 {
		head += "Transfer-Encoding: chunked\r\n"
		body = fmt.Sprintf("%x\r\n%s\r\n%s", len(body)+r.IntN(3)*r.IntN(2), body, pick("0\r\n\r\n", "0\r\n\r\n", "", "ffffffffffffffff\r\n"))
	} else {
		head += fmt.Sprintf("Content-Length: %d\r\n", len(body)+(r.IntN(5)-2)*(r.IntN(6)/5))
	}
	text := []byte(head + "\r\n" + body)
	if r.IntN(6) == 0 {
		for range 1 + r.IntN(4) {
			text[r.IntN(len(text))] = byte(r.IntN(256))
		}
	}
	return text
}

// Whatever a client sends is answered in JSON and without a failure of the server, and
// soon. What is answered with predictions is JSON, without a key twice, and a
// prediction is the sum that the model of this test stands for.
func TestHostileRequests(t *testing.T) {
	n := *hostile
	if n == 0 {
		n = 3000
	}
	plain, thin := values(dataset.Dense), values(dataset.Sparse)
	plain.Model, thin.Model = regressor{}, regressor{}
	var servers []*Server
	for _, m := range []*pipeline.Model{plain, thin, classes(), labels()} {
		s := New(m, testConfig)
		s.Set("a", m)
		servers = append(servers, s)
	}
	answered, predicted := 0, 0
	var longest time.Duration
	for i := range n {
		r := rand.New(rand.NewPCG(1, uint64(i)))
		text := hostileRequest(r)
		request, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(text)))
		if err != nil {
			continue // the work of net/http
		}
		var kept bytes.Buffer // what the server reads
		request.Body = &teeBody{request.Body, &kept}
		at := i % len(servers)
		w := httptest.NewRecorder()
		begin := time.Now()
		servers[at].ServeHTTP(w, request)
		if took := time.Since(begin); took > longest {
			longest = took
		}
		answered++
		got := w.Body.Bytes()
		fail := func(what string) {
			t.Errorf("request %d: %s\n%q\n%d %.300s", i, what, text, w.Code, got)
		}
		if w.Code >= 500 {
			fail("the server fails")
		}
		if !strings.Contains(request.URL.Path, "predict") || w.Code == http.StatusMovedPermanently || w.Code == http.StatusTemporaryRedirect || w.Code == http.StatusPermanentRedirect {
			continue
		}
		for line := range bytes.Lines(got) {
			if !json.Valid(line) {
				fail("an answer is not JSON")
			}
		}
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" {
			continue
		}
		predicted++
		var asked map[string]json.RawMessage
		if !json.Valid(kept.Bytes()) || json.Unmarshal(kept.Bytes(), &asked) != nil {
			fail("this is no JSON, and is predicted")
			continue
		}
		var row []float64
		var answer struct{ Value *float64 }
		if at < 2 && json.Unmarshal(asked["row"], &row) == nil && row != nil {
			sum := 0.0
			for _, v := range row {
				sum += v
			}
			if json.Unmarshal(got, &answer) != nil || answer.Value == nil || len(row) != 3 || !(math.Abs(*answer.Value-sum) <= 1e-9*math.Abs(sum)) {
				fail("the row is not predicted, or wrongly")
			}
		}
		if keys := strings.Count(kept.String(), `"row":`); keys > 1 && !strings.Contains(kept.String(), `"row":{"row":`) {
			fail("a key is there twice, and is predicted")
		}
	}
	t.Logf("%d requests, %d of them HTTP, %d predicted; the longest took %v", n, answered, predicted, longest)
	if predicted < n/100 {
		t.Errorf("only %d requests of %d are predicted", predicted, n)
	}
	if *hostile > 0 && longest > time.Second {
		t.Errorf("a request took %v", longest)
	}
}

// teeBody keeps what is read of a body.
type teeBody struct {
	io.ReadCloser
	kept *bytes.Buffer
}

func (b *teeBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.kept.Write(p[:n])
	return n, err
}

// A model that is replaced is forgotten, so that its memory is free, once its last
// request is answered.
func TestReplacedModels(t *testing.T) {
	h := New(values(dataset.Dense), testConfig)
	gone := make(chan bool, 2)
	set := func(name string, m *pipeline.Model) {
		runtime.AddCleanup(m, func(struct{}) { gone <- true }, struct{}{})
		h.Set(name, m)
		if status, text := post(h, "/v1/predict", "", `{"row":[1,0,0]}`); status != 200 {
			t.Errorf("%d %s", status, text)
		}
	}
	set("", classes())
	set("letters", classes())
	h.Set("", labels())
	h.Set("letters", labels())
	for n := 0; n < 2; {
		runtime.GC()
		select {
		case <-gone:
			n++
		case <-time.After(10 * time.Millisecond):
		}
	}
	if status, text := post(h, "/v1/models/letters/predict", "", `{"row":[1,0,0]}`); status != 200 {
		t.Errorf("%d %s", status, text)
	}
}
