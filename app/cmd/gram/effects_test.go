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
	"github.com/spf13/pflag"
)

// times are the parts of an output that differ from run to run, with the spaces of their columns.
var times = regexp.MustCompile(`± [0-9.e-]+ +[0-9.e-]+ +|[0-9.e-]+ ?(ns|µs|ms|s|seconds)\b|"(search_)?seconds":[ 0-9.e-]+| {2,}`)

// Every flag of gram fit has an effect: on the exit code, what is written, the model, or the rows, the settings and the run of a fit.
// A new flag needs a line here. A refusal is an effect, too: a flag that is not looked at causes none.
func TestEveryFitFlagHasAnEffect(t *testing.T) {
	dir := small(t)
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var rows, weights, comma strings.Builder
	rows.WriteString("color,size,group,kind,y\n")
	comma.WriteString("a;y\n")
	for i := range 120 {
		size := fmt.Sprint(i * 7 % 13)
		if i%10 == 3 {
			size = ""
		}
		fmt.Fprintf(&rows, "%s,%s,%d,%d,%s\n", []string{"red", "green", "blue"}[i%3], size, i/5, i%4, []string{"no", "yes"}[i*i%11%2])
		fmt.Fprintf(&weights, "%d\n", 1+i%3)
		fmt.Fprintf(&comma, "%d,5;%d\n", i%7, i%2)
	}
	rings := []string{"--data", filepath.Join(dir, "rings.libsvm")}
	table := []string{"--data", file("table.csv", rows.String()), "--target", "y"}
	bare := []string{"--data", file("bare.csv", "1,2,0\n2,3,1\n3,1,0\n1,1,1\n"), "--target", "3"}
	search := append(slices.Clone(rings), "--search", "c=0.01,10")
	grouped := append(slices.Clone(table), "--search", "c=0.01,10")
	auto := append(slices.Clone(rings), "--search", "auto", "--trials", "2")
	journal, other, first := filepath.Join(dir, "journal"), filepath.Join(dir, "other.gram"), filepath.Join(dir, "first.gram")
	flags, before := map[string]bool{}, map[string]string{}
	for name, c := range map[string]struct{ beside, set []string }{
		"adaptive":          {append(slices.Clone(rings), "--proba", "--conformal"), []string{"--adaptive"}},
		"budget":            {rings, []string{"--budget", "1h"}},
		"categories":        {table, []string{"--categories", "target"}},
		"category":          {table, []string{"--category", "kind"}},
		"class-weights":     {rings, []string{"--class-weights", "balanced"}},
		"conformal":         {rings, []string{"--conformal=0.3"}},
		"data":              {rings, []string{"--data", filepath.Join(dir, "friedman.csv")}},
		"decimal-comma":     {[]string{"--data", file("comma.csv", comma.String()), "--target", "y"}, []string{"--decimal-comma"}},
		"dim":               {rings, []string{"--dim", "5"}},
		"drop-missing":      {table, []string{"--drop-missing", "size"}},
		"fill":              {table, []string{"--fill", "mean"}},
		"formatted-numbers": {[]string{"--data", file("money.csv", "a,y\n$ 1,0\n$ 2,1\n$ 3,0\n$ 4,1\n"), "--target", "y"}, []string{"--formatted-numbers"}},
		"folds":             {search, []string{"--folds", "4"}},
		"format":            {rings, []string{"--format", "csv"}},
		"groups":            {grouped, []string{"--groups", "group"}},
		"halving":           {search, []string{"--halving=2"}},
		"header":            {bare, []string{"--header"}},
		"html":              {rings, []string{"--html", filepath.Join(dir, "p.html")}},
		"ignore":            {table, []string{"--ignore", "color"}},
		"journal":           {search, []string{"--journal", journal}},
		"json":              {rings, []string{"--json"}},
		"list":              {rings, []string{"--list"}},
		"markdown":          {[]string{"--list"}, []string{"--markdown"}},
		"memory-limit":      {rings, []string{"--memory-limit", "3GiB"}},
		"method":            {rings, []string{"--method", "another"}},
		"metric":            {search, []string{"--metric", "logloss"}},
		"no-header":         {bare, []string{"--no-header"}},
		"output":            {rings, []string{"-o", other}},
		"plan":              {rings, []string{"--plan"}},
		"proba":             {rings, []string{"--proba"}},
		"repeats":           {search, []string{"--repeats", "2"}},
		"scale":             {rings, []string{"--scale", "minmax"}},
		"search":            {rings, []string{"--search", "c=0.01,10"}},
		"seed":              {rings, []string{"--seed", "7"}},
		"set":               {rings, []string{"--set", "c=7"}},
		"strict":            {append(slices.Clone(rings), "--set", "max-iter=1"), []string{"--strict"}},
		"target":            {table, []string{"--target", "kind"}},
		"target-file":       {rings, []string{"--target-file", file("y.npy", "")}},
		"task":              {rings, []string{"--task", "regression"}},
		"trials":            {auto, []string{"--trials", "3"}},
		"warm":              {rings, []string{"--warm", first}},
		"weights":           {rings, []string{"--weights", file("weights", weights.String())}},
		"work":              {rings, []string{"--work", filepath.Join(dir, "w")}}, // refused of this method; see TestFitResumes
		"workers":           {rings, []string{"--workers", "3"}},
	} {
		flags[name] = true
		outcome := func(set []string) string {
			model := filepath.Join(dir, "m.gram")
			for _, path := range []string{model, other, journal} {
				os.Remove(path)
			}
			r := &recorder{}
			out, errs, code := r.fit(t, slices.Concat([]string{"--method", "any", "-o", model}, c.beside, set)...)
			bytes, _ := os.ReadFile(model)
			var fits []string
			for i, run := range r.runs {
				run.Progress = nil
				s := r.sets[i]
				fits = append(fits, fmt.Sprintf("%+v %v %v %v %v %v %s", run, s.X, s.Value, s.Labels, s.Weight, s.Tags, r.settings[i]))
			}
			slices.Sort(fits) // those of a search run together
			_, journals := os.Stat(journal)
			return times.ReplaceAllString(fmt.Sprint(code, out, errs, journals == nil, r.asked, r.shapes), "") + fmt.Sprintf("%x", bytes) + strings.Join(fits, "\n")
		}
		key := strings.Join(c.beside, " ")
		without, known := before[key]
		if !known {
			if without = outcome(nil); without != outcome(nil) {
				t.Errorf("--%s: two runs without it differ, so that the test cannot fail", name)
			}
			before[key] = without
		}
		if outcome(c.set) == without {
			t.Errorf("%v beside %v changes nothing", c.set, c.beside)
		}
	}
	newFit(catalog.Find).Flags().VisitAll(func(f *pflag.Flag) {
		if !flags[f.Name] {
			t.Errorf("nothing is known of an effect of --%s", f.Name)
		}
	})
}
