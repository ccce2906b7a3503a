package gbdt

import (
	"fmt"
	"math"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/vec"
	"github.com/gramworks/gram/internal/program"
)

var (
	_ gram.Compiler = (*Regressor)(nil)
	_ gram.Compiler = (*Classifier)(nil)
)

// Program64 returns the trees as a program, which shares the model's memory and
// gives what the model predicts from, bit for bit.
func (m *model) Program64() (gram.Program[float64], error) { return m.program, nil }

// Program32 returns the trees as a program in float32. A row of float32 numbers
// reaches the leaves that it reaches in the model: a threshold is rounded to the
// largest float32 that is not above it.
func (m *model) Program32() (gram.Program[float32], error) {
	f := forest[float32]{
		nodes: make([]programNode[float32], len(m.forest.nodes)), value: program.Convert[float32](m.forest.value),
		roots: m.forest.roots, depth: m.forest.depth,
		kinds: m.forest.kinds, starts: m.forest.starts, sets: m.forest.sets,
	}
	for i, n := range m.forest.nodes {
		f.nodes[i] = programNode[float32]{program.Floor[float32](n.threshold), n.feature, n.left}
	}
	return newScorer(m, f), nil
}

// scorer is the gram.Program that computes the scores of a model.
type scorer[F gram.Float] struct {
	d       int
	first   []F
	forest  forest[F]
	columns []Column  // nil: numbers alone
	rows    int       // that are predicted together
	exp     bool      // sums are logarithms of what is predicted
	pool    sync.Pool // *[]F: dense copies of that many sparse rows; zeros between two calls

	once  sync.Once
	keyed *keyed[F]
	works sync.Pool // *work[F]
}

func newScorer[F gram.Float](m *model, f forest[F]) *scorer[F] {
	// Rows that are predicted together stay in cache while the trees pass by.
	p := &scorer[F]{d: m.d, columns: m.mixed, first: program.Convert[F](m.first), forest: f, exp: m.cfg.Loss == Poisson, rows: max(8, min(256, (1<<19)/(8*m.d+1)))}
	p.pool.New = func() any { s := make([]F, p.rows*p.d); return &s }
	return p
}

// Dims returns the number of columns and of scores.
func (p *scorer[F]) Dims() (d, outputs int) { return p.d, len(p.first) }

// Cost returns the cost of one row. Its flops are comparisons on the way to the leaves and additions of their
// values.
func (p *scorer[F]) Cost() gram.Plan {
	f := &p.forest
	steps := len(f.roots)
	for _, depth := range f.depth {
		steps += int(depth)
	}
	return gram.Plan{
		Flops:       float64(steps),
		ModelBytes:  program.Size[F](len(f.nodes)+len(f.value)+len(p.first)) + 8*int64(len(f.nodes)+len(f.roots)) + p.onKeys().bytes(),
		PeakBytes:   program.Size[F](p.rows * p.d),
		Description: fmt.Sprintf("%d trees with %d nodes", len(f.roots), len(f.nodes)),
	}
}

// onKeys returns the forest on keys, which the first prediction makes, or nil.
func (p *scorer[F]) onKeys() *keyed[F] {
	p.once.Do(func() { p.keyed = newKeyed(&p.forest) })
	return p.keyed
}

// Row sets dst to the scores of x.
func (p *scorer[F]) Row(dst, x []F) { program.Row(p, dst, x) }

// Rows sets dst to the scores of the rows of x; those of a row with NaN are NaN.
func (p *scorer[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	program.Check("gbdt", p, dst, x)
	if rows, dense := x.Dense(); dense {
		for lo := 0; lo < x.N(); lo += p.rows {
			hi := min(lo+p.rows, x.N())
			p.scores(dst.Slice(lo, hi), rows.Slice(lo, hi))
		}
		return
	}
	p.sparse(dst, x)
}

// sparse is Rows for sparse rows, which it copies to a dense block of p.rows rows at a time.
func (p *scorer[F]) sparse(dst gram.Rows[F], x gram.Samples[F]) {
	buffer := p.pool.Get().(*[]F)
	for lo := 0; lo < x.N(); lo += p.rows {
		hi := min(lo+p.rows, x.N())
		rows := gram.Rows[F]{Data: *buffer, N: hi - lo, D: p.d, Stride: p.d}
		for i := range rows.N {
			row := rows.Row(i)
			col, val := x.Nonzeros(lo + i)
			for q, j := range col {
				row[j] = 1
				if val != nil {
					row[j] = F(val[q])
				}
			}
		}
		p.scores(dst.Slice(lo, hi), rows)
		for i := range rows.N {
			row := rows.Row(i)
			col, _ := x.Nonzeros(lo + i)
			for _, j := range col {
				row[j] = 0
			}
		}
	}
	p.pool.Put(buffer)
}

// scores sets dst to the scores of at most p.rows rows.
func (p *scorer[F]) scores(dst, x gram.Rows[F]) {
	for i := range dst.N {
		copy(dst.Row(i), p.first)
	}
	if k := p.onKeys(); k != nil && (!k.slow || k.ranks.Fast()) {
		w, _ := p.works.Get().(*work[F])
		if w == nil {
			w = k.work(len(p.first))
		}
		k.add(dst, x, w)
		p.works.Put(w)
		p.finish(dst, x)
		return
	}
	if p.forest.kinds != nil {
		for i := range x.N {
			p.forest.mixed(dst.Row(i), x.Row(i))
		}
		p.finish(dst, x)
		return
	}
	few := x.N &^ 3
	if few > 0 {
		for from := 0; from < len(p.forest.roots); {
			to := p.forest.tile(from)
			for i := 0; i < few; i += 4 {
				p.forest.four(dst.Slice(i, i+4), x.Slice(i, i+4), from, to)
			}
			from = to
		}
	}
	for i := few; i < x.N; i++ {
		p.forest.one(dst.Row(i), x.Row(i))
	}
	p.finish(dst, x)
}

// finish makes means of their logarithms, if the scores are such, and sets the scores of rows with NaN where no cell
// may be missing to NaN.
func (p *scorer[F]) finish(dst, x gram.Rows[F]) {
	for i := range x.N {
		if p.exp {
			vec.Exp(dst.Row(i), dst.Row(i))
		}
		if program.HasNaN(x.Row(i)) && (p.columns == nil || p.lost(x.Row(i))) {
			program.Fill(dst.Row(i), F(math.NaN()))
		}
	}
}

// tileNodes is the number of nodes that stay in the first cache while all rows of a
// block pass by.
const tileNodes = 1 << 10

// tile returns the end of the trees from one on that have at most tileNodes nodes;
// it is one tree at least.
func (f *forest[F]) tile(from int) int {
	for to := from + 1; to < len(f.roots); to++ {
		end := int32(len(f.nodes))
		if to+1 < len(f.roots) {
			end = f.roots[to+1]
		}
		if end-f.roots[from] > tileNodes {
			return to
		}
	}
	return len(f.roots)
}

// four adds the values of the trees from … to−1 to dst for four rows. Their loads do not wait
// for one another, and the loop has no branch that depends on the data.
func (f *forest[F]) four(dst, x gram.Rows[F], from, to int) {
	r0, r1, r2, r3 := x.Row(0), x.Row(1), x.Row(2), x.Row(3)
	d0, d1, d2, d3 := dst.Row(0), dst.Row(1), dst.Row(2), dst.Row(3)
	c := from % len(d0)
	for t, root := range f.roots[from:to] {
		a0, a1, a2, a3 := root, root, root, root
		for range f.depth[from+t] {
			n0, n1, n2, n3 := &f.nodes[a0], &f.nodes[a1], &f.nodes[a2], &f.nodes[a3]
			a0 = n0.left + above(r0[n0.feature], n0.threshold)
			a1 = n1.left + above(r1[n1.feature], n1.threshold)
			a2 = n2.left + above(r2[n2.feature], n2.threshold)
			a3 = n3.left + above(r3[n3.feature], n3.threshold)
		}
		d0[c] += f.value[a0]
		d1[c] += f.value[a1]
		d2[c] += f.value[a2]
		d3[c] += f.value[a3]
		if c++; c == len(d0) {
			c = 0
		}
	}
}

// one adds the values of all trees to dst for a single row: of four trees at a time,
// in the order of the trees.
func (f *forest[F]) one(dst, x []F) {
	c := 0
	add := func(v F) {
		dst[c] += v
		if c++; c == len(dst) {
			c = 0
		}
	}
	t := 0
	for ; t+4 <= len(f.roots); t += 4 {
		a0, a1, a2, a3 := f.roots[t], f.roots[t+1], f.roots[t+2], f.roots[t+3]
		for range max(f.depth[t], f.depth[t+1], f.depth[t+2], f.depth[t+3]) {
			n0, n1, n2, n3 := &f.nodes[a0], &f.nodes[a1], &f.nodes[a2], &f.nodes[a3]
			a0 = n0.left + above(x[n0.feature], n0.threshold)
			a1 = n1.left + above(x[n1.feature], n1.threshold)
			a2 = n2.left + above(x[n2.feature], n2.threshold)
			a3 = n3.left + above(x[n3.feature], n3.threshold)
		}
		add(f.value[a0])
		add(f.value[a1])
		add(f.value[a2])
		add(f.value[a3])
	}
	for ; t < len(f.roots); t++ {
		at := f.roots[t]
		for range f.depth[t] {
			n := &f.nodes[at]
			at = n.left + above(x[n.feature], n.threshold)
		}
		add(f.value[at])
	}
}

func above[F gram.Float](v, threshold F) int32 {
	var a int32
	if v > threshold {
		a = 1
	}
	return a
}
