package rfm

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/asm/level2"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/vec"
	"gonum.org/v1/gonum/mat"
)

// expansion is the function b + Σ_j α_j·k(x,x_j) of rows with categories.
type expansion struct {
	layout   *layout
	at       mapping
	coded    []*coded
	tables   []*table
	a, alpha *mat.Dense // a is nil if no columns are numbers
	bias     []float64
	length   float64
}

// expansion returns the function that f has fitted to the rows of p. It shares the memory of f and p.
func (p *part) expansion(f *fitted) *expansion {
	return &expansion{layout: p.layout, at: f.at, coded: p.coded, tables: f.tables, a: f.a, alpha: f.alpha, bias: f.bias, length: f.length}
}

// plain returns the map of all columns, and ridge regression on mapped rows, which is the same function.
func (e *expansion) plain(c krr.Config) (*mat.Dense, *krr.Model) {
	n, _ := e.alpha.Dims()
	var roots []*mat.Dense
	width := 0
	if e.a != nil {
		_, width = e.a.Dims()
	}
	first := width
	for _, m := range e.at.levels {
		roots = append(roots, m.root())
		width += roots[len(roots)-1].RawMatrix().Cols
	}
	whole, points := mat.NewDense(e.layout.d, width, nil), mat.NewDense(n, width, nil)
	for a, k := range e.layout.numbers {
		if e.at.root != nil {
			copy(whole.RawRowView(k), e.at.root.RawRowView(a))
		} else {
			whole.Set(k, a, e.at.scale[a])
		}
	}
	if e.a != nil {
		points.Slice(0, n, 0, first).(*mat.Dense).Copy(e.a)
	}
	for g, s := range e.layout.categories {
		_, r := roots[g].Dims()
		base := mat.NewVecDense(r, nil)
		base.MulVec(roots[g].T(), mat.NewVecDense(len(s.base), s.base))
		for a, k := range s.columns {
			copy(whole.RawRowView(k)[first:], roots[g].RawRowView(a))
		}
		for i := range n {
			to := points.RawRowView(i)[first : first+r]
			copy(to, base.RawVector().Data)
			col, val := e.coded[g].levels.Row(int(e.coded[g].code[i]))
			for q, k := range col {
				for j, v := range roots[g].RawRowView(int(k)) {
					to[j] += float64(val[q] * v)
				}
			}
		}
		first += r
	}
	return whole, krr.NewModel(c, points, e.alpha, e.bias, krr.Stats{Rows: n})
}

// form lists what a file holds of the function. Writing and reading a file go through these same statements.
func (e *expansion) form(x *modelfile.Exchange, metric Metric) {
	if x.Reading() {
		e.layout, e.at.metric = new(layout), metric
	}
	l := e.layout
	x.Dense("coefficients", &e.alpha, -1, -1)
	n, t := -1, -1
	if e.alpha != nil {
		n, t = e.alpha.Dims()
	}
	x.Float64("bias", &e.bias, t)
	x.Number("length", &e.length)
	x.Require(e.length > 0, "length", "%v", e.length)
	if x.Optional("numbers", len(l.numbers) > 0) {
		x.Ints("numbers", &l.numbers, -1, 0, math.MaxInt32)
		r := len(l.numbers)
		if metric == Full {
			x.Dense("root", &e.at.root, r, -1)
			if e.at.root != nil {
				_, r = e.at.root.Dims()
			}
		} else {
			x.Float64("scale", &e.at.scale, r)
		}
		x.Dense("points", &e.a, n, r)
	}
	for g := 0; ; g++ {
		if !x.OptionalPart(fmt.Sprint("category", g), g < len(l.categories)) {
			break
		}
		if x.Reading() {
			l.categories, e.coded, e.at.levels = append(l.categories, category{}), append(e.coded, &coded{}), append(e.at.levels, square{})
		}
		x.Part(fmt.Sprint("category", g), func(x *modelfile.Exchange) {
			form(x, &l.categories[g], e.coded[g], &e.at.levels[g], n)
		})
	}
	if !x.Reading() {
		return
	}
	all := slices.Clone(l.numbers)
	for _, s := range l.categories {
		all = append(all, s.columns...)
	}
	slices.Sort(all)
	for k, at := range all {
		x.Require(at == k, "numbers", "column %d of %d is missing or is in two places", k, len(all))
	}
	l.d = len(all)
}

// form lists what a file holds of a category in n rows. Writing and reading a file go through these same statements.
func form(x *modelfile.Exchange, s *category, c *coded, m *square, n int) {
	x.Ints("columns", &s.columns, -1, 0, math.MaxInt32)
	width := len(s.columns)
	x.Float64("base", &s.base, width)
	m.form(x, width)
	x.CSR("levels", &c.levels, -1, width)
	levels := 0
	if c.levels != nil {
		levels = c.levels.N
		x.Require(c.levels.Val != nil || len(c.levels.Col) == 0, "levels", "there are no values")
	}
	x.Int32("code", &c.code, n, 0, int32(levels-1))
}

// form lists what a file holds of a block of width columns. Writing and reading a file go through these same statements.
func (m *square) form(x *modelfile.Exchange, width int) {
	if x.Optional("metric", m.full != nil) {
		x.Dense("metric", &m.full, width, width)
	} else {
		x.Float64("diagonal", &m.diagonal, width)
	}
}

// complete computes the tables, which are not stored, from the metric and the levels.
func (e *expansion) complete() {
	e.tables = nil
	for g, c := range e.coded {
		e.tables = append(e.tables, newTable(e.at.metric, e.at.levels[g], c.levels))
	}
}

// levelRows is the number of rows whose distances from all rows of the fit are held together.
const levelRows = 16

// levelled is the gram.Program of an expansion, with its numbers in F.
type levelled[F gram.Float] struct {
	e      *expansion
	r      int
	root   gram.Rows[F] // r×d0; of no rows: scale
	scale  []F
	bases  [][]F
	block  *kernel.Block[F] // nil if no columns are numbers
	alpha  gram.Rows[F]     // t×n
	bias   []F
	levels int       // of a category at most
	width  int       // columns of a category at most
	pool   sync.Pool // *levelSpace[F]
}

// levelSpace is the work memory of one call of a levelled program.
type levelSpace[F gram.Float] struct {
	row, numbers, mapped, far, factors []F
	table, room                        []float64
	col                                []int32
	val                                []float64
}

func newLevelled[F gram.Float](e *expansion) *levelled[F] {
	p := &levelled[F]{e: e, alpha: program.Rows[F](mat.DenseCopyOf(e.alpha.T())), bias: program.Convert[F](e.bias)}
	if e.a != nil {
		_, p.r = e.a.Dims()
		p.block = kernel.Against[F](distancesOf(e.at.metric, e.length), e.a)
		if e.at.root != nil {
			p.root = program.Rows[F](mat.DenseCopyOf(e.at.root.T()))
		} else {
			p.scale = program.Convert[F](e.at.scale)
		}
	}
	for g, s := range e.layout.categories {
		p.bases = append(p.bases, program.Convert[F](s.base))
		p.levels, p.width = max(p.levels, e.tables[g].levels.N), max(p.width, len(s.columns))
	}
	p.pool.New = func() any {
		return &levelSpace[F]{
			row: make([]F, e.layout.d), numbers: make([]F, len(e.layout.numbers)), mapped: make([]F, levelRows*p.r), far: make([]F, levelRows*p.alpha.D), factors: make([]F, p.levels),
			table: make([]float64, p.levels), room: make([]float64, p.width),
		}
	}
	return p
}

// Dims returns the number of columns and of functions.
func (p *levelled[F]) Dims() (d, outputs int) { return p.e.layout.d, p.alpha.N }

// Cost returns the flops of one row, the bytes that the program holds and the bytes of the workspace of one call.
func (p *levelled[F]) Cost() gram.Plan {
	n, d := p.alpha.D, p.e.layout.d
	root := len(p.scale) + p.root.N*p.root.D
	c := gram.Plan{Description: fmt.Sprintf("kernel expansion on %d rows of %d mapped columns and %d categories", n, p.r, len(p.bases))}
	c.Flops = float64(2*root+d) + float64(n)*float64(2*p.r+25+len(p.bases)+2*p.alpha.N)
	numbers := int64(root + n*(p.r+p.alpha.N))
	for g, t := range p.e.tables {
		k := int64(t.m.size())
		c.Flops += 4 * float64(t.levels.NNZ())
		if t.m.full != nil {
			numbers += k * k
		}
		numbers += 4*k + 3*int64(t.levels.NNZ())
		c.ModelBytes += 4 * int64(len(p.e.coded[g].code))
	}
	c.ModelBytes += 8 * numbers
	c.PeakBytes = program.Size[F](levelRows*(p.r+n)+2*d+p.levels) + 8*int64(p.levels+p.width)
	return c
}

// Row sets dst to the values for x.
func (p *levelled[F]) Row(dst, x []F) { program.Row(p, dst, x) }

// Rows sets dst to the values for the rows of x.
func (p *levelled[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	program.Check("rfm", p, dst, x)
	s := p.pool.Get().(*levelSpace[F])
	n := p.alpha.D
	for lo := 0; lo < dst.N; lo += levelRows {
		hi := min(lo+levelRows, dst.N)
		far := gram.Rows[F]{Data: s.far[:(hi-lo)*n], N: hi - lo, D: n, Stride: n}
		if p.block != nil {
			z := gram.Rows[F]{Data: s.mapped[:(hi-lo)*p.r], N: hi - lo, D: p.r, Stride: p.r}
			for i := range z.N {
				p.image(z.Row(i), s.numbers, x.Row(s.row, lo+i))
			}
			p.block.FillSerial(far, gram.Dense(z))
		} else {
			var start F
			if p.e.at.metric == Manhattan {
				start = 1
			}
			program.Fill(far.Data, start)
		}
		for i := range far.N {
			k := far.Row(i)
			p.add(s, k, x.Row(s.row, lo+i))
			if p.e.at.metric != Manhattan {
				l := F(-1 / p.e.length)
				for j, v := range k {
					k[j] = l * F(math.Sqrt(float64(max(0, v))))
				}
				vec.Exp(k, k)
			}
			to := dst.Row(lo + i)
			copy(to, p.bias)
			level2.GemvN(to, p.alpha.Data, p.alpha.Stride, k, 1)
		}
	}
	p.pool.Put(s)
}

// image sets to to the mapped numbers of a row.
func (p *levelled[F]) image(to, numbers, row []F) {
	for a, k := range p.e.layout.numbers {
		numbers[a] = row[k]
	}
	if p.scale != nil {
		for a, v := range p.scale {
			to[a] = v * numbers[a]
		}
		return
	}
	clear(to)
	level2.GemvN(to, p.root.Data, p.root.Stride, numbers, 1)
}

// add adds the squared distances of the categories of a row to k; for sums of absolute differences it multiplies kernel values.
func (p *levelled[F]) add(s *levelSpace[F], k, row []F) {
	for g, t := range p.e.tables {
		s.col, s.val = levelOf(s.col[:0], s.val[:0], p.e.layout.categories[g].columns, p.bases[g], row)
		far, factors, code := s.table[:t.levels.N], s.factors[:t.levels.N], p.e.coded[g].code
		t.row(far, s.room[:t.levels.D], s.col, s.val)
		if t.manhattan {
			for q, v := range far {
				far[q] = -v / p.e.length
			}
			vec.Exp(far, far)
		}
		for q, v := range far {
			factors[q] = F(v)
		}
		if t.manhattan {
			for j := range k {
				k[j] *= factors[code[j]]
			}
			continue
		}
		for j := range k {
			k[j] += factors[code[j]]
		}
	}
}

// levelOf appends to col and val what a row has in these columns less the base.
func levelOf[F gram.Float](col []int32, val []float64, columns []int, base, row []F) ([]int32, []float64) {
	for c, k := range columns {
		if v := row[k] - base[c]; v != 0 {
			col, val = append(col, int32(c)), append(val, float64(v))
		}
	}
	return col, val
}
