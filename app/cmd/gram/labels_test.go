package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
)

// Label sets go from a file through a fit to figures, which follow from the
// model's predictions. Conversion to LIBSVM and back keeps the file.
func TestLabelSets(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	all := dataset.SparseMultiLabel(300, 40, 12, 1)
	train, test := all.Select(dataset.Permutation(300, 1)[:200]), all.Select(dataset.Permutation(300, 1)[200:])
	for name, s := range map[string]*dataset.Set{"train.xml.txt": train, "test.xml.txt": test} {
		if err := dataset.Save(t.Context(), in(name), s); err != nil {
			t.Fatal(err)
		}
	}
	for _, method := range []string{"gimc-lff", "leml", "linear"} {
		var fit fitted
		if err := json.Unmarshal([]byte(ok(t, "fit", "--method", method, "--data", in("train.xml.txt"), "-o", in(method+".gram"), "--json")), &fit); err != nil {
			t.Fatal(err)
		}
		if fit.N != 200 || fit.D != 40 || fit.Labels != 12 || fit.Classes != 0 {
			t.Errorf("%s: %d rows, %d columns, %d labels, %d classes", method, fit.N, fit.D, fit.Labels, fit.Classes)
		}
		if h := fit.Ranked; h == nil || h.Trained+h.Rows != 200 || !(h.Model > .4) || h.Linear == nil || !(*h.Linear > .4) || !(h.Centroids > .4) {
			t.Errorf("%s: on rows held out %v", method, h)
		}
		figures := figuresOf(t, ok(t, "eval", "--model", in(method+".gram"), "--data", in("test.xml.txt"), "--train", in("train.xml.txt"), "--json"))
		m, err := catalog.Load(in(method + ".gram"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.(*pipeline.Model).Predict(test.X, false, 5)
		if err != nil {
			t.Fatal(err)
		}
		r := metric.NewRanking([]int{1, 3, 5}, metric.Propensities(train.Tags, 12, metric.PropensityA, metric.PropensityB))
		r.Add(p.Top, test.Tags)
		for name, want := range map[string]float64{"p@1": r.Precision()[0], "p@5": r.Precision()[2], "ndcg@3": r.NDCG()[1], "psp@5": r.PSPrecision()[2], "psndcg@3": r.PSNDCG()[1]} {
			if f := figures[name]; !(math.Abs(f.Value-want) < 1e-12) || f.N != 100 {
				t.Errorf("%s: %s is %v of %d rows, from the predictions %v", method, name, f.Value, f.N, want)
			}
		}
		if f := figures["p@1"]; !(f.Value > .5) {
			t.Errorf("%s: p@1 is %v", method, f.Value)
		}
		without := figuresOf(t, ok(t, "eval", "--model", in(method+".gram"), "--data", in("test.xml.txt"), "--json"))
		if _, there := without["psp@1"]; there || len(without) != 6 {
			t.Errorf("%s: figures without a training file are %v", method, without)
		}
	}
	// The line that a fit prints describes what was learned.
	sets := small(t)
	for what, args := range map[string][]string{
		" 120 rows, 2 columns, 3 classes; ":          {"linear", filepath.Join(sets, "rings.libsvm")},
		" 150 rows, 6 columns, values; ":             {"linear", filepath.Join(sets, "friedman.csv")},
		" 200 rows, 40 columns, sets of 12 labels; ": {"leml", in("train.xml.txt")},
	} {
		out := ok(t, "fit", "--method", args[0], "--data", args[1], "-o", filepath.Join(sets, "m.gram"))
		if !strings.Contains(out, args[0]+":"+what) {
			t.Errorf("fit says %q, want %q in it", out, what)
		}
		if strings.Contains(out, "of a linear model") != strings.Contains(what, "label") {
			t.Errorf("of rows held out, fit says %q", out)
		}
	}
	ok(t, "convert", in("train.xml.txt"), in("train.libsvm.gz"))
	ok(t, "convert", in("train.libsvm.gz"), in("again.xml.txt"), "--task", "multilabel")
	before, err := os.ReadFile(in("train.xml.txt"))
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(in("again.xml.txt"))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("conversion to LIBSVM and back changes the file: %v", err)
	}
}
