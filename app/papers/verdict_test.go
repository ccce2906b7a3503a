package papers

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
)

// rowOf is one of a table whose paper prints that figure.
func rowOf(method, metric string, paper, got, std float64, repeats int) Row {
	r := Row{Table: "id", Dataset: "d", Method: method, Metric: metric, Paper: value(paper), Got: value(got), Repeats: repeats}
	if std >= 0 {
		r.Std = value(std)
	}
	return r
}

// A band is a quantile of Student's distribution times the standard error of the
// difference of two means.
func TestJudge(t *testing.T) {
	of := func(rows ...Row) measurement { return measurement{rows: rows} }
	// 5 repeats: quantile of 4 degrees 2.776, standard error .03·√(2/5).
	near := 2.776 * .03 * math.Sqrt(2./5)
	for _, c := range []struct {
		name  string
		m     measurement
		band  float64
		place int
	}{
		{"worse", of(rowOf("a", "accuracy", .9, .9-near-1e-3, .03, 5)), near, -1},
		{"within", of(rowOf("a", "accuracy", .9, .9-near+1e-3, .03, 5)), near, 0},
		{"better", of(rowOf("a", "accuracy", .9, .9+near+1e-3, .03, 5)), near, 1},
		{"less is better", of(rowOf("a", "rmse", .9, .9+near+1e-3, .03, 5)), near, -1},
		{"mean of figures", of(rowOf("a", "rmse", .8, .9, .03, 5), rowOf("b", "rmse", 1, .9, .03, 5)), near, 0},
	} {
		v, told := c.m.judge()
		if !told || v.place != c.place || math.Abs(v.band-c.band) > 1e-4 {
			t.Errorf("%s: %+v, %v", c.name, v, told)
		}
	}
	for got, want := range map[float64]bool{.9 - near - 1e-3: true, .9 - 2.776*.03*math.Sqrt(6./5) - 1e-3: false, .9: false} {
		if v, _ := of(rowOf("a", "accuracy", .9, got, .03, 5)).judge(); v.draw != want {
			t.Errorf("one draw, %g: %+v", got, v)
		}
	}
	if _, told := of(rowOf("a", "rmse", 1, 2, -1, 1)).judge(); told {
		t.Error("one run has a verdict")
	}
	// A printed figure has its rounding in the band, and its deviation if that is printed.
	half := rowOf("k-means |Ω|=5n", "pair_error", .1897, .18972, 0, 3)
	half.Table, half.Dataset = "5.8", "mushrooms"
	if v, told := of(half).judge(); !told || v.place != 0 || math.Abs(v.band-.00005) > 1e-12 {
		t.Errorf("rounding: %+v", v)
	}
	printed := rowOf("Nyström", "error, %", 27.09, 21, 1.6, 10)
	printed.Table, printed.Dataset = "zhang-1", "g241c"
	se := math.Sqrt(1.6*1.6/10 + 2.16*2.16/30)
	degrees := math.Pow(se, 4) / (math.Pow(1.6*1.6/10, 2)/9 + math.Pow(2.16*2.16/30, 2)/29)
	if v, _ := of(printed).judge(); v.place != 1 || degrees < 20 || degrees > 22 || math.Abs(v.band-.005-2.08*se) > .01*se { // 2.08 for 21 degrees
		t.Errorf("printed deviation: %+v, %g degrees", v, degrees)
	}
}

// What counts is what the table declares, and one computation counts once.
func TestMeasured(t *testing.T) {
	table := Table{ID: "id", nearest: "whole", budget: []string{"steps"}}
	of := func(dataset string, r Row) Row { r.Dataset = dataset; return r }
	good := of("d, whole", rowOf("a", "accuracy", .9, .8, .1, 5))
	seen, generated := good, of("generated, whole", good)
	seen.Seen = "all"
	same, other := good, good
	same.Method, other.Method = "b", "c"
	other.Got = value(.81)
	none := good
	none.Paper = nil
	r := Results{Runs: []Stored{
		{Settings: map[string]string{"only": "d", "steps": "3"}, Rows: []Row{good, same, other, seen, generated, none, of("d, half", good), of("d", good), of("d, whole", rowOf("a", "seconds", 1, 2, .1, 5))}},
		{Settings: map[string]string{"k": "3"}, Rows: []Row{good}},
		{Quick: true, Rows: []Row{good}},
	}}
	all := table.measured(r)
	if len(all) != 2 || all[0].methods() != "a, b" || all[1].methods() != "c" {
		t.Errorf("%+v", all)
	}
	r.Runs[0].Sources = "hash"
	single := of("e, whole", rowOf("a", "accuracy", .9, .8, -1, 1))
	r.Runs = append(r.Runs, Stored{Rows: []Row{single, of("f, whole", rowOf("a", "accuracy", .9, .1, .01, 5))}})
	tables := []tally{tallyOf(table, r)}
	if got := tables[0]; got.places != [3]int{1, 2, 0} || got.single != 1 || got.recorded != 2 || len(got.widths) != 3 {
		t.Errorf("%+v", got)
	}
	var b bytes.Buffer
	writeSummary(&b, tables)
	for _, want := range []string{"**3 measurements have", "2 (67 %) of them do not differ", "0 (0 %) are better and 1 (33 %) are worse", "2 of all come from recorded runs",
		"1 more have one run and no verdict. Of those that are elsewhere 0 would", "| id | f, whole | a | accuracy | 0.9 | 0.1 ± 0.01 | 5 |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %q", want, b.String())
		}
	}
}

// The paper's best method is best here, or not by more than chance.
func TestLeads(t *testing.T) {
	table := Table{ID: "id"}
	of := func(set string, rows ...Row) (out []Row) {
		for _, r := range rows {
			r.Dataset = set
			out = append(out, r)
		}
		return out
	}
	rows := slices.Concat(
		of("same", rowOf("a", "rmse", 1, 1, .1, 5), rowOf("b", "rmse", 2, 2, .1, 5)),
		of("near", rowOf("a", "rmse", 1, 1.05, .1, 5), rowOf("b", "rmse", 2, 1, .1, 5)),
		of("other", rowOf("a", "accuracy", .9, .8, .01, 5), rowOf("b", "accuracy", .8, .9, .01, 5)),
		of("parts", rowOf("a, 3 parts", "rmse", 1, 1, .1, 5), rowOf("b, 3 parts", "rmse", 2, 2, .1, 5), rowOf("b, 9 parts", "rmse", .5, .5, .1, 5)),
		of("alone", rowOf("a", "rmse", 1, 1, .1, 5)),
		of("once", rowOf("a", "rmse", 1, 2, -1, 1), rowOf("b", "rmse", 2, 1, -1, 1)))
	got := map[string]int{}
	for _, l := range table.leads(Results{Runs: []Stored{{Rows: rows}}}) {
		got[l.set] = l.place
	}
	if want := map[string]int{"same": 1, "near": 0, "other": -1, "parts": 1}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Every measurement that is elsewhere than the paper has a reason, and every reason has one.
func TestReasons(t *testing.T) {
	used := map[int]bool{}
	for _, table := range All() {
		r, _, err := table.Stored()
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range tallyOf(table, r).outside {
			for _, row := range o.rows {
				i := reasonIndex(row)
				if i < 0 && !o.draw {
					t.Errorf("%s, %s, %s, %s: %g is not %g, and nothing says why", row.Table, row.Dataset, row.Method, row.Metric, o.got, o.paper)
				}
				used[i] = true
			}
		}
	}
	for i, e := range allReasons() {
		if !used[i] {
			t.Errorf("no row for the reason %+v", e)
		}
		if !slices.ContainsFunc(causes, func(c [2]string) bool { return c[0] == e.cause }) || !strings.HasSuffix(e.text, ".") {
			t.Errorf("%+v", e)
		}
	}
}
