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

	counted sync.Once
	entries float64 // see features
}

// fitting is one of the fits.
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
const pieceEntries, mostPieces = 1 << 22, 256

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
		if held := min(rows.N/10, mostHeld); held < fewestHeld {
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

// Divide makes tree k. The error is that of ctx, or a *gram.MemoryError by run.
func (p *Pieces) Divide(ctx context.Context, k int, run gram.Run) (*Tree, error) {
	if err := run.Check(p.PlanDivide(run)); err != nil {
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
				entries := int64(0)
				for _, row := range g.rowsIn(t.order, t.nodes[v], v, room) {
					entries += int64(1 + g.x.Ptr[row+1] - g.x.Ptr[row])
				}
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
	p.pieces = cut(list, work, max(p.share, total/mostPieces+1))
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

// Train learns the functions of piece k. The error is that of ctx, or a *gram.MemoryError by run.
func (p *Pieces) Train(ctx context.Context, k int, run gram.Run) (*Piece, error) {
	if err := run.Check(p.PlanTrain(run)); err != nil {
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

// Join makes the model of all pieces, which piece returns in their order, each once. The error is that of piece or of ctx, a
// *gram.MemoryError by run, or a *gram.ConfigError for pieces of other trees.
func (p *Pieces) Join(ctx context.Context, piece func(k int) (*Piece, error), run gram.Run) (*Model, error) {
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

// reading reads pieces one after the other.
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

// PlanDivide returns the bytes that Divide needs beside the rows.
func (p *Pieces) PlanDivide(run gram.Run) gram.Plan {
	labels, d := float64(p.y.D), float64(p.x.D)
	return p.plan("a tree of labels", p.copies(1)+8*p.features()+120*labels+25*d*float64(run.NumWorkers()))
}

// PlanTrain returns the bytes that Train needs beside the rows, for a piece with the root of a tree, which needs most.
func (p *Pieces) PlanTrain(run gram.Run) gram.Plan {
	n, d, entries := float64(p.x.N), float64(p.x.D), float64(p.x.NNZ())
	trees := float64(p.Trees()) * 8 * float64(p.y.D)
	return p.plan("functions of nodes", p.copies(float64(len(p.fits)))+trees+12*entries+24*n+8*d+float64(run.NumWorkers())*(20*n+8*d))
}

// PlanJoin returns the bytes that Join needs beside the rows, with the model.
func (p *Pieces) PlanJoin() gram.Plan {
	labels, d := float64(p.y.D), float64(p.x.D)
	c := p.fits[0].c
	kept := float64(c.Trees) * (16*p.features() + 16*labels)
	if p.held != nil || c.Near.Value() > 0 {
		kept += 16*p.features() + 4*d
	}
	return p.plan("the model", p.copies(float64(len(p.fits)))+kept)
}

func (p *Pieces) plan(what string, bytes float64) gram.Plan {
	return gram.Plan{PeakBytes: check.Bytes(bytes), Description: what}
}

// copies is the bytes of what the growers of some fits have, and of the rows of the one without those held out.
func (p *Pieces) copies(growers float64) float64 {
	n, d, entries, tags := float64(p.x.N), float64(p.x.D), float64(p.x.NNZ()), float64(p.y.NNZ())
	b := growers * (8*n + 16*d + 4*tags + 12*float64(p.y.D))
	if p.copied {
		b += 12*entries + 8*n
	}
	if p.held != nil {
		b += 12*entries + 16*n + 4*tags
	}
	return b
}

// features is the number of entries of the features of all labels, or somewhat more: rows of a label are taken to have no columns in common as
// long as there are enough.
func (p *Pieces) features() float64 {
	p.counted.Do(func() {
		sum := make([]int, p.y.D)
		for i := range p.x.N {
			labels, _ := p.y.Row(i)
			for _, l := range labels {
				sum[l] += p.x.Ptr[i+1] - p.x.Ptr[i]
			}
		}
		for _, entries := range sum {
			p.entries += float64(min(entries, p.x.D))
		}
	})
	return p.entries
}
