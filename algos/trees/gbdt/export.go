package gbdt

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// WriteXGBoost writes the model in XGBoost's JSON, objective count:poisson for the loss Poisson and reg:squarederror, which
// predicts the sum as it is, for the others. See (*Classifier).WriteXGBoost.
func (m *Regressor) WriteXGBoost(w io.Writer) error {
	if m.cfg.Loss == Poisson {
		return m.writeXGBoost(w, "count:poisson", 0)
	}
	return m.writeXGBoost(w, "reg:squarederror", 0)
}

// WriteXGBoost writes the model in XGBoost's JSON, objective binary:logistic or multi:softprob, with the classes 0, 1, …
//
// XGBoost has float32 numbers. Rows of float32 numbers take the ways that they take here, and sums of leaf values, which are
// rounded, agree to about 10⁻⁷ of the largest; rows of other numbers are rounded there first. A level of a category
// that is not known goes left there and with the missing cells here, and where the model takes no missing cells a row with NaN has a score there.
// The numbers of rows in the nodes are not known, so contributions of columns that XGBoost computes of
// such a file mean nothing. A threshold or a leaf value beyond the range of float32 is an error.
func (m *Classifier) WriteXGBoost(w io.Writer) error {
	if len(m.names) == 2 {
		return m.writeXGBoost(w, "binary:logistic", 0)
	}
	return m.writeXGBoost(w, "multi:softprob", len(m.names))
}

// written is a model as XGBoost writes it; what it reads of that is in type xgboost.
type written struct {
	Learner struct {
		Attributes map[string]string `json:"attributes"`
		Names      []string          `json:"feature_names"`
		Types      []string          `json:"feature_types"`
		Booster    struct {
			Model struct {
				Param  map[string]string `json:"gbtree_model_param"`
				Rounds []int             `json:"iteration_indptr"` // where the trees of each begin
				Info   []int             `json:"tree_info"`
				Trees  []*writtenTree    `json:"trees"`
			} `json:"model"`
			Name string `json:"name"`
		} `json:"gradient_booster"`
		Param     map[string]string `json:"learner_model_param"`
		Objective map[string]any    `json:"objective"`
	} `json:"learner"`
	Version []int `json:"version"`
}

// exponentNumber is a number that is written with an exponent: XGBoost takes others for integers, and refuses them.
type exponentNumber float32

// MarshalJSON writes the shortest text that is read back as the number.
func (v exponentNumber) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(v), 'E', -1, 32), nil
}

type writtenTree struct {
	ID        int               `json:"id"`
	Param     map[string]string `json:"tree_param"`
	Left      []int             `json:"left_children"`
	Right     []int             `json:"right_children"`
	Parent    []int             `json:"parents"`
	Feature   []int             `json:"split_indices"`
	Condition []exponentNumber  `json:"split_conditions"`
	Type      []int             `json:"split_type"`
	Missing   []int             `json:"default_left"`
	Weight    []exponentNumber  `json:"base_weights"`
	Gain      []exponentNumber  `json:"loss_changes"`
	Curvature []exponentNumber  `json:"sum_hessian"`
	Splits    []int             `json:"categories_nodes"`
	Starts    []int             `json:"categories_segments"`
	Sizes     []int             `json:"categories_sizes"`
	Levels    []int             `json:"categories"`
}

// writeXGBoost writes the model with an objective for so many classes, 0 for none or two.
func (m *model) writeXGBoost(w io.Writer, objective string, classes int) error {
	var f written
	f.Version = []int{1, 7, 4}
	l := &f.Learner
	l.Attributes, l.Names, l.Types = map[string]string{}, []string{}, []string{}
	if slices.ContainsFunc(m.mixed, func(c Column) bool { return c.Levels > 0 }) {
		for _, c := range m.mixed {
			l.Types = append(l.Types, map[bool]string{true: "c", false: "float"}[c.Levels > 0])
		}
	}
	outputs, trees := len(m.first), len(m.forest.roots)
	l.Booster.Name = "gbtree"
	b := &l.Booster.Model
	for t := range trees {
		made, err := m.writtenTree(t)
		if err != nil {
			return fmt.Errorf("gbdt: tree %d: %w", t, err)
		}
		b.Trees = append(b.Trees, made)
	}
	base := m.first[0]
	if outputs > 1 || trees == 0 { // XGBoost has one constant, so that those of the outputs are trees of a leaf
		base = 0
		for c := range outputs {
			leaf := newWrittenTree(len(b.Trees), m.d, 1)
			if err := leaf.leaf(0, m.first[c]); err != nil {
				return fmt.Errorf("gbdt: %w", err)
			}
			b.Trees = append(b.Trees, leaf)
		}
	}
	switch objective {
	case "binary:logistic":
		base = 1 / (1 + math.Exp(-base))
	case "count:poisson":
		base = math.Exp(base)
	}
	for t := range b.Trees {
		b.Info = append(b.Info, t%outputs)
		if t%outputs == 0 {
			b.Rounds = append(b.Rounds, t)
		}
	}
	b.Rounds = append(b.Rounds, len(b.Trees))
	b.Param = map[string]string{"num_trees": strconv.Itoa(len(b.Trees)), "num_parallel_tree": "1", "size_leaf_vector": "0"}
	l.Param = map[string]string{
		"base_score": strconv.FormatFloat(base, 'g', -1, 32), "num_class": strconv.Itoa(classes), "num_feature": strconv.Itoa(m.d),
		"num_target": "1", "boost_from_average": "1",
	}
	l.Objective = map[string]any{"name": objective, "reg_loss_param": map[string]string{"scale_pos_weight": "1"}}
	switch {
	case objective == "count:poisson":
		l.Objective = map[string]any{"name": objective, "poisson_regression_param": map[string]string{"max_delta_step": "0.7"}}
	case classes > 0:
		l.Objective = map[string]any{"name": objective, "softmax_multiclass_param": map[string]string{"num_class": strconv.Itoa(classes)}}
	}
	return json.NewEncoder(w).Encode(f)
}

// newWrittenTree returns a tree of leaves of value 0 alone.
func newWrittenTree(id, columns, nodes int) *writtenTree {
	t := &writtenTree{ID: id, Splits: []int{}, Starts: []int{}, Sizes: []int{}, Levels: []int{}}
	for _, list := range []*[]int{&t.Left, &t.Right, &t.Parent, &t.Feature, &t.Type, &t.Missing} {
		*list = make([]int, nodes)
	}
	for _, list := range []*[]exponentNumber{&t.Condition, &t.Weight, &t.Gain, &t.Curvature} {
		*list = make([]exponentNumber, nodes)
	}
	for i := range nodes {
		t.Left[i], t.Right[i], t.Parent[i], t.Curvature[i] = -1, -1, math.MaxInt32, 1
	}
	t.Param = map[string]string{"num_deleted": "0", "num_feature": strconv.Itoa(columns), "num_nodes": strconv.Itoa(nodes), "size_leaf_vector": "0"}
	return t
}

// leaf sets the value of node i, which is a leaf. The error says that the value is beyond the range of float32.
func (t *writtenTree) leaf(i int, value float64) error {
	v := float32(value)
	if math.IsInf(float64(v), 0) {
		return fmt.Errorf("the value %v of node %d is beyond the range of float32", value, i)
	}
	t.Condition[i], t.Weight[i] = exponentNumber(v), exponentNumber(v)
	return nil
}

// writtenTree returns tree t as XGBoost writes it. The error names a node with a number beyond the range of float32.
func (m *model) writtenTree(t int) (*writtenTree, error) {
	nodes := m.Tree(t)
	to := newWrittenTree(t, m.d, len(nodes))
	for i, n := range nodes {
		if n.Left == 0 {
			if err := to.leaf(i, n.Value); err != nil {
				return nil, err
			}
			continue
		}
		to.Left[i], to.Right[i], to.Feature[i], to.Parent[n.Left], to.Parent[n.Right] = n.Left, n.Right, n.Feature, i, i
		if n.Missing {
			to.Missing[i] = 1
		}
		if !math.IsNaN(n.Gain) {
			to.Gain[i] = exponentNumber(n.Gain)
		}
		if n.Levels == nil {
			if to.Condition[i] = exponentNumber(next32(n.Threshold)); math.IsInf(float64(to.Condition[i]), 0) {
				return nil, fmt.Errorf("the threshold %v of node %d is beyond the range of float32", n.Threshold, i)
			}
			continue
		}
		to.Type[i] = 1
		to.Splits, to.Starts = append(to.Splits, i), append(to.Starts, len(to.Levels))
		for level := range m.mixed[n.Feature].Levels {
			if !slices.Contains(n.Levels, level) {
				to.Levels = append(to.Levels, level)
			}
		}
		if len(to.Levels) == to.Starts[len(to.Starts)-1] { // none that is known goes right, and the list must not be empty
			to.Levels = append(to.Levels, m.mixed[n.Feature].Levels)
		}
		to.Sizes = append(to.Sizes, len(to.Levels)-to.Starts[len(to.Starts)-1])
	}
	return to, nil
}

// next32 returns the smallest float32 that is larger than t: float32 numbers are below it if they are at most t.
func next32(t float64) float32 {
	near := float32(t)
	if float64(near) > t {
		return near
	}
	return math.Nextafter32(near, float32(math.Inf(1)))
}
