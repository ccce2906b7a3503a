package pipeline

import (
	"encoding/json"
	"math"
	"strings"
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
		{Predictions{Value: []float64{1, 2}, Unknown: [][]int{{4}, {0, 2}}}, 1, `{"value":2,"unknown":[1,3]}`, true},
		{Predictions{Class: []int{0, 2}, Probability: scores, Set: [][]int{nil, {0, 1}}}, 0, `{"class":"a","probabilities":[0.1,-2,3e-09],"set":[]}`, true},
		{Predictions{Class: []int{0, 2}, Set: [][]int{nil, {1, 2}}}, 1, `{"class":"ü","set":["b\"","ü"]}`, true},
		{Predictions{Value: []float64{1, 2}, Low: []float64{3, .5}, High: []float64{4, 2.5}}, 1, `{"value":2,"low":0.5,"high":2.5}`, true},
		{Predictions{Value: []float64{1}, Low: []float64{math.Inf(-1)}, High: []float64{4}}, 0, `{"value":1,"low":null,"high":4}`, false},
		{Predictions{Value: []float64{1}, Low: []float64{0}, High: []float64{math.NaN()}}, 0, `{"value":1,"low":0,"high":null}`, false},
		{Predictions{Top: [][]gram.Scored{{{Label: 7, Score: math.NaN()}}}, Unknown: [][]int{nil}}, 0, `{"labels":[{"label":7,"score":null}],"unknown":[]}`, false},
	} {
		text, ok := c.p.AppendJSON([]byte("x"), c.i, names)
		if string(text) != "x"+c.want || ok != c.ok || !json.Valid(text[1:]) {
			t.Errorf("%s, %v, want %s, %v", text[1:], ok, c.want, c.ok)
		}
	}
}

// Every record has a cell for each column: best labels that a row lacks are empty, and so is the
// class of a row without one.
func TestRecord(t *testing.T) {
	names := []string{"a", "b", "c"}
	numbers := mat.NewDense(2, 3, []float64{.1, -2, 3e-9, 1, 0, 2})
	for _, c := range []struct {
		p       Predictions
		columns string
		want    string
	}{
		{Predictions{Class: []int{0, -1}}, "class", ""},
		{Predictions{Class: []int{0, 1}, Scores: mat.NewDense(2, 1, []float64{1, -.5})}, "class score", "b -0.5"},
		{Predictions{Class: []int{0, 2}, Scores: numbers, Probability: numbers, Set: [][]int{nil, {0, 2}}},
			"class score_a score_b score_c probability_a probability_b probability_c in_set_a in_set_b in_set_c", "c 1 0 2 1 0 2 1 0 1"},
		{Predictions{Value: []float64{1, .25}}, "value", "0.25"},
		{Predictions{Value: []float64{1, .25}, Low: []float64{0, -1}, High: []float64{2, 1e300}}, "value low high", "0.25 -1 1e+300"},
		{Predictions{Top: [][]gram.Scored{nil, {{Label: 7, Score: .5}}}}, "label_1 score_1 label_2 score_2", "7 0.5  "},
	} {
		if got := strings.Join(c.p.Columns(names, 2), " "); got != c.columns {
			t.Errorf("columns %q, want %q", got, c.columns)
		}
		if got := strings.Join(c.p.Record(nil, 1, names, 2), " "); got != c.want {
			t.Errorf("record %q, want %q", got, c.want)
		}
	}
}
