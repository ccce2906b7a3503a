package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/store"
)

// Item is a piece of a data set that lies in one or several files: the lines of a text file
// in a range of bytes or of members of gzip, groups of rows, or a whole file.
type Item struct {
	Path   string
	Lo, Hi int64 // the file from Lo to Hi−1, as Of says; Hi 0: the whole file
	Of     Unit  `json:",omitempty"`
	Size   int64 // of the file when it was cut; 0: not known
	Rows   int64 `json:",omitempty"` // 0: not known

	// Uncut says why Items has not cut a file that is larger than an item should be.
	Uncut string `json:"-"`

	text []byte // the contents; nil: those of the file
}

// Unit is what Lo and Hi of an Item count: bytes of text, bytes of gzip members, or groups of rows.
type Unit uint8

const (
	// Bytes counts bytes of text; an item begins and ends with a line.
	Bytes Unit = iota
	// Members are bytes of a file of gzip, which begin and end with a member. The item has the lines that begin behind the
	// first byte of its members and up to the first byte after them; the first item of a file has its first line, too.
	Members
	// Groups counts the groups of rows of a Grouped table, from 0.
	Groups
)

// String returns the name of the unit: bytes, members or groups.
func (u Unit) String() string { return enum.Name(u, "bytes", "members", "groups") }

// Items cuts the files whose names match the pattern, in the order of their names, into items
// of about the given number of bytes of the file. Text is cut between lines, text that is compressed by gzip between the
// members that it consists of, and a Parquet file between its groups of rows, if the program reads Parquet. A file that is compressed as one
// member, or of another format, is one item; so is each file if size is not positive. The cuts depend on
// the files alone. The pattern is as for filepath.Match, or the name of a file. All files
// must be of one format, which Items returns; o is as for Open.
//
// The members that bgzip writes say how long they are. Others, as of gzip files that were appended to one another, are found by unpacking the
// file once. Items then takes the time of reading it; for a file with one member, that of reading its bytes.
//
// Cells of a CSV file that hold line breaks in quotes must not be cut: reading such an item
// fails, and larger items or whole files help.
func Items(pattern string, size int64, o Options) ([]Item, Format, error) {
	paths, err := matches(pattern)
	if err != nil {
		return nil, AutoFormat, err
	}
	var items []Item
	var format Format
	for _, path := range paths {
		cut, f, err := cutFile(path, size, o)
		if err != nil {
			return nil, AutoFormat, err
		}
		if format != AutoFormat && f != format {
			return nil, AutoFormat, fmt.Errorf("%s is of the format %s, %s is of the format %s: all files must be of one", paths[0], format, path, f)
		}
		format = f
		items = append(items, cut...)
	}
	return items, format, nil
}

// lstat is store.Stat that does not follow a link.
func lstat(path string) (fs.FileInfo, error) {
	if store.Remote(path) {
		return store.Stat(path)
	}
	return os.Lstat(path)
}

// isPattern reports whether path is no file, but a pattern that matches one.
func isPattern(path string) bool {
	if _, err := lstat(path); err == nil {
		return false
	}
	paths, err := store.Glob(path)
	return err == nil && len(paths) > 0
}

// filesOf returns the file at path, or those that match it, whole.
func filesOf(path string) ([]Item, error) {
	if !isPattern(path) {
		return []Item{{Path: path}}, nil
	}
	paths, err := matches(path)
	if err != nil {
		return nil, err
	}
	var items []Item
	for _, p := range paths {
		items = append(items, Item{Path: p})
	}
	return items, nil
}

// matches returns the files that pattern names, without those that hold the target of another.
func matches(pattern string) ([]string, error) {
	if _, err := store.Of(pattern); err != nil {
		return nil, err
	}
	if _, err := store.Stat(pattern); err == nil {
		return []string{pattern}, nil
	}
	paths, err := store.Glob(pattern)
	if err != nil {
		return nil, settings.Refuse("data", pattern, "a pattern of file names: %v", err)
	}
	if len(paths) == 0 {
		_, err := store.Stat(pattern)
		return nil, err
	}
	second := map[string]bool{}
	for _, path := range paths {
		if f := extension(path); f != AutoFormat && f.targetPath != nil {
			second[f.targetPath(path)] = true
		}
	}
	return slices.DeleteFunc(paths, func(p string) bool { return second[p] }), nil
}

// openFiles reads all files whose names match the pattern into one set, in the order of their names.
func openFiles(pattern string, o Options) (*Set, error) {
	paths, err := matches(pattern)
	if err != nil {
		return nil, err
	}
	name := cmp.Or(o.Name, pattern)
	var b *builder
	var first source
	sizes := Summary{}
	for k, path := range paths {
		o.Name = path
		err := Item{Path: path}.walk(&o, func(src source, in *textInput) error {
			if b == nil {
				b, first = newBuilder(o), src
			}
			b.share = func() float64 { // as if the files were of one size
				if share := in.share(); share > 0 {
					return (float64(k) + share) / float64(len(paths))
				}
				return 0
			}
			b.before, b.more = len(b.val), k < len(paths)-1
			n := b.n
			if err := b.read(src); err != nil {
				return err
			}
			s := &Summary{N: int64(b.n - n), Schema: schemaOf(src)}
			_, d, _ := src.size()
			s.Fixed = d >= 0
			s.D, s.Tags = columns(src, o, b.d)
			if err := sizes.Merge(s); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	b.o.Name = name
	s, err := b.all(first, sizes.D, sizes.Tags)
	if err == nil {
		s.Name, s.Schema = stem(name), sizes.Schema
	}
	return s, err
}

func cutFile(path string, size int64, o Options) ([]Item, Format, error) {
	f, err := store.Open(path)
	if err != nil {
		return nil, AutoFormat, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, AutoFormat, err
	}
	if !info.Mode().IsRegular() {
		return nil, AutoFormat, fmt.Errorf("%s is not a regular file; it is read more than once", path)
	}
	in, err := newInput(f, path)
	if err != nil {
		return nil, AutoFormat, err
	}
	format := o.Format
	if format == AutoFormat {
		if format, err = detect(in); err != nil {
			return nil, AutoFormat, err
		}
	}
	whole := Item{Path: path, Size: info.Size()}
	large := size > 0 && info.Size() > size
	switch {
	case format.reader != nil:
		items, err := whole.cutGroups(in, format, o, size)
		return items, format, err
	case large && in.gzip && format.lines:
		items, err := whole.cutMembers(f, size)
		return items, format, err
	case large && !format.lines:
		whole.Uncut = "files of the format " + format.String() + " are not cut"
	}
	if !large || !format.lines {
		return []Item{whole}, format, nil
	}
	var items []Item
	pieces := (info.Size() + size - 1) / size
	lo := int64(0)
	for k := int64(1); k <= pieces; k++ {
		hi := info.Size()
		if k < pieces {
			if hi, err = lineAfter(f, k*(info.Size()/pieces)); err != nil {
				return nil, AutoFormat, err
			}
		}
		if hi > lo {
			items = append(items, Item{Path: path, Lo: lo, Hi: hi, Size: info.Size()})
			lo = hi
		}
	}
	return items, format, nil
}

// cutMembers cuts the whole file between members of gzip.
func (it Item) cutMembers(f io.ReaderAt, size int64) ([]Item, error) {
	cuts, err := cutMembers(f, it.Size, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", it.Path, err)
	}
	if len(cuts) == 1 {
		it.Uncut = "it is compressed as one member of gzip (bgzip writes many)"
		return []Item{it}, nil
	}
	it.Of = Members
	var items []Item
	for k, hi := range append(cuts[1:], it.Size) {
		it.Lo, it.Hi = cuts[k], hi
		items = append(items, it)
	}
	return items, nil
}

// cutGroups cuts the whole file between groups of rows.
func (it Item) cutGroups(in *textInput, f Format, o Options, size int64) ([]Item, error) {
	if f.reader.Load() == nil || in.gzip {
		if in.gzip && size > 0 && it.Size > size {
			it.Uncut = "it is compressed by gzip, around its groups of rows"
		}
		return []Item{it}, nil // reading it says what is missing
	}
	o.Format = f
	c, err := openTyped(in, o)
	if err != nil {
		return nil, err
	}
	defer c.close()
	var groups []Group
	if t, is := c.(*typedCells).table.(Grouped); is {
		groups = t.Groups()
	}
	if size > 0 && it.Size > size && len(groups) <= 1 {
		it.Uncut = "it has one group of rows"
		if groups == nil {
			it.Uncut = "it has no groups of rows"
		}
	}
	if len(groups) == 0 {
		return []Item{it}, nil
	}
	var all, done int64
	for _, g := range groups {
		all += g.Bytes
	}
	pieces := int64(1)
	if size > 0 && all > size {
		pieces = (all-1)/size + 1
	}
	next := it
	next.Of = Groups
	var items []Item
	for k, g := range groups {
		next.Hi, next.Rows, done = int64(k+1), next.Rows+g.Rows, done+g.Bytes
		if k == len(groups)-1 || pieces > 1 && done >= int64(len(items)+1)*(all/pieces) {
			items = append(items, next)
			next.Lo, next.Rows = next.Hi, 0
		}
	}
	return items, nil
}

// lineAfter returns the offset of the first line that starts at or behind the given offset.
func lineAfter(f io.ReaderAt, at int64) (int64, error) {
	buf := make([]byte, 1<<12)
	for at--; ; {
		n, err := f.ReadAt(buf, at)
		if k := bytes.IndexByte(buf[:n], '\n'); k >= 0 {
			return at + int64(k) + 1, nil
		}
		at += int64(n)
		if err == io.EOF {
			return at, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// walk opens the item and calls body. It resolves o and decides its format.
func (it Item) walk(o *Options, body func(source, *textInput) error) error {
	if it.text != nil {
		return walkReader(bytes.NewReader(it.text), o, nil, body)
	}
	f, err := store.Open(it.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	if it.Size > 0 {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		if info.Size() != it.Size {
			return fmt.Errorf("%s has %d bytes, but had %d when it was cut into items", it.Path, info.Size(), it.Size)
		}
	}
	o.Name = cmp.Or(o.Name, it.Path)
	if it.Lo == 0 && it.Hi == 0 {
		return walkReader(f, o, nil, body)
	}
	switch it.Of {
	case Groups:
		return walkReader(f, o, &it, body)
	case Members:
		r, err := it.memberLines(f)
		if err != nil {
			return (&textInput{name: o.Name, gzip: true}).wrap(err, 0)
		}
		return walkReader(r, o, &it, body)
	}
	return walkReader(io.NewSectionReader(f, it.Lo, it.Hi-it.Lo), o, &it, body)
}

// firstLine returns the first line of the item's file with its end, or limit bytes of it.
func (it Item) firstLine(limit int) ([]byte, error) {
	f, err := store.Open(it.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(&oneLine{r: bufio.NewReader(it.before(f, it.Size))}, int64(limit)))
}

// before reads the text of the file up to an offset.
func (it Item) before(f io.ReaderAt, end int64) io.Reader {
	if it.Of == Members {
		return unpack(f, 0, end)
	}
	return io.NewSectionReader(f, 0, end)
}

// linesAbove returns the number of lines of the file before the item, 0 if they cannot be read.
func (it Item) linesAbove() int {
	f, err := store.Open(it.Path)
	if err != nil {
		return 0
	}
	defer f.Close()
	buf := make([]byte, 1<<16)
	count := 0
	if it.Of == Members {
		count = 1 // which ends in the item, but does not begin there
	}
	for r := it.before(f, it.Lo); ; {
		n, err := r.Read(buf)
		count += bytes.Count(buf[:n], []byte{'\n'})
		if err != nil {
			return count
		}
	}
}

// walkReader is walk for a reader, which gives the lines of item it unless that is nil.
func walkReader(r io.Reader, o *Options, it *Item, body func(source, *textInput) error) error {
	resolved, err := o.resolve()
	if err != nil {
		return err
	}
	*o = resolved
	lead := 0
	part := it != nil && it.Lo > 0 && it.Of != Groups
	if part && o.Format.codec != nil && o.Format.header {
		// The first line says which columns there are.
		head, err := it.firstLine(o.MaxLine + 1)
		if err != nil {
			return err
		}
		r, lead = io.MultiReader(bytes.NewReader(head), r), 1
	}
	in, err := newInput(r, o.Name)
	if err != nil {
		return err
	}
	if it != nil && it.Of == Members {
		in.gzip, in.file = true, nil
	}
	if part {
		in.linesBefore, in.lead = it.linesAbove, lead
	}
	src, err := newSource(in, o)
	if err != nil {
		return err
	}
	defer src.close()
	if it != nil && it.Of == Groups {
		if err := it.selectGroups(src, in); err != nil {
			return err
		}
	}
	if lead > 0 && o.NoHeader {
		if err := src.next(&row{}); err != nil {
			return err
		}
	}
	return body(src, in)
}

// selectGroups makes src read the groups of the item alone.
func (it Item) selectGroups(src source, in *textInput) error {
	s, is := src.(*tableSource)
	if !is || s.typed == nil {
		return in.fail(0, 0, "the file has no groups of rows")
	}
	t, is := s.typed.table.(Grouped)
	if !is {
		return in.fail(0, 0, "the file has no groups of rows")
	}
	groups := t.Groups()
	if it.Hi > int64(len(groups)) || it.Lo < 0 || it.Lo >= it.Hi {
		return in.fail(0, 0, "the file has %d groups of rows, not %d", len(groups), it.Hi)
	}
	for _, g := range groups[:it.Lo] {
		s.typed.n += int(g.Rows)
	}
	t.Select(int(it.Lo), int(it.Hi))
	return nil
}

// Blocks returns an iterator over the rows of the item like the function Blocks. o must say
// all that Info.Options fills in, so that all items of a data set are read alike: a
// *gram.ConfigError says what is missing. An item may have no rows.
func (it Item) Blocks(ctx context.Context, o Options, rows int) iter.Seq2[*Set, error] {
	return blocksOf(ctx, it.walk, o, rows)
}

// ReadBlocks is Item.Blocks for the rows that r holds.
func ReadBlocks(ctx context.Context, r io.Reader, o Options, rows int) iter.Seq2[*Set, error] {
	return blocksOf(ctx, readerOf(r), o, rows)
}

func blocksOf(ctx context.Context, open opener, o Options, rows int) iter.Seq2[*Set, error] {
	if rows < 1 {
		panic("dataset: a block needs at least one row")
	}
	return func(yield func(*Set, error) bool) {
		if o.Names != nil && o.Task == AutoTask {
			o.Task = Classes
		}
		if field := o.missing(); field != "" {
			yield(nil, settings.Refuse(field, "open", "what Scan has found for all rows"))
			return
		}
		err := eachBlock(ctx, open, o, rows, func(s *Set) bool { return yield(s, nil) })
		if err != nil && !errors.Is(err, errNoRows) {
			yield(nil, err)
		}
	}
}

// errNoRows ends a walk through blocks that found no row.
var errNoRows = errors.New("there are no rows")

// missing names the first field that o leaves open, so that blocks could differ in it.
func (o Options) missing() string {
	switch {
	case o.Task == AutoTask:
		return "Task"
	case o.Dim == 0:
		return "Dim"
	case o.Storage == AutoStorage:
		return "Storage"
	case o.Table && o.Schema == nil:
		return "Schema"
	case o.Task == Classes && o.Names == nil:
		return "Names"
	case o.Task == MultiLabel && o.Tags == 0:
		return "Tags"
	}
	return ""
}

// Summary is what a pass over an item finds out. The summaries of all items, merged in their
// order, give the Info of the data set.
type Summary struct {
	Format Format `json:"-"`
	N      int64
	D      int  // largest number of columns of a row
	Fixed  bool // the format states the number of columns
	NNZ    int64
	Task   Task     // AutoTask: all labels so far are integers
	Labels []string `json:",omitempty"` // different labels in their order, unless the task is Regression
	Tags   int
	Schema *Schema `json:",omitempty"` // of a table

	Auto   bool   `json:",omitempty"` // Options.Task was AutoTask, so the labels decide
	Broken bool   `json:",omitempty"` // some label is a number that is not whole
	Stray  string `json:",omitempty"` // the first label that is no number
	Line   int    `json:",omitempty"` // line of the label in Stray

	names []string // Options.Names
}

// Scan reads the item once and checks all of it. If each is not nil, it is called with blocks of
// at most rows rows, which have the columns seen so far, and with the texts of their targets, nil
// if there are none: what these mean is known when all rows have been seen.
func (it Item) Scan(ctx context.Context, o Options, rows int, each func(x *Set, targets []string) error) (*Summary, error) {
	return scanRows(ctx, it.walk, o, rows, each)
}

// ReadScan is Item.Scan for the rows that r holds.
func ReadScan(ctx context.Context, r io.Reader, o Options, rows int, each func(x *Set, targets []string) error) (*Summary, error) {
	return scanRows(ctx, readerOf(r), o, rows, each)
}

// readerOf returns an opener that reads r, which can be read once.
func readerOf(r io.Reader) opener {
	return func(o *Options, body func(source, *textInput) error) error { return walkReader(r, o, nil, body) }
}

func scanRows(ctx context.Context, open opener, o Options, rows int, body func(x *Set, targets []string) error) (*Summary, error) {
	s := &Summary{names: o.Names}
	err := open(&o, func(src source, in *textInput) error {
		b := newBuilder(o)
		b.targets = newTargets(o, false)
		_, d, _ := src.size()
		var text []byte // of the targets of the block
		var ends []int
		flush := func() error {
			x, err := b.matrix(max(1, o.Dim, d, b.d))
			if err != nil {
				return err
			}
			var targets []string
			all, from := string(text), 0
			for _, end := range ends {
				targets = append(targets, all[from:end])
				from = end
			}
			text, ends = text[:0], ends[:0]
			return body(&Set{Name: b.o.Name, X: x}, targets)
		}
		err := eachRow(ctx, src, func(r *row) error {
			s.N++
			if body == nil {
				s.D = max(s.D, r.maxIndex)
				if r.dense {
					s.NNZ += nonzeros(r.val)
				} else {
					s.NNZ += int64(len(r.val))
				}
				return b.targets.add(src, r)
			}
			before := b.nnz
			if err := b.add(src, r); err != nil {
				return err
			}
			s.NNZ += b.nnz - before
			if r.hasText || r.hasValue {
				text = r.appendTarget(text)
				ends = append(ends, len(text))
			}
			if b.n == rows {
				return flush()
			}
			return nil
		})
		if err == nil && b.n > 0 {
			err = flush()
		}
		s.Format, s.Fixed, s.Schema = o.Format, d >= 0, schemaOf(src)
		s.D, s.Tags = columns(src, o, max(s.D, b.d))
		s.goals(b.targets)
		return err
	})
	return s, err
}

// goals sets what is known of the targets.
func (s *Summary) goals(t *targets) {
	s.Task, s.Tags = t.task, max(s.Tags, t.maxTag)
	s.Auto, s.Broken, s.Stray, s.Line = t.auto, t.broken, t.named, t.line
	if t.task == AutoTask || t.task == Classes {
		s.Labels = t.texts
	}
}

// Merge adds the summary of the next rows. The error says why the two are not of one data set.
func (s *Summary) Merge(o *Summary) error {
	switch {
	case o.N == 0:
		return nil
	case s.N == 0:
		*s = *o
		return nil
	case s.Format != o.Format:
		return fmt.Errorf("some rows are of the format %s, others of the format %s", s.Format, o.Format)
	case (s.Fixed || o.Fixed) && s.D != o.D:
		return fmt.Errorf("some rows have %d columns, others have %d", s.D, o.D)
	case s.Task != o.Task && s.Task != AutoTask && o.Task != AutoTask:
		return fmt.Errorf("the targets of some rows are read as %v, those of others as %v: state the task", s.Task, o.Task)
	}
	if err := s.mergeSchema(o.Schema); err != nil {
		return err
	}
	if s.Stray == "" {
		s.Stray, s.Line = o.Stray, o.Line
	}
	s.Broken = s.Broken || o.Broken
	s.N, s.NNZ = s.N+o.N, s.NNZ+o.NNZ
	s.D, s.Tags = max(s.D, o.D), max(s.Tags, o.Tags)
	s.Task = cmp.Or(s.Task, o.Task)
	if s.Task == Regression {
		s.Labels = nil
		return nil
	}
	known := map[string]bool{}
	for _, l := range s.Labels {
		known[l] = true
	}
	for _, l := range o.Labels {
		if !known[l] {
			s.Labels = append(s.Labels, l)
		}
	}
	if s.Task == AutoTask && len(s.Labels) > mostTexts {
		s.Task, s.Labels = Regression, nil
	}
	return nil
}

// mergeSchema adds the schema of the next rows: cells may be missing in some rows alone.
func (s *Summary) mergeSchema(o *Schema) error {
	if s.Schema == nil || o == nil || s.Schema == o {
		return nil
	}
	both := *s.Schema
	both.Columns = slices.Clone(both.Columns)
	for j := range min(len(both.Columns), len(o.Columns)) {
		a, b := &both.Columns[j], o.Columns[j]
		if a.Name != b.Name {
			return fmt.Errorf("column %d is called %q in some rows and %q in others", j+1, a.Name, b.Name)
		}
		a.Missing = a.Missing || b.Missing
	}
	s.Schema = &both
	return nil
}

// Info returns what is known when all rows have been seen. name stands for the data in errors.
func (s *Summary) Info(name string) (Info, error) {
	fail := func(reason string) (Info, error) { return Info{}, &ParseError{File: name, Reason: reason} }
	if s.N == 0 {
		return fail("there are no rows")
	}
	if s.D == 0 {
		return fail("there are no columns beside the target")
	}
	t := targets{task: s.Task, texts: s.Labels, n: s.N, auto: s.Auto, broken: s.Broken, named: s.Stray, line: s.Line}
	if s.names != nil {
		t.names = map[string]int{}
	}
	if wrong := t.resolve(name); wrong != nil {
		return Info{}, wrong
	}
	info := Info{Format: s.Format, N: int(s.N), D: s.D, NNZ: s.NNZ, Task: t.task, Schema: s.Schema}
	switch t.task {
	case Classes:
		if info.Names = s.names; info.Names == nil {
			info.Names = gram.NewLabels(s.Labels).Names
		}
	case MultiLabel:
		info.Tags = s.Tags
	}
	return info, nil
}
