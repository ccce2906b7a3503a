package encode

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Fills finds out, in a pass over rows that are not in memory, what missing numbers become. Sums for means are exact. Medians are
// taken from a sample, the rows with the smallest keys, and exact if the sample has all rows. Neither depends on how the rows are
// divided into parts that are merged.
type Fills struct {
	maxRows int // rows of the sample
	rows    int64
	sum     []exact
	n       []int64 // numbers of each column
	all     []sampled
}

// sampled is a row of the sample: its random key, its place among all rows, and its numbers, NaN where there is none.
type sampled struct {
	key       uint64
	item, row int64
	numbers   []float64
}

func (a sampled) compare(b sampled) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.item, b.item), cmp.Compare(a.row, b.row))
}

// NewFills returns Fills without rows whose sample has at most so many rows.
func NewFills(sample int) *Fills { return &Fills{maxRows: sample} }

// Add adds a row, with NaN for cells that are no numbers. Its key is random; item and row say
// where it is, once among all rows.
func (f *Fills) Add(key uint64, item, row int64, numbers []float64) {
	if f.sum == nil {
		f.sum, f.n = make([]exact, len(numbers)), make([]int64, len(numbers))
	}
	f.rows++
	for j, v := range numbers {
		if v == v {
			f.sum[j].add(v)
			f.n[j]++
		}
	}
	f.all = append(f.all, sampled{key, item, row, slices.Clone(numbers)})
	if len(f.all) >= 2*f.maxRows {
		f.cut()
	}
}

// cut keeps the rows with the smallest keys.
func (f *Fills) cut() {
	slices.SortFunc(f.all, sampled.compare)
	if len(f.all) > f.maxRows {
		clear(f.all[f.maxRows:])
		f.all = f.all[:f.maxRows]
	}
}

// Merge adds the rows of o, which have the same columns.
func (f *Fills) Merge(o *Fills) {
	if f.sum == nil {
		f.sum, f.n = make([]exact, len(o.sum)), make([]int64, len(o.sum))
	}
	f.rows += o.rows
	for j := range o.sum {
		f.sum[j].merge(o.sum[j])
		f.n[j] += o.n[j]
	}
	f.all = append(f.all, o.all...)
	f.cut()
}

// Exact reports whether the sample has all rows.
func (f *Fills) Exact() bool { return f.rows == int64(len(f.all)) }

// Exchange describes in a file the sums of the columns and the sample.
func (f *Fills) Exchange(x *modelfile.Exchange) {
	f.cut()
	head := struct{ Rows int64 }{f.rows}
	x.Header("encode.fills", 1, &head)
	var keys, items, rows []int64
	var numbers, terms []float64
	counts := make([]int, len(f.sum))
	for j, e := range f.sum {
		counts[j], terms = len(e), append(terms, e...)
	}
	for _, r := range f.all {
		keys, items, rows = append(keys, int64(r.key)), append(items, r.item), append(rows, r.row)
		numbers = append(numbers, r.numbers...)
	}
	x.Int64("n", &f.n, -1)
	x.Ints("counts", &counts, len(f.n), 0, 1<<12)
	x.Float64("terms", &terms, -1)
	x.Int64("keys", &keys, -1)
	x.Int64("items", &items, len(keys))
	x.Int64("rows", &rows, len(keys))
	x.AnyFloat64("numbers", &numbers, len(keys)*len(f.n))
	if !x.Reading() {
		return
	}
	x.Require(len(keys) <= f.maxRows, "keys", "%d rows, want at most %d", len(keys), f.maxRows)
	f.rows, f.sum, f.all = head.Rows, make([]exact, len(f.n)), nil
	for j, k := range counts {
		if k > len(terms) {
			x.Errorf("terms", "too few")
			return
		}
		f.sum[j], terms = terms[:k:k], terms[k:]
	}
	d := len(f.n)
	for i := range keys {
		f.all = append(f.all, sampled{uint64(keys[i]), items[i], rows[i], numbers[i*d:][:d:d]})
	}
	x.Require(slices.IsSortedFunc(f.all, sampled.compare), "keys", "they do not ascend")
}

// Streamed is an Encoding that was learned from a stream of rows. With TargetMean, the rows that a
// method learns from are cross-fitted: each belongs to one of Folds parts, and gets the means of the
// rows of the other parts.
type Streamed struct {
	*Encoding
	crossed []*Encoding // without the rows of each part; nil: there are no means
}

// Folds is the number of parts for the cross-fitting.
const Folds = parts

// Encoding returns the encoding of the columns of s that follows from f, and the state of the pass
// that sums the targets for TargetMean, nil if no column needs it. functions is the width of the
// targets, as for Width.
func (c Config) Encoding(s *dataset.Schema, functions int, f *Fills) (*Streamed, *Means) {
	e, crossed := c.encoding(s, functions, func(j int) (float64, bool) { return c.filled(f, j) })
	if crossed == nil {
		return &Streamed{Encoding: e}, nil
	}
	m := &Means{e: e, columns: crossed, smoothing: cmp.Or(c.Smoothing, smoothing)}
	for range Folds {
		for _, j := range crossed {
			m.sums = append(m.sums, newSums(&e.columns[j]))
		}
	}
	return nil, m
}

// Means sum the targets of the rows for TargetMean, exactly: the levels and parts have sums of
// their own, which do not depend on the order of the rows.
type Means struct {
	e         *Encoding // without means
	columns   []int     // with TargetMean
	smoothing float64
	sums      []sums // part by part, and column by column
}

// Add adds the targets of the rows of d, which has the columns of the schema, to the sums; row i is in part fold(i).
func (m *Means) Add(d *dataset.Set, fold func(i int) int) {
	n, _ := d.Dims()
	g := targetsOf(d)
	for i := range n {
		part := m.sums[fold(i)*len(m.columns):]
		for k, j := range m.columns {
			part[k].add(m.e.columns[j].level(d.X.At(i, j)), g, i)
		}
	}
}

// Merge adds the sums of o, which Config.Encoding has made for the same schema.
func (m *Means) Merge(o *Means) {
	for k := range m.sums {
		m.sums[k].merge(o.sums[k])
	}
}

// Encoding returns the encoding with the means of all rows, and those without each part for cross-fitting.
func (m *Means) Encoding() *Streamed {
	s := &Streamed{Encoding: m.without(-1)}
	for f := range Folds {
		s.crossed = append(s.crossed, m.without(f))
	}
	return s
}

// without returns the encoding with the means of the rows that are not in part f, or of all rows if f is −1 or there is no such
// row.
func (m *Means) without(f int) *Encoding {
	e := &Encoding{columns: slices.Clone(m.e.columns), width: m.e.width}
	for k, j := range m.columns {
		c := &e.columns[j]
		c.values = slices.Clone(c.values)
		all := newSums(c)
		for g := range Folds {
			if g != f {
				all.merge(m.sums[g*len(m.columns)+k])
			}
		}
		if f >= 0 && !slices.ContainsFunc(all.count, func(n int64) bool { return n > 0 }) {
			return m.without(-1)
		}
		all.means(c, m.smoothing)
	}
	return e
}

// Exchange describes in a file the counts and the sums of all levels and parts.
func (m *Means) Exchange(x *modelfile.Exchange) {
	x.Header("encode.means", 1, &struct{}{})
	var counts []int64
	var lengths []int
	var terms []float64
	for _, s := range m.sums {
		counts = append(counts, s.count...)
		for _, e := range s.sum {
			lengths, terms = append(lengths, len(e)), append(terms, e...)
		}
	}
	x.Int64("counts", &counts, len(counts))
	x.Ints("lengths", &lengths, len(lengths), 0, 1<<12)
	x.Float64("terms", &terms, -1)
	if !x.Reading() {
		return
	}
	for _, s := range m.sums {
		counts = counts[copy(s.count, counts):]
		for i := range s.sum {
			k := lengths[0]
			if k > len(terms) {
				x.Errorf("terms", "too few")
				return
			}
			s.sum[i], terms, lengths = terms[:k:k], terms[k:], lengths[1:]
		}
	}
}

// Train returns the encoded rows of x for a method that learns from them; row i is in part fold(i).
func (s *Streamed) Train(x mat.Matrix, fold func(i int) int) mat.Matrix {
	if s.crossed == nil {
		return s.Apply(x)
	}
	n, d := x.Dims()
	out := mat.NewDense(n, s.width, nil)
	row := make([]float64, d)
	from := gram.Of(x)
	for i := range n {
		e := s.crossed[fold(i)]
		for j, v := range from.Row(row, i) {
			e.columns[j].row(out.RawRowView(i), v)
		}
	}
	return out
}

// Exchange describes in a file the encoding of all rows and, with target means, those without each part.
func (s *Streamed) Exchange(x *modelfile.Exchange) {
	all := append([]*Encoding{s.Encoding}, s.crossed...)
	folds := len(s.crossed)
	x.Int("folds", &folds, 0, Folds)
	if x.Reading() {
		all = make([]*Encoding, 1+folds)
	}
	for k := range all {
		modelfile.Part(x, fmt.Sprintf("encoding%d", k), &all[k], Decode)
	}
	if x.Reading() {
		s.Encoding, s.crossed = all[0], all[1:]
		x.Require(folds == 0 || folds == Folds, "folds", "%d", folds)
		for _, e := range s.crossed {
			x.Require(e.width == s.width && len(e.columns) == len(s.columns), "folds", "the parts differ")
		}
		if folds == 0 {
			s.crossed = nil
		}
	}
}

// filled returns what a missing number of column j becomes, and false if there is none.
func (c Config) filled(f *Fills, j int) (float64, bool) {
	if f.n == nil || f.n[j] == 0 {
		return 0, false
	}
	if c.Fill != Mean {
		cells := make([]float64, len(f.all))
		for i, r := range f.all {
			cells[i] = r.numbers[j]
		}
		if v, ok := c.fill(cells); ok {
			return v, true
		}
		// All cells of the sample are missing.
	}
	return f.sum[j].mean(f.n[j]), true
}
