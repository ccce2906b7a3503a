package rows

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// divided are settings with a part for each row.
type divided struct {
	Labels []int
	Parts  int
}

func (c *divided) Settings(s *settings.Fields) {
	s.Require(len(c.Labels) == s.Shape.N, &c.Labels, "a part for each of the %d rows", s.Shape.N)
	s.Int(&c.Parts, "parts", "parts").Default(s.Shape.Outputs).AtLeast(1)
}

func (c divided) Plan(s gram.Shape) (gram.Plan, error) {
	return gram.Plan{PeakBytes: int64(1000 * s.Outputs)}, nil
}

// A fit begins with the rows that have a weight, their labels, and settings for their number; what
// is wrong is told of in the order settings, plan, rows, targets, weights.
func TestBegin(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{1, 2, 3, 4})
	y := gram.Labels{Class: []int{0, 1, 0, 1}, Names: []string{"a", "b", "c"}}
	c := divided{Labels: []int{7, 8, 9, 6}}
	s, err := Begin(&c, gram.Run{}, x, y, []float64{1, 0, 2, 3}, Picked(&c.Labels))
	if err != nil || s.X.N() != 3 || !slices.Equal(s.Y.Class, []int{0, 0, 1}) || !slices.Equal(s.W, []float64{1, 2, 3}) || !slices.Equal(s.Kept, []int{0, 2, 3}) {
		t.Fatalf("%+v, %v", s, err)
	}
	if !slices.Equal(c.Labels, []int{7, 9, 6}) || c.Parts != 3 {
		t.Errorf("settings %+v", c)
	}
	wrong := mat.NewDense(4, 1, []float64{1, math.NaN(), 3, 4})
	negative := []float64{1, -1, 1, 1}
	for _, step := range []struct {
		what   string
		c      divided
		limit  int64
		x      *mat.Dense
		y      *mat.Dense
		target any
	}{
		{"settings", divided{}, 1, wrong, wrong, new(*gram.ConfigError)},
		{"plan", divided{Labels: make([]int, 4), Parts: 1}, 1, wrong, wrong, new(*gram.MemoryError)},
	} {
		if _, err := Begin(&step.c, gram.Run{MemoryLimit: step.limit}, step.x, step.y, negative, Picked(&step.c.Labels)); !errors.As(err, step.target) {
			t.Errorf("%s: %v", step.what, err)
		}
	}
	refusal := errors.New("no such row")
	if _, err := Begin(&c, gram.Run{}, wrong, y, []float64{1, 0, 2, 3}, func([]int) error { return refusal }); err == refusal {
		t.Error("a row that is named was looked at before the rows")
	}
	if _, err := Begin(&c, gram.Run{}, x, y, []float64{1, 0, 2, 3}, func([]int) error { return refusal }); err != refusal {
		t.Errorf("a row that is named: %v", err)
	}
	row := func(what string, err error, row, col int) {
		t.Helper()
		var bad *gram.DataError
		if !errors.As(err, &bad) || bad.Row != row || bad.Col != col {
			t.Errorf("%s: %v", what, err)
		}
	}
	open := divided{Labels: make([]int, 4), Parts: 1}
	late := []float64{1, 2, 3, math.Inf(1)}
	_, err = Begin(&open, gram.Run{}, wrong, late, negative)
	row("a number", err, 1, 0)
	_, err = Begin(&open, gram.Run{}, x, late, negative)
	row("a target", err, 3, -1)
	_, err = Begin(&open, gram.Run{}, x, mat.NewDense(4, 1, late), negative)
	row("a target of several", err, 3, -1)
	_, err = Begin(&open, gram.Run{}, x, gram.Labels{Class: []int{0, 0, 3, 0}, Names: y.Names}, negative)
	row("a class", err, 2, -1)
	for what, err := range map[string]error{
		"none":   second(Begin(&open, gram.Run{}, x, None{}, negative)),
		"values": second(Begin(&open, gram.Run{}, x, []float64{1, 2, 3, 4}, negative)),
		"labels": second(Begin(&open, gram.Run{}, x, y, negative)),
	} {
		row("a weight with "+what, err, 1, -2)
	}
}

func second[T any](_ T, err error) error { return err }

// A column has the elements of its values, also of none.
func TestColumn(t *testing.T) {
	y := []float64{1, 2}
	c := Column(y)
	if c.Set(1, 0, 3); y[1] != 3 || mat.Col(nil, 0, c)[0] != 1 {
		t.Errorf("%v of %v", c, y)
	}
	if n, _ := Column(nil).Dims(); n != 0 {
		t.Errorf("%d rows of none", n)
	}
}
