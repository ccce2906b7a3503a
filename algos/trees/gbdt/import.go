package gbdt

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
)

// Model files of XGBoost and LightGBM. Missing numbers, which are NaN in all columns, go as these
// programs send them. XGBoost compares float32 numbers by <, LightGBM float64 numbers by ≤, as
// we do.

// ImportError reports a model file of another program that cannot be read.
type ImportError struct {
	Program string // XGBoost or LightGBM
	Tree    int    // the tree that is at fault; −1: the file as a whole
	Reason  string
}

// Error names the program, the tree and the reason.
func (e *ImportError) Error() string {
	if e.Tree < 0 {
		return fmt.Sprintf("%s model: %s", e.Program, e.Reason)
	}
	return fmt.Sprintf("%s model, tree %d: %s", e.Program, e.Tree, e.Reason)
}

// ImportHead is the number of bytes from which Importable knows a file.
const ImportHead = 256

// Importable reports whether a file that begins with head, of ImportHead bytes or all that it
// has, is a model in XGBoost's JSON or LightGBM's text.
func Importable(head []byte) bool { return isXGBoost(head) || isLightGBM(head) }

func isXGBoost(head []byte) bool {
	rest := bytes.TrimSpace(head)
	for _, token := range []string{"{", `"learner"`, ":", "{"} {
		var is bool
		if rest, is = bytes.CutPrefix(rest, []byte(token)); !is {
			return false
		}
		rest = bytes.TrimSpace(rest)
	}
	return true
}

func isLightGBM(head []byte) bool {
	first, rest, _ := bytes.Cut(head, []byte("\n"))
	return string(bytes.TrimSpace(first)) == "tree" && bytes.HasPrefix(rest, []byte("version="))
}

// Import reads a model in XGBoost's JSON or LightGBM's text: a *Regressor, or a *Classifier whose
// classes are 0, 1, …, as in these programs. All trees of the file are read, also those after the
// best round of an early stop.
//
// Of XGBoost it takes the booster gbtree with the objectives reg:squarederror,
// reg:absoluteerror, reg:pseudohubererror, count:poisson, binary:logistic, multi:softprob and multi:softmax. Rows
// of float64 numbers go where their roundings to float32 go in XGBoost. Of LightGBM it takes
// the objectives regression, regression_l1, huber, fair, quantile, mape, poisson, binary and multiclass.
// Linear leaves, averages of trees and other objectives are errors, of type *ImportError like
// all errors of the content.
//
// Scores agree with those of these programs up to the rounding of their sums. Two things
// differ for XGBoost: an element that is absent from a sparse row is 0 here and missing there,
// and a negative level of a category goes left there and with the missing cells here, as does a
// level of 255 or more that is above all that the splits of its column name. Where a
// file has more than 2²⁰ columns, a row with NaN has the score NaN.
func Import(r io.Reader) (modelfile.Model, error) {
	in := bufio.NewReader(r)
	head, err := in.Peek(ImportHead)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case isXGBoost(head):
		return readXGBoost(in)
	case isLightGBM(head):
		return readLightGBM(in)
	}
	return nil, errors.New("gbdt: not a model in XGBoost's JSON or LightGBM's text")
}

// ensemble is the content of a file of another program.
type ensemble struct {
	program string
	columns int
	first   []float64      // F₀ of each output
	trees   [][][]fileNode // of each output, the same number
	classes bool
	loss    Loss
}

// fileNode is a node of a tree of a file: a split, or a leaf with a value.
type fileNode struct {
	leaf        bool
	value       float64
	feature     int
	threshold   float64 // rows with at most this go left
	missing     bool    // so do rows with NaN
	levels      []int   // of a split of a category: the levels that go one way; nil: a split of numbers
	leftLevels  bool    // these levels go left, others right; else the other way round
	left, right int
}

func (e *ensemble) fail(reason string, args ...any) error { return e.failTree(-1, reason, args...) }

func (e *ensemble) failTree(t int, reason string, args ...any) error {
	return &ImportError{e.program, t, fmt.Sprintf(reason, args...)}
}

// size sets the number of columns and of outputs.
func (e *ensemble) size(columns, outputs int) error {
	if columns < 1 || columns > modelfile.MaxCount {
		return e.fail("%d columns", columns)
	}
	if outputs < 1 || outputs > maxOutputs {
		return e.fail("%d outputs", outputs)
	}
	e.columns, e.first, e.trees = columns, make([]float64, outputs), make([][][]fileNode, outputs)
	return nil
}

// maxOutputs is the largest number of classes of a file of another program.
const maxOutputs = 1 << 15

// model makes a *Regressor of the file, or a *Classifier whose classes are 0, 1, …, with the trees of all rounds.
func (e *ensemble) model() (modelfile.Model, error) {
	for c, trees := range e.trees {
		if len(trees) != len(e.trees[0]) || len(trees) == 0 {
			return nil, e.fail("%d trees of output 0 and %d of output %d", len(e.trees[0]), len(trees), c)
		}
	}
	if e.classes && len(e.first) == 2 {
		e.difference()
	}
	outputs, rounds, leaves := len(e.first), len(e.trees[0]), 2
	m := model{d: e.columns, first: e.first}
	if e.columns <= maxMissing {
		m.mixed = slices.Repeat([]Column{{Missing: true}}, e.columns)
	}
	if err := e.categories(m.mixed); err != nil {
		return nil, err
	}
	nodes := 0
	for round := range rounds {
		for c := range outputs {
			t, err := e.plant(e.trees[c][round], m.mixed)
			if err != nil {
				return nil, e.failTree(round*outputs+c, "%v", err)
			}
			if nodes += len(t.nodes); nodes > math.MaxInt32 {
				return nil, e.fail("more than %d nodes", math.MaxInt32)
			}
			leaves = max(leaves, (len(t.nodes)+1)/2)
			if m.add(t); len(m.forest.sets) > maxWords {
				return nil, e.fail("the levels of its splits by categories take more than %d MiB", maxWords>>18)
			}
		}
	}
	m.gain = nil
	var names []string
	if e.classes {
		names = make([]string, max(2, outputs))
		for c := range names {
			names[c] = strconv.Itoa(c)
		}
	}
	var err error
	m.cfg, err = settings.Resolved(Config{Rounds: rounds, Shrinkage: 1, MaxLeaves: leaves, Loss: e.loss}, gram.Shape{Outputs: max(1, len(names))})
	if err != nil {
		return nil, err
	}
	m.complete()
	if e.classes {
		return &Classifier{m, names}, nil
	}
	return &Regressor{m}, nil
}

// maxMissing is the number of columns up to which their cells may be missing: a file can state
// any number of them.
const maxMissing = 1 << 20

// maxWords is the number of 32-bit words that the levels of all splits may take.
const maxWords = 1 << 24

// categories sets the levels of the columns that are split by them: all that a split names, and
// at least as many as leave no level of a usual file to the rule for unknown ones.
func (e *ensemble) categories(columns []Column) error {
	const usual = 255
	for c, trees := range e.trees {
		for round, nodes := range trees {
			for i, n := range nodes {
				if n.leaf || n.levels == nil {
					continue
				}
				if n.feature < 0 || n.feature >= len(columns) {
					return e.failTree(round*len(e.trees)+c, "node %d splits categories of column %d of %d, want at most %d", i, n.feature, e.columns, maxMissing)
				}
				levels := &columns[n.feature].Levels
				*levels = max(*levels, usual)
				for _, level := range n.levels {
					if level < 0 || level >= maxLevels {
						return e.failTree(round*len(e.trees)+c, "node %d has the level %d, want 0 … %d", i, level, maxLevels-1)
					}
					*levels = max(*levels, level+1)
				}
			}
		}
	}
	return nil
}

// goes returns which levels of the node's column go left and, after them, whether missing cells do.
// The levels that it leaves out go with those.
func (n *fileNode) goes(levels int) []bool {
	if n.missing != n.leftLevels {
		levels = 0
		for _, level := range n.levels {
			levels = max(levels, level+1)
		}
	}
	left := slices.Repeat([]bool{!n.leftLevels}, levels+1)
	for _, level := range n.levels {
		left[level] = n.leftLevels
	}
	left[levels] = n.missing
	return left
}

// difference makes one output of two: the log-odds of class 1 are the difference of the scores.
func (e *ensemble) difference() {
	var both [][]fileNode
	for round, minus := range e.trees[0] {
		for i := range minus {
			minus[i].value = -minus[i].value
		}
		both = append(both, minus, e.trees[1][round])
	}
	e.first, e.trees = []float64{e.first[1] - e.first[0]}, [][][]fileNode{both}
}

// plant makes a tree of the nodes of a file, of which the first is the root. Every node has one
// parent at most, so no walk goes round; nodes without one are left out.
func (e *ensemble) plant(nodes []fileNode, columns []Column) (*tree, error) {
	type step struct{ from, to int }
	t := &tree{}
	t.leaf()
	seen := make([]bool, len(nodes))
	for todo := []step{{0, 0}}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s.from < 0 || s.from >= len(nodes) || seen[s.from] {
			return nil, fmt.Errorf("a child is node %d of %d, or that twice", s.from, len(nodes))
		}
		seen[s.from] = true
		n := nodes[s.from]
		switch {
		case n.leaf && n.value-n.value != 0:
			return nil, fmt.Errorf("node %d has the value %v", s.from, n.value)
		case n.leaf:
			t.value[s.to] = n.value
			continue
		case n.feature < 0 || n.feature >= e.columns:
			return nil, fmt.Errorf("node %d splits column %d of %d", s.from, n.feature, e.columns)
		case n.threshold-n.threshold != 0:
			return nil, fmt.Errorf("node %d has the threshold %v", s.from, n.threshold)
		}
		category := columns != nil && columns[n.feature].Levels > 0
		if category && n.levels == nil {
			return nil, fmt.Errorf("node %d splits column %d by a threshold, other nodes by categories", s.from, n.feature)
		}
		left, right := t.split(s.to, n.feature, 0, n.threshold, 0)
		switch {
		case category:
			t.goes[s.to] = n.goes(columns[n.feature].Levels)
		case n.missing:
			t.goes[s.to] = []bool{true} // the one bin of missing cells
		}
		todo = append(todo, step{n.right, right}, step{n.left, left})
	}
	return t, nil
}

// xgboost is the part of XGBoost's JSON that predictions need. Its numbers that are no arrays
// are strings.
type xgboost struct {
	Learner struct {
		Param struct {
			BaseScore  string `json:"base_score"`
			NumClass   string `json:"num_class"`
			NumFeature string `json:"num_feature"`
			NumTarget  string `json:"num_target"`
		} `json:"learner_model_param"`
		Objective struct {
			Name string `json:"name"`
		} `json:"objective"`
		Booster struct {
			Name  string `json:"name"`
			Model struct {
				Info  []int         `json:"tree_info"` // output of each tree
				Trees []xgboostTree `json:"trees"`
			} `json:"model"`
		} `json:"gradient_booster"`
	} `json:"learner"`
}

// xgboostTree has a number of each node in every array.
type xgboostTree struct {
	Param struct {
		Values string `json:"size_leaf_vector"` // of a leaf; 0, 1 or nothing: one
	} `json:"tree_param"`
	Left      []int    `json:"left_children"` // −1: a leaf
	Right     []int    `json:"right_children"`
	Feature   []int    `json:"split_indices"`
	Condition []number `json:"split_conditions"` // of a leaf its value
	Type      []int    `json:"split_type"`       // 1: by categories; not in old files
	Missing   []bit    `json:"default_left"`     // NaN goes left

	// Of splits by categories: their nodes, and of each where its levels begin in the list of all
	// and how many they are.
	Splits []int `json:"categories_nodes"`
	Starts []int `json:"categories_segments"`
	Sizes  []int `json:"categories_sizes"`
	Levels []int `json:"categories"`
}

// bit is a truth value that a file holds as 0, 1, false or true.
type bit bool

// UnmarshalJSON reads a number or a truth value, as versions of XGBoost write the one or the other.
func (f *bit) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "1", "true":
		*f = true
	case "0", "false":
		*f = false
	default:
		return fmt.Errorf("%s is neither 0 nor 1", text)
	}
	return nil
}

// number is a number or, as XGBoost writes them and JSON does not have it, NaN.
type number float32

// UnmarshalJSON reads a number, and NaN from what quoteNaN makes of it.
func (v *number) UnmarshalJSON(text []byte) error {
	if string(text) == `""` {
		*v = number(math.NaN())
		return nil
	}
	x, err := strconv.ParseFloat(string(text), 32)
	if err != nil {
		return fmt.Errorf("%.40s is not a number of 32 bits", text)
	}
	*v = number(x)
	return nil
}

// quoteNaN is JSON in which NaN stands outside of texts, with "" and a space in its place.
type quoteNaN struct {
	in            io.Reader
	text, escaped bool // in a text, behind a backslash
	at            int  // letters of NaN that have passed
}

// Read reads from in and replaces every NaN outside of texts, by as many bytes.
func (q *quoteNaN) Read(p []byte) (int, error) {
	n, err := q.in.Read(p)
	for i, b := range p[:n] {
		switch {
		case q.text:
			q.text = q.escaped || b != '"'
			q.escaped = !q.escaped && b == '\\'
		case b == '"':
			q.text = true
		case b == "NaN"[q.at]:
			p[i] = `"" `[q.at]
			q.at = (q.at + 1) % 3
		default:
			q.at = 0
		}
	}
	return n, err
}

func readXGBoost(r io.Reader) (modelfile.Model, error) {
	e := &ensemble{program: "XGBoost"}
	var f xgboost
	err := json.NewDecoder(&quoteNaN{in: r}).Decode(&f)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return nil, e.fail("%s is a JSON %s, which is not what it holds in a model", cmp.Or(kind.Field, "the file"), kind.Value)
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return nil, e.fail("the file ends too early")
	case err != nil:
		return nil, e.fail("%v", err)
	}
	l := &f.Learner
	if l.Booster.Name != "gbtree" {
		return nil, e.fail("the booster is %q, want gbtree", l.Booster.Name)
	}
	if t := l.Param.NumTarget; t != "" && t != "0" && t != "1" {
		return nil, e.fail("%s targets, want one", t)
	}
	columns, err := strconv.Atoi(l.Param.NumFeature)
	if err != nil {
		return nil, e.fail("num_feature is %q", l.Param.NumFeature)
	}
	outputs := 1
	switch l.Objective.Name {
	case "reg:squarederror", "reg:linear", "reg:absoluteerror", "reg:pseudohubererror":
	case "count:poisson":
		e.loss = Poisson
	case "binary:logistic":
		e.classes = true
	case "multi:softprob", "multi:softmax":
		e.classes = true
		if outputs, err = strconv.Atoi(l.Param.NumClass); err != nil || outputs < 2 {
			return nil, e.fail("num_class is %q", l.Param.NumClass)
		}
	default:
		return nil, e.fail("the objective is %q, want reg:squarederror, count:poisson, binary:logistic, multi:softprob or multi:softmax", l.Objective.Name)
	}
	if err := e.size(columns, outputs); err != nil {
		return nil, err
	}
	if err := e.baseScore(l.Param.BaseScore, l.Objective.Name); err != nil {
		return nil, err
	}
	if len(l.Booster.Model.Info) != len(l.Booster.Model.Trees) {
		return nil, e.fail("tree_info has %d numbers for %d trees", len(l.Booster.Model.Info), len(l.Booster.Model.Trees))
	}
	for t := range l.Booster.Model.Trees {
		c := l.Booster.Model.Info[t]
		if c < 0 || c >= outputs {
			return nil, e.failTree(t, "output %d of %d", c, outputs)
		}
		nodes, err := l.Booster.Model.Trees[t].nodes()
		if err != nil {
			return nil, e.failTree(t, "%v", err)
		}
		e.trees[c] = append(e.trees[c], nodes)
	}
	return e.model()
}

// baseScore sets F₀: a number for all outputs, or since version 3.1 a list in brackets, of one number or of one for each output.
// Those of binary:logistic are probabilities, those of count:poisson means.
func (e *ensemble) baseScore(text, objective string) error {
	list := strings.Split(strings.Trim(strings.TrimSpace(text), "[]"), ",")
	if len(list) != 1 && len(list) != len(e.first) {
		return e.fail("base_score %s has %d numbers, want 1 or %d", text, len(list), len(e.first))
	}
	for c := range e.first {
		base, err := strconv.ParseFloat(strings.TrimSpace(list[min(c, len(list)-1)]), 32)
		if err != nil || base-base != 0 {
			return e.fail("base_score is %q", text)
		}
		switch {
		case objective == "binary:logistic" && !(base > 0 && base < 1):
			return e.fail("base_score %v is not a probability between 0 and 1", base)
		case objective == "binary:logistic":
			base = math.Log(base) - math.Log1p(-base)
		case e.loss == Poisson && !(base > 0):
			return e.fail("base_score %v is not a mean above 0", base)
		case e.loss == Poisson:
			base = math.Log(base)
		}
		e.first[c] = base
	}
	return nil
}

// nodes returns the nodes of the tree. The error says which arrays do not fit each other, or what this package does not read.
func (t *xgboostTree) nodes() ([]fileNode, error) {
	if v := t.Param.Values; v != "" && v != "0" && v != "1" {
		return nil, fmt.Errorf("leaves of %s values (multi_strategy=multi_output_tree), want one", v)
	}
	n := len(t.Left)
	if len(t.Right) != n || len(t.Feature) != n || len(t.Condition) != n || t.Missing != nil && len(t.Missing) != n || t.Type != nil && len(t.Type) != n {
		return nil, fmt.Errorf("%d left and %d right children, %d split_indices, %d split_conditions, %d of default_left and %d of split_type",
			n, len(t.Right), len(t.Feature), len(t.Condition), len(t.Missing), len(t.Type))
	}
	levels, err := t.levels()
	if err != nil {
		return nil, err
	}
	nodes := make([]fileNode, n)
	for i := range nodes {
		if t.Left[i] == -1 {
			nodes[i] = fileNode{leaf: true, value: float64(t.Condition[i])}
			continue
		}
		nodes[i] = fileNode{feature: t.Feature[i], missing: t.Missing != nil && bool(t.Missing[i]), left: t.Left[i], right: t.Right[i]}
		switch named := levels[i]; {
		case t.Type == nil || t.Type[i] == 0:
			nodes[i].threshold = below(float32(t.Condition[i]))
		case named == nil:
			return nil, fmt.Errorf("node %d is a split by categories without any", i)
		default:
			nodes[i].levels = named
		}
	}
	return nodes, nil
}

// levels returns those that splits by categories send to the right, by node.
func (t *xgboostTree) levels() (map[int][]int, error) {
	if len(t.Starts) != len(t.Splits) || len(t.Sizes) != len(t.Splits) {
		return nil, fmt.Errorf("%d categories_nodes, %d categories_segments and %d categories_sizes", len(t.Splits), len(t.Starts), len(t.Sizes))
	}
	named := make(map[int][]int, len(t.Splits))
	for k, i := range t.Splits {
		start, size := t.Starts[k], t.Sizes[k]
		if start < 0 || size < 1 || start > len(t.Levels) || size > len(t.Levels)-start {
			return nil, fmt.Errorf("the %d categories of node %d begin at %d of %d", size, i, start, len(t.Levels))
		}
		named[i] = t.Levels[start : start+size]
	}
	return named, nil
}

// below returns the largest float64 whose rounding to float32 is less than t: half the
// way from the float32 before t, or the number before that if half the way rounds to t.
func below(t float32) float64 {
	before := float64(math.Nextafter32(t, float32(math.Inf(-1))))
	if math.IsInf(before, -1) {
		before = -(1 << 128) // at which float32 would go on
	}
	half := before + (float64(t)-before)/2
	if float32(half) < t {
		return half
	}
	return math.Nextafter(half, math.Inf(-1))
}

func readLightGBM(r io.Reader) (modelfile.Model, error) {
	e := &ensemble{program: "LightGBM"}
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 64<<10), 64<<20)
	head := map[string]string{}
	at, ended := head, false
	var trees []map[string]string
	for !ended && in.Scan() {
		key, value, _ := strings.Cut(strings.TrimSpace(in.Text()), "=")
		switch {
		case key == "end of trees":
			ended = true
		case key == "Tree":
			if value != strconv.Itoa(len(trees)) {
				return nil, e.fail("tree %q comes where tree %d is expected", value, len(trees))
			}
			at = map[string]string{}
			trees = append(trees, at)
			fallthrough
		default:
			at[key] = value
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("LightGBM model: %w", err)
	}
	if !ended {
		return nil, e.fail("the file ends before the line: end of trees")
	}
	if _, average := head["average_output"]; average {
		return nil, e.fail("it averages its trees (boosting=rf), which the trees here do not")
	}
	scale, outputs, err := e.objective(strings.Fields(head["objective"]))
	if err != nil {
		return nil, err
	}
	last, err := strconv.Atoi(head["max_feature_idx"])
	if err != nil || last == math.MaxInt {
		return nil, e.fail("max_feature_idx is %q", head["max_feature_idx"])
	}
	if k := head["num_tree_per_iteration"]; k != strconv.Itoa(outputs) {
		return nil, e.fail("num_tree_per_iteration is %q, want %d", k, outputs)
	}
	if err := e.size(last+1, outputs); err != nil {
		return nil, err
	}
	for t, lines := range trees {
		nodes, err := lightgbmNodes(lines, scale)
		if err != nil {
			return nil, e.failTree(t, "%v", err)
		}
		c := t % outputs
		e.trees[c] = append(e.trees[c], nodes)
	}
	return e.model()
}

// objective returns the factor that makes log-odds of the values, and the number of outputs.
func (e *ensemble) objective(words []string) (scale float64, outputs int, err error) {
	if len(words) == 0 {
		return 0, 0, e.fail("there is no objective")
	}
	scale, outputs = 1, 1
	e.classes = words[0] == "binary" || words[0] == "multiclass"
	switch words[0] {
	case "poisson":
		e.loss = Poisson
	case "regression", "regression_l2", "regression_l1", "huber", "fair", "quantile", "mape", "binary", "multiclass":
	default:
		return 0, 0, e.fail("the objective is %q, want regression, poisson, binary or multiclass", words[0])
	}
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, ":")
		switch {
		case key == "sqrt":
			return 0, 0, e.fail("the target is transformed (reg_sqrt), which is not done here")
		case words[0] == "binary" && key == "sigmoid":
			if scale, err = strconv.ParseFloat(value, 64); err != nil || !(scale > 0) || scale > math.MaxFloat64 {
				return 0, 0, e.fail("sigmoid is %q", value)
			}
		case words[0] == "multiclass" && key == "num_class":
			if outputs, err = strconv.Atoi(value); err != nil {
				return 0, 0, e.fail("num_class is %q", value)
			}
		}
	}
	if words[0] == "multiclass" && outputs < 2 {
		return 0, 0, e.fail("multiclass with %d classes", outputs)
	}
	return scale, outputs, nil
}

// lightgbmNodes returns the splits of a tree and, after them, its leaves. A child −1−l is leaf l.
func lightgbmNodes(lines map[string]string, scale float64) ([]fileNode, error) {
	leaves, err := strconv.Atoi(lines["num_leaves"])
	if err != nil || leaves < 1 || leaves > len(lines["leaf_value"]) {
		return nil, fmt.Errorf("num_leaves is %q", lines["num_leaves"])
	}
	if linear := lines["is_linear"]; linear != "" && linear != "0" {
		return nil, errors.New("the leaves are linear, not constants")
	}
	splits := leaves - 1
	value, err := numbers(lines, "leaf_value", leaves, parseFloat)
	if err != nil {
		return nil, err
	}
	nodes := make([]fileNode, splits, splits+leaves)
	if splits > 0 {
		feature, err1 := numbers(lines, "split_feature", splits, strconv.Atoi)
		threshold, err2 := numbers(lines, "threshold", splits, parseFloat)
		kind, err3 := numbers(lines, "decision_type", splits, strconv.Atoi)
		left, err4 := numbers(lines, "left_child", splits, strconv.Atoi)
		right, err5 := numbers(lines, "right_child", splits, strconv.Atoi)
		if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
			return nil, err
		}
		child := func(c int) int {
			if c < 0 {
				return splits - 1 - c
			}
			if c >= splits {
				return -1
			}
			return c
		}
		levels, err := bitsets(lines)
		if err != nil {
			return nil, err
		}
		for i := range nodes {
			if kind[i]&categorical != 0 {
				k := int(threshold[i])
				if float64(k) != threshold[i] || k < 0 || k >= len(levels) {
					return nil, fmt.Errorf("node %d splits by list %v of %d lists of categories", i, threshold[i], len(levels))
				}
				nodes[i] = fileNode{feature: feature[i], levels: levels[k], leftLevels: true, left: child(left[i]), right: child(right[i])}
				continue
			}
			if kind[i]&missing == missingZero && (kind[i]&defaultLeft != 0) != (0 <= threshold[i]) {
				return nil, fmt.Errorf("node %d sends 0 as a missing number against its threshold (zero_as_missing)", i)
			}
			lost := 0 <= threshold[i] // NaN stands for 0
			if kind[i]&missing == missingNaN {
				lost = kind[i]&defaultLeft != 0
			}
			nodes[i] = fileNode{feature: feature[i], threshold: threshold[i], missing: lost, left: child(left[i]), right: child(right[i])}
		}
	}
	for _, v := range value {
		nodes = append(nodes, fileNode{leaf: true, value: scale * v})
	}
	return nodes, nil
}

// bitsets returns the lists of levels that splits by categories send to the left.
func bitsets(lines map[string]string) ([][]int, error) {
	if k := lines["num_cat"]; k == "" || k == "0" {
		return nil, nil
	}
	count, err := strconv.Atoi(lines["num_cat"])
	if err != nil || count < 0 || count > len(lines["cat_boundaries"]) {
		return nil, fmt.Errorf("num_cat is %q", lines["num_cat"])
	}
	bounds, err := numbers(lines, "cat_boundaries", count+1, strconv.Atoi)
	if err != nil {
		return nil, err
	}
	words, err := numbers(lines, "cat_threshold", len(strings.Fields(lines["cat_threshold"])), func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 32) })
	if err != nil {
		return nil, err
	}
	lists := make([][]int, count)
	for k := range lists {
		from, to := bounds[k], bounds[k+1]
		if from < 0 || to < from || to > len(words) || k > 0 && from < bounds[k-1] {
			return nil, fmt.Errorf("cat_boundaries has %d and %d for list %d of %d words", from, to, k, len(words))
		}
		lists[k] = []int{}
		for w, word := range words[from:to] {
			for ; word != 0; word &= word - 1 {
				lists[k] = append(lists[k], 32*w+bits.TrailingZeros64(word))
			}
		}
	}
	return lists, nil
}

// Bits of LightGBM's decision_type: missing masks the two bits of the kind of missing cells, missingZero or missingNaN.
const (
	categorical = 1
	defaultLeft = 2
	missing     = 12
	missingZero = 4
	missingNaN  = 8
)

func parseFloat(s string) (float64, error) { return strconv.ParseFloat(s, 64) }

// numbers returns the n numbers of a line.
func numbers[T any](lines map[string]string, key string, n int, parse func(string) (T, error)) ([]T, error) {
	fields := strings.Fields(lines[key])
	if len(fields) != n {
		return nil, fmt.Errorf("%s has %d numbers, want %d", key, len(fields), n)
	}
	out := make([]T, n)
	for i, s := range fields {
		v, err := parse(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %q is not a number of its kind", key, s)
		}
		out[i] = v
	}
	return out, nil
}
