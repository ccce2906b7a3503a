package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// targets collects the targets of rows and decides what they are.
type targets struct {
	task    Task
	names   map[string]int // Options.Names: spelling to class
	list    []string       // Options.Names
	value   []float64      // Regression, and while the task is open
	id      []int32        // Classes, and while the task is open: index into texts
	texts   []string
	ids     map[string]int32
	ptr     []int // MultiLabel
	tag     []int32
	maxTag  int
	keep    bool // rows are kept; else only what Scan needs
	n       int64
	buf     []byte
	byValue map[float64]int // for names that are numbers
	auto    bool            // Options.Task was AutoTask, so the labels decide
	named   string          // the first label that is no number
	line    int             // line of the label in named
	broken  bool            // some label is a number that is not whole
}

// mostTexts bounds how many labels are taken for classes.
const mostTexts = 1 << 20

func newTargets(o Options, keep bool) *targets {
	t := &targets{task: o.Task, auto: o.Task == AutoTask, keep: keep, ids: map[string]int32{}, ptr: []int{0}, list: o.Names}
	if o.Names != nil {
		t.byValue = map[float64]int{}
		t.names = placesOf(o.Names)
		for c, s := range o.Names {
			if v, err := strconv.ParseFloat(s, 64); err == nil && !math.IsNaN(v) {
				t.byValue[v] = c
			}
		}
	}
	return t
}

// add appends the target of row r, read as the task requires.
func (t *targets) add(src source, r *row) error {
	t.n++
	if t.task == NoTarget {
		return nil
	}
	if r.isTags {
		t.task = MultiLabel
		if k := len(r.tags); k > 0 {
			t.maxTag = max(t.maxTag, int(r.tags[k-1])+1)
		}
		if t.keep {
			t.tag = append(t.tag, r.tags...)
			t.ptr = append(t.ptr, len(t.tag))
		}
		return nil
	}
	if !r.hasText && !r.hasValue {
		if t.task != AutoTask {
			return src.fail(r, "there is no target (the task is %v)", t.task)
		}
		t.task = NoTarget
		return nil
	}
	text, v, numeric := r.target, r.value, true
	if r.hasText {
		var reason string
		if v, reason = parseNumber(text); reason != "" {
			switch {
			case r.named && MissingCell(text) && t.names == nil && (t.auto || t.task == Regression):
				return src.(*tableSource).lacking(r, "the target is missing: it is %s, which the task classes takes for a class; such rows can be left out", quote(text))
			case r.named && t.task == Regression:
				return src.fail(r, "wrong label: %s (the task classes takes text)", reason)
			case !r.named || t.task == Regression:
				return src.fail(r, "wrong label: %s", reason)
			}
			if numeric = false; t.named == "" {
				t.named, t.line = string(text), r.line
			}
		}
	} else {
		t.buf = strconv.AppendFloat(t.buf[:0], v, 'f', -1, 64)
		text = t.buf
	}
	if t.names != nil {
		c, ok := t.names[string(text)]
		if !ok && numeric {
			c, ok = t.byValue[v]
		}
		if !ok {
			return src.fail(r, "wrong label: %s is not among the %d classes expected", quote(text), len(t.list))
		}
		if t.keep {
			t.id = append(t.id, int32(c))
		}
		return nil
	}
	text = canonical(text)
	whole := !numeric || v == math.Trunc(v)
	t.broken = t.broken || !whole
	if t.task == AutoTask {
		switch {
		case !numeric:
			t.task, t.value = Classes, nil
		case !whole:
			t.toRegression()
		}
	}
	if t.keep && (t.task == Regression || t.task == AutoTask) {
		t.value = append(t.value, v)
	}
	if t.task == Regression {
		return nil
	}
	id, ok := t.ids[string(text)]
	if !ok {
		if t.task == AutoTask && len(t.texts) == mostTexts {
			t.toRegression()
			return nil
		}
		if len(t.texts) == math.MaxInt32 {
			return src.fail(r, "too many classes")
		}
		id = int32(len(t.texts))
		t.texts = append(t.texts, string(text))
		t.ids[t.texts[id]] = id
	}
	if t.keep {
		t.id = append(t.id, id)
	}
	return nil
}

func (t *targets) toRegression() {
	t.task, t.id, t.texts, t.ids = Regression, nil, nil, map[string]int32{}
}

// Bounds of what is taken for classes without being asked.
const (
	mostWhole   = 20 // different whole numbers
	mostSingles = 20 // classes that may be more than half as many as rows
)

// resolve decides an open task once all rows of the file have been seen. The error says that the
// targets make no sense as what they were taken for.
func (t *targets) resolve(file string) error {
	fail := func(reason string, args ...any) *ParseError {
		return &ParseError{File: file, Reason: fmt.Sprintf(reason, args...)}
	}
	k := int64(len(t.texts))
	switch {
	case t.task == AutoTask && k <= min(mostWhole, max(10, t.n/20)):
		t.task, t.value = Classes, nil
	case t.task == AutoTask:
		t.toRegression()
	case t.task != Classes || t.names != nil:
	case t.auto && t.numbers() > mostWhole:
		return withRemedies(fail("the target holds numbers and the text %s (line %d): correct it, or take all as classes", quote([]byte(t.named)), t.line), Options{Task: Classes})
	case t.auto && k > mostSingles && 2*k > t.n && decimalPoint(t.texts[0]) != "":
		return withRemedies(fail("the target holds numbers with decimal commas such as %s", quote([]byte(t.texts[0]))), withCommas)
	case t.auto && k > mostSingles && 2*k > t.n && isFormatted(t.texts[0]):
		return fail("the target holds numbers with units or separators such as %s: write them as plain numbers", quote([]byte(t.texts[0])))
	case t.auto && k > mostSingles && 2*k > t.n:
		return withRemedies(fail("the target holds %d different texts in %d rows, the first is %s: which column is the target? (with the task classes these are classes)", k, t.n, quote([]byte(t.texts[0]))), Options{Task: Classes})
	case t.broken && k > mostSingles && 2*k > t.n && t.named == "":
		return withRemedies(fail("the target holds %d different numbers in %d rows, which are values and not classes (the task regression takes them)", k, t.n), Options{Task: Regression})
	}
	return nil
}

// numbers counts the different labels that are numbers as parseNumber reads them.
func (t *targets) numbers() (n int) {
	for _, text := range t.texts {
		if _, reason := parseNumber([]byte(text)); reason == "" {
			n++
		}
	}
	return n
}

// put moves the collected targets into s and starts anew.
func (t *targets) put(s *Set, tags int) {
	switch t.task {
	case Regression:
		s.Value = t.value
		t.value = nil
	case Classes:
		s.Labels.Class = make([]int, len(t.id))
		if t.names != nil {
			s.Labels.Names = slices.Clone(t.list)
			for i, c := range t.id {
				s.Labels.Class[i] = int(c)
			}
		} else {
			l := gram.NewLabels(t.texts)
			s.Labels.Names = l.Names
			for i, id := range t.id {
				s.Labels.Class[i] = l.Class[id]
			}
		}
		t.id = nil
	case MultiLabel:
		s.Tags = &sparse.CSR{N: len(t.ptr) - 1, D: max(tags, t.maxTag), Ptr: t.ptr, Col: t.tag}
		if s.Tags.Col == nil {
			s.Tags.Col = []int32{}
		}
		t.ptr, t.tag = []int{0}, nil
	}
}

// builder collects rows of a source, dense or sparse, with their targets, until set makes a Set of them.
type builder struct {
	o       Options
	dense   bool // the source gives every column of each row
	mixed   bool // some columns are categories or dates, or have missing cells
	n       int
	dropped int // rows that Options.DropMissing left out
	d       int // largest number of columns of a row so far
	nnz     int64
	ptr     []int
	chunks  []chunk    // rows that are not dense; no row is in two of them
	val     []float64  // rows that are dense, row-major
	kept    [][]string // cells of each column of Options.Keep, as text
	targets *targets
	share   func() float64 // of the input that has been read, 0: not known; nil: rows are taken before the end
	before  int            // numbers in val that other files had
	more    bool           // other files come
}

// chunk holds entries of whole rows. A list of chunks grows without copies.
type chunk struct {
	col []int32
	val []float64
}

const chunkSize = 1 << 16

// mostGrowth bounds the room that is made at a time: what the first rows let expect may be wrong.
const mostGrowth = 16

func newBuilder(o Options) *builder {
	return &builder{o: o, ptr: []int{0}, kept: make([][]string, len(o.Keep)), targets: newTargets(o, true)}
}

func (b *builder) add(src source, r *row) error {
	if err := b.targets.add(src, r); err != nil {
		return err
	}
	b.n++
	b.d = max(b.d, r.maxIndex)
	b.dense = r.dense
	for k, text := range r.kept {
		b.kept[k] = append(b.kept[k], text)
	}
	if r.dense && len(b.val)+len(r.val) > cap(b.val) {
		if err := b.grow(src, len(b.val)+len(r.val)); err != nil {
			return err
		}
	}
	if r.dense {
		b.val = append(b.val, r.val...)
		b.nnz += nonzeros(r.val)
		return nil
	}
	last := len(b.chunks) - 1
	if last < 0 || cap(b.chunks[last].col)-len(b.chunks[last].col) < len(r.index) {
		last++
		size := max(min(chunkSize, 1<<10<<min(last, 6)), len(r.index))
		b.chunks = append(b.chunks, chunk{make([]int32, 0, size), make([]float64, 0, size)})
	}
	c := &b.chunks[last]
	c.col = append(c.col, r.index...)
	c.val = append(c.val, r.val...)
	b.nnz += int64(len(r.val))
	b.ptr = append(b.ptr, int(b.nnz))
	return nil
}

// grow makes room for count numbers of rows that are dense, and more for those to come: as many as the share of the input that has
// been read lets expect, so that little is copied. It is never beyond what the header of the last file says, nor to it at once, and
// with what it copies within the limit.
func (b *builder) grow(src source, count int) error {
	size := 2*len(b.val) + 1<<16
	if b.share != nil {
		if share := b.share(); share > 0 && len(b.val) > 0 {
			size = max(size*3/4, int(min(1.04*float64(count)/share, mostGrowth*float64(count))))
		} else if 0 < share && share < .05 {
			size = 1 << 18
		}
	}
	if n, d, _ := src.size(); !b.more && n > 0 && n <= (math.MaxInt/8-b.before)/d {
		size = min(size, b.before+n*d)
	}
	if b.o.MemoryLimit > 0 {
		room := (b.o.MemoryLimit - b.bytes()) / 8
		if int64(count) > room {
			return &gram.MemoryError{Need: b.bytes() + 8*int64(count), Limit: b.o.MemoryLimit}
		}
		size = int(min(int64(size), room))
	}
	b.val = append(make([]float64, 0, max(size, count)), b.val...)
	return nil
}

func nonzeros(x []float64) (n int64) {
	for _, v := range x {
		if v != 0 {
			n++
		}
	}
	return n
}

// bytes estimates the memory of the rows and targets collected so far: the capacity of the slices, with 12 bytes for each stored
// entry of a sparse row.
func (b *builder) bytes() int64 {
	entries := b.nnz
	if b.dense {
		entries = 0
	}
	return 8*int64(cap(b.val)) + 12*entries + 8*int64(cap(b.ptr)) +
		8*int64(cap(b.targets.value)) + 4*int64(cap(b.targets.id)) + 4*int64(cap(b.targets.tag))
}

// isDense reports whether n rows of d columns with nnz nonzeros are stored densely: as s says, and for AutoStorage if at least
// the share denseAt of the cells are not zero.
func isDense(s Storage, n, d int, nnz int64) bool {
	switch s {
	case Dense:
		return true
	case Sparse:
		return false
	}
	return float64(nnz) >= denseAt*float64(n)*float64(d)
}

// set returns the rows collected so far as a set of d columns and starts anew.
func (b *builder) set(src source, d, tags int) (*Set, error) {
	s := &Set{Name: b.o.Name, Schema: schemaOf(src), Dropped: b.dropped}
	if t, is := src.(*tableSource); is {
		s.Unknown = t.unknowns()
		for k := range b.kept {
			s.Kept = append(s.Kept, Texts{t.title(t.kept[k]), b.kept[k]})
			b.kept[k] = nil
		}
	}
	b.targets.put(s, tags)
	var err error
	b.mixed = s.Schema.Mixed()
	if s.X, err = b.matrix(d); err != nil {
		return nil, err
	}
	return s, nil
}

// matrix returns the rows collected so far without their targets and starts anew.
func (b *builder) matrix(d int) (x mat.Matrix, err error) {
	dense := isDense(b.o.Storage, b.n, d, b.nnz) || b.o.Storage == AutoStorage && b.mixed
	if dense {
		need := 8 * float64(b.n) * float64(d)
		if need > math.MaxInt/2 {
			return nil, &gram.MemoryError{Need: math.MaxInt64, Limit: math.MaxInt}
		}
		if all := int64(need) + b.bytes(); b.o.MemoryLimit > 0 && !b.dense && all > b.o.MemoryLimit {
			return nil, &gram.MemoryError{Need: all, Limit: b.o.MemoryLimit}
		}
	}
	switch {
	case b.n == 0 || d == 0:
		x = &sparse.CSR{N: b.n, D: d, Ptr: make([]int, b.n+1), Col: []int32{}, Val: []float64{}}
	case b.dense && dense:
		x = mat.NewDense(b.n, d, slices.Clip(b.val))
	case b.dense:
		x = sparse.FromDense(mat.NewDense(b.n, d, b.val))
	case dense:
		x = b.toDense(d)
	default:
		x = b.toCSR(d)
	}
	b.n, b.nnz, b.ptr, b.chunks, b.val = 0, 0, []int{0}, nil, nil
	return x, nil
}

func (b *builder) toDense(d int) *mat.Dense {
	x := mat.NewDense(b.n, d, nil)
	data := x.RawMatrix().Data
	i, first := 0, 0 // the row and the number of the chunk's first entry
	for _, c := range b.chunks {
		for ; i < b.n && b.ptr[i+1] <= first+len(c.col); i++ {
			row := data[i*d : (i+1)*d]
			lo, hi := b.ptr[i]-first, b.ptr[i+1]-first
			val := c.val[lo:hi]
			for k, j := range c.col[lo:hi] {
				row[j] = val[k]
			}
		}
		first += len(c.col)
	}
	return x
}

func (b *builder) toCSR(d int) *sparse.CSR {
	x := &sparse.CSR{N: b.n, D: d, Ptr: b.ptr, Col: make([]int32, 0, b.nnz), Val: make([]float64, 0, b.nnz)}
	for _, c := range b.chunks {
		x.Col = append(x.Col, c.col...)
		x.Val = append(x.Val, c.val...)
	}
	return x
}
