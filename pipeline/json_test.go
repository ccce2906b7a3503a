package pipeline

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"gonum.org/v1/gonum/mat"
)

func TestAppendJSON(t *testing.T) {
	names := (&Model{Names: []string{"a", "b\"", "ü"}}).JSONNames()
	scores := mat.NewDense(2, 3, []float64{.1, -2, 3e-9, 1, math.NaN(), 2})
	for _, c := range []struct {
		p    Predictions
		i    int
		want string
		ok   bool
	}{
		{Predictions{Class: []int{2, 1}}, 1, `{"class":"b\""}`, true},
		{Predictions{Class: []int{-1}}, 0, `{"class":null}`, false},
		{Predictions{Class: []int{0, 0}, Scores: scores}, 0, `{"class":"a","scores":[0.1,-2,3e-09]}`, true},
		{Predictions{Class: []int{0, 0}, Scores: scores}, 1, `{"class":"a","scores":[1,null,2]}`, false},
		{Predictions{Value: []float64{1, -0.5}}, 1, `{"value":-0.5}`, true},
		{Predictions{Value: []float64{math.Inf(1)}}, 0, `{"value":null}`, false},
		{Predictions{Top: [][]gram.Scored{{{Label: 7, Score: .5}, {Label: 2, Score: -1}}, nil}}, 0, `{"labels":[{"label":7,"score":0.5},{"label":2,"score":-1}]}`, true},
		{Predictions{Top: [][]gram.Scored{nil, nil}}, 1, `{"labels":[]}`, true},
	} {
		text, ok := c.p.AppendJSON([]byte("x"), c.i, names)
		if string(text) != "x"+c.want || ok != c.ok || !json.Valid(text[1:]) {
			t.Errorf("%s, %v, want %s, %v", text[1:], ok, c.want, c.ok)
		}
	}
}
