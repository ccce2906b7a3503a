package plt

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
)

// grower holds what all trees of a fit need of its rows and labels.
type grower struct {
	ctx     context.Context
	c       Config
	x       *sparse.CSR
	weight  []float64 // of the columns; nil: 1
	length  []float64 // of the rows; 1 for a row of zeros
	order   []int32   // the labels that have rows, ascending
	yt      *sparse.CSR
	feature []vector   // of the labels of order
	centers *sync.Pool // *[2][]float64 of zeros, one for each column
	rooms   *sync.Pool // *room
	meter   *gram.Meter
}

// newGrower returns a grower with the features of the labels, where c needs them.
func newGrower(ctx context.Context, c Config, x, y *sparse.CSR) (*grower, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	g := bare(ctx, c, x, y)
	var err error
	if len(g.order) > c.Leaf || c.Near.Value() > 0 {
		g.feature, err = g.features(g.yt)
	}
	return g, err
}

// bare returns a grower without the features of the labels, which the functions of the nodes do not need.
func bare(ctx context.Context, c Config, x, y *sparse.CSR) *grower {
	g := &grower{ctx: ctx, c: c, x: x, meter: c.Meter()}
	g.weight = rarity(g.x, c.Rarity.Value())
	g.length = make([]float64, g.x.N)
	for i := range g.length {
		g.length[i] = 1
		col, val := g.x.Row(i)
		if l := length(g.weight, col, val); l > 0 {
			g.length[i] = l
		}
	}
	g.yt = (&sparse.CSR{N: y.N, D: y.D, Ptr: y.Ptr, Col: y.Col}).Transpose()
	for l := range y.D {
		if g.yt.Ptr[l] < g.yt.Ptr[l+1] {
			g.order = append(g.order, int32(l))
		}
	}
	g.centers = &sync.Pool{New: func() any { return &[2][]float64{make([]float64, g.x.D), make([]float64, g.x.D)} }}
	g.rooms = &sync.Pool{New: func() any { return &room{number: make([]int32, g.x.D), local: make([]int32, g.x.N)} }}
	return g
}

// rarity returns the weights of the columns, log(1+n/n_j) to the given power, where n_j rows have something in column j; nil if all are 1.
func rarity(x *sparse.CSR, power float64) []float64 {
	if power == 0 {
		return nil
	}
	rows := make([]int, x.D)
	for i := range x.N {
		col, val := x.Row(i)
		for q, j := range col {
			if val == nil || val[q] != 0 {
				rows[j]++
			}
		}
	}
	w := make([]float64, x.D)
	for j, n := range rows {
		w[j] = math.Pow(math.Log1p(float64(x.N)/float64(max(1, n))), power)
	}
	return w
}

// weighed is entry q of a row times the weight of its column. Nil col stands for all columns, nil val for ones, and nil weight for weights of 1.
func weighed[F gram.Float](weight []float64, col []int32, val []F, q int) float64 {
	v := 1.0
	if val != nil {
		v = float64(val[q])
	}
	switch {
	case weight == nil:
		return v
	case col == nil:
		return v * weight[q]
	}
	return v * weight[col[q]]
}

// length is the Euclidean length of a weighed row, without overflow.
func length[F gram.Float](weight []float64, col []int32, val []F) float64 {
	n := max(len(col), len(val))
	most, sum := 0.0, 0.0
	for q := range n {
		most = max(most, math.Abs(weighed(weight, col, val, q)))
	}
	if most == 0 || math.IsInf(most, 0) {
		return most
	}
	for q := range n {
		t := weighed(weight, col, val, q) / most
		sum += float64(t * t)
	}
	return most * math.Sqrt(sum)
}

// unit is entry q of row i, weighed, divided by the row's length.
func (g *grower) unit(i int32, col []int32, val []float64, q int) float64 {
	return weighed(g.weight, col, val, q) / g.length[i]
}

// grow divides the labels of a tree, learns the functions of its nodes and appends the tree to f. It returns ctx.Err(), or a
// *gram.ConfigError if the forest would have more than math.MaxInt32 weights.
func (g *grower) grow(tree int, f *forest) error {
	order, nodes, children, err := g.divide(tree)
	if err != nil {
		return err
	}
	chunks, errs := make([]*chunk, len(nodes)), make([]error, len(nodes))
	all := int64(g.c.Trees * len(nodes))
	err = par.Each(g.ctx, g.c.Workers, len(nodes), func(v int) {
		chunks[v], errs[v] = g.train(order, nodes, children, tree, part{v, 0, many(nodes[v], children[v])})
	}, func(calls int) {
		g.meter.Report(gram.Event{Phase: "nodes", Done: int64(tree*len(nodes) + calls), Total: all})
	})
	if err = cmp.Or(append(errs, err)...); err != nil {
		return err
	}
	if !f.append(order, nodes, children, chunks) {
		return settings.Refuse("cut", g.c.Cut.Value(), "so large that at most %d weights are kept", math.MaxInt32)
	}
	return nil
}

// chunk is the functions of the children of a node: by column the weights of the children that
// have one.
type chunk struct {
	bias   []float32 // by child
	column []int32   // that have weights, ascending
	ptr    []int32   // of the weights of a column
	child  []int32
	value  []float32
}

// room is the work memory for the problems of a node.
type room struct {
	number []int32 // by column: 1 + its number among those of the node; 0: it does not occur
	local  []int32 // by row: 1 + its place in the node; 0: it is not in the node
	p      problem
}

// part is some children of a node: lo to hi−1.
type part struct{ node, lo, hi int }

// many is the number of children of a node.
func many(s span, children []span) int {
	if children == nil {
		return s.hi - s.lo
	}
	return len(children)
}

// train learns the functions of the children of.lo to of.hi−1 of a node. The chunk numbers these children from 0.
func (g *grower) train(order []int32, nodes []span, children [][]span, tree int, of part) (*chunk, error) {
	m := g.rooms.Get().(*room)
	defer g.rooms.Put(m)
	s, parts := nodes[of.node], children[of.node]
	rows := g.rowsIn(order, s, of.node, m)
	for k, i := range rows {
		m.local[i] = int32(k) + 1
	}
	m.gather(g, rows)
	labels := func(k int) []int32 {
		if parts == nil {
			return order[s.lo+k : s.lo+k+1]
		}
		return order[parts[k].lo:parts[k].hi]
	}
	seed, stream := rng.Derive(g.c.Seed, "order of rows"), uint64(tree)<<32|uint64(of.node)
	many := of.hi - of.lo
	functions := make([]vector, many)
	bias, errs := make([]float32, many), make([]error, many+1)
	const entries = 1 << 18 // of a block of children at least
	err := par.For(g.ctx, g.c.Workers, many, entries/(len(m.p.col)+1)+1, func(lo, hi int) {
		d := newDescent(&m.p, g.c)
		for k := lo; k < hi; k++ {
			for _, l := range labels(of.lo + k) {
				list, _ := g.yt.Row(int(l))
				for _, i := range list {
					d.y[m.local[i]-1] = 1
				}
			}
			if errs[k] = d.run(g.ctx, rng.New(seed, stream<<16^uint64(of.lo+k))); errs[k] != nil {
				return
			}
			functions[k], bias[k] = d.kept()
		}
	})
	for _, i := range rows {
		m.local[i] = 0
	}
	if errs[many] = err; cmp.Or(errs...) != nil {
		return nil, cmp.Or(errs...)
	}
	c := &chunk{bias: bias}
	c.fill(functions, m.p.names)
	return c, nil
}

// rowsIn returns the rows of a node, ascending: those that have one of its labels, the root all.
func (g *grower) rowsIn(order []int32, s span, node int, m *room) (rows []int32) {
	if node > 0 {
		return g.rowsOf(order[s.lo:s.hi], m.local)
	}
	for i := range g.x.N {
		rows = append(rows, int32(i))
	}
	return rows
}

// rowsOf returns the rows that have one of the labels, ascending. met is zero for all rows before and after.
func (g *grower) rowsOf(labels, met []int32) (rows []int32) {
	for _, l := range labels {
		list, _ := g.yt.Row(int(l))
		for _, i := range list {
			if met[i] == 0 {
				met[i] = 1
				rows = append(rows, i)
			}
		}
	}
	for _, i := range rows {
		met[i] = 0
	}
	slices.Sort(rows)
	return rows
}

// gather makes m.p the unit rows of a node, with the columns that occur renumbered in ascending order.
func (m *room) gather(g *grower, rows []int32) {
	p := &m.p
	p.names, p.ptr, p.col, p.val, p.diag = p.names[:0], append(p.ptr[:0], 0), p.col[:0], p.val[:0], p.diag[:0]
	for _, i := range rows {
		col, _ := g.x.Row(int(i))
		for _, j := range col {
			if m.number[j] == 0 {
				m.number[j] = 1
				p.names = append(p.names, j)
			}
		}
	}
	slices.Sort(p.names)
	for k, j := range p.names {
		m.number[j] = int32(k) + 1
	}
	for _, i := range rows {
		col, val := g.x.Row(int(i))
		diag := 1 + .5/g.c.C
		for q, j := range col {
			v := float32(g.unit(i, col, val, q))
			p.col, p.val = append(p.col, m.number[j]-1), append(p.val, v)
			diag += float64(float64(v) * float64(v))
		}
		p.ptr, p.diag = append(p.ptr, len(p.col)), append(p.diag, diag)
	}
	for _, j := range p.names {
		m.number[j] = 0
	}
}

// fill makes c the chunk of functions of columns with these names.
func (c *chunk) fill(functions []vector, names []int32) {
	count := make([]int32, len(names)+1)
	total := 0
	for _, f := range functions {
		for _, j := range f.col {
			count[j]++
		}
		total += len(f.col)
	}
	c.child, c.value = make([]int32, total), make([]float32, total)
	c.ptr = []int32{0}
	at := int32(0)
	for j, name := range names {
		if k := count[j]; k > 0 {
			c.column, c.ptr = append(c.column, name), append(c.ptr, at+k)
			count[j], at = at, at+k
		}
	}
	for k, f := range functions {
		for q, j := range f.col {
			c.child[count[j]], c.value[count[j]] = int32(k), f.val[q]
			count[j]++
		}
	}
}
