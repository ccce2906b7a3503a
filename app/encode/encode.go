package encode

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Categories selects which numbers the levels of a category become.
type Categories uint8

const (
	AutoCategories Categories = iota // OneHot up to 32 levels, TargetMean beyond where there is one target
	OneHot
	TargetMean
	Ordinal
)

var categoryNames = [...]string{"auto", "onehot", "target", "ordinal"}

// String returns the name that ParseCategories reads.
func (c Categories) String() string { return settings.Name(c, categoryNames[:]...) }

// ParseCategories is the inverse of String.
func ParseCategories(s string) (Categories, error) {
	i := slices.Index(categoryNames[:], s)
	if i < 0 {
		return 0, settings.Refuse("categories", s, "auto, onehot, target or ordinal")
	}
	return Categories(i), nil
}

// Fill selects what a missing number becomes.
type Fill uint8

const (
	AutoFill Fill = iota // Median, but Keep for methods that take missing numbers
	Median               // the lower one of an even number of cells
	Mean
	Keep // NaN, without an indicator
)

var fillNames = [...]string{"auto", "median", "mean", "keep"}

// String returns the name of the value: auto, median, mean or keep.
func (f Fill) String() string { return settings.Name(f, fillNames[:]...) }

// ParseFill is the inverse of String, but for Keep, which is no choice for most methods.
func ParseFill(s string) (Fill, error) {
	i := slices.Index(fillNames[:Keep], s)
	if i < 0 {
		return 0, settings.Refuse("fill", s, "auto, median or mean")
	}
	return Fill(i), nil
}

// Config says how the columns of a table become numbers. The zero value is usable.
type Config struct {
	Categories  Categories
	Fill        Fill
	NoIndicator bool    // there is no column that says where numbers were missing
	Smoothing   float64 // of TargetMean, in rows; 0: 10
	Seed        uint64  // of the parts of TargetMean
}

const (
	dateParts = 4  // columns of a date
	mostHot   = 32 // levels that AutoCategories makes columns of
	parts     = 5  // of the cross-fitting
	smoothing = 10
)

// Encoding makes numbers of the columns of a table. It is immutable and safe for concurrent
// use.
type Encoding struct {
	columns []column
	width   int
}

// column says what one column of the table becomes: values[k·width:][:width] for level k. The level after the last one stands for
// a text unknown in training, the level after that for a missing cell. A date becomes its year, month, day of the week and days
// since the first date, values[0].
type column struct {
	levels    int // 0: a number or a date
	width     int
	first     int // the first of its columns
	values    []float64
	fill      float64
	missing   bool // cells may be missing
	indicator bool // the column after the number says where it was missing
}

// Fit learns the encoding of the rows of d and returns it with the encoded rows, which
// differ from Apply's with TargetMean. The encoding is nil, and the matrix d.X, if d has
// nothing but numbers. A column of numbers without any value becomes 0 in all rows.
//
// Cost: a pass over the rows, and a sort of each column with missing numbers.
func (c Config) Fit(d *dataset.Set) (*Encoding, mat.Matrix, error) {
	if !d.Schema.Mixed() {
		return nil, d.X, nil
	}
	n, columns := d.Dims()
	if columns != len(d.Schema.Columns) {
		panic("encode: the matrix has another number of columns than its schema")
	}
	goals := targetsOf(d)
	e, crossed := c.encoding(d.Schema, goals.width(), func(j int) (float64, bool) { return c.fill(mat.Col(nil, j, d.X)) })
	for _, j := range crossed {
		goals.means(&e.columns[j], d.X, j, nil, cmp.Or(c.Smoothing, smoothing))
	}
	x := e.Apply(d.X).(*mat.Dense)
	if len(crossed) == 0 || n < 2 {
		return e, x, nil
	}
	folds := crossval.Parts(n, min(parts, n), d.Labels.Class, rng.Derive(c.Seed, "encode"))
	for f := range folds {
		split := crossval.Leave(folds, f)
		for _, j := range crossed {
			part := e.columns[j]
			part.values = slices.Clone(part.values)
			goals.means(&part, d.X, j, split.Train, cmp.Or(c.Smoothing, smoothing))
			for _, i := range split.Held {
				part.row(x.RawRowView(i), d.X.At(i, j))
			}
		}
	}
	return e, x, nil
}

// encoding returns the encoding of the columns of s without the means of TargetMean, and the
// columns that have these. functions is the width of the targets; fill returns what a missing
// number of column j becomes, and false if it has no value.
func (c Config) encoding(s *dataset.Schema, functions int, fill func(j int) (float64, bool)) (e *Encoding, crossed []int) {
	e = &Encoding{columns: make([]column, len(s.Columns))}
	for j, about := range s.Columns {
		to := &e.columns[j]
		if about.Kind == dataset.Category {
			kind := c.kind(len(about.Levels), functions)
			*to = category(kind, len(about.Levels), about.Missing, functions)
			if kind == TargetMean {
				crossed = append(crossed, j)
			}
		} else if *to = plain(about, about.Missing && c.Fill != Keep); to.missing {
			known := true
			if to.fill, known = fill(j); !known {
				*to = nothing()
			} else if !c.NoIndicator {
				to.indicator = true
				to.width++
			}
		}
		to.first = e.width
		e.width += to.width
	}
	return e, crossed
}

// plain returns the column of a number or a date, without an indicator.
func plain(source dataset.Column, missing bool) column {
	if source.Kind == dataset.Date {
		return column{width: dateParts, missing: missing, values: []float64{source.First}}
	}
	return column{width: 1, missing: missing}
}

// nothing returns the column of numbers that has no value in training: it is 0, whatever the cell.
func nothing() column { return column{levels: 1, width: 1, missing: true, values: make([]float64, 3)} }

// Empty returns the columns of numbers that had no value in training, by their titles.
func (e *Encoding) Empty(s *dataset.Schema) []string {
	var titles []string
	for j, c := range e.columns {
		if c.levels > 0 && s.Columns[j].Kind != dataset.Category {
			titles = append(titles, s.Title(j))
		}
	}
	return titles
}

// kind resolves c.Categories for a category of so many levels and targets of that width; without a target, of width 0, there are
// no target means.
func (c Config) kind(levels, width int) Categories {
	switch {
	case c.Categories == TargetMean && width == 0:
		return OneHot
	case c.Categories != AutoCategories:
		return c.Categories
	case levels <= mostHot || width == 0:
		return OneHot
	}
	return TargetMean
}

// Width returns the number of columns that Fit makes of those of the schema, for a target of
// so many functions: 1 for values and for two classes, 0 without one target.
func (c Config) Width(s *dataset.Schema, functions int) int {
	width := 0
	for _, about := range s.Columns {
		switch {
		case about.Kind == dataset.Category:
			width += category(c.kind(len(about.Levels), functions), len(about.Levels), about.Missing, functions).width
		default:
			if width += plain(about, false).width; about.Missing && !c.NoIndicator && c.Fill != Keep {
				width++
			}
		}
	}
	return width
}

// category returns the column of a category; that of TargetMean is without its means.
func category(kind Categories, levels int, missing bool, goals int) column {
	c := column{levels: levels, missing: missing}
	switch kind {
	case OneHot:
		c.width = levels
		if missing {
			c.width++
		}
	case TargetMean:
		c.width = goals
	default:
		c.width = 1
	}
	c.values = make([]float64, (levels+2)*c.width)
	switch kind {
	case OneHot:
		for k := range levels {
			c.values[k*c.width+k] = 1
		}
		if missing {
			c.values[len(c.values)-1] = 1
		}
	case Ordinal:
		for k := range levels {
			c.values[k] = float64(k)
		}
		c.values[levels], c.values[levels+1] = -1, -2
	}
	return c
}

// fill returns what a missing number of the column becomes, and false if all are missing.
func (c Config) fill(cells []float64) (float64, bool) {
	cells = slices.DeleteFunc(cells, func(v float64) bool { return v != v })
	if len(cells) == 0 {
		return 0, false
	}
	if c.Fill == Mean {
		var sum exact
		for _, v := range cells {
			sum.add(v)
		}
		return sum.mean(int64(len(cells))), true
	}
	slices.Sort(cells)
	return cells[(len(cells)-1)/2], true
}

// goals are the numbers whose means TargetMean takes: the values, or for each class but
// the first 1 for its rows, for all classes if there are more than two.
type goals struct {
	value []float64
	class []int
	k     int // classes
}

func targetsOf(d *dataset.Set) goals {
	return goals{d.Value, d.Labels.Class, len(d.Labels.Names)}
}

func (g goals) width() int {
	switch {
	case g.value != nil:
		return 1
	case g.class != nil:
		return multiclass.Functions(g.k)
	}
	return 0
}

// add adds the target of row i to sum.
func (g goals) add(sum []exact, i int) {
	switch {
	case g.value != nil:
		sum[0].add(g.value[i])
	case len(sum) > 1:
		sum[g.class[i]].add(1)
	case g.class[i] == 1:
		sum[0].add(1)
	}
}

// means sets the values of c to the shrunk means of the given rows, nil meaning all.
func (g goals) means(c *column, x mat.Matrix, j int, rows []int, smoothing float64) {
	n, _ := x.Dims()
	if rows != nil {
		n = len(rows)
	}
	s := newSums(c)
	for k := range n {
		i := k
		if rows != nil {
			i = rows[k]
		}
		s.add(c.level(x.At(i, j)), g, i)
	}
	s.means(c, smoothing)
}

// sums add up the targets of the rows of each level of a category.
type sums struct {
	count []int64
	sum   []exact // level by level
}

func newSums(c *column) sums {
	return sums{make([]int64, c.levels+2), make([]exact, (c.levels+2)*c.width)}
}

// add adds row i, whose cell is of the given level.
func (s sums) add(level int, g goals, i int) {
	width := len(s.sum) / len(s.count)
	s.count[level]++
	g.add(s.sum[level*width:][:width], i)
}

// merge adds the sums and counts of other rows.
func (s sums) merge(o sums) {
	for i := range s.count {
		s.count[i] += o.count[i]
	}
	for i := range s.sum {
		s.sum[i].merge(o.sum[i])
	}
}

// means sets the values of c to the shrunk means.
func (s sums) means(c *column, smoothing float64) {
	all, n := make([]exact, c.width), int64(0)
	for at, count := range s.count {
		n += count
		for k := range all {
			all[k].merge(s.sum[at*c.width+k])
		}
	}
	for at, count := range s.count {
		for k := range all {
			c.values[at*c.width+k] = (s.sum[at*c.width+k].value() + smoothing*all[k].value()/float64(n)) / (float64(count) + smoothing)
		}
	}
}

// level returns the place of the values of a cell.
func (c *column) level(v float64) int {
	switch {
	case v != v:
		return c.levels + 1
	case v >= 0 && v < float64(c.levels):
		return int(v)
	}
	return c.levels
}

// row sets the column's places in an encoded row.
func (c *column) row(dst []float64, v float64) {
	dst = dst[c.first:][:c.width]
	if c.levels > 0 {
		copy(dst, c.values[c.level(v)*c.width:])
		return
	}
	if c.indicator {
		dst[c.width-1] = 0
		if v != v {
			dst[c.width-1] = 1
		}
	}
	if c.missing && v != v {
		v = c.fill
	}
	switch {
	case c.values == nil:
		dst[0] = v
	case v != v:
		for k := range dateParts {
			dst[k] = v
		}
	default:
		year, month, weekday := dataset.Calendar(v)
		dst[0], dst[1], dst[2], dst[3] = float64(year), float64(month), float64(weekday), v-c.values[0]
	}
}

// Dims returns the number of columns of the table and of the encoded rows.
func (e *Encoding) Dims() (columns, width int) { return len(e.columns), e.width }

// Names returns the names of the encoded columns: "color=red", "age", "age missing", "born year".
func (e *Encoding) Names(s *dataset.Schema) []string {
	var names []string
	for j, c := range e.columns {
		name := s.Columns[j].Name
		if name == "" {
			name = fmt.Sprintf("x%d", j+1)
		}
		switch {
		case c.levels == 0:
			if c.values == nil {
				names = append(names, name)
			} else {
				names = append(names, name+" year", name+" month", name+" weekday", name+" days")
			}
			if c.indicator {
				names = append(names, name+" missing")
			}
		case c.width >= c.levels && c.width > 1 && c.hot():
			for _, text := range s.Columns[j].Levels {
				names = append(names, name+"="+text)
			}
			if c.width > c.levels {
				names = append(names, name+" missing")
			}
		case c.width == 1:
			names = append(names, name)
		default:
			for k := range c.width {
				names = append(names, fmt.Sprintf("%s (class %d)", name, k+1))
			}
		}
	}
	return names
}

// hot reports whether each level has a column of its own.
func (c *column) hot() bool {
	for k := range c.levels {
		for i, v := range c.values[k*c.width:][:c.width] {
			if v != 0 && v != 1 || (v == 1) != (i == k) {
				return false
			}
		}
	}
	return true
}

// Places returns the column of the table that each encoded column comes from.
func (e *Encoding) Places() []int {
	var places []int
	for j, c := range e.columns {
		for range c.width {
			places = append(places, j)
		}
	}
	return places
}

// Apply returns the encoded rows of x, which has the columns of the table. A number that is missing in a column that had none
// missing becomes NaN; a category that is missing there becomes what an unknown level becomes, or −2 with Ordinal. It panics if x
// has another number of columns.
func (e *Encoding) Apply(x mat.Matrix) mat.Matrix {
	n, d := x.Dims()
	if d != len(e.columns) {
		panic("encode: the matrix has another number of columns than the encoding")
	}
	if n == 0 {
		return &mat.Dense{}
	}
	out := mat.NewDense(n, e.width, nil)
	s := gram.Of(x)
	row := make([]float64, d)
	for i := range n {
		dst := out.RawRowView(i)
		for j, v := range s.Row(row, i) {
			e.columns[j].row(dst, v)
		}
	}
	return out
}

// Scaled returns the rows of x encoded by e and then scaled by s, where nil changes nothing. x stays as it is, and its rows are
// copied once at most.
func Scaled(e *Encoding, s *dataset.Scaling, x mat.Matrix) mat.Matrix {
	if e == nil && s == nil {
		return x
	}
	if e == nil {
		return s.Apply(x)
	}
	x = e.Apply(x)
	if n, _ := x.Dims(); s != nil && n > 0 {
		s.ApplyInPlace(x.(*mat.Dense))
	}
	return x
}

// Exchange describes in a file how each column is encoded. A file whose widths and values do not fit together is refused.
func (e *Encoding) Exchange(x *modelfile.Exchange) {
	x.Header("encoding", 1, &struct{}{})
	n := len(e.columns)
	levels, width, missing, indicator := make([]int, n), make([]int, n), make([]int, n), make([]int, n)
	fill := make([]float64, n)
	var values []float64
	flag := map[bool]int{true: 1}
	for j, c := range e.columns {
		levels[j], width[j], missing[j], indicator[j], fill[j] = c.levels, c.width, flag[c.missing], flag[c.indicator], c.fill
		values = append(values, c.values...)
	}
	x.Float64("fill", &fill, -1)
	n = len(fill)
	x.Ints("levels", &levels, n, 0, modelfile.MaxCount)
	x.Ints("width", &width, n, 1, modelfile.MaxCount)
	x.Ints("missing", &missing, n, 0, 1)
	x.Ints("indicator", &indicator, n, 0, 1)
	x.Float64("values", &values, -1)
	if !x.Reading() {
		return
	}
	e.columns, e.width = make([]column, n), 0
	for j := range e.columns {
		c := column{levels: levels[j], width: width[j], first: e.width, fill: fill[j], missing: missing[j] == 1, indicator: indicator[j] == 1}
		need := 0
		date := c.levels == 0 && c.width == dateParts+indicator[j]
		if c.levels > 0 {
			need = (c.levels + 2) * c.width
		} else if date {
			need = 1
		}
		if need > len(values) || c.levels == 0 && !date && c.width != 1+indicator[j] || e.width > modelfile.MaxCount-c.width {
			x.Errorf("width", "column %d of %d levels is %d wide", j+1, c.levels, c.width)
			return
		}
		if need > 0 {
			c.values, values = values[:need:need], values[need:]
		}
		e.columns[j] = c
		e.width += c.width
	}
	x.Require(len(values) == 0, "values", "%d too many", len(values))
}

// Encode stores the encoding, usually as a part of a model.
func (e *Encoding) Encode(w *modelfile.Writer) error { return modelfile.Put(w, e.Exchange) }

// Decode reads what Encode wrote.
func Decode(f *modelfile.File) (*Encoding, error) {
	return modelfile.Get(f, &Encoding{}, (*Encoding).Exchange)
}
