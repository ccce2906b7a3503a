package pipeline

import (
	"errors"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"gonum.org/v1/gonum/mat"
)

// full is a disk without room.
type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

// The text of predictions of every kind, and the error of a writer.
func TestWriteText(t *testing.T) {
	numbers := mat.NewDense(3, 3, []float64{.1, -2, 3e-9, 1, 0, 2, 4, 5, 1e300})
	for _, c := range []struct {
		p    Predictions
		want string
	}{
		{Predictions{Class: []int{1, -1, 3, 2}}, "b\nNaN\n\"\\\"d\\\"\"\n\"c\\n\"\n"},
		{Predictions{Class: []int{0, 1, 0}, Scores: numbers, Probability: numbers.Slice(0, 3, 1, 2).(*mat.Dense)},
			"a 0.1 -2 3e-09 -2\nb 1 0 2 0\na 4 5 1e+300 5\n"},
		{Predictions{Class: []int{0, 1, -1}, Set: [][]int{{0, 1}, nil, {2}}}, "a {a,b}\nb {}\nNaN {\"c\\n\"}\n"},
		{Predictions{Value: []float64{1, .25}}, "1\n0.25\n"},
		{Predictions{Value: []float64{1, .25}, Low: []float64{0, -1}, High: []float64{2, 1e300}}, "1 0 2\n0.25 -1 1e+300\n"},
		{Predictions{Top: [][]gram.Scored{{{Label: 7, Score: .5}, {Label: 0, Score: -1}}, nil, {{Label: 3, Score: 2}}}}, "7:0.5 0:-1\n\n3:2\n"},
	} {
		names := []string{"a", "b", "c\n", `"d"`}
		var text strings.Builder
		if err := c.p.WriteText(&text, names); err != nil || text.String() != c.want {
			t.Errorf("text %q, want %q: %v", &text, c.want, err)
		}
		if err := c.p.WriteText(full{}, names); err != errFull {
			t.Errorf("%q to a full disk: %v", c.want, err)
		}
	}
}
