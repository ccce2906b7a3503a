package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// kept returns a survey as a file gives it back, and the file.
func kept(t *testing.T, s *Survey) (*Survey, []byte) {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, modelfile.Write(&b, putter(s.Exchange)))
	return must.Have(modelfile.Get(stored(t, s.Exchange), new(Survey), (*Survey).Exchange))(t), b.Bytes()
}

// A survey that was stored tells the same as before, alone and merged with those of other rows: the columns with their
// levels, dates and missing cells, the targets, and what is wrong with the table and where. Its file does not depend on the
// order of maps. The surveys of all pieces tell what a pass over all rows tells.
func TestStoredSurveys(t *testing.T) {
	for name, c := range map[string]struct {
		header string
		rows   [2]string
		o      Options
		wrong  string // in the error; "": none
	}{
		"kinds":      {"when,color,a,size,y\n", [2]string{"2024-01-31,red,1,7,2\n,blue,2,8,3\n", "2023-12-31 06:00,,3,7,4.5\n2024-02-01,green,4.5,8,1\n"}, Options{Task: Regression, Categories: []string{"size"}}, ""},
		"late text":  {"a,b,y\n", [2]string{"1,3,u\n2,4,v\n", "1,x,v\n,x,w\n"}, Options{Task: Classes}, ""},
		"ignored":    {"a,b,y\n", [2]string{"1,3,u\n2,4,v\n", "1,x,v\n,x,w\n"}, Options{Task: Classes, Ignore: []string{"b"}}, ""},
		"no target":  {"a,b\n", [2]string{"1,x\n2,y\n", "3,x\n,y\n"}, Options{Task: NoTarget}, ""},
		"no header":  {"red,2,big,blue\n", [2]string{"red,3,big,blue\ngreen,4,small,red\n", "blue,5,big,green\nred,4,big,green\n"}, Options{Task: Classes}, "no header"},
		"dates, not": {"when,y\n", [2]string{"2024-01-31,1\n2024-01-30,2\n", "today,3\n2024-01-29,4\n"}, Options{Task: Regression}, ":2:1: column \"when\" holds dates in 3 of"},
	} {
		surveys := func(store bool) *Survey {
			all := new(Survey)
			for _, rows := range c.rows {
				piece := must.Have(ReadSurvey(t.Context(), strings.NewReader(c.header+rows), c.o, nil))(t)
				for range 3 {
					if !store {
						break
					}
					first, text := kept(t, piece)
					again, second := kept(t, first)
					if !bytes.Equal(text, second) {
						t.Fatalf("%s: a survey that was read is stored in other bytes", name)
					}
					piece = again
				}
				must.Do(t, all.Merge(piece))
				must.Do(t, all.Merge(new(Survey))) // of no rows
			}
			return all
		}
		want, wrong := surveys(false).Info("rows")
		if (wrong == nil) != (c.wrong == "") || wrong != nil && !strings.Contains(wrong.Error(), c.wrong) {
			t.Errorf("%s: error %v, want %q", name, wrong, c.wrong)
		}
		for what, s := range map[string]*Survey{"pieces stored": surveys(true), "all stored": func() *Survey { s, _ := kept(t, surveys(false)); return s }()} {
			got, err := s.Info("rows")
			if !reflect.DeepEqual(got, want) || fmt.Sprint(err) != fmt.Sprint(wrong) {
				t.Errorf("%s, %s: %+v, %v, want %+v, %v", name, what, got, err, want, wrong)
			}
		}
		if whole, err := Read(strings.NewReader(c.header+c.rows[0]+c.rows[1]), withTable(c.o)); wrong == nil {
			n, d := whole.Dims()
			if err != nil || !reflect.DeepEqual(whole.Schema, want.Schema) || want.N != n || want.D != d || whole.Task() != want.Task {
				t.Errorf("%s: %+v, want %+v, %v", name, want, whole.Schema, err)
			}
		} else if err == nil {
			t.Errorf("%s: all rows together are read", name)
		}
	}
}

func withTable(o Options) Options {
	o.Table = true
	return o
}

// Surveys of different tables do not merge, and one whose file holds other columns than it says is refused.
func TestSurveysThatDoNotFit(t *testing.T) {
	survey := func(text string, o Options) *Survey {
		return must.Have(ReadSurvey(t.Context(), strings.NewReader(text), o, nil))(t)
	}
	values := Options{Task: Regression}
	one := "a,b,y\n1,2,3\n"
	for name, c := range map[string]struct {
		other *Survey
		want  string
	}{
		"formats": {survey(`{"a":1,"b":2,"y":3}`+"\n", Options{Task: Regression, Format: JSONLines}), "json"},
		"columns": {survey("a,b,c,y\n1,2,3,4\n", values), "columns"},
		"names":   {survey("a,x,y\n1,2,3\n", values), `"b"`},
	} {
		if err := survey(one, values).Merge(c.other); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	broken := errors.New("broken")
	if _, err := ReadSurvey(t.Context(), strings.NewReader(one), values, func([]float64) error { return broken }); err != broken {
		t.Errorf("the error of the function for each row: %v", err)
	}
	short := survey(one, values)
	short.summary.D++
	if s, err := modelfile.Get(stored(t, short.Exchange), new(Survey), (*Survey).Exchange); err == nil || s != nil || !strings.Contains(err.Error(), "2 columns") {
		t.Errorf("a column is not there: %v", err)
	}
	f := stored(t, func(x *modelfile.Exchange) { x.Header("dataset.survey", 1, &struct{ Format string }{"nothing"}) })
	if _, err := modelfile.Get(f, new(Survey), (*Survey).Exchange); err == nil || !strings.Contains(err.Error(), `"nothing"`) {
		t.Errorf("a format that is not known: %v", err)
	}
	if _, err := new(Survey).Info("rows"); err == nil || !strings.Contains(err.Error(), "rows: ") {
		t.Errorf("no rows: %v", err)
	}
}

// Summaries of the rows of pieces add up: numbers add, the largest counts remain, labels keep the order in which they come,
// and what is known of the targets is that of the first piece that has it. What does not fit is an error.
func TestMergedSummaries(t *testing.T) {
	column := func(missing bool) *Schema { return &Schema{Columns: []Column{{Name: "a", Missing: missing}}} }
	first := column(false)
	s := &Summary{}
	for _, o := range []*Summary{
		{},
		{Format: CSV, N: 3, D: 4, NNZ: 5, Tags: 2, Labels: []string{"2", "1"}, Schema: first, Auto: true},
		{},
		{Format: CSV, N: 2, D: 3, NNZ: 1, Tags: 7, Task: Classes, Labels: []string{"1", "x", "2"}, Schema: column(true), Broken: true, Stray: "x", Line: 9},
		{Format: CSV, N: 1, D: 6, NNZ: 2, Tags: 1, Task: Classes, Labels: []string{"y"}, Stray: "y", Line: 2},
	} {
		must.Do(t, s.Merge(o))
	}
	want := &Summary{Format: CSV, N: 6, D: 6, NNZ: 8, Tags: 7, Task: Classes, Labels: []string{"2", "1", "x", "y"}, Schema: column(true),
		Auto: true, Broken: true, Stray: "x", Line: 9}
	if !reflect.DeepEqual(s, want) || first.Columns[0].Missing {
		t.Errorf("%+v, want %+v", s, want)
	}
	values := &Summary{N: 1, D: 2, Labels: []string{"1"}}
	must.Do(t, values.Merge(&Summary{N: 1, D: 2, Task: Regression}))
	if values.Task != Regression || values.Labels != nil {
		t.Errorf("of values: %+v", values)
	}
	for name, two := range map[string][2]*Summary{
		"formats": {{N: 1, D: 2, Format: CSV}, {N: 1, D: 2, Format: JSONLines}},
		"fixed":   {{N: 1, D: 2, Fixed: true}, {N: 1, D: 3}},
		"fixed 2": {{N: 1, D: 2}, {N: 1, D: 1, Fixed: true}},
		"tasks":   {{N: 1, D: 2, Task: Regression}, {N: 1, D: 2, Task: Classes}},
		"names":   {{N: 1, D: 1, Schema: column(false)}, {N: 1, D: 1, Schema: &Schema{Columns: []Column{{Name: "b"}}}}},
	} {
		if err := two[0].Merge(two[1]); err == nil || two[0].N != 1 {
			t.Errorf("%s: merged as %+v, %v", name, two[0], err)
		}
	}
	texts := make([]string, 21)
	for i := range texts {
		texts[i] = fmt.Sprint("t", i)
	}
	for name, c := range map[string]struct {
		s     Summary
		names []string
		tags  int
		want  string // in the error
	}{
		"no rows":       {Summary{D: 1}, nil, 0, "rows: there are no rows"},
		"no columns":    {Summary{N: 1}, nil, 0, "rows: there are no columns"},
		"classes":       {Summary{N: 2, D: 1, Task: Classes, Labels: []string{"10", "9"}}, []string{"9", "10"}, 0, ""},
		"their names":   {Summary{N: 2, D: 1, Task: Classes, names: []string{"u", "v"}}, []string{"u", "v"}, 0, ""},
		"tags":          {Summary{N: 2, D: 1, Task: MultiLabel, Tags: 5}, nil, 5, ""},
		"values":        {Summary{N: 2, D: 1, Task: Regression, Tags: 5}, nil, 0, ""},
		"names of rows": {Summary{N: 41, D: 1, Task: Classes, Auto: true, Labels: texts}, nil, 0, "rows: the target holds 21"},
		"many classes":  {Summary{N: 42, D: 1, Task: Classes, Auto: true, Labels: texts[:21:21]}, gram.NewLabels(texts).Names, 0, ""},
	} {
		info, err := c.s.Info("rows")
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", name, err, c.want)
			}
		} else if err != nil || !slices.Equal(info.Names, c.names) || info.Tags != c.tags || info.N != int(c.s.N) || info.Task != c.s.Task {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
	}
}

// All values are within a bound, which may be reached.
func TestWithin(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		within    bool
	}{{-1, 1, true}, {-1.001, 0, false}, {0, 1.001, false}, {-1, 0.5, true}} {
		m := new(Moments)
		m.Add(mat.NewDense(2, 3, []float64{0, c.low, 0.5, -0.5, c.high, 0}))
		m.Add(&mat.Dense{}) // no rows
		m.Merge(new(Moments))
		if got := m.Within(1); got != c.within || m.Rows() != 2 {
			t.Errorf("%v to %v of %d rows: %v", c.low, c.high, m.Rows(), got)
		}
	}
}

// What is no table has no survey.
func TestSurveyOfNoTable(t *testing.T) {
	if _, err := ReadSurvey(t.Context(), strings.NewReader("1 1:2\n"), Options{Format: LIBSVM}, nil); err == nil || !strings.Contains(err.Error(), "Categories") {
		t.Error(err)
	}
}
