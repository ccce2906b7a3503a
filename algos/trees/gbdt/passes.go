package gbdt

import (
	"fmt"

	"github.com/gramworks/gram/asm/hist"
	"github.com/gramworks/gram/modelfile"
)

// Pass is a question that a pass over all rows answers: what are the histograms of some leaves? Of the leaves that the
// trees may split next it asks for the smaller child, which gives the other one by subtraction.
type Pass struct {
	Round, Number int // of the round, and in the round; from 0

	b     *Bins
	fixed fixed
	trees []*asked // of the outputs; none: the losses and the largest gradients are asked for alone
}

// asked is a tree of which a pass sums histograms: that of the root if no leaves are opened.
type asked struct {
	*tree
	root    bool
	columns []int32
	open    []candidateSplit
}

// candidateSplit is the split of a leaf whose children are looked at before it is known whether the tree splits it.
type candidateSplit struct {
	node int // the leaf
	division
	left bool // the histogram of the left child is summed, and not that of the right one
}

// division says which rows go left: those with codes of at most bin, or those that goes says.
type division struct {
	column, bin int32
	goes        []bool
}

// size is the number of cells of a histogram of the tree.
func (b *Bins) size(t *asked) (n int) {
	for _, j := range t.columns {
		n += b.t.Bins(int(j))
	}
	return n
}

// Sums is the answer to a Pass for some rows. Apart from the loss, whose sum depends on how the rows are cut into
// pieces in its last digits and which no tree depends on, it is exact.
type Sums struct {
	rows int64
	most gradient      // the largest gradients
	loss float64       // of all rows
	of   [][]hist.Cell // the histograms of the roots, or of the leaves that are opened, tree by tree
}

// Sums returns the answer to p for no rows, with histograms of zeros, to which Merge adds answers for rows.
func (p *Pass) Sums() *Sums {
	s := &Sums{}
	for _, t := range p.trees {
		n := len(t.open)
		if t.root {
			n = 1
		}
		for range n {
			s.of = append(s.of, histogram(p.b.size(t)))
		}
	}
	return s
}

// histogram returns a histogram of zeros, with memory for margin more cells behind it.
func histogram(size int) []hist.Cell { return make([]hist.Cell, size+margin)[:size] }

// Merge adds the answer for other rows to the same Pass.
func (s *Sums) Merge(o *Sums) error {
	if len(s.of) != len(o.of) {
		return fmt.Errorf("sums of %d histograms and of %d", len(s.of), len(o.of))
	}
	s.rows, s.most, s.loss = s.rows+o.rows, s.most.upTo(hist.Total{G: o.most.g, C: o.most.c}), s.loss+o.loss
	for i, h := range s.of {
		if len(h) != len(o.of[i]) {
			return fmt.Errorf("histogram %d has %d bins and %d", i, len(h), len(o.of[i]))
		}
		for j, c := range o.of[i] {
			h[j] = h[j].Plus(c)
		}
	}
	return nil
}

// Rows returns the number of rows that are summed.
func (s *Sums) Rows() int64 { return s.rows }

// Exchange describes the sums in a file. Those that are read into must come from Pass.Sums.
func (s *Sums) Exchange(x *modelfile.Exchange) {
	x.Header("gbdt.sums", 1, &struct{}{})
	n := []int64{s.rows}
	numbers := []float64{s.most.g, s.most.c, s.loss}
	x.Int64("rows", &n, 1)
	x.AnyFloat64("largest", &numbers, 3)
	var words []int64
	size := 0
	for _, h := range s.of {
		size += len(h)
		for i := 0; i < len(h) && x.Writing(); i++ {
			words = append(words, int64(h[i][0]), int64(h[i][1]))
		}
	}
	x.Int64("words", &words, 2*size)
	if !x.Reading() {
		return
	}
	x.Require(n[0] >= 0, "rows", "%d rows", n[0])
	s.rows, s.most, s.loss = n[0], gradient{numbers[0], numbers[1]}, numbers[2]
	for _, h := range s.of {
		for i := range h {
			h[i] = hist.Cell{uint64(words[0]), uint64(words[1])}
			words = words[2:]
		}
	}
}

// Round holds the trees of one round of boosting, one for each output.
type Round struct {
	b     *Bins
	trees []*tree
	most  gradient // the largest gradients of the rows before it
}

// NewPass returns a pass to be read into.
func (b *Bins) NewPass() *Pass { return &Pass{b: b} }

// NewRound returns a round to be read into.
func (b *Bins) NewRound() *Round { return &Round{b: b} }

// Exchange describes the round in a file. One that is read into must come from Bins.NewRound.
func (r *Round) Exchange(x *modelfile.Exchange) {
	x.Header("gbdt.round", 1, &struct{}{})
	numbers := []float64{r.most.g, r.most.c}
	x.AnyFloat64("largest", &numbers, 2)
	r.b.exchangeTrees(x, &r.trees)
	x.Require(len(r.trees) == r.b.k, "nodes", "%d trees of %d outputs", len(r.trees), r.b.k)
	if x.Reading() {
		r.most = gradient{numbers[0], numbers[1]}
	}
}

// Exchange describes the pass in a file. One that is read into must come from Bins.NewPass.
func (p *Pass) Exchange(x *modelfile.Exchange) {
	x.Header("gbdt.pass", 1, &struct{}{})
	x.Int("round", &p.Round, 0, modelfile.MaxInt)
	x.Int("number", &p.Number, 0, modelfile.MaxInt)
	count := int(p.fixed.Count)
	x.Int("count", &count, 0, 32)
	units := []float64{p.fixed.G, p.fixed.C, p.fixed.unitG, p.fixed.unitC}
	x.Float64("units", &units, len(units))
	spread := digit(p.fixed.spread)
	x.Int("spread", &spread, 0, 1)
	if x.Reading() {
		p.fixed = fixed{unitG: units[2], unitC: units[3], spread: spread == 1}
		p.fixed.G, p.fixed.C, p.fixed.Count = units[0], units[1], uint(count)
	}
	var trees []*tree
	for _, t := range p.trees {
		trees = append(trees, t.tree)
	}
	p.b.exchangeTrees(x, &trees)
	if x.Reading() {
		x.Require(len(trees) == 0 || len(trees) == p.b.k, "nodes", "%d trees of %d outputs", len(trees), p.b.k)
		for _, t := range trees {
			p.trees = append(p.trees, &asked{tree: t})
		}
	}
	for i, t := range p.trees {
		x.Part(fmt.Sprintf("tree%d", i), func(x *modelfile.Exchange) { p.b.exchangeAsked(x, t) })
	}
}

func digit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// exchangeAsked describes what is asked of a tree in a file.
func (b *Bins) exchangeAsked(x *modelfile.Exchange, t *asked) {
	root := digit(t.root)
	x.Int("root", &root, 0, 1)
	d := int32(len(b.t.Cuts))
	x.Int32("columns", &t.columns, -1, 0, d-1)
	var node, left []int
	var splits []division
	for _, o := range t.open {
		node, left, splits = append(node, o.node), append(left, digit(o.left)), append(splits, o.division)
	}
	x.Ints("leaf", &node, -1, 0, len(t.nodes)-1)
	x.Ints("left", &left, len(node), 0, 1)
	b.exchangeSplits(x, &splits)
	if !x.Reading() {
		return
	}
	x.Require(len(splits) == len(node), "column", "%d splits of %d leaves", len(splits), len(node))
	t.root, t.open = root == 1, nil
	seen := make([]bool, d)
	for _, j := range t.columns {
		x.Require(!seen[j], "columns", "column %d twice", j)
		seen[j] = true
	}
	for i, at := range node {
		x.Require(t.nodes[at].leaf(int32(at)), "leaf", "node %d is split", at)
		t.open = append(t.open, candidateSplit{at, splits[i], left[i] == 1})
	}
}

// exchangeSplits reads or writes splits as arrays of columns, of bins, and of the bins that go left where those are listed.
func (b *Bins) exchangeSplits(x *modelfile.Exchange, splits *[]division) {
	var column, bin, set, goes []int32
	for _, s := range *splits {
		column, bin, set = append(column, s.column), append(bin, s.bin), append(set, int32(digit(s.goes != nil)))
		for _, left := range s.goes {
			goes = append(goes, int32(digit(left)))
		}
	}
	x.Int32("column", &column, -1, 0, int32(len(b.t.Cuts))-1)
	x.Int32("bin", &bin, len(column), 0, 1<<16)
	x.Int32("set", &set, len(column), 0, 1)
	x.Int32("goes", &goes, -1, 0, 1)
	if !x.Reading() {
		return
	}
	*splits = make([]division, len(column))
	for i := range column {
		s := division{column: column[i], bin: bin[i]}
		if set[i] == 1 {
			n := b.t.Bins(int(s.column))
			x.Require(n <= len(goes), "goes", "%d bins are left for %d", len(goes), n)
			for _, left := range goes[:n] {
				s.goes = append(s.goes, left == 1)
			}
			goes = goes[n:]
		}
		(*splits)[i] = s
	}
	x.Require(len(goes) == 0, "goes", "%d bins of no split", len(goes))
}

// exchangeTrees reads or writes trees as arrays over the nodes of all trees and over their splits. The error names a node whose
// children are not behind it.
func (b *Bins) exchangeTrees(x *modelfile.Exchange, trees *[]*tree) {
	ends := []int32{0}
	var left []int32 // of a leaf 0
	var value, threshold, gain []float64
	var splits []division
	for _, t := range *trees {
		for i, n := range t.nodes {
			value = append(value, t.value[i])
			if n.leaf(int32(i)) {
				left = append(left, 0)
				continue
			}
			left, threshold, gain = append(left, n.left), append(threshold, n.threshold), append(gain, t.gain[i])
			splits = append(splits, division{n.feature, t.bin[i], t.goes[i]})
		}
		ends = append(ends, int32(len(left)))
	}
	n := x.Offsets("nodes", &ends, -1)
	x.Int32("children", &left, n, 0, modelfile.MaxInt)
	x.Float64("value", &value, n)
	x.Float64("threshold", &threshold, -1)
	x.Float64("gain", &gain, len(threshold))
	x.Part("splits", func(x *modelfile.Exchange) { b.exchangeSplits(x, &splits) })
	if !x.Reading() {
		return
	}
	*trees = nil
	x.Require(len(splits) == len(threshold), "threshold", "%d of %d splits", len(threshold), len(splits))
	for k, end := range ends[1:] {
		t := &tree{}
		for i := range int(end - ends[k]) {
			at := t.leaf()
			if t.value[at] = value[0]; left[0] > 0 {
				x.Require(int(left[0]) > i && left[0] < end-ends[k]-1, "children", "node %d has children from %d", i, left[0])
				x.Require(len(splits) > 0, "children", "more inner nodes than splits")
				t.nodes[at] = programNode[float64]{threshold[0], splits[0].column, left[0]}
				t.gain[at], t.bin[at], t.goes[at] = gain[0], splits[0].bin, splits[0].goes
				threshold, gain, splits = threshold[1:], gain[1:], splits[1:]
			}
			value, left = value[1:], left[1:]
		}
		x.Require(len(t.nodes) > 0, "nodes", "tree %d has none", k)
		*trees = append(*trees, t)
	}
	x.Require(len(splits) == 0, "splits", "%d of no node", len(splits))
}
