package gbdt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// xgboostText is a model of two columns with a tree of three leaves, in which a node is left out,
// and others of one leaf.
func xgboostText(objective, base string, classes int, info ...int) string {
	trees := make([]string, len(info))
	for t := range trees {
		trees[t] = fmt.Sprintf(`{"left_children":[-1],"right_children":[-1],"split_indices":[0],"split_conditions":[%d],"split_type":[0]}`, t)
	}
	trees[0] = `{"left_children":[1,3,-1,-1,-1,-1],"right_children":[5,4,-1,-1,-1,-1],"split_indices":[0,1,0,0,0,0],
		"split_conditions":[1E-1,-2.5E0,9E9,1E0,2E0,4E0],"default_left":[1,0,0,0,0,0],"split_type":[0,0,0,0,0,0]}`
	list, _ := json.Marshal(info)
	return fmt.Sprintf(`{"learner":{"gradient_booster":{"model":{"tree_info":%s,"trees":[%s]},"name":"gbtree"},
		"learner_model_param":{"base_score":"%s","num_class":"%d","num_feature":"2","num_target":"1"},"objective":{"name":"%s"}},"version":[1,7,4]}`,
		list, strings.Join(trees, ","), base, classes, objective)
}

// lightgbmText is a model of two columns with a tree of three leaves and others of one.
func lightgbmText(objective string, outputs, trees int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "tree\nversion=v4\nnum_class=%d\nnum_tree_per_iteration=%d\nlabel_index=0\nmax_feature_idx=1\nobjective=%s\n"+
		"feature_names=a b\nfeature_infos=[0:1] [0:1]\ntree_sizes=1 2\n\n", outputs, outputs, objective)
	b.WriteString("Tree=0\nnum_leaves=3\nnum_cat=0\nsplit_feature=0 1\nsplit_gain=3 2\nthreshold=0.10000000000000002 -2.5\ndecision_type=2 8\n" +
		"left_child=1 -1\nright_child=-3 -2\nleaf_value=1 2 4\nleaf_count=1 1 1\nis_linear=0\nshrinkage=0.1\n\n\n")
	for t := 1; t < trees; t++ {
		fmt.Fprintf(&b, "Tree=%d\nnum_leaves=1\nnum_cat=0\nsplit_feature=\nthreshold=\nleaf_value=%d\n\n\n", t, t)
	}
	b.WriteString("end of trees\n\nfeature_importances:\na=1\n\nparameters:\n[boosting: gbdt]\nend of parameters\n")
	return b.String()
}

func scoresOf(t *testing.T, text string, x mat.Matrix) (modelfile.Model, *mat.Dense) {
	t.Helper()
	if !Importable([]byte(text)[:min(len(text), ImportHead)]) {
		t.Fatalf("not known as a model: %.40s", text)
	}
	m := must.Have(Import(strings.NewReader(text)))(t)
	switch m := m.(type) {
	case *Regressor:
		n, _ := x.Dims()
		return m, mat.NewDense(n, 1, m.Predict(nil, x))
	case *Classifier:
		return m, m.Scores(nil, x)
	}
	t.Fatalf("a %T", m)
	return nil, nil
}

func TestImport(t *testing.T) {
	tenth := float64(float32(0.1))
	before := float64(math.Nextafter32(0.1, 0))
	half := (tenth + before) / 2 // rounds to the even one of the two
	evenDown := 4.
	if float32(half) < 0.1 {
		evenDown = 2
	}
	logit := math.Log(.25 / .75)
	nan := math.NaN()
	x := mat.NewDense(8, 2, []float64{0, -3, 0, -2.5, before, 0, tenth, 0, half, 0, math.Nextafter(half, 1), 0, nan, -3, nan, nan})
	y := mat.NewDense(7, 2, []float64{0, -2.5, 0, math.Nextafter(-2.5, 0), 0.10000000000000002, 0, 0.10000000000000003, 0, 1, -9, nan, -3, nan, nan})
	for _, c := range []struct {
		text    string
		x       *mat.Dense
		classes int
		want    func(leaf float64) []float64 // scores of a row from its leaf in the first tree
		leaf    []float64
	}{
		{xgboostText("reg:squarederror", "5E-1", 0, 0, 0), x, 0, func(v float64) []float64 { return []float64{v + 1.5} }, []float64{1, 2, 2, 4, evenDown, 4, 1, 2}},
		{xgboostText("reg:squarederror", "[5E-1]", 0, 0, 0), x, 0, func(v float64) []float64 { return []float64{v + 1.5} }, []float64{1, 2, 2, 4, evenDown, 4, 1, 2}},
		{xgboostText("binary:logistic", "2.5E-1", 0, 0, 0), x, 2, func(v float64) []float64 { return []float64{v + 1 + logit} }, []float64{1, 2, 2, 4, evenDown, 4, 1, 2}},
		{xgboostText("multi:softprob", "5E-1", 3, 0, 0, 1, 1, 2, 2), x, 3, func(v float64) []float64 { return []float64{v + 1.5, 5.5, 9.5} }, []float64{1, 2, 2, 4, evenDown, 4, 1, 2}},
		{xgboostText("multi:softprob", "[5E-1,-1E0,2.5E-1]", 3, 0, 0, 1, 1, 2, 2), x, 3, func(v float64) []float64 { return []float64{v + 1.5, 4, 9.25} }, []float64{1, 2, 2, 4, evenDown, 4, 1, 2}},
		{xgboostText("multi:softmax", "5E-1", 2, 0, 1, 0, 1), x, 2, func(v float64) []float64 { return []float64{4 - (v + 2)} }, []float64{1, 2, 2, 4, evenDown, 4, 1, 2}},
		{lightgbmText("regression", 1, 3), y, 0, func(v float64) []float64 { return []float64{v + 3} }, []float64{1, 2, 2, 4, 4, 1, 2}},
		{strings.ReplaceAll(lightgbmText("regression", 1, 3), "\n", "\r\n"), y, 0, func(v float64) []float64 { return []float64{v + 3} }, []float64{1, 2, 2, 4, 4, 1, 2}},
		{lightgbmText("binary sigmoid:2", 1, 2), y, 2, func(v float64) []float64 { return []float64{2 * (v + 1)} }, []float64{1, 2, 2, 4, 4, 1, 2}},
		{lightgbmText("multiclass num_class:3", 3, 6), y, 3, func(v float64) []float64 { return []float64{v + 3, 5, 7} }, []float64{1, 2, 2, 4, 4, 1, 2}},
	} {
		m, got := scoresOf(t, c.text, c.x)
		var want []float64
		for _, leaf := range c.leaf {
			want = append(want, c.want(leaf)...)
		}
		if !mat.EqualApprox(got, mat.NewDense(len(c.leaf), len(want)/len(c.leaf), want), 1e-15) {
			t.Errorf("%.500s:\nscores\n%v\nwant %v", c.text, mat.Formatted(got), want)
		}
		if k, is := m.(*Classifier); is != (c.classes > 0) || is && (len(k.Classes()) != c.classes || k.Classes()[1] != "1") {
			t.Errorf("%.300s: a %T, want %d classes", c.text, m, c.classes)
		}
		reread(t, m)
	}
}

// reread returns the model as it comes back from its file.
func reread(t *testing.T, m modelfile.Model) (back modelfile.Model) {
	t.Helper()
	var file bytes.Buffer
	must.Do(t, modelfile.Write(&file, m))
	f, err := modelfile.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	if _, is := m.(*Classifier); is {
		back, err = DecodeClassifier(f)
	} else {
		back, err = DecodeRegressor(f)
	}
	if err != nil {
		t.Fatalf("the model does not come back from its file: %v", err)
	}
	return back
}

// Splits by categories send levels, unknown levels and missing cells where the other program does.
func TestImportCategories(t *testing.T) {
	xgboost := strings.NewReplacer(`"split_conditions":[1E-1,`, `"split_conditions":[NaN,`, `"split_type":[0,0,0,0,0,0]`,
		`"categories":[9,1,3,70],"categories_nodes":[0],"categories_segments":[1],"categories_sizes":[3],"split_type":[1,0,0,0,0,0]`).
		Replace(xgboostText("reg:squarederror", "0", 0, 0))
	lightgbm := strings.NewReplacer("threshold=0.10000000000000002 -2.5", "threshold=1 -2.5\ncat_boundaries=0 1 4\ncat_threshold=4294967295 10 0 64",
		"num_cat=0\nsplit_feature=0 1", "num_cat=2\nsplit_feature=0 1", "decision_type=2 8", "decision_type=1 8").
		Replace(lightgbmText("regression", 1, 1))
	levels := []float64{0, 1, 2, 3, 31, 32, 69, 70, 71, 200, 254, 1e4, math.NaN()}
	x := mat.NewDense(len(levels), 2, nil)
	for i, v := range levels {
		x.SetRow(i, []float64{v, 7})
	}
	const far, near = 4, 2 // the leaves that a row reaches over the root's right and left
	named := []float64{far, near, far, near, far, far, far, near, far, far, far, far, far}
	other := make([]float64, len(named))
	for i, v := range named {
		other[i] = far + near - v
	}
	// The node sends missing cells to the right, and above 254 unknown levels go with them.
	right := append([]float64{}, other...)
	right[11], right[12] = far, far
	for _, c := range []struct {
		text string
		want []float64
	}{
		{strings.Replace(xgboost, `"default_left":[1`, `"default_left":[0`, 1), right},
		{xgboost, other},
		{lightgbm, named},
	} {
		m, scores := scoresOf(t, c.text, x)
		for i, want := range c.want {
			if got := scores.At(i, 0); got != want {
				t.Errorf("%.20s: level %v has the score %v, want %v", c.text, levels[i], got, want)
			}
		}
		if b := reread(t, m).(*Regressor).Predict(nil, x); !slices.Equal(b, c.want) {
			t.Errorf("%.20s: the model from its file gives %v", c.text, b)
		}
	}
	for _, c := range []struct{ text, old, new, want string }{
		{xgboost, `"categories_sizes":[3]`, `"categories_sizes":[4]`, "begin at 1 of 4"},
		{xgboost, `"categories_sizes":[3]`, `"categories_sizes":[0]`, "the 0 categories"},
		{xgboost, `"categories_segments":[1]`, `"categories_segments":[-1]`, "begin at -1"},
		{xgboost, `"categories_segments":[1]`, `"categories_segments":[]`, "categories_segments"},
		{xgboost, `"categories_nodes":[0]`, `"categories_nodes":[3]`, "without any"},
		{xgboost, `,3,70]`, `,3,65535]`, "level 65535"},
		{xgboost, `,3,70]`, `,3,-1]`, "level -1"},
		{xgboost, `"split_indices":[0,1,`, `"split_indices":[0,0,`, "column 0 by a threshold"},
		{lightgbm, "threshold=1 ", "threshold=2 ", "list 2 of 2"},
		{lightgbm, "threshold=1 ", "threshold=0.5 ", "list 0.5 of 2"},
		{lightgbm, "num_cat=2", "num_cat=3", "cat_boundaries"},
		{lightgbm, "num_cat=2", "num_cat=-2", "num_cat"},
		{lightgbm, "cat_boundaries=0 1 4", "cat_boundaries=0 1 5", "cat_boundaries"},
		{lightgbm, "cat_boundaries=0 1 4", "cat_boundaries=0 3 2", "cat_boundaries"},
		{lightgbm, "cat_threshold=4294967295", "cat_threshold=4294967296", "cat_threshold"},
		{lightgbm, "max_feature_idx=1", "max_feature_idx=1048577", "splits categories of column 0 of 1048578"},
	} {
		refusesChanged(t, c.text, c.old, c.new, c.want)
	}
}

// NaN that stands for itself becomes a text, whatever the pieces in which it is read; others stay.
func TestQuoteNaN(t *testing.T) {
	const in, want = `[NaN,1,"NaN \"NaN\\",NaN]`, `["" ,1,"NaN \"NaN\\","" ]`
	for _, r := range []io.Reader{strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in)), iotest.HalfReader(strings.NewReader(in))} {
		if got, err := io.ReadAll(&quoteNaN{in: r}); err != nil || string(got) != want {
			t.Errorf("%s, %v", got, err)
		}
	}
}

// A row goes by the rounding of its numbers to float32, whatever the threshold.
func TestBelow(t *testing.T) {
	for _, v := range []float32{0, 1, 1.5, 0.1, -0.1, 3e38, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32,
		0x1p-126, math.Nextafter32(1, 2), math.Nextafter32(1, 0)} {
		b := below(v)
		if above := math.Nextafter(b, math.Inf(1)); !(float32(b) < v) || float32(above) < v || math.IsInf(b, 0) {
			t.Errorf("below(%v) = %v", v, b)
		}
	}
}

// refusesChanged holds that the text with new in place of old is an *ImportError that says want.
func refusesChanged(t *testing.T, text, old, new, want string) {
	t.Helper()
	changed := strings.Replace(text, old, new, 1)
	if old != "" && changed == text {
		t.Errorf("%q is not in the text", old)
	}
	var refused *ImportError
	if m, err := Import(strings.NewReader(changed)); m != nil || !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s for %s: %v", new, old, err)
	}
}

func TestImportRefuses(t *testing.T) {
	x, l := xgboostText("reg:squarederror", "5E-1", 0, 0, 0), lightgbmText("regression", 1, 2)
	for _, c := range []struct{ text, old, new, want string }{
		{x, `"gbtree"`, `"dart"`, "booster"},
		{x, "reg:squarederror", "reg:gamma", "objective"},
		{x, `"num_feature":"2"`, `"num_feature":"1"`, "splits column 1 of 1"},
		{x, `"num_feature":"2"`, `"num_feature":"2147483647"`, "columns"},
		{x, `"num_target":"1"`, `"num_target":"3"`, "targets"},
		{x, "5E-1", "nan", "base_score"},
		{x, "5E-1", "", "base_score"},
		{xgboostText("multi:softprob", "[1E-1,2E-1]", 3, 0, 1, 2), "", "", "has 2 numbers, want 1 or 3"},
		{xgboostText("multi:softprob", "[1E-1,nan]", 2, 0, 1), "", "", "base_score"},
		{x, `"default_left"`, `"tree_param":{"size_leaf_vector":"3"},"default_left"`, "leaves of 3 values"},
		{xgboostText("multi:softprob", "1E-1", 3, 0, 1), "", "", "trees of output"},
		{xgboostText("binary:logistic", "1E0", 0, 0), "", "", "probability"},
		{x, `"tree_info":[0,0]`, `"tree_info":[0,1]`, "output 1 of 1"},
		{x, `"tree_info":[0,0]`, `"tree_info":[0]`, "tree_info"},
		{x, "[1,3,-1,-1,-1,-1]", "[1,0,-1,-1,-1,-1]", "twice"},
		{x, "[1,3,-1,-1,-1,-1]", "[1,6,-1,-1,-1,-1]", "node 6 of 6"},
		{x, "[1,3,-1,-1,-1,-1]", "[1,-3,-1,-1,-1,-1]", "node -3 of 6"},
		{x, "[1,3,-1,-1,-1,-1]", "[1,5,-1,-1,-1,-1]", "twice"},
		{x, "[1,3,-1,-1,-1,-1]", "[1,3,-1,-1,-1]", "5 left"},
		{x, `"split_indices":[0,1,`, `"split_indices":[-1,1,`, "splits column -1"},
		{x, `"split_type":[0,0,0,0,0,0]`, `"split_type":[1,0,0,0,0,0]`, "categories"},
		{x, "9E9", "9E99", "XGBoost model: 9E99 is not a number of 32 bits"},
		{x, "9E9", `"much"`, `XGBoost model: "much" is not a number of 32 bits`},
		{x, "[1,3,-1,-1,-1,-1]", `[1,"3",-1,-1,-1,-1]`, "left_children is a JSON string"},
		{x, `"version":[1,7,4]}`, "", "the file ends too early"},
		{x, `"version"`, `version`, "invalid"},
		{l, "end of trees", "the end", "ends before"},
		{l, "objective=regression", "objective=tweedie", "objective"},
		{l, "objective=regression", "objective=regression sqrt", "sqrt"},
		{l, "objective=regression", "average_output\nobjective=regression", "averages"},
		{l, "max_feature_idx=1", "max_feature_idx=0", "splits column 1 of 1"},
		{l, "max_feature_idx=1", "max_feature_idx=9223372036854775807", "max_feature_idx"},
		{l, "num_tree_per_iteration=1", "num_tree_per_iteration=2", "num_tree_per_iteration"},
		{l, "num_leaves=3", "num_leaves=4", "leaf_value"},
		{l, "num_leaves=3", "num_leaves=-3", "num_leaves"},
		{l, "leaf_value=1 2 4", "leaf_value=1 nan 4", "value NaN"},
		{l, "leaf_value=1 2 4", "leaf_value=1 2 x", `"x"`},
		{l, "threshold=0.1", "threshold=inf", "threshold"},
		{l, "decision_type=2 8", "decision_type=1 8", "categories"},
		{l, "decision_type=2 8", "decision_type=4 8", "zero_as_missing"},
		{l, "left_child=1 -1", "left_child=0 -1", "twice"},
		{l, "left_child=1 -1", "left_child=2 -1", "node -1"},
		{l, "left_child=1 -1", "left_child=1 -9223372036854775808", "child"},
		{l, "is_linear=0", "is_linear=1", "linear"},
		{l, "Tree=0", "Tree 0", "tree 0 is expected"},
	} {
		refusesChanged(t, c.text, c.old, c.new, c.want)
	}
	if _, err := Import(strings.NewReader("tree house")); err == nil {
		t.Error("any text is a model")
	}
}

func FuzzImport(f *testing.F) {
	for _, text := range []string{
		xgboostText("reg:squarederror", "5E-1", 0, 0, 0), xgboostText("multi:softprob", "[5E-1]", 2, 0, 1), xgboostText("binary:logistic", "5E-1", 0, 0),
		lightgbmText("regression", 1, 2), lightgbmText("binary sigmoid:1", 1, 1), lightgbmText("multiclass num_class:3", 3, 3),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Import(bytes.NewReader(text))
		if err != nil {
			return
		}
		switch m := m.(type) {
		case *Regressor:
			if m.Dim() < 1000 {
				m.Predict(nil, mat.NewDense(1, m.Dim(), nil))
			}
		case *Classifier:
			if m.Dim() < 1000 {
				m.Scores(nil, mat.NewDense(1, m.Dim(), nil))
			}
		}
	})
}

// xgboostPeer trains models on rows of float64 and float32 numbers with zeros, and writes them with the
// rows and what they predict: values, and probabilities of classes.
const xgboostPeer = `
import json, sys
import numpy as np, xgboost as xgb
r = np.random.default_rng(5)
x = np.round(r.normal(size=(600, 5)), 2)
x[:, 3] *= r.random(600) < .3
x[:200] = x[:200].astype(np.float32)
v = x[:, 0] + x[:, 1] * x[:, 2] + np.sin(3 * x[:, 3])
for i, (objective, y, more) in enumerate([
    ("reg:squarederror", 100 * v + 1000, {}), ("reg:squarederror", v, {"num_parallel_tree": 2, "subsample": .7}),
    ("binary:logistic", v > 0, {"base_score": .3}), ("multi:softprob", (v > 0) * 1 + (v > 1), {"num_class": 3}),
    ("multi:softprob", v > 0, {"num_class": 2}),
]):
    b = xgb.train({"objective": objective, "max_depth": 5, "seed": 3, "nthread": 1, **more}, xgb.DMatrix(x[:400], y[:400]), 15)
    b.save_model(f"{sys.argv[1]}/{i}.json")
    p = b.predict(xgb.DMatrix(x)).astype(float)
    json.dump({"x": x.tolist(), "p": p.reshape(600, -1).tolist()}, open(f"{sys.argv[1]}/{i}.want", "w"))
print(i + 1)
`

// Models of XGBoost predict here what they predict there, from dense and from sparse rows.
func TestImportAgainstXGBoost(t *testing.T) {
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	python := pythonWithXGBoost(t)
	dir := t.TempDir()
	out := must.Have(exec.Command(python, "-c", xgboostPeer, dir).Output())(t)
	models := 0
	if _, err := fmt.Sscan(string(out), &models); err != nil || models == 0 {
		t.Fatalf("%v: %s", err, out)
	}
	for i := range models {
		text := must.Have(os.ReadFile(filepath.Join(dir, fmt.Sprint(i, ".json"))))(t)
		var want struct{ X, P [][]float64 }
		file := must.Have(os.ReadFile(filepath.Join(dir, fmt.Sprint(i, ".want"))))(t)
		must.Do(t, json.Unmarshal(file, &want))
		x := mat.NewDense(len(want.X), 5, nil)
		for i, row := range want.X {
			x.SetRow(i, row)
		}
		for _, x := range []mat.Matrix{x, sparse.FromDense(x)} {
			m, got := scoresOf(t, string(text), x)
			if c, is := m.(*Classifier); is {
				got = calibration.Softmax(len(c.Classes())).Probabilities(nil, got)
			}
			worst := 0.
			for i, row := range want.P {
				if len(row) == 1 && got.RawMatrix().Cols == 2 {
					row = []float64{1 - row[0], row[0]}
				}
				for c, v := range row {
					if e := math.Abs(got.At(i, c)-v) / (1 + math.Abs(v)); !(e <= worst) {
						worst = e
					}
				}
			}
			if !(worst <= 1e-6) {
				t.Errorf("model %d, %T: the predictions differ by %v of their size", i, x, worst)
			}
		}
	}
}

// pythonWithXGBoost is a Python that has XGBoost.
func pythonWithXGBoost(t *testing.T) string {
	t.Helper()
	for _, p := range []string{"python3", "/usr/bin/python3"} { // the first may be one without packages
		// It is not imported for that, which takes a second.
		if exec.Command(p, "-c", "import importlib.util, sys; sys.exit(importlib.util.find_spec('xgboost') is None)").Run() == nil {
			return p
		}
	}
	t.Skip("there is no package xgboost for Python (Debian: python3-xgboost)")
	return ""
}
