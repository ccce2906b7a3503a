package plt

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Pieces is a fit whose work is cut into pieces, which any processes may make that have the same rows, in any order and as often as they
// like. Divide makes the trees, each of which is a piece. SetTrees takes them and cuts their nodes, and the children of large nodes, into pieces of
// about equal work, in the order of a walk that goes down first, so that a piece is a subtree or some neighboring ones, and needs the rows
// of their labels alone. Train learns the functions of a piece. Join makes the model of all, which has the bytes of that of Fit.
//
// If Near is not given, all that is done for two fits: for the one without the rows held out, by which Join chooses Near, and for that of
// the model. Pieces are safe for concurrent use once SetTrees has returned.
type Pieces struct {
	fits   []*fitting
	held   *crossval.Split // of the fit that chooses Near, which is the first one; nil: there is none
	x, y   *sparse.CSR
	copied bool // x was dense
	pieces [][]place
	share  int64 // of the work, for a piece

	needs   map[place]need // of nodes
	counted sync.Once
	tagged  []int   // entries of the rows of a label
	entries float64 // of the features of all labels
}

// need is the size of the problem of a node: its rows, their entries and, about, the weights of each child.
type need struct{ rows, entries, weights float64 }

// fitting is the fit that chooses Near, or the fit of the model, with what its pieces share.
type fitting struct {
	c     Config
	train []int // rows; nil: all
	trees []*Tree
	once  sync.Once
	bare  *grower
}

// place is the children of a node that a piece learns the functions of.
type place struct {
	fit, tree int
	part
}

// A piece should learn from so many entries of rows, each counted once for each child, and there are at most so many pieces: the numbers
// depend on the data alone, as all processes must cut alike.
const pieceEntries, maxPieces = 1 << 22, 256

// Pieces returns the fit of Fit cut into pieces. It keeps x and y, which must not change.
func (c Config) Pieces(x mat.Matrix, y *sparse.CSR) (*Pieces, error) {
	c, err := c.resolved(x, y)
	if err != nil {
		return nil, err
	}
	rows, err := c.rows(noPlan{}, x, y)
	if err != nil {
		return nil, err
	}
	p := &Pieces{share: pieceEntries, copied: gram.CSR(x) == nil, x: rows, y: &sparse.CSR{N: y.N, D: y.D, Ptr: y.Ptr, Col: y.Col}}
	if !c.Near.Given() {
		if held := min(rows.N/10, maxHeldOut); held < minHeldOut {
			c.Near = gram.Set(usualNear)
		} else {
			first, split := c.without(rows.N, held)
			p.held = &split
			p.fits = append(p.fits, &fitting{c: first, train: split.Train, trees: make([]*Tree, c.Trees)})
		}
	}
	p.fits = append(p.fits, &fitting{c: c, trees: make([]*Tree, c.Trees)})
	return p, nil
}

// noPlan is the plan of what a piece will check.
type noPlan struct{}

// Plan returns a zero plan: each piece checks the memory that it needs when it runs.
func (noPlan) Plan(gram.Shape) (gram.Plan, error) { return gram.Plan{}, nil }

// rows returns the rows and the label sets of a fit.
func (p *Pieces) rows(f *fitting) (x, y *sparse.CSR) {
	if f.train == nil {
		return p.x, p.y
	}
	return p.x.Select(f.train), p.y.Select(f.train)
}

// grower returns what learns the functions of a fit. All pieces of a process share it.
func (p *Pieces) grower(ctx context.Context, f *fitting, workers int) *grower {
	f.once.Do(func() {
		x, y := p.rows(f)
		f.bare = bare(ctx, f.c, x, y)
	})
	g := *f.bare
	g.ctx, g.c.Workers = ctx, workers
	return &g
}

// Trees is the number of trees, of all fits.
func (p *Pieces) Trees() int { return len(p.fits) * len(p.fits[0].trees) }

// Divide makes tree k. It returns ctx.Err(), a *gram.MemoryError if run.MemoryLimit is too low, or a *gram.ConfigError if there is no
// such tree.
func (p *Pieces) Divide(ctx context.Context, k int, run gram.Run) (*Tree, error) {
	if k < 0 || k >= p.Trees() {
		return nil, settings.Refuse("k", k, "one of the %d trees", p.Trees())
	}
	if err := run.Check(p.PlanDivide(k, run)); err != nil {
		return nil, err
	}
	f := p.fits[k/len(p.fits[0].trees)]
	c := f.c
	c.Near, c.Run.Workers, c.Run.Progress = gram.Set(0.), run.Workers, run.Progress // no features where the tree needs none
	x, y := p.rows(f)
	g, err := newGrower(ctx, c, x, y)
	if err != nil {
		return nil, err
	}
	t := &Tree{}
	t.order, t.nodes, t.children, err = g.divide(k % len(f.trees))
	return t, err
}

// SetTrees takes the trees that Divide has made, in their order, and cuts their nodes into pieces. The error is a *gram.ConfigError for trees
// of other rows.
func (p *Pieces) SetTrees(ctx context.Context, trees []*Tree) error {
	if len(trees) != p.Trees() {
		return settings.Refuse("trees", len(trees), "%d", p.Trees())
	}
	var list []place // each of one child
	var work []int64
	p.needs = map[place]need{}
	total := int64(0)
	for i, f := range p.fits {
		g := p.grower(ctx, f, 1)
		room := g.rooms.Get().(*room)
		for k := range f.trees {
			t := trees[i*len(f.trees)+k]
			if !t.has(g.order) {
				return settings.Refuse("trees", fmt.Sprintf("tree %d", i*len(f.trees)+k), "one of the labels of these rows")
			}
			f.trees[k] = t
			t.walk(func(v int) {
				rows, entries := g.rowsIn(t.order, t.nodes[v], v, room), int64(0)
				for _, row := range rows {
					entries += int64(1 + g.x.Ptr[row+1] - g.x.Ptr[row])
				}
				p.needs[place{i, k, part{node: v}}] = need{float64(len(rows)), float64(entries), p.weights(t, v)}
				for child := range many(t.nodes[v], t.children[v]) {
					list, work = append(list, place{i, k, part{v, child, child + 1}}), append(work, entries)
					total += entries
				}
			})
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		g.rooms.Put(room)
	}
	p.pieces = cut(list, work, max(p.share, total/maxPieces+1))
	return nil
}

// cut returns the pieces: neighboring children, those of one node together. A piece holds the children whose work begins in its share.
func cut(list []place, work []int64, share int64) (pieces [][]place) {
	done, last := int64(0), int64(-1)
	for q, at := range list {
		if k := done / share; k != last {
			last, pieces = k, append(pieces, nil)
		}
		done += work[q]
		end := len(pieces) - 1
		if n := len(pieces[end]); n > 0 && pieces[end][n-1].follows(at) {
			pieces[end][n-1].hi++
			continue
		}
		pieces[end] = append(pieces[end], at)
	}
	if pieces == nil { // no label has rows
		return [][]place{nil}
	}
	return pieces
}

// follows reports whether the child at is the next one of the node of p.
func (p place) follows(at place) bool {
	return p.fit == at.fit && p.tree == at.tree && p.node == at.node && p.hi == at.lo
}

// Number is the number of pieces that SetTrees has cut.
func (p *Pieces) Number() int { return len(p.pieces) }

// Train learns the functions of piece k. It returns ctx.Err(), a *gram.MemoryError if run.MemoryLimit is too low, or a
// *gram.ConfigError if there is no such piece.
func (p *Pieces) Train(ctx context.Context, k int, run gram.Run) (*Piece, error) {
	if k < 0 || k >= p.Number() {
		return nil, settings.Refuse("k", k, "one of the %d pieces that SetTrees has cut", p.Number())
	}
	if err := run.Check(p.PlanTrain(k, run)); err != nil {
		return nil, err
	}
	out := &Piece{}
	for _, at := range p.pieces[k] {
		f := p.fits[at.fit]
		t := f.trees[at.tree]
		c, err := p.grower(ctx, f, run.Workers).train(t.order, t.nodes, t.children, at.tree, at.part)
		if err != nil {
			return nil, err
		}
		out.chunks = append(out.chunks, c)
	}
	return out, nil
}

// Join makes the model of all pieces. It calls piece once for each, in their order, and returns the error of piece, ctx.Err(), a
// *gram.MemoryError if run.MemoryLimit is too low, or a *gram.ConfigError if a piece belongs to other trees or SetTrees has not
// been called.
func (p *Pieces) Join(ctx context.Context, piece func(k int) (*Piece, error), run gram.Run) (*Model, error) {
	if p.pieces == nil {
		return nil, settings.Refuse("trees", "not given", "those of Divide")
	}
	if err := run.Check(p.PlanJoin()); err != nil {
		return nil, err
	}
	r := &reading{p: p, piece: piece}
	last := len(p.fits) - 1
	var near float64
	for i, f := range p.fits[:last] {
		m, err := p.join(ctx, r, i, f.c, run)
		if err == nil {
			near, err = m.bestNear(ctx, p.x.Select(p.held.Held), p.y.Select(p.held.Held))
		}
		if err != nil {
			return nil, err
		}
	}
	c := p.fits[last].c
	if p.held != nil {
		c.Near = gram.Set(near)
	}
	return p.join(ctx, r, last, c, run)
}

// join makes the model of fit i, with the settings c, of the pieces that come next.
func (p *Pieces) join(ctx context.Context, r *reading, i int, c Config, run gram.Run) (*Model, error) {
	c.Run.Workers, c.Run.Progress = run.Workers, run.Progress
	x, y := p.rows(p.fits[i])
	m := &Model{cfg: c, d: x.D, labels: y.D}
	for k, t := range p.fits[i].trees {
		chunks, err := r.tree(ctx, i, k, len(t.nodes))
		if err != nil {
			return nil, err
		}
		if !m.forest.append(t.order, t.nodes, t.children, chunks) {
			return nil, settings.Refuse("cut", c.Cut.Value(), "so large that at most %d weights are kept", math.MaxInt32)
		}
	}
	c.Leaf = math.MaxInt // so that the features are for Near alone
	g, err := newGrower(ctx, c, x, y)
	if err != nil {
		return nil, err
	}
	return m.complete(g), nil
}

// reading calls piece for one piece after the other and hands out their functions tree by tree.
type reading struct {
	p      *Pieces
	piece  func(k int) (*Piece, error)
	next   int
	places []place // that were read and belong to the trees that come next
	chunks []*chunk
}

// tree returns the functions of the nodes of a tree.
func (r *reading) tree(ctx context.Context, fit, tree, nodes int) ([]*chunk, error) {
	chunks := make([]*chunk, nodes)
	for v := range chunks {
		chunks[v] = &chunk{ptr: []int32{0}}
	}
	for {
		for ; len(r.places) > 0; r.places, r.chunks = r.places[1:], r.chunks[1:] {
			at := r.places[0]
			if at.fit != fit || at.tree != tree {
				return chunks, nil
			}
			chunks[at.node] = chunks[at.node].with(r.chunks[0])
		}
		if r.next == len(r.p.pieces) {
			return chunks, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		of, err := r.piece(r.next)
		if err != nil {
			return nil, err
		}
		if !of.is(r.p.pieces[r.next], r.p.x.D) {
			return nil, settings.Refuse("pieces", fmt.Sprintf("piece %d", r.next), "one of these trees")
		}
		r.places, r.chunks = r.p.pieces[r.next], of.chunks
		r.next++
	}
}

// with returns c with the children of o behind its own. It may take over the memory of o.
func (c *chunk) with(o *chunk) *chunk {
	if len(c.bias) == 0 {
		return o
	}
	shift := int32(len(c.bias))
	out := &chunk{bias: slices.Concat(c.bias, o.bias), ptr: []int32{0}}
	add := func(from *chunk, q int, shift int32) {
		for e := from.ptr[q]; e < from.ptr[q+1]; e++ {
			out.child, out.value = append(out.child, from.child[e]+shift), append(out.value, from.value[e])
		}
	}
	for a, b := 0, 0; a < len(c.column) || b < len(o.column); {
		j := int32(math.MaxInt32)
		if a < len(c.column) {
			j = c.column[a]
		}
		if b < len(o.column) {
			j = min(j, o.column[b])
		}
		if a < len(c.column) && c.column[a] == j {
			add(c, a, 0)
			a++
		}
		if b < len(o.column) && o.column[b] == j {
			add(o, b, shift)
			b++
		}
		out.column, out.ptr = append(out.column, j), append(out.ptr, int32(len(out.child)))
	}
	return out
}

// PlanDivide returns the bytes that Divide needs for tree k beside the rows.
func (p *Pieces) PlanDivide(k int, run gram.Run) gram.Plan {
	p.count()
	bytes := p.grown() + p.copies(k/len(p.fits[0].trees) < len(p.fits)-1) + 20*float64(p.y.D)
	if f := p.fits[0]; p.y.D > f.c.Leaf {
		bytes += 8*p.entries + 100*float64(p.y.D) + 25*float64(p.x.D)*float64(run.NumWorkers())
	}
	return gram.Plan{PeakBytes: check.Bytes(bytes), Description: "a tree of labels"}
}

// PlanTrain returns the bytes that Train needs for piece k beside the rows, with what several pieces of a process share.
func (p *Pieces) PlanTrain(k int, run gram.Run) gram.Plan {
	bytes := float64(len(p.fits))*p.grown() + p.copies(p.held != nil)
	problem, weights := 0., 0.
	d := float64(p.x.D)
	for _, at := range p.pieces[k] {
		n := p.needs[place{at.fit, at.tree, part{node: at.node}}]
		problem = max(problem, 15*n.entries+28*n.rows+float64(run.NumWorkers())*(20*n.rows+8*min(d, n.entries)))
		weights += float64(at.hi-at.lo) * n.weights
	}
	bytes += problem + 16*weights + 8*d + 4*float64(p.x.N)
	return gram.Plan{PeakBytes: check.Bytes(bytes), Description: "functions of nodes"}
}

// PlanJoin returns the bytes that Join needs beside the rows, with the model. That of the weights is an estimate.
func (p *Pieces) PlanJoin() gram.Plan {
	p.count()
	bytes, last := float64(len(p.fits))*p.grown()+p.copies(p.held != nil), len(p.fits)-1
	for i, t := range p.fits[last].trees {
		for v := range t.nodes {
			bytes += float64(many(t.nodes[v], t.children[v])) * (16 + 22*p.needs[place{last, i, part{node: v}}].weights)
		}
	}
	if p.held != nil || p.fits[last].c.Near.Value() > 0 {
		bytes += 16*p.entries + 4*float64(p.x.D)
	}
	return gram.Plan{PeakBytes: check.Bytes(bytes), Description: "the model"}
}

// grown is the bytes of a grower without features.
func (p *Pieces) grown() float64 {
	return 8*float64(p.x.N) + 16*float64(p.x.D) + 4*float64(p.y.NNZ()) + 12*float64(p.y.D)
}

// growing is how many times its size a copy of rows takes while it grows: the memory that it has outgrown stands beside the new one.
const growing = 1.75

// copies is the bytes of the rows that a dense matrix has become, and of those that are not held out if they are taken out.
func (p *Pieces) copies(held bool) (bytes float64) {
	rows := 12*float64(p.x.NNZ()) + 8*float64(p.x.N)
	if p.copied {
		bytes += rows
	}
	if held {
		bytes += growing * (rows + 8*float64(p.x.N) + 4*float64(p.y.NNZ()))
	}
	return bytes
}

// weights is about the number of weights that a child of a node keeps: as many as its rows have entries, and at most half of all columns.
func (p *Pieces) weights(t *Tree, v int) float64 {
	p.count()
	entries := 0
	for _, l := range t.order[t.nodes[v].lo:t.nodes[v].hi] {
		entries += p.tagged[l]
	}
	return min(float64(entries)/float64(max(1, many(t.nodes[v], t.children[v]))), float64(p.x.D)/2)
}

// count counts the entries of the rows of each label, and those of the features.
func (p *Pieces) count() {
	p.counted.Do(func() {
		p.tagged = make([]int, p.y.D)
		met := make([]int32, p.x.D) // 1 + the last label that has the column
		yt := p.y.Transpose()
		for l := range p.y.D {
			rows, _ := yt.Row(l)
			for _, i := range rows {
				col, _ := p.x.Row(int(i))
				p.tagged[l] += len(col)
				for _, j := range col {
					if met[j] != int32(l)+1 {
						met[j] = int32(l) + 1
						p.entries++
					}
				}
			}
		}
	})
}
