package onnx

import (
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/divide/bka"
	"github.com/gramworks/gram/algos/divide/dckrr"
	"github.com/gramworks/gram/algos/divide/dcpred"
	"github.com/gramworks/gram/algos/svm"
	"gonum.org/v1/gonum/mat"
)

// Models with a machine for each part of the rows are written with all of their machines: the
// graph computes every one for every row and takes that of the row's part.

// averaged returns the outputs of the part whose cluster is nearest.
func (g *graph) averaged(x string, m *dckrr.Model) (out string, outputs int, err error) {
	if m.Config().Soft > 1 {
		return "", 0, refused("each row mixes the models of %d parts by its distances", m.Config().Soft)
	}
	assigner, parts := m.Clusters()
	clusters, ok := assigner.(*kmeans.Model)
	if !ok {
		return "", 0, refused("its clusters are those of a kernel's space")
	}
	_, d := clusters.Dims()
	centers := mat.NewDense(len(m.Parts()), d, nil)
	for c, p := range parts {
		if p >= 0 {
			centers.SetRow(p, clusters.Centers().RawRowView(c))
		}
	}
	var all []string
	for _, part := range m.Parts() {
		var one string
		f, err := part.Function()
		if err == nil {
			one, err = g.function(x, f)
		}
		if err != nil {
			return "", 0, err
		}
		all = append(all, one)
	}
	_, outputs = m.Dims()
	return g.choose(g.nearest(x, centers), all), outputs, nil
}

// local returns the scores of the machine of a row's cluster.
func (g *graph) local(x string, m *bka.Model) (out string, outputs int, err error) {
	classes := len(m.Classes())
	if m.Whole() != nil {
		return g.decisions(x, m.Whole(), classes)
	}
	var all []string
	for c := range m.Clusters() {
		machine, class := m.Local(c)
		if machine == nil {
			row := m.Certain(class)
			outputs = len(row)
			all = append(all, g.row("certain", row))
			continue
		}
		one, k, err := g.decisions(x, machine, classes)
		if err != nil {
			return "", 0, err
		}
		outputs = k
		all = append(all, one)
	}
	return g.parts(x, m.Given().Router, all, outputs)
}

// decisions returns the scores of a machine for classes, the votes of one for pairs.
func (g *graph) decisions(x string, m *svm.Model, classes int) (out string, outputs int, err error) {
	out, outputs, pairs, err := g.machine(x, m)
	if err == nil && pairs {
		return g.votes(out, classes), classes, nil
	}
	return out, outputs, err
}

// leaves returns the outputs of the local model of a row's leaf.
func (g *graph) leaves(x string, m *dcpred.Machine) (out string, outputs int, err error) {
	var all []string
	for l := range m.Leaves() {
		leaf := m.Leaf(l)
		outputs = len(leaf.Bias)
		if leaf.Columns == nil {
			all = append(all, g.row("constant", leaf.Bias))
			continue
		}
		features, err := g.features(x, leaf.Columns)
		if err != nil {
			return "", 0, err
		}
		one := g.linear(features, leaf.Coef, leaf.Bias)
		if b := leaf.Bounds; b != nil {
			one = g.op("Clip", []string{one, g.scalar("least", b[0]), g.scalar("largest", b[1])})
		}
		all = append(all, one)
	}
	return g.parts(x, m.Given().Router, all, outputs)
}

// parts returns, of the outputs of all parts, those of the part that the router sends a row to.
func (g *graph) parts(x string, router kmeans.Assigner, all []string, outputs int) (string, int, error) {
	if len(all) == 1 {
		return g.repeated(x, all[0]), outputs, nil
	}
	switch r := router.(type) {
	case *kmeans.Model:
		return g.choose(g.nearest(x, r.Centers()), all), outputs, nil
	case *kmeans.TreeModel:
		first, centers := r.Nodes()
		t := &tree{first: first, centers: centers, branch: r.Config().Branch, leaf: make([]int64, len(first))}
		leaves := int64(0)
		for i, c := range first {
			if c == 0 {
				t.leaf[i] = leaves
				leaves++
			}
		}
		return g.choose(g.descend(x, t, 0), all), outputs, nil
	}
	return "", 0, refused("rows are sent to their parts by a %T", router)
}

// tree is a tree of centers. Node i has the children first[i] … first[i]+branch−1, or is the
// leaf of number leaf[i] if first[i] is 0.
type tree struct {
	first   []int
	centers *mat.Dense
	branch  int
	leaf    []int64
}

// descend returns the leaves of the rows from a node on: integers, n×1, or a single one.
func (g *graph) descend(x string, t *tree, node int) string {
	first := t.first[node]
	if first == 0 {
		return g.ints("leaf", t.leaf[node])
	}
	_, d := t.centers.Dims()
	child := g.nearest(x, t.centers.Slice(first, first+t.branch, 0, d).(*mat.Dense))
	var below []string
	for b := range t.branch {
		below = append(below, g.descend(x, t, first+b))
	}
	return g.choose(child, below)
}

// nearest returns the number of the center that is nearest to each row, the first of equals:
// integers, n×1.
func (g *graph) nearest(x string, centers *mat.Dense) string {
	distances, _ := g.apart(x, centers)
	return g.op("ArgMin", []string{distances}, intAttribute("axis", 1), intAttribute("keepdims", 1))
}

// choose returns for each row the row of the value whose number part, n×1, says.
func (g *graph) choose(part string, of []string) string {
	out := of[0]
	for p, v := range of[1:] {
		out = g.op("Where", []string{g.op("Equal", []string{part, g.ints("part", int64(p+1))}), v, out})
	}
	return out
}

// repeated returns a value, n×k or the same 1×k for all rows, as n×k.
func (g *graph) repeated(x, v string) string {
	none := g.op("Mul", []string{g.op("ReduceSum", []string{x, g.ints("axes", 1)}, intAttribute("keepdims", 1)), g.scalar("zero", 0)})
	return g.op("Add", []string{none, v})
}
