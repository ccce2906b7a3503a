package rfm

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

const (
	otherLevels = 4  // a category has one level more than columns, and of so many rows one may have a level of its own
	usualPlaces = 4  // numbers of a level that differ from the base, for each row and column
	smallBlock  = 64 // columns of a block of which all eigenvalues are computed
)

// layout divides the columns of the data into numbers and categories. The nil layout has numbers alone.
type layout struct {
	d          int
	numbers    []int // their columns; nil if there are no categories: all
	groups     []int // the group of each number, −1 for those in none; nil: there are no groups
	categories []category
}

// category is a group of columns in which few rows differ. Distances and gradients see differences of rows, so that base, the most common
// number of each column, is subtracted: what is left of a code of 0 and 1, as it is or standardized, are one or two numbers.
type category struct {
	columns []int
	base    []float64
}

// coded holds the numbers of a category in some rows: the different ones, less the base, and which of them each row has.
type coded struct {
	levels *sparse.CSR
	code   []int32
}

// layout returns the layout by the rows of x.
func (c Config) layout(x *mat.Dense) *layout {
	n, d := x.Dims()
	of := c.groups(d)
	if of == nil {
		return nil
	}
	l := &layout{d: d}
	within := make([]bool, len(c.Given.Groups))
	for g, columns := range c.Given.Groups {
		if len(columns) < 2 || c.Given.joins(of, g) {
			continue
		}
		s := newCategory(x, columns)
		levels := s.code(x).levels
		if levels.N <= len(columns)+1+n/otherLevels && levels.NNZ() <= usualPlaces*(n+len(columns)) {
			l.categories = append(l.categories, s)
			within[g] = true
		}
	}
	for k, g := range of {
		if g < 0 || !within[g] {
			l.numbers, l.groups = append(l.numbers, k), append(l.groups, g)
		}
	}
	if l.categories == nil {
		l.numbers = nil
	}
	return l
}

// joins reports whether the given metric has entries between a group and other columns.
func (g Given) joins(of []int, group int) bool {
	if g.Metric == nil {
		return false
	}
	for _, k := range g.Groups[group] {
		for l, other := range of {
			if other != group && g.Metric.At(k, l) != 0 {
				return true
			}
		}
	}
	return false
}

// coded returns the categories, none of a nil layout.
func (l *layout) coded() []category {
	if l == nil {
		return nil
	}
	return l.categories
}

// blocks returns the group of each number, −1 for those in none; nil if there are no groups.
func (l *layout) blocks() []int {
	if l == nil {
		return nil
	}
	return l.groups
}

// widest returns the largest number of columns of d that have entries of M in common.
func (l *layout) widest(d int) int {
	if len(l.coded()) == 0 {
		return d
	}
	most := len(l.numbers)
	for _, s := range l.categories {
		most = max(most, len(s.columns))
	}
	return most
}

// plain returns the numbers of x; nil if there are none.
func (l *layout) plain(x *mat.Dense) *mat.Dense {
	if len(l.coded()) == 0 {
		return x
	}
	if len(l.numbers) == 0 {
		return nil
	}
	return columnsOf(x, l.numbers)
}

// columnsOf returns a copy of these columns of x, in the order of columns.
func columnsOf(x *mat.Dense, columns []int) *mat.Dense {
	n, _ := x.Dims()
	out := mat.NewDense(n, len(columns), nil)
	for i := range n {
		from, to := x.RawRowView(i), out.RawRowView(i)
		for c, k := range columns {
			to[c] = from[k]
		}
	}
	return out
}

// newCategory returns these columns of x with their base: a number that more than half of the rows have, if there is one.
func newCategory(x *mat.Dense, columns []int) category {
	s := category{columns: columns, base: make([]float64, len(columns))}
	votes := make([]int, len(columns))
	n, _ := x.Dims()
	for i := range n { // Boyer and Moore
		row := x.RawRowView(i)
		for c, k := range columns {
			switch v := row[k]; {
			case votes[c] == 0:
				s.base[c], votes[c] = v, 1
			case s.base[c] == v:
				votes[c]++
			default:
				votes[c]--
			}
		}
	}
	return s
}

// code returns the levels of the rows of x, in the order of their first rows.
func (s *category) code(x *mat.Dense) *coded {
	n, _ := x.Dims()
	out := &coded{levels: &sparse.CSR{D: len(s.columns), Ptr: []int{0}, Col: []int32{}, Val: []float64{}}, code: make([]int32, n)}
	seen := map[string]int32{}
	var col []int32
	var val []float64
	var key []byte
	for i := range n {
		col, val = levelOf(col[:0], val[:0], s.columns, s.base, x.RawRowView(i))
		key = key[:0]
		for k, v := range val {
			key = binary.LittleEndian.AppendUint32(key, uint32(col[k]))
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
		}
		number, have := seen[string(key)]
		if !have {
			number = int32(out.levels.N)
			seen[string(key)] = number
			out.add(col, val)
		}
		out.code[i] = number
	}
	return out
}

// add appends a level whose numbers, less the base, are val in the columns col.
func (c *coded) add(col []int32, val []float64) {
	l := c.levels
	l.Col, l.Val = append(l.Col, col...), append(l.Val, val...)
	l.Ptr = append(l.Ptr, len(l.Col))
	l.N++
}

// pick returns the rows with these numbers, and their levels.
func (c *coded) pick(index []int) *coded {
	out := &coded{levels: &sparse.CSR{D: c.levels.D, Ptr: []int{0}, Col: []int32{}, Val: []float64{}}, code: make([]int32, len(index))}
	number := make([]int32, c.levels.N) // plus 1
	for q, i := range index {
		k := c.code[i]
		if number[k] == 0 {
			out.add(c.levels.Row(int(k)))
			number[k] = int32(out.levels.N)
		}
		out.code[q] = number[k] - 1
	}
	return out
}

// square is the block of M of a category, or its diagonal.
type square struct {
	full     *mat.Dense // symmetric
	diagonal []float64
}

// at returns M_kk.
func (m square) at(k int) float64 {
	if m.full != nil {
		return m.full.At(k, k)
	}
	return m.diagonal[k]
}

// size returns the number of columns of the category.
func (m square) size() int {
	if m.full != nil {
		return m.full.RawMatrix().Rows
	}
	return len(m.diagonal)
}

// only returns a copy of the diagonal of m.
func (m square) only() square {
	out := square{diagonal: make([]float64, m.size())}
	for k := range out.diagonal {
		out.diagonal[k] = m.at(k)
	}
	return out
}

// top returns eigenvalues: all of a diagonal or of a block of at most smallBlock columns, else the topValues largest.
func (m square) top(ctx context.Context) ([]float64, error) {
	if m.full == nil {
		return m.diagonal, nil
	}
	d := m.size()
	if d <= smallBlock {
		values, _, err := eig.SymAll(ctx, mat.NewSymDense(d, m.full.RawMatrix().Data))
		return values, err
	}
	values, _, err := eig.TopK(ctx, product{m.full}, topValues, eig.Options{Tol: 1e-6})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if len(values) == topValues { // good enough for what is printed
		return values, nil
	}
	return values, err
}

// product is the operator x ↦ m·x for eig.TopK.
type product struct{ m *mat.Dense }

// Dim returns the number of rows of m.
func (p product) Dim() int { return p.m.RawMatrix().Rows }

// Apply sets dst = m·x.
func (p product) Apply(dst, x *mat.Dense) { dst.Mul(p.m, x) }

// table has the distances of the levels of a category: their squares for Euclidean metrics.
type table struct {
	manhattan bool
	m         square // of Manhattan the roots √M_kk
	levels    *sparse.CSR
	norms     []float64 // the distances of the levels from the base
}

// newTable returns the table of the levels for the block m of the metric, of which Manhattan uses the diagonal alone.
func newTable(metric Metric, m square, levels *sparse.CSR) *table {
	t := &table{manhattan: metric == Manhattan, m: m, levels: levels, norms: make([]float64, levels.N)}
	if t.manhattan {
		t.m = m.only()
		for k, v := range t.m.diagonal {
			t.m.diagonal[k] = math.Sqrt(max(0, v))
		}
	}
	room := make([]float64, levels.D)
	for p := range t.norms {
		col, val := levels.Row(p)
		t.norms[p] = t.norm(col, val, t.image(room, col, val))
	}
	return t
}

// image returns the product of the block with a level, or the level, in room, which must be 0 if the block is a diagonal.
func (t *table) image(room []float64, col []int32, val []float64) []float64 {
	if t.m.full == nil {
		for q, k := range col {
			room[k] = val[q]
			if !t.manhattan {
				room[k] *= t.m.diagonal[k]
			}
		}
		return room
	}
	if len(col) == 1 && val[0] == 1 {
		return t.m.full.RawRowView(int(col[0]))
	}
	clear(room)
	for q, k := range col {
		for c, v := range t.m.full.RawRowView(int(k)) {
			room[c] += float64(val[q] * v)
		}
	}
	return room
}

// norm returns the distance of a level with the given image from the base.
func (t *table) norm(col []int32, val, image []float64) (sum float64) {
	for q, k := range col {
		if t.manhattan {
			sum += float64(t.m.diagonal[k] * math.Abs(val[q]))
		} else {
			sum += float64(val[q] * image[k])
		}
	}
	return sum
}

// row sets dst to the distances of a level to those of the table. room has as many numbers as there are columns, which are 0
// before and behind.
func (t *table) row(dst, room []float64, col []int32, val []float64) {
	image := t.image(room, col, val)
	own := t.norm(col, val, image)
	l := t.levels
	for p := range dst {
		shared := 0.
		for q := l.Ptr[p]; q < l.Ptr[p+1]; q++ {
			k, v := l.Col[q], l.Val[q]
			if t.manhattan {
				shared += float64(t.m.diagonal[k] * (math.Abs(v) + math.Abs(image[k]) - math.Abs(v-image[k])))
			} else {
				shared += float64(2 * v * image[k])
			}
		}
		dst[p] = max(0, own+t.norms[p]-shared)
	}
	if t.m.full != nil {
		clear(room)
		return
	}
	for _, k := range col {
		room[k] = 0
	}
}

// tables returns those of the categories of p.
func (p *part) tables(at mapping) []*table {
	out := make([]*table, len(p.coded))
	for g, c := range p.coded {
		out[g] = newTable(at.metric, at.levels[g], c.levels)
	}
	return out
}

// addLevels adds the distances of categories to those of the rows from lo to hi below the diagonal of p.space, which are squares for
// Euclidean metrics, and become distances.
func (p *part) addLevels(ctx context.Context, f *fitted, lo, hi int) error {
	return par.For(ctx, p.workers, hi-lo, mirrorRows, func(first, last int) {
		var far, room []float64
		for i := lo + first; i < lo+last; i++ {
			row := p.space.RawRowView(i)[:i]
			for g, t := range f.tables {
				code := p.coded[g].code
				if far = slices.Grow(far[:0], t.levels.N)[:t.levels.N]; len(room) < t.levels.D {
					room = make([]float64, t.levels.D)
				}
				col, val := t.levels.Row(int(code[i]))
				t.row(far, room[:t.levels.D], col, val)
				for j := range row {
					row[j] += far[code[j]]
				}
			}
			if f.at.metric != Manhattan {
				euclid{}.Radial(row)
			}
		}
	})
}

// gradient sets to, one number for each column, to the gradient at row at with respect to the category, before the block of M: v is
// what each row has in it, and total the sum of v. room has a number for each level.
func (c *coded) gradient(to, room, v []float64, total float64, at int, manhattan bool) {
	l := c.levels
	clear(to)
	clear(room)
	for i, u := range v {
		room[c.code[i]] += u
	}
	for p, u := range room {
		for q := l.Ptr[p]; q < l.Ptr[p+1]; q++ {
			to[l.Col[q]] -= float64(u * step(l.Val[q], manhattan))
		}
	}
	col, val := l.Row(int(c.code[at]))
	for q, k := range col {
		if !manhattan {
			to[k] += float64(total * val[q])
			continue
		}
		to[k] = total * step(val[q], true) // levels with 0 there
		for p, u := range room {
			for e := l.Ptr[p]; e < l.Ptr[p+1]; e++ {
				if l.Col[e] == k {
					to[k] += float64(u * (step(val[q]-l.Val[e], true) - step(val[q], true)))
				}
			}
		}
	}
}

// step returns v, or its sign −1, 0 or 1, which the gradients of Manhattan distances have in place of differences.
func step(v float64, sign bool) float64 {
	switch {
	case !sign:
		return v
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// widths returns how many numbers of a gradient the mapped numbers of f have, and each category.
func (p *part) widths(f *fitted) (r int, levels []int, all int) {
	if f.a != nil {
		_, r = f.a.Dims()
	}
	all = r
	for _, c := range p.coded {
		levels = append(levels, c.levels.D)
		all += c.levels.D
	}
	return r, levels, all
}

// levelGradients sets the numbers of the categories in the rows of g; w are the weights of pairs of rows, of the rows from lo on.
func (p *part) levelGradients(g, w *mat.Dense, f *fitted, lo int) {
	r, widths, all := p.widths(f)
	b, n := w.Dims()
	_, t := f.alpha.Dims()
	weighed := make([]float64, n)
	most := 0
	for _, c := range p.coded {
		most = max(most, c.levels.N)
	}
	room := make([]float64, most)
	for j := range b {
		row := w.RawRowView(j)
		for l := range t {
			total := 0.
			for i, u := range row {
				weighed[i] = u * f.alpha.At(i, l)
				total += weighed[i]
			}
			to := g.RawRowView(j)[l*all+r : (l+1)*all]
			for c, width := range widths {
				p.coded[c].gradient(to[:width], room[:p.coded[c].levels.N], weighed, total, lo+j, f.at.metric == Manhattan)
				to = to[width:]
			}
		}
	}
}

// back returns M·sum·M, or the diagonal of that: of Manhattan, whose gradients have signs, √M·sum·√M.
func (m square) back(sum *mat.Dense, full, manhattan bool) square {
	d := m.size()
	if !full {
		out := square{diagonal: make([]float64, d)}
		for k := range d {
			v := m.at(k)
			if !manhattan {
				v *= v
			}
			out.diagonal[k] = v * sum.At(0, k)
		}
		return out
	}
	whole := mat.NewDense(d, d, nil)
	if m.full != nil {
		var half mat.Dense
		half.Mul(m.full, sum)
		whole.Mul(&half, m.full)
	} else {
		for k := range d {
			for l := range d {
				whole.Set(k, l, m.diagonal[k]*sum.At(k, l)*m.diagonal[l])
			}
		}
	}
	for k := range d {
		for l := range k {
			v := (whole.At(k, l) + whole.At(l, k)) / 2
			whole.Set(k, l, v)
			whole.Set(l, k, v)
		}
	}
	return square{full: whole}
}

// scale divides all entries of m by top, in place.
func (m square) scale(top float64) {
	values := m.diagonal
	if m.full != nil {
		values = m.full.RawMatrix().Data
	}
	for k := range values {
		values[k] /= top
	}
}

// parts returns the blocks of a matrix that has no entries between them.
func (l *layout) parts(whole *mat.SymDense) matrix {
	if len(l.coded()) == 0 {
		return matrix{full: whole}
	}
	var out matrix
	if len(l.numbers) > 0 {
		out.full = mat.NewSymDense(len(l.numbers), nil)
		for a, k := range l.numbers {
			for b := a; b < len(l.numbers); b++ {
				out.full.SetSym(a, b, whole.At(k, l.numbers[b]))
			}
		}
	}
	for _, s := range l.categories {
		m := square{full: mat.NewDense(len(s.columns), len(s.columns), nil)}
		for a, k := range s.columns {
			for b, j := range s.columns {
				m.full.Set(a, b, whole.At(k, j))
			}
		}
		out.levels = append(out.levels, m)
	}
	return out
}

// diagonal returns that of m for the columns of the data.
func (l *layout) diagonal(m matrix) []float64 {
	numbers := m.diagonal
	if m.full != nil {
		numbers = make([]float64, m.full.SymmetricDim())
		for k := range numbers {
			numbers[k] = m.full.At(k, k)
		}
	}
	if len(l.coded()) == 0 {
		return numbers
	}
	out := make([]float64, l.d)
	for a, k := range l.numbers {
		out[k] = numbers[a]
	}
	for g, s := range l.categories {
		for a, k := range s.columns {
			out[k] = m.levels[g].at(a)
		}
	}
	return out
}

// whole returns the d×d matrix of the columns of the data.
func (l *layout) whole(m matrix) *mat.SymDense {
	if len(l.coded()) == 0 && m.full != nil {
		return m.full
	}
	diagonal := l.diagonal(m)
	out := mat.NewSymDense(len(diagonal), nil)
	for k, v := range diagonal {
		out.SetSym(k, k, v)
	}
	if m.full != nil {
		for a, k := range l.numbers {
			for b := range a {
				out.SetSym(k, l.numbers[b], m.full.At(a, b))
			}
		}
	}
	for g, s := range l.coded() {
		if m.levels[g].full == nil {
			continue
		}
		for a, k := range s.columns {
			for b := range a {
				out.SetSym(k, s.columns[b], m.levels[g].full.At(a, b))
			}
		}
	}
	return out
}

// root returns L with as many columns as the block has rank, so that L·Lᵀ is the block: Cholesky's factor with pivots.
func (m square) root() *mat.Dense {
	d := m.size()
	if m.full == nil {
		out := mat.NewDense(d, d, nil)
		for k, v := range m.diagonal {
			out.Set(k, k, math.Sqrt(max(0, v)))
		}
		return out
	}
	var columns [][]float64
	left := m.only().diagonal
	least := leastEigen * max(0, slices.Max(left))
	for range d {
		at := 0
		for k, v := range left {
			if v > left[at] {
				at = k
			}
		}
		if !(left[at] > least) {
			break
		}
		pivot := math.Sqrt(left[at])
		column := slices.Clone(m.full.RawRowView(at))
		for _, c := range columns {
			for k, v := range c {
				column[k] -= float64(c[at] * v)
			}
		}
		for k := range column {
			column[k] /= pivot
			left[k] -= float64(column[k] * column[k])
		}
		left[at] = 0
		columns = append(columns, column)
	}
	out := mat.NewDense(d, max(1, len(columns)), nil)
	for j, c := range columns {
		out.SetCol(j, c)
	}
	return out
}

// distancesOf returns the kernel whose blocks are what the distances of categories are added to.
func distancesOf(m Metric, length float64) kernel.Kernel {
	if m == Manhattan {
		return kernelOf(m, length)
	}
	return euclid{squared: true}
}

// part returns the rows of x with their categories coded.
func (l *layout) part(x, y *mat.Dense, w []float64, workers int, meter *gram.Meter) *part {
	p := &part{layout: l, y: y, w: w, workers: workers, meter: meter, x: l.plain(x)}
	for _, s := range l.coded() {
		p.coded = append(p.coded, s.code(x))
	}
	return p
}
