package kernel

import (
	"context"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/panel"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/tuning"
)

// A block is computed in strips: the 12 rows of one panel of X, or the few that are
// left, against a few panels of Z. A strip stays in L1 while its sums become values,
// which are written to the destination or used in a product at once. The outer loop
// takes as many panels of Z as fit L2, the next one all rows of a packed block of X.

const (
	stripBytes = 12 << 10  // size of a strip
	zBytes     = 448 << 10 // panels of Z that Mul uses together; the ends of strips, and so the bits, depend on this
	sumBytes   = 1 << 20   // sums of more than 12 rows that Mul takes together
	least      = 48        // least number of rows in a block of X, unless x has fewer
	most       = 240
)

// workspace is the memory that one goroutine needs for a block of rows, and uses again for the next.
type workspace[F gram.Float] struct {
	x, xn []F // panels of a block of X and the norms of its rows
	strip []F
	wide  []float64 // a row of a strip, for functions that work in float64
	sums  []F
	out   []F // rows of a product
	v     []F

	single bool // the block is one row, with the numbers val

	// A block of rows with many zeros, for which packing does not pay, and any block against
	// lists, uses the fields below.
	thin   bool    // false: the block is packed
	col    []int32 // the columns of the rows' nonzeros, one row after the other
	val    []F     // the nonzeros
	first  []int   // index in val of the first nonzero of each row, and the number of all
	order  []int32 // 0, 1, 2, …
	spread []F     // a panel whose first row holds the values of one row

	// Against lists: for every nonzero the entries of Z that it has not met yet, those at which
	// a strip began to meet it, and sums of a chunk.
	from, to, met []int
	part          []F
	wild          bool // a nonzero is not finite
}

// grow returns a slice of length n, which is s if its capacity is enough.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// spaces32 and spaces64 hold workspaces that are not in use. All blocks share them: a workspace
// takes longer to allocate than a small block to compute, and a support vector machine of many
// classes makes a block for each pair of them.
var spaces32, spaces64 sync.Pool

func spaces[F gram.Float]() *sync.Pool {
	if sizeof[F]() == 4 {
		return &spaces32
	}
	return &spaces64
}

func (b *Block[F]) get() *workspace[F] {
	if w, ok := spaces[F]().Get().(*workspace[F]); ok {
		return w
	}
	return new(workspace[F])
}

func (b *Block[F]) put(w *workspace[F]) { spaces[F]().Put(w) }

func sizeof[F gram.Float]() int { return 128 / panel.Cols[F]() }

// stripColumns returns the number of columns of a strip.
func stripColumns[F gram.Float]() int {
	return max(1, stripBytes/(panel.Rows*128)) * panel.Cols[F]()
}

// rowBlock returns the number of rows of X that are packed at a time.
func (b *Block[F]) rowBlock(n int) int {
	r := tuning.Current()[tuning.KernelRows] / (sizeof[F]() * max(1, b.d))
	r = min(max(r, least), most, max(least, n/8))
	return (r + panel.Rows - 1) / panel.Rows * panel.Rows
}

// mulRows returns the number of rows whose s sums a product takes together.
func (b *Block[F]) mulRows(n, s int) int {
	const r = panel.Rows
	return max(r, min(b.rowBlock(n), sumBytes/(sizeof[F]()*max(1, s))/r*r))
}

// load packs rows lo … hi−1 of x.
func (b *Block[F]) load(w *workspace[F], p *packed[F], x *gram.Samples[F], lo, hi int) {
	const r = panel.Rows
	n, d := hi-lo, b.d
	panels := (n + r - 1) / r
	w.xn = grow(w.xn, panels*r)
	w.single = false
	dot := b.shared.op == panel.Dot
	if w.thin = p.center == nil && (dot || p.lists != nil) && w.loadThin(x, lo, n, d, p) && dot; w.thin || p.lists != nil {
		if b.shared.norms {
			w.thinNorms(n)
		}
		return
	}
	a, first := x.Base()
	first += lo
	w.x = grow(w.x, panels*r*d)
	switch {
	case d == 0:
	case a != nil:
		clear(w.x)
		for i := range n {
			to := w.x[i/r*r*d+i%r:]
			for k, c := range p.center {
				to[k*r] = -c
			}
			col, val := a.Row(first + i)
			for k, j := range col {
				v := F(1)
				if val != nil {
					v = F(val[k])
				}
				if p.center != nil {
					v -= p.center[j]
				}
				to[int(j)*r] = v
			}
		}
	default:
		rows, _ := x.Dense()
		for i := 0; i < n; i += r {
			packRows(w.x[i*d:(i+r)*d], rows.Slice(lo+i, min(lo+i+r, hi)), p.center)
		}
	}
	if b.shared.norms {
		for i := range panels {
			panel.Norms(w.xn[i*r:], w.x[i*r*d:], r, d)
		}
	}
	if n == 1 && b.shared.op == panel.Dot {
		w.single = true
		w.val = grow(w.val, d)
		for k := range d {
			w.val[k] = w.x[k*r]
		}
		w.count(d)
	}
}

// count extends order, the numbers 0, 1, 2, …, to at least n elements.
func (w *workspace[F]) count(n int) {
	for len(w.order) < n {
		w.order = append(w.order, int32(len(w.order)))
	}
}

// loadThin takes the nonzeros of rows lo … lo+n−1 of x if there are fewer than half of
// them. Otherwise it returns false, and has taken them only if Z is in lists. It looks at
// dense rows only if p is thin or in lists. SparseDot gives the same bits as Sums of packed
// rows.
func (w *workspace[F]) loadThin(x *gram.Samples[F], lo, n, d int, p *packed[F]) bool {
	a, first := x.Base()
	first += lo
	thin := a != nil && 2*int64(a.Ptr[first+n]-a.Ptr[first]) < int64(n)*int64(d) || a == nil && p.thin
	if !thin && p.lists == nil {
		return false
	}
	w.col, w.val, w.first = w.col[:0], w.val[:0], w.first[:0]
	rows, _ := x.Dense()
	for i := range n {
		w.first = append(w.first, len(w.val))
		if a != nil {
			col, val := a.Row(first + i)
			w.col, w.val = append(w.col, col...), appendValues(w.val, len(col), val)
			continue
		}
		for k, v := range rows.Row(lo + i) {
			if v != 0 || !p.finite { // a zero times what is not finite is NaN
				w.col, w.val = append(w.col, int32(k)), append(w.val, v)
			}
		}
		if thin = thin && 2*int64(len(w.val)) < int64(n)*int64(d); !thin && p.lists == nil {
			return false
		}
	}
	w.first = append(w.first, len(w.val))
	return thin
}

// thinNorms sets the norms of the n rows of a block that loadThin has taken.
func (w *workspace[F]) thinNorms(n int) {
	for i := range n {
		from, to := w.first[i], w.first[i+1]
		w.xn[i] = w.norm(w.col[from:to], w.val[from:to])
	}
}

// norm returns the norm of a row with the given nonzeros: its product with itself.
func (w *workspace[F]) norm(col []int32, val []F) F {
	c := panel.Cols[F]()
	w.strip = grow(w.strip, c)
	w.count(len(val))
	w.spread = grow(w.spread, len(val)*c)
	for k, v := range val {
		w.spread[k*c] = v
	}
	panel.SparseDot(w.strip, w.spread, len(val), 1, val, w.order, col)
	return w.strip[0]
}

// sumsThin computes what Sums computes, for the given rows of a block that loadThin has
// taken.
func (b *Block[F]) sumsThin(w *workspace[F], lds int, z []F, i, rows, panels int) {
	for r := range rows {
		from, to := w.first[i+r], w.first[i+r+1]
		panel.SparseDot(w.strip[r*lds:], z, b.d, panels, w.val[from:to], w.col[from:to], w.col[from:to])
	}
}

// packRows packs up to panel.Rows rows less the center and fills the panel with
// zeros.
func packRows[F gram.Float](dst []F, x gram.Rows[F], center []F) {
	const r = panel.Rows
	if x.N < r {
		clear(dst)
		for i := range x.N {
			for k, v := range x.Row(i) {
				if center != nil {
					v -= center[k]
				}
				dst[k*r+i] = v
			}
		}
		return
	}
	d := x.D
	var row [r][]F
	for i := range r {
		row[i] = x.Row(i)[:d]
	}
	if center == nil {
		for k := range d {
			to := (*[r]F)(dst[k*r:])
			to[0], to[1], to[2], to[3] = row[0][k], row[1][k], row[2][k], row[3][k]
			to[4], to[5], to[6], to[7] = row[4][k], row[5][k], row[6][k], row[7][k]
			to[8], to[9], to[10], to[11] = row[8][k], row[9][k], row[10][k], row[11][k]
		}
		return
	}
	for k, c := range center[:d] {
		to := (*[r]F)(dst[k*r:])
		to[0], to[1], to[2], to[3] = row[0][k]-c, row[1][k]-c, row[2][k]-c, row[3][k]-c
		to[4], to[5], to[6], to[7] = row[4][k]-c, row[5][k]-c, row[6][k]-c, row[7][k]-c
		to[8], to[9], to[10], to[11] = row[8][k]-c, row[9][k]-c, row[10][k]-c, row[11][k]-c
	}
}

// strips calls use for each strip of rows 0 … n−1 of the loaded block and rows jlo
// … jhi−1 of Z; jlo is the start of a panel. use gets the place of the strip in
// the block; the sums are in w.strip with stride lds. The strips of given rows
// come in ascending order of columns. room is the number of bytes of Z that are
// used together.
func (b *Block[F]) strips(w *workspace[F], p *packed[F], n, jlo, jhi, room int, use func(i, rows, j, cols, lds int)) {
	const r = panel.Rows
	c, d, op := panel.Cols[F](), b.d, b.shared.op
	wide := stripColumns[F]()
	far := max(1, room/(128*max(1, d))) * c
	if w.thin {
		far = max(far, wide) // few columns of a panel are read
	}
	w.strip = grow(w.strip, r*wide)
	byColumn := p.lists != nil && op == panel.Dot
	if byColumn {
		w.seek(p.lists, jlo)
	}
	for jz := jlo; jz < jhi; jz += far {
		end := min(jz+far, jhi)
		for i := 0; i < n; i += r {
			rows := min(r, n-i)
			var x []F
			if !w.thin && p.lists == nil {
				x = w.x[i*d : (i+r)*d]
			}
			for j := jz; j < end; j += wide {
				cols := min(wide, end-j)
				panels := (cols + c - 1) / c
				lds := panels * c
				var z []F
				if p.lists == nil {
					z = p.z[j*d:]
				}
				if byColumn {
					w.sumsOfLists(p.lists, lds, i, rows, j, cols)
				} else if p.lists != nil {
					w.distancesOfLists(p.lists, lds, i, rows, j, cols)
				} else if w.thin {
					b.sumsThin(w, lds, z, i, rows, panels)
				} else if w.single { // gives the bits of Sums, which takes at least four rows
					panel.SparseDot(w.strip, z, d, panels, w.val, w.order[:d], w.order[:d])
				} else if rows > 8 {
					panel.Sums(w.strip, lds, x, z, d, r, panels, op)
				} else {
					for t := 0; t < rows; t += 4 {
						panel.Sums(w.strip[t*lds:], lds, x[min(t, len(x)):], z, d, 4, panels, op)
					}
				}
				use(i, rows, j, cols, lds)
			}
		}
	}
}

// finish turns the sums of a strip into values at dst. i is the first row in the
// loaded block, j the first row of Z. past asks for stores that pass the caches by.
func (b *Block[F]) finish(w *workspace[F], p *packed[F], dst []F, ldd, i, rows, j, cols, lds int, past bool) {
	s := b.shared
	switch s.path {
	case gaussianPath:
		if s.norms {
			panel.Gauss(dst, ldd, w.strip, lds, w.xn[i:], p.zn[j:], rows, cols, s.gamma, past)
		} else {
			panel.Exp(dst, ldd, w.strip, lds, rows, cols, s.gamma, past)
		}
	case laplacianPath:
		panel.Exp(dst, ldd, w.strip, lds, rows, cols, s.gamma, past)
	case powersPath:
		panel.Power(dst, ldd, w.strip, lds, rows, cols, s.shift, s.power)
	case linearPath:
		for r := range rows {
			copy(dst[r*ldd:][:cols], w.strip[r*lds:])
		}
	case radialPath:
		if s.norms {
			panel.Distance(w.strip, lds, w.strip, lds, w.xn[i:], p.zn[j:], rows, cols)
		}
		f := b.kernel.(Radial)
		for r := range rows {
			w.apply(dst[r*ldd:][:cols], w.strip[r*lds:][:cols], f.Radial)
		}
	case productPath:
		f := b.kernel.(Inner)
		for r := range rows {
			w.apply(dst[r*ldd:][:cols], w.strip[r*lds:][:cols], f.Inner)
		}
	}
}

// apply sets dst = f(src), where f works in place and in float64.
func (w *workspace[F]) apply(dst, src []F, f func(s []float64)) {
	w.wide = grow(w.wide, len(src))
	for j, v := range src {
		w.wide[j] = float64(v)
	}
	f(w.wide)
	for j, v := range w.wide {
		dst[j] = F(v)
	}
}

func (b *Block[F]) fill(dst gram.Rows[F], x gram.Samples[F]) {
	switch b.shared.path {
	case tilesPath:
		b.each(x.N(), tileRows(x.N()), func(lo, hi int) { b.fillTile(dst, x, lo, hi) })
		return
	case columnsPath:
		b.fillColumns(dst, x)
		return
	}
	p := &b.shared.points
	past := dst.N*dst.D*sizeof[F]() >= tuning.Current()[tuning.KernelStream]
	b.eachPiece(x, func(w *workspace[F], lo, i, rows, j, cols, lds int) {
		b.finish(w, p, dst.Data[(lo+i)*dst.Stride+j:], dst.Stride, i, rows, j, cols, lds, past)
	})
}

// width returns the numbers of a row of Z that are kept.
func (b *Block[F]) width() int {
	if l := b.shared.points.lists; l != nil {
		return len(l.val) / max(1, b.m)
	}
	return b.d
}

// eachPiece calls use with the strips of all of X against all of Z; lo is the row
// of X that is row 0 of the loaded block.
func (b *Block[F]) eachPiece(x gram.Samples[F], use func(w *workspace[F], lo, i, rows, j, cols, lds int)) {
	p := &b.shared.points
	block := b.rowBlock(x.N())
	blocks := (x.N() + block - 1) / block
	// Few rows against many: Z is divided, too.
	cut := b.m
	if blocks < 4 {
		cut = max(1<<17/(min(block, max(1, x.N()))*(b.width()+8)), 64)
		cut = (cut + 31) / 32 * 32
	}
	cuts := (b.m + cut - 1) / max(1, cut)
	b.each(blocks*cuts, 1, func(t, _ int) {
		lo, jlo := t/cuts*block, t%cuts*cut
		hi, jhi := min(lo+block, x.N()), min(jlo+cut, b.m)
		w := b.get()
		defer b.put(w)
		b.load(w, p, &x, lo, hi)
		b.strips(w, p, hi-lo, jlo, jhi, tuning.Current()[tuning.KernelColumns], func(i, rows, j, cols, lds int) {
			use(w, lo, i, rows, j, cols, lds)
		})
	})
}

func (b *Block[F]) fillEach(dst [][]F, x gram.Samples[F]) {
	switch b.shared.path {
	case tilesPath:
		b.each(x.N(), tileRows(x.N()), func(lo, hi int) {
			w := b.get()
			defer b.put(w)
			b.tileStrips(w, &x, lo, hi, func(i, rows, _, cols, lds int) {
				for r := range rows {
					copy(dst[lo+i+r], w.strip[r*lds:][:cols])
				}
			})
		})
		return
	case columnsPath:
		for i, row := range dst {
			b.fill(gram.Rows[F]{Data: row, N: 1, D: b.m, Stride: max(1, b.m)}, x.Slice(i, i+1))
		}
		return
	}
	p := &b.shared.points
	b.eachPiece(x, func(w *workspace[F], lo, i, rows, j, cols, lds int) {
		b.finish(w, p, w.strip, lds, i, rows, j, cols, lds, false)
		for r := range rows {
			copy(dst[lo+i+r][j:j+cols], w.strip[r*lds:])
		}
	})
}

// transposed returns the columns of v one after the other, in dst if it is large
// enough.
func transposed[F gram.Float](dst []F, v gram.Rows[F]) []F {
	dst = grow(dst, v.N*v.D)
	for i := range v.N {
		for c, u := range v.Row(i) {
			dst[c*v.N+i] = u
		}
	}
	return dst
}

func (b *Block[F]) mul(dst gram.Rows[F], x gram.Samples[F], v *factor[F]) {
	if b.shared.path == columnsPath {
		b.mulColumns(dst, x, v.v)
		return
	}
	n := x.N()
	block := b.mulRows(n, v.s)
	if n <= block {
		w := b.get()
		defer b.put(w)
		b.mulBlock(w, dst, &x, v, 0, n)
		return
	}
	b.mulBlocks(dst, x, *v, block)
}

// mulBlocks does the work of mul for several blocks. It is a function of its own so
// that mul allocates no closure for a single block.
func (b *Block[F]) mulBlocks(dst gram.Rows[F], x gram.Samples[F], v factor[F], block int) {
	b.each(x.N(), block, func(lo, hi int) {
		w := b.get()
		defer b.put(w)
		b.mulBlock(w, dst.Slice(lo, hi), &x, &v, lo, hi)
	})
}

// values calls use, as strips does, with the values of rows lo … hi−1 of x against
// all of Z.
func (b *Block[F]) values(w *workspace[F], x *gram.Samples[F], lo, hi, room int, use func(i, rows, j, cols, lds int)) {
	if b.shared.path == tilesPath {
		b.tileStrips(w, x, lo, hi, use)
		return
	}
	p := &b.shared.points
	b.load(w, p, x, lo, hi)
	b.strips(w, p, hi-lo, 0, b.m, room, func(i, rows, j, cols, lds int) {
		b.finish(w, p, w.strip, lds, i, rows, j, cols, lds, false)
		use(i, rows, j, cols, lds)
	})
}

// mulEach calls use with blocks of rows of the product.
func (b *Block[F]) mulEach(x gram.Samples[F], v *factor[F], use func(lo int, values gram.Rows[F])) {
	if b.shared.path == columnsPath {
		out := gram.MakeRows[F](x.N(), v.s)
		b.mulColumns(out, x, v.v)
		use(0, out)
		return
	}
	b.each(x.N(), b.mulRows(x.N(), v.s), func(lo, hi int) {
		w := b.get()
		defer b.put(w)
		w.out = grow(w.out, (hi-lo)*v.s)
		out := gram.Rows[F]{Data: w.out, N: hi - lo, D: v.s, Stride: max(1, v.s)}
		b.mulBlock(w, out, &x, v, lo, hi)
		use(lo, out)
	})
}

// mulBlock computes rows lo … hi−1 of the product, at most one block, and writes
// them to dst.
func (b *Block[F]) mulBlock(w *workspace[F], dst gram.Rows[F], x *gram.Samples[F], v *factor[F], lo, hi int) {
	n := hi - lo
	w.sums = grow(w.sums, n*v.s)
	clear(w.sums)
	b.values(w, x, lo, hi, zBytes, func(i, rows, j, cols, lds int) {
		v.add(w.sums, n, w.strip, lds, i, rows, j, cols)
	})
	for i := range n {
		row := dst.Row(i)
		for c := range row {
			row[c] = w.sums[c*n+i]
		}
	}
}

// transposedBlock is the number of rows of X that MulT sums together.
const transposedBlock = 960

func (b *Block[F]) mulT(dst gram.Rows[F], x gram.Samples[F], v gram.Rows[F]) {
	if b.shared.path == columnsPath {
		b.mulTColumns(dst, x, v)
		return
	}
	s, m := v.D, b.m
	var free sync.Pool
	total, _ := par.Sum(context.Background(), b.workers, x.N(), transposedBlock, func(first, last int) []F {
		var part []F
		if used, ok := free.Get().(*[]F); ok {
			part = *used
			clear(part)
		} else {
			part = make([]F, m*s)
		}
		w := b.get()
		defer b.put(w)
		block := b.rowBlock(last - first)
		for lo := first; lo < last; lo += block {
			hi := min(lo+block, last)
			n := hi - lo
			w.v = transposed(w.v, v.Slice(lo, hi))
			b.values(w, &x, lo, hi, tuning.Current()[tuning.KernelColumns], func(i, rows, j, cols, lds int) {
				for c := range s {
					panel.ColSums(part[c*m+j:], w.strip, lds, w.v[c*n+i:], rows, cols)
				}
			})
		}
		return part
	}, func(a, c []F) []F {
		for i, u := range c {
			a[i] += u
		}
		free.Put(&c)
		return a
	})
	if total == nil {
		total = make([]F, m*s)
	}
	for j := range m {
		row := dst.Row(j)
		for c := range row {
			row[c] = total[c*m+j]
		}
	}
}
