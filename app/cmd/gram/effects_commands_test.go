package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/app/catalog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Flags of a search change what is fitted, not only what is written of it.
func TestSearchFlagsChangeTheFits(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("a,b,group,y\n")
	for i := range 400 {
		fmt.Fprintf(&b, "%d,%d,%d,%d\n", i%7, i*i%11, i/20, i*i%13%2)
	}
	path := filepath.Join(dir, "rows.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	grid, auto := []string{"--search", "c=0.01,0.1,1,10"}, []string{"--search", "auto", "--trials", "2"}
	for _, c := range []struct{ beside, set []string }{
		{nil, grid}, {grid, []string{"--folds", "4"}}, {grid, []string{"--repeats", "2"}}, {grid, []string{"--halving"}}, {append(slices.Clone(grid), "--halving"), []string{"--halving=3"}},
		{grid, []string{"--groups", "group"}}, {auto, []string{"--trials", "3"}}, {auto, []string{"--seed", "7"}}, {auto, []string{"--scale", "search"}},
		{grid, []string{"--scale", "minmax"}}, {grid, []string{"--ignore", "a"}}, {grid, []string{"--class-weights", "balanced"}}, {grid, []string{"--proba"}}, {grid, []string{"--conformal"}},
	} {
		fits := func(set []string) string {
			r := &recorder{}
			if _, stderr, code := r.fit(t, slices.Concat([]string{"--method", "any", "--data", path, "--target", "y", "-o", filepath.Join(dir, "m.gram")}, c.beside, set)...); code != 0 {
				t.Fatalf("%v: %s", set, stderr)
			}
			var all []string
			for i, s := range r.sets {
				all = append(all, fmt.Sprint(r.runs[i].Seed, s.X, s.Labels.Class, s.Weight, r.settings[i]))
			}
			slices.Sort(all)
			return strings.Join(all, "\n")
		}
		if fits(nil) == fits(c.set) {
			t.Errorf("%v beside %v changes no fit", c.set, c.beside)
		}
	}
}

// in are the flags by which commands read data; TestDataFlags looks at what they become for all of them.
var in = []string{"format", "header", "no-header", "target", "target-file", "ignore", "drop-missing", "decimal-comma", "formatted-numbers", "task", "dim", "category", "memory-limit"}

// speed is what the output of gram eval says of its own.
var speed = regexp.MustCompile(`[0-9.e+]+ rows a second|"rows_per_second":[0-9.e+]+`)

// Flags of commands have an effect: on the exit code, what is written, or the files. A new one needs a line here, or the test that looks at it.
func TestEveryFlagOfACommandHasAnEffect(t *testing.T) {
	dir := small(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	model, trees, values := at("model.gram"), at("trees.gram"), at("values.gram")
	rings, friedman := at("rings.libsvm"), at("friedman.csv")
	ok(t, "fit", "--method", "svm", "--data", rings, "--proba", "--set", "gamma=1", "-o", model)
	ok(t, "fit", "--method", "gbdt", "--data", rings, "--set", "rounds=3", "-o", trees)
	ok(t, "fit", "--method", "linear", "--data", friedman, "--task", "regression", "--conformal", "-o", values)
	out, more := at("out"), at("more")
	type line struct{ beside, set []string }
	predict, eval := []string{"--model", model, "--data", rings, "-o", "-"}, []string{"--model", model, "--data", rings}
	before := map[string]string{}
	explain, convert := []string{"--model", trees, "--data", rings}, []string{friedman, out + ".csv"}
	split := []string{friedman, out + ".csv", more + ".csv"}
	for command, flags := range map[string]map[string]line{
		"predict": {
			"data": {predict, []string{"--data", friedman}}, "model": {predict, []string{"--model", values}}, "output": {predict[:4], []string{"-o", out}}, "json": {predict, []string{"--json"}},
			"proba": {predict, []string{"--proba"}}, "scores": {predict, []string{"--scores"}}, "top": {predict, []string{"--top", "2"}}, "interval": {predict, []string{"--interval", "0.8"}}, "keep": {predict, []string{"--keep", "1"}},
		},
		"eval": {
			"data": {eval, []string{"--data", friedman}}, "model": {eval, []string{"--model", trees}}, "metric": {eval, []string{"--metric", "logloss"}}, "json": {eval, []string{"--json"}}, "html": {eval, []string{"--html", out}},
			"confusion": {eval, []string{"--confusion"}}, "interval": {[]string{"--model", values, "--data", friedman}, []string{"--interval", "0.5"}}, "train": {eval, []string{"--train", rings}},
		},
		"explain": {
			"data": {explain, []string{"--data", friedman}}, "model": {explain, []string{"--model", model}}, "json": {explain, []string{"--json"}}, "html": {explain, []string{"--html", out}}, "metric": {explain, []string{"--metric", "logloss"}},
			"repeats": {explain, []string{"--repeats", "2"}}, "rows": {explain, []string{"--rows", "50"}}, "seed": {explain, []string{"--seed", "7"}}, "top": {explain, []string{"--top", "1"}}, "partial": {explain, []string{"--partial", "1"}},
			"shapley": {explain, []string{"--shapley"}}, "output": {append(slices.Clone(explain), "--shapley"), []string{"-o", out}}, "workers": {explain, []string{"--workers", "-1"}},
		},
		"convert": {"to": {convert, []string{"--to", "jsonl"}}},
		"split":   {"share": {split, []string{"--share", "0.5"}}, "seed": {split, []string{"--seed", "7"}}},
		"info":    {"json": {nil, []string{"--json"}}}, "version": {"json": {nil, []string{"--json"}}}, "inspect": {"json": {[]string{model}, []string{"--json"}}},
		"bench": {"list": {nil, []string{"--list"}}, "json": {[]string{"--list"}, []string{"--json"}}, "quick": {[]string{"--list"}, []string{"--quick"}}, "run": {[]string{"--list"}, []string{"--run", "haar"}}, "html": {[]string{"--list"}, []string{"--html", out}},
			"data": {[]string{"methods", "--data", dir}, []string{"--data", more}}, "record": {[]string{"--list"}, []string{"--record", "here"}}, "peers": {[]string{"--list"}, []string{"--peers", more}}},
	} {
		c, _, err := newRoot(catalog.Find).Find([]string{command})
		if err != nil {
			t.Fatal(err)
		}
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			l, listed := flags[f.Name]
			if !listed {
				if !slices.Contains(in, f.Name) {
					t.Errorf("nothing is known of an effect of gram %s --%s", command, f.Name)
				}
				return
			}
			outcome := func(set []string) string {
				written, _ := filepath.Glob(at("*"))
				for _, path := range written {
					if strings.HasPrefix(path, out) || strings.HasPrefix(path, more) {
						os.Remove(path)
					}
				}
				text, stderr, code := cli(t, slices.Concat([]string{command}, l.beside, set)...)
				all := fmt.Sprint(code, text, stderr)
				written, _ = filepath.Glob(at("*"))
				for _, path := range written {
					if strings.HasPrefix(path, out) || strings.HasPrefix(path, more) {
						b, _ := os.ReadFile(path)
						all += path + string(b)
					}
				}
				return times.ReplaceAllString(speed.ReplaceAllString(all, ""), "")
			}
			if command == "bench" && l.beside == nil { // which measures for minutes without
				if !strings.Contains(outcome(l.set), "haar") {
					t.Errorf("gram bench --%s lists nothing", f.Name)
				}
				return
			}
			key := strings.Join(append([]string{command}, l.beside...), " ")
			without, known := before[key]
			if !known {
				if without = outcome(nil); without != outcome(nil) {
					t.Errorf("gram %s %v: two runs differ, so that the test cannot fail", command, l.beside)
				}
				before[key] = without
			}
			if without == outcome(l.set) {
				t.Errorf("gram %s: %v beside %v changes nothing", command, l.set, l.beside)
			}
		})
	}
}

// Flags of the other commands are in the tests of the file that is named here, each as --NAME. serve reads its limits in tests of its own.
func TestFlagsOfOtherCommandsAreInTheirTests(t *testing.T) {
	here := map[string]string{
		"compare": "flags_test.go compile_test.go main_test.go story_test.go tables_test.go", "compile": "flags_test.go compile_test.go tables_test.go", "table": "flags_test.go table_test.go", "tune": "tune_test.go",
		"serve": "serve_test.go serve_load_test.go inprocess_test.go killed_test.go", "part": "part_test.go work_test.go memory_test.go chosen_test.go",
	}
	var visit func(c *cobra.Command, files string)
	visit = func(c *cobra.Command, files string) {
		var text strings.Builder
		for file := range strings.FieldsSeq(files) {
			b, _ := os.ReadFile(file)
			text.Write(b)
		}
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !slices.Contains(in, f.Name) && !regexp.MustCompile(`"(--`+f.Name+`\b|-`+f.Shorthand+`")`).MatchString(text.String()) {
				t.Errorf("%s --%s is in no test of %s", c.CommandPath(), f.Name, files)
			}
		})
		for _, sub := range c.Commands() {
			visit(sub, files)
		}
	}
	for _, c := range newRoot(catalog.Find).Commands() {
		if files := here[c.Name()]; files != "" {
			visit(c, files)
		}
	}
}
