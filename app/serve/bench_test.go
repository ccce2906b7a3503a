package serve

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"gonum.org/v1/gonum/mat"
)

// smooth is a model of a method, trained on 400 rows of 8 columns with names.
func smooth(t testing.TB, method string) *pipeline.Model {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	d := &dataset.Set{X: mat.NewDense(400, 8, nil), Value: make([]float64, 400)}
	x := d.X.(*mat.Dense)
	for i := range d.Value {
		for j := range 8 {
			x.Set(i, j, r.NormFloat64())
		}
		d.Value[i] = x.At(i, 0)*x.At(i, 1) + x.At(i, 2)
	}
	m := catalog.Must(method)
	out, err := training.Train(t.Context(), m, m.New(), d, training.NoScale, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// oneRow is a request for the prediction of a row of smooth.
const oneRow = `{"inputs":[{"name":"rows","datatype":"FP64","shape":[1,8],"data":[0.1234,-1.25,0.5,0.75,2.125,-0.0625,0.3333,1.5]}]}`

// discard is a writer of answers that keeps nothing but their status.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(status int)      { d.status = status }

// BenchmarkInfer answers requests of one row, without what net/http does for them.
func BenchmarkInfer(b *testing.B) {
	for _, method := range []string{"gbdt", "krr"} {
		b.Run("method="+method, func(b *testing.B) {
			m := smooth(b, method)
			h := New(m, testConfig)
			h.Set("m", m)
			r := httptest.NewRequest(http.MethodPost, "/v2/models/m/infer", nil)
			body := bytes.NewReader([]byte(oneRow))
			r.Body, r.ContentLength = io.NopCloser(body), body.Size()
			w := &discard{header: http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				body.Reset([]byte(oneRow))
				h.ServeHTTP(w, r)
				if w.status != http.StatusOK {
					b.Fatal(w.status)
				}
			}
		})
	}
}
