package predict_test

import (
	"bytes"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
	"gonum.org/v1/gonum/mat"
)

// counted is the sum of two columns, and counts how often its programs are made.
type counted struct{ wide, narrow int }

func (c *counted) Predict(dst []float64, x mat.Matrix) []float64 { panic("not by its program") }

func (c *counted) Encode(w *modelfile.Writer) error { return w.Header("counted", 1, struct{}{}) }

func (c *counted) Program64() (gram.Program[float64], error) {
	c.wide++
	return basis.Identity(2).With64(mat.NewDense(2, 1, []float64{1, 1}), []float64{0}), nil
}

func (c *counted) Program32() (gram.Program[float32], error) {
	c.narrow++
	return basis.Identity(2).With32(mat.NewDense(2, 1, []float64{1, 1}), []float64{0}), nil
}

// Compile and Decode make the program of a model that is no function of a basis once, and
// so do predictions and costs later. What float32 costs is measured against another.
func TestProgramsAreMadeOnce(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	for _, c := range []struct {
		o            predict.Options
		wide, narrow int
	}{
		{predict.Options{Budget: 9}, 1, 0},
		{predict.Options{Precision: predict.Float32}, 0, 1},
		{predict.Options{Precision: predict.Float32, Points: x}, 1, 1},
	} {
		m := &counted{}
		p := must.Have(predict.Compile(t.Context(), m, c.o))(t)
		use := func(p predict.Compiled) {
			if y := p.(regressor).Predict(nil, x); y[0] != 3 || y[1] != 7 || !(p.Multiple() > 0) {
				t.Errorf("predictions %v", y)
			}
			if c.o.Precision == predict.Float32 {
				p.Float32()
			} else {
				p.Float64()
			}
		}
		use(p)
		if m.wide != c.wide || m.narrow != c.narrow {
			t.Errorf("%+v: %d programs in float64 and %d in float32, want %d and %d", c.o, m.wide, m.narrow, c.wide, c.narrow)
		}
		var b bytes.Buffer
		must.Do(t, modelfile.Write(&b, p))
		f := must.Have(modelfile.Read(&b))(t)
		m = &counted{}
		p = must.Have(predict.Decode(f, func(*modelfile.File) (modelfile.Model, error) { return m, nil }))(t)
		use(p)
		if m.wide+m.narrow != 1 {
			t.Errorf("%+v, read again: %d programs in float64 and %d in float32", c.o, m.wide, m.narrow)
		}
	}
}
