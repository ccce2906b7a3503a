package onnx

import (
	"github.com/gramworks/gram/algos/trees/gbdt"
	"gonum.org/v1/gonum/mat"
	"math"
)

// forest is a sum of trees: tree t adds to output t mod outputs.
type forest interface {
	Stats() gbdt.Stats
	TakesMissing() bool
	Tree(t int) []gbdt.Node
	Constants() []float64
}

// forest returns the sums of the trees, and their number.
//
// The operator for trees has outputs of float32. In float64 it therefore gives the number of
// the leaf of every tree, and the values of the leaves are gathered from a constant.
func (g *graph) forest(x string, f forest) (out string, outputs int, err error) {
	start := f.Constants()
	outputs = len(start)
	trees := f.Stats().Trees
	if trees == 0 {
		return g.repeated(x, g.row("start", start)), outputs, nil
	}
	wide := g.real == typeDouble
	var (
		tree, node, feature, left, right      []int64
		missing                               []int64 // 1: rows whose number is missing go left
		leafTree, leafNode, leafTarget, first []int64
		threshold, weight, values             []float64
		modes                                 []string
	)
	for t := range trees {
		first = append(first, int64(len(values)))
		leaves := 0
		for i, n := range f.Tree(t) {
			tree, node = append(tree, int64(t)), append(node, int64(i))
			if n.Left == 0 && n.Right == 0 {
				modes = append(modes, "LEAF")
				feature, left, right, threshold, missing = append(feature, 0), append(left, 0), append(right, 0), append(threshold, 0), append(missing, 0)
				leafTree, leafNode = append(leafTree, int64(t)), append(leafNode, int64(i))
				values = append(values, n.Value)
				if wide {
					leafTarget, weight = append(leafTarget, int64(t)), append(weight, float64(leaves))
				} else {
					leafTarget, weight = append(leafTarget, int64(t%outputs)), append(weight, n.Value)
				}
				leaves++
				continue
			}
			if n.Levels != nil {
				return "", 0, refused("its trees split categories")
			}
			lost := int64(0)
			if n.Missing {
				lost = 1
			}
			bound := n.Threshold
			if !wide {
				bound = floor32(bound)
			}
			modes = append(modes, "BRANCH_LEQ")
			feature, left, right = append(feature, int64(n.Feature)), append(left, int64(n.Left)), append(right, int64(n.Right))
			threshold, missing = append(threshold, bound), append(missing, lost)
		}
	}
	attributes := []attribute{
		intsAttribute("nodes_treeids", tree), intsAttribute("nodes_nodeids", node), intsAttribute("nodes_featureids", feature),
		intsAttribute("nodes_truenodeids", left), intsAttribute("nodes_falsenodeids", right), stringsAttribute("nodes_modes", modes),
		intsAttribute("target_treeids", leafTree), intsAttribute("target_nodeids", leafNode), intsAttribute("target_ids", leafTarget),
	}
	if f.TakesMissing() {
		attributes = append(attributes, intsAttribute("nodes_missing_value_tracks_true", missing))
	}
	if !wide {
		attributes = append(attributes, intAttribute("n_targets", int64(outputs)), floatsAttribute("nodes_values", threshold),
			floatsAttribute("target_weights", weight), floatsAttribute("base_values", start))
		return g.node(domainML, "TreeEnsembleRegressor", []string{x}, g.name("trees"), attributes...), outputs, nil
	}
	attributes = append(attributes, intAttribute("n_targets", int64(trees)),
		tensorAttribute("nodes_values_as_tensor", tensor("nodes_values", typeDouble, threshold, len(threshold))),
		tensorAttribute("target_weights_as_tensor", tensor("target_weights", typeDouble, weight, len(weight))))
	leaf := g.op("Cast", []string{g.node(domainML, "TreeEnsembleRegressor", []string{x}, g.name("leaves"), attributes...)}, intAttribute("to", typeInt64))
	place := g.op("Add", []string{leaf, g.ints("first", first...)})
	each := g.op("Gather", []string{g.reals("values", g.real, values, len(values)), place}, intAttribute("axis", 0))
	sums := mat.NewDense(trees, outputs, nil)
	for t := range trees {
		sums.Set(t, t%outputs, 1)
	}
	return g.op("Add", []string{g.op("MatMul", []string{each, g.matrix("sums", sums)}), g.row("start", start)}), outputs, nil
}

// floor32 returns the largest float32 that is not above v: a float32 is above v exactly if it
// is above floor32(v).
func floor32(v float64) float64 {
	f := float32(v)
	if float64(f) > v {
		f = math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return float64(f)
}
