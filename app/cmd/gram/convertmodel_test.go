package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConvertModel takes models to LIBSVM's format and back. The predictions stay.
func TestConvertModel(t *testing.T) {
	dir := small(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	rings, friedman := in("rings.libsvm"), in("friedman.csv")
	// LIBSVM's classes are numbers.
	text, err := os.ReadFile(rings)
	if err != nil {
		t.Fatal(err)
	}
	numbers := in("numbers.libsvm")
	var rows strings.Builder
	names := map[string]string{}
	for line := range strings.Lines(string(text)) {
		label, rest, _ := strings.Cut(line, " ")
		if names[label] == "" {
			names[label] = string(rune('1' + len(names)))
		}
		rows.WriteString(names[label] + " " + rest)
	}
	if err := os.WriteFile(numbers, []byte(rows.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	ok(t, "fit", "--method", "svm", "--data", numbers, "-o", in("a.gram"), "--set", "gamma=1", "--scale", "none")
	ok(t, "convert", in("a.gram"), in("b.model"))
	ok(t, "convert", in("b.model"), in("c.gram"))
	ok(t, "convert", in("c.gram"), in("d.model"))
	first, err := os.ReadFile(in("b.model"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(in("d.model"))
	if err != nil || string(first) != string(second) || !strings.HasPrefix(string(first), "svm_type c_svc\n") {
		t.Errorf("the model changed: %v\n%.200s\n%.200s", err, first, second)
	}
	want := ok(t, "predict", "--model", in("a.gram"), "--data", numbers, "-o", "-")
	if got := ok(t, "predict", "--model", in("c.gram"), "--data", numbers, "-o", "-"); got != want || len(want) == 0 {
		t.Error("the predictions differ after LIBSVM's format and back")
	}
	ok(t, "fit", "--method", "svr", "--data", friedman, "--task", "regression", "-o", in("r.gram"), "--set", "gamma=1", "--scale", "none")
	ok(t, "convert", in("r.gram"), in("r.model"))
	if text, err := os.ReadFile(in("r.model")); err != nil || !strings.HasPrefix(string(text), "svm_type epsilon_svr\n") {
		t.Errorf("%v\n%.100s", err, text)
	}
	ok(t, "fit", "--method", "svm", "--data", numbers, "-o", in("scaled.gram"), "--scale", "standard")
	ok(t, "fit", "--method", "linear", "--data", numbers, "-o", in("linear.gram"), "--scale", "none")
	ok(t, "fit", "--method", "dc-krr", "--data", friedman, "--task", "regression", "-o", in("parts.gram"), "--set", "lambda=1", "--set", "parts=2", "--set", "soft=2")
	ok(t, "compile", "--model", in("scaled.gram"), "--method", "exact", "--precision", "float32", "-o", in("single.gram"))
	for from, precision := range map[string]string{"scaled.gram": "float64", "single.gram": "float32", "b.model": "float64"} {
		if out := ok(t, "convert", in(from), in("m.onnx")); !strings.Contains(out, "m.onnx: classes, x with 2 columns in "+precision+"\n") {
			t.Errorf("%s: %s", from, out)
		}
		if file, err := os.ReadFile(in("m.onnx")); err != nil || !strings.Contains(string(file), "ArgMax") && !strings.Contains(string(file), "Greater") {
			t.Errorf("%s: %d bytes, %v", from, len(file), err)
		}
	}
	ok(t, "fit", "--method", "gbdt", "--data", numbers, "-o", in("trees.gram"), "--set", "rounds=5", "--proba")
	if out := ok(t, "convert", in("trees.gram"), in("trees.json")); out != in("trees.json")+": classes, 2 columns\n"+
		"left out: names of classes, whose numbers are their places in [\"1\" \"2\" \"3\"]\nleft out: intervals and calibrated probabilities\n" {
		t.Errorf("a model of trees for XGBoost: %s", out)
	}
	ok(t, "convert", in("trees.json"), in("back.gram"))
	want = ok(t, "predict", "--model", in("trees.gram"), "--data", numbers, "-o", "-")
	back := strings.NewReplacer("0", "1", "1", "2", "2", "3").Replace(ok(t, "predict", "--model", in("back.gram"), "--data", numbers, "-o", "-"))
	if back != want {
		t.Error("the predictions differ after XGBoost's format and back")
	}
	ok(t, "fit", "--method", "gbdt", "--data", numbers, "-o", in("rows.gram"), "--set", "rounds=5", "--scale", "standard")
	for _, c := range []struct {
		from, to, want string
		code           int
	}{
		{"scaled.gram", "x.model", "scaled data", 1}, {"linear.gram", "x.model", "svm and svr only", 1},
		{"a.gram", "x.csv", "OUT ends in .gram", 2},
		{"a.gram", "x.json", "a.gram: a model of svm has no place in XGBoost's format, which is for gbdt", 1},
		{"rows.gram", "x.json", "fit with --scale none", 1},
		{"parts.gram", "x.onnx", "parts.gram: method dc-krr: onnx: the model cannot be exported", 1},
	} {
		if _, stderr, code := cli(t, "convert", in(c.from), in(c.to)); code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%s to %s: code %d, %s", c.from, c.to, code, stderr)
		}
		if _, err := os.Stat(in(c.to)); err == nil {
			t.Errorf("%s was written", c.to)
		}
	}
}

// TestConvertTrees takes models of XGBoost and LightGBM to model files that predict from tables.
func TestConvertTrees(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{
		"x.json": `{"learner":{"gradient_booster":{"model":{"tree_info":[0],"trees":[{"left_children":[1,-1,-1],"right_children":[2,-1,-1],
			"split_indices":[1,0,0],"split_conditions":[2.5E0,1.5E0,-3E0]}]},"name":"gbtree"},
			"learner_model_param":{"base_score":"5E-1","num_class":"0","num_feature":"2"},"objective":{"name":"reg:squarederror"}}}`,
		"l.txt": "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nmax_feature_idx=1\nobjective=binary sigmoid:1\n\n" +
			"Tree=0\nnum_leaves=2\nnum_cat=0\nsplit_feature=1\nthreshold=2.5\ndecision_type=2\nleft_child=-1\nright_child=-2\n" +
			"leaf_value=2 -2\n\nend of trees\n",
		"broken.json": `{"learner":{}}`, "rows.csv": "a,b\n0,1\n0,3\n",
	} {
		if err := os.WriteFile(in(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range [][2]string{{"x.json", "2\n-2.5\n"}, {"l.txt", "1\n0\n"}} {
		model := in(c[0] + ".gram")
		ok(t, "convert", in(c[0]), model)
		for _, m := range []string{model, in(c[0])} {
			if got := ok(t, "predict", "--model", m, "--data", in("rows.csv"), "-o", "-"); got != c[1] {
				t.Errorf("%s predicts %q, want %q", m, got, c[1])
			}
		}
	}
	if _, stderr, code := cli(t, "convert", in("broken.json"), in("b.gram")); code != 1 || !strings.Contains(stderr, "broken.json: XGBoost model: the booster") {
		t.Errorf("code %d, %s", code, stderr)
	}
	if _, err := os.Stat(in("b.gram")); err == nil {
		t.Error("a model that cannot be read was written")
	}
}
