package papers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/dataset"
)

// tableOf returns the table of that number.
func tableOf(t *testing.T, id string) Table {
	t.Helper()
	table, err := Find(id)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func rowsOf(t *testing.T, id string, env Env) []Row {
	t.Helper()
	var rows []Row
	if err := tableOf(t, id).Run(t.Context(), env, func(r Row) { rows = append(rows, r) }); err != nil {
		t.Fatal(err)
	}
	return rows
}

// small are settings of tables with generated data, for tests.
var small = map[string]map[string]string{
	"6.1":         {"n": "200", "d": "200", "labels": "1600"},
	"6.3":         {"n": "200", "d": "200", "labels": "400"},
	"gbml-growth": {"n": "320", "d": "200"},
	"growth":      {"only": "bregman", "points": "2"},
	"kulis-fig2":  {"limit": "2"},
}

// uncut are the tables with generated data of which --quick cuts nothing.
var uncut = map[string]bool{"fig-3.11": true}

// TestNoData: every table runs without any data and says so in every row.
func TestNoData(t *testing.T) {
	algotest.Serial(t)
	ids := map[string]bool{}
	for _, table := range All() {
		if ids[table.ID] {
			t.Errorf("two tables %s", table.ID)
		}
		ids[table.ID] = true
		rows := rowsOf(t, table.ID, Env{Data: protocol.At(dataset.Dir(t.TempDir())), Quick: true, Repeats: 1, Set: small[table.ID]})
		if len(rows) == 0 {
			t.Errorf("%s: no rows", table.ID)
		}
		generated := true // data are, all of them
		for _, r := range rows {
			generated = generated && r.Got != nil
			if r.Table != table.ID || r.Dataset == "" || r.Method == "" || r.Metric == "" {
				t.Errorf("%s: incomplete row %+v", table.ID, r)
			}
			if r.Got != nil && !strings.Contains(r.Note, "quick: ") && !uncut[table.ID] {
				t.Errorf("%s: the row does not say what --quick cuts: %+v", table.ID, r)
			}
			if r.Got == nil && r.Note != noData {
				t.Errorf("%s: row without a figure and without a reason: %+v", table.ID, r)
			}
		}
		var text, html bytes.Buffer
		if err := WriteText(&text, table, rows); err != nil {
			t.Error(err)
		}
		if err := WriteHTML(&html, table, rows); err != nil {
			t.Error(err)
		}
		if generated {
			continue
		}
		if !strings.Contains(text.String(), noData) || !strings.Contains(html.String(), noData) {
			t.Errorf("%s: the reports do not say that there is no data", table.ID)
		}
	}
}

func TestSettings(t *testing.T) {
	for _, table := range All() {
		err := table.Run(t.Context(), Env{Set: map[string]string{"no such": "1"}}, func(Row) {})
		var ce *gram.ConfigError
		if !errors.As(err, &ce) {
			t.Errorf("%s: unknown setting: %v", table.ID, err)
		}
	}
	// A data set that a table does not have is refused, and those it has are named.
	for _, table := range All() {
		var ce *gram.ConfigError
		err := table.Run(t.Context(), Env{Set: map[string]string{"only": "no such set"}}, func(r Row) { t.Errorf("%s: row %+v", table.ID, r) })
		if !errors.As(err, &ce) || !strings.HasPrefix(ce.Field, "--set") || ce.Field == "--set only" && !strings.Contains(ce.Want, "one of the ") {
			t.Errorf("%s: only= of no set: %v", table.ID, err)
		}
	}
	var ce *gram.ConfigError
	if err := tableOf(t, "3.7").Run(t.Context(), Env{Set: map[string]string{"k": "many"}}, func(Row) {}); !errors.As(err, &ce) {
		t.Errorf("bad value: %v", err)
	}
	if _, err := Find("9.9"); err == nil {
		t.Error("table 9.9 found")
	}
}

// generated writes a small data set under the name of a real one.
func generated(t *testing.T) dataset.Dir {
	t.Helper()
	dir := t.TempDir()
	x, y := dataset.Blobs(500, 6, 3, 4, 1)
	x.Scale(.2, x)
	all := &dataset.Set{X: x, Labels: y}
	for part, rows := range map[string][]int{"train": firstRows(400), "test": firstRows(500)[400:]} {
		if err := dataset.Save(t.Context(), filepath.Join(dir, "ijcnn1."+part+".libsvm"), all.Select(rows)); err != nil {
			t.Fatal(err)
		}
	}
	return dataset.Dir(dir)
}

// TestNothingStored: figures follow from data, seed and settings; rows are the
// same for the same of all three.
func TestNothingStored(t *testing.T) {
	env := Env{Data: protocol.At(generated(t)), Repeats: 2, Set: map[string]string{"k": "12"}}
	got := func(env Env) []float64 {
		var out []float64
		for _, r := range rowsOf(t, "3.7", env) {
			if r.Dataset != "ijcnn1" {
				continue
			}
			if r.Got == nil || r.Std == nil || !(*r.Got > 0) || r.Bytes <= 0 || r.Seconds <= 0 {
				t.Fatalf("row %+v", r)
			}
			if _, err := json.Marshal(r); err != nil {
				t.Fatal(err)
			}
			out = append(out, *r.Got)
		}
		return out
	}
	first := got(env)
	methods := append(withMEKA(10), equalKNys(10))
	if len(first) != len(methods) {
		t.Fatalf("%d rows for %d methods", len(first), len(methods))
	}
	if !slices.Equal(first, got(env)) {
		t.Error("two runs differ")
	}
	for name, change := range map[string]func(*Env){
		"seed":     func(e *Env) { e.Seed = 9 },
		"settings": func(e *Env) { e.Set = map[string]string{"k": "15"} },
	} {
		other := env
		change(&other)
		for i, v := range got(other) {
			if v == first[i] {
				t.Errorf("another %s does not change %s", name, methods[i].name)
			}
		}
	}
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := tableOf(t, "3.7").Run(ctx, Env{Data: protocol.At(generated(t))}, func(Row) {})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestTable37 holds the figures on the real data against the paper's and the
// independent probes' figures, at a small number of repeats.
func TestTable37(t *testing.T) {
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	dir, err := dataset.FindDir()
	if err != nil {
		t.Skip("no data: ", err)
	}
	// Low and high bounds on pendigits: the paper's value and the probes' range,
	// widened by the noise of two repeats.
	bounds := map[string][2]float64{"Nys": {.11, .16}, "RNys": {.11, .165}, "KNys": {.082, .094}, "ENys": {.24, .31}, "RKS": {.40, .49}, "Fastfood": {.42, .51}, "MEKA": {.055, .085}}
	for _, r := range rowsOf(t, "3.7", Env{Data: protocol.At(dir), Quick: true, Repeats: 2, Set: map[string]string{"only": "pendigits"}}) {
		if r.Dataset != "pendigits" {
			continue
		}
		b, ok := bounds[r.Method]
		if !ok {
			continue
		}
		t.Logf("%s: %.4f (paper %.4f)", r.Method, *r.Got, *r.Paper)
		if !(*r.Got >= b[0] && *r.Got <= b[1]) {
			t.Errorf("%s: %.4f outside [%g, %g]", r.Method, *r.Got, b[0], b[1])
		}
	}
}

// Figures on real data are those of the stored results, up to what repeats with
// other seeds differ by.
func TestFiguresHold(t *testing.T) {
	dir, err := dataset.FindDir()
	if err != nil {
		t.Skip("no data: ", err)
	}
	held := 0
	for _, c := range []struct {
		id      string
		set     map[string]string
		repeats int
		long    bool
	}{
		{"3.10", map[string]string{"only": "boston"}, 10, false},
		{"3.10", map[string]string{"only": "airfoil"}, 3, false},
		{"jain-1", map[string]string{"only": "iris"}, 1, true},
	} {
		if c.long && testing.Short() {
			continue
		}
		results, _, err := tableOf(t, c.id).Stored()
		if err != nil {
			t.Fatal(err)
		}
		before := map[string]Row{}
		for _, run := range results.Runs {
			for _, r := range run.Rows {
				if r.Std != nil && r.Repeats > 1 && r.Seen == "" && Quality(r.Metric) != 0 {
					before[r.Dataset+r.Method+r.Metric] = r
				}
			}
		}
		for _, r := range rowsOf(t, c.id, Env{Data: protocol.At(dir), Repeats: c.repeats, Set: c.set, Run: gram.Run{Seed: 5}}) {
			old, is := before[r.Dataset+r.Method+r.Metric]
			if !is || r.Got == nil {
				continue
			}
			held++
			room := 4**old.Std*math.Sqrt(1/float64(r.Repeats)+1/float64(old.Repeats)) + .002**old.Got
			if t.Logf("%s, %s, %s: %.4g, stored %.4g ± %.2g", c.id, r.Dataset, r.Method, *r.Got, *old.Got, *old.Std); !(math.Abs(*r.Got-*old.Got) <= room) {
				t.Errorf("%s, %s, %s: %.4g, stored %.4g ± %.2g", c.id, r.Dataset, r.Method, *r.Got, *old.Got, *old.Std)
			}
		}
	}
	if want := map[bool]int{false: 15, true: 8}[testing.Short()]; held < want {
		t.Errorf("%d rows are held, want %d", held, want)
	}
}

// Settings that would change nothing, or leave nothing to do, are errors.
func TestBadSettings(t *testing.T) {
	for k, v := range map[string]string{"k": "-3", "only": "nothing", "gamma": "x", "nope": "1"} {
		err := tableOf(t, "3.7").Run(t.Context(), Env{Set: map[string]string{k: v}}, func(Row) { t.Errorf("%s=%s gives a row", k, v) })
		var config *gram.ConfigError
		if !errors.As(err, &config) || strings.Contains(err.Error(), "parse error") {
			t.Errorf("%s=%s: %v", k, v, err)
		}
	}
}

// Values that no flag refuses by itself are refused by the table.
func TestBadSettings58(t *testing.T) {
	for k, v := range map[string]string{"only": "nothing", "method": "nothing", "lambda": "1,x", "pairs": "3"} {
		err := tableOf(t, "5.8").Run(t.Context(), Env{Set: map[string]string{k: v}}, func(Row) { t.Errorf("%s=%s gives a row", k, v) })
		var config *gram.ConfigError
		if !errors.As(err, &config) || config.Field != "--set "+k {
			t.Errorf("%s=%s: %v", k, v, err)
		}
	}
	rows := rowsOf(t, "5.8", Env{Set: map[string]string{"only": "segment", "method": "MCCC", "lambda": "1,2", "pairs": "10"}})
	if len(rows) != 1 || rows[0].Method != "MCCC |Ω|=10n" {
		t.Errorf("rows %+v", rows)
	}
}

// λ is chosen by fits to four fifths of the rows.
func TestChoose63(t *testing.T) {
	train := tagged(100, 20, 5, 10, 2)
	var lock sync.Mutex
	var fits []float64
	m := extreme{"", []float64{1, 1e6}, false, func(ctx context.Context, d *dataset.Set, lambda float64, quick bool, run gram.Run) ranker {
		if n, _ := d.Dims(); n != 80 || !quick {
			t.Errorf("λ %g: %d rows, quick %v", lambda, n, quick)
		}
		lock.Lock()
		defer lock.Unlock()
		fits = append(fits, lambda)
		return must(leml.Config{Rank: 5, Lambda: gram.Set(lambda), Rounds: 2, Run: run}.Fit(ctx, d.X, d.Tags))
	}, nil}
	r := &run{ctx: t.Context()}
	lambda := r.choose63(labelSet{}, m, train).lambda
	if slices.Sort(fits); !slices.Equal(fits, m.lambdas) || !slices.Contains(fits, lambda) {
		t.Errorf("λ %g of %v", lambda, fits)
	}
}

// TestTable32 runs it on small data, where LIBSVM, if it is there, finds the same
// objectives.
func TestTable32(t *testing.T) {
	rows := rowsOf(t, "3.2", Env{Data: protocol.At(generated(t)), Repeats: 1, Set: map[string]string{"features": "20", "share": "0.5"}})
	found := map[string]bool{}
	for _, r := range rows {
		if r.Dataset != "ijcnn1" {
			continue
		}
		if r.Got == nil {
			if r.Note != "svm-train is not installed" {
				t.Errorf("no figure: %+v", r)
			}
			continue
		}
		found[r.Method] = true
		switch r.Metric {
		case "accuracy":
			exact := r.Method == "SVM (exact)" || r.Method == "DC-SVM" || r.Method == "BKA-SVM" || r.Method == "LIBSVM"
			if exact && !(*r.Got > 0.8) {
				t.Errorf("%s: accuracy %v", r.Method, *r.Got)
			}
		case "objective_difference":
			if !(*r.Got <= 1e-4) {
				t.Errorf("%s: %v, %s", r.Method, *r.Got, r.Note)
			}
		case "train_seconds", "test_seconds":
			if !(*r.Got >= 0) {
				t.Errorf("%s: %s %v", r.Method, r.Metric, *r.Got)
			}
		}
	}
	for _, name := range []string{"SVM (exact)", "DC-SVM", "BKA-SVM", "LLSVM", "Fastfood"} {
		if !found[name] {
			t.Errorf("no row %s", name)
		}
	}
}
