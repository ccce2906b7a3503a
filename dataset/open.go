package dataset

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/store"
)

// Open reads the file at path. Set.Name is the file's name without directory
// and extension. If path is a pattern (see Items) instead of a file, Open joins the rows of
// all its files in the order of their names.
//
// Memory: about twice that of the set while it is read.
func Open(path string, o Options) (*Set, error) {
	files, err := filesOf(path)
	if err != nil {
		return nil, err
	}
	var s *Set
	err = typed(context.Background(), o, files, func(o Options) error {
		if len(files) > 1 || files[0].Path != path {
			s, err = openFiles(path, o)
			return err
		}
		f, err := store.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		o.Name = cmp.Or(o.Name, path)
		if s, err = readOnce(f, o); err == nil {
			s.Name = stem(o.Name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Read reads a data set from r to its end. o.Name is used in errors, for the
// format if it has a known extension, and becomes Set.Name. With o.Table all of r
// is held in memory, because it may have to be read twice.
func Read(r io.Reader, o Options) (*Set, error) {
	if !o.Table || o.Schema != nil {
		return readOnce(r, o)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var s *Set
	err = typed(context.Background(), o, []Item{{text: text}}, func(o Options) error {
		s, err = readOnce(bytes.NewReader(text), o)
		return err
	})
	return s, err
}

// readOnce reads a set from r in one pass, in which the kinds of the columns of a table must be known.
func readOnce(r io.Reader, o Options) (*Set, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	in, err := newInput(r, o.Name)
	if err != nil {
		return nil, err
	}
	src, err := newSource(in, &o)
	if err != nil {
		return nil, err
	}
	defer src.close()
	b := newBuilder(o)
	b.share = in.share
	if err := b.read(src); err != nil {
		return nil, err
	}
	d, tags := columns(src, o, b.d)
	return b.all(src, d, tags)
}

// read adds all rows of src. The error is a *gram.MemoryError as soon as the rows take more than Options.MemoryLimit.
func (b *builder) read(src source) error {
	var r1 row
	for {
		err := src.next(&r1)
		if err == io.EOF {
			if t, is := src.(*tableSource); is {
				b.dropped += t.dropped
			}
			return nil
		}
		if err != nil {
			return err
		}
		if err := b.add(src, &r1); err != nil {
			return err
		}
		if b.o.MemoryLimit > 0 {
			if have := b.bytes(); have > b.o.MemoryLimit {
				return &gram.MemoryError{Need: have, Limit: b.o.MemoryLimit}
			}
		}
	}
}

// all returns the set of all rows, of d columns and tags labels. It is an error if there are no rows, no columns or no usable
// targets.
func (b *builder) all(src source, d, tags int) (*Set, error) {
	if b.n == 0 {
		reason := "there are no rows"
		if b.dropped > 0 {
			reason = fmt.Sprintf("all %d rows lack a cell that every row must have", b.dropped)
		}
		return nil, &ParseError{File: b.o.Name, Reason: reason}
	}
	if wrong := b.targets.resolve(b.o.Name); wrong != nil {
		return nil, wrong
	}
	if d == 0 {
		return nil, &ParseError{File: b.o.Name, Reason: "there are no columns beside the target"}
	}
	return b.set(src, d, tags)
}

// columns returns the number of columns and labels of the whole input: those
// of the options, of the header, or seen.
func columns(src source, o Options, seen int) (d, tags int) {
	_, d, tags = src.size()
	if d < 0 {
		d = max(o.Dim, seen)
	}
	if tags < 0 {
		tags = o.Tags
	}
	return d, tags
}

// Info is what Scan finds out about a file.
type Info struct {
	Format Format
	N, D   int
	NNZ    int64 // cells that are not zero
	Task   Task
	Names  []string // of the classes, in order
	Tags   int      // labels of multi-label data
	Schema *Schema  // of a table; else nil
}

// Density is the fraction of cells that are not zero.
func (i Info) Density() float64 {
	if i.N == 0 || i.D == 0 {
		return 0
	}
	return float64(i.NNZ) / float64(i.N) / float64(i.D)
}

// Options returns o with everything filled in that i knows and o leaves open,
// so that every block of the file is read alike.
func (i Info) Options(o Options) Options {
	if o.Format == AutoFormat {
		o.Format = i.Format
	}
	if o.Task == AutoTask {
		o.Task = i.Task
	}
	if o.Dim == 0 {
		o.Dim = i.D
	}
	if o.Task == Classes && o.Names == nil {
		o.Names = i.Names
	}
	if o.Task == MultiLabel && o.Tags == 0 {
		o.Tags = i.Tags
	}
	if o.Schema == nil {
		o.Schema = i.Schema
	}
	if o.Storage == AutoStorage {
		o.Storage = Sparse
		if isDense(AutoStorage, i.N, i.D, i.NNZ) || i.Schema.Mixed() {
			o.Storage = Dense
		}
	}
	return o
}

// Scan reads the file at path, or the files of a pattern (see Items), once, in constant memory (and that of the class
// names), and checks all of it.
func Scan(ctx context.Context, path string, o Options) (Info, error) {
	files, err := filesOf(path)
	if err != nil {
		return Info{}, err
	}
	if len(files) == 1 {
		o.Name = cmp.Or(o.Name, path)
	}
	var all Summary
	err = typed(ctx, o, files, func(o Options) error {
		all = Summary{}
		for _, f := range files {
			s, err := f.Scan(ctx, o, 0, nil)
			if err == nil {
				err = all.Merge(s)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Info{}, err
	}
	return all.Info(cmp.Or(o.Name, path))
}

// opener opens data, sets their format in o and calls body with the source.
type opener func(o *Options, body func(source, *textInput) error) error

// eachRow calls body for every row and looks at ctx now and then.
func eachRow(ctx context.Context, src source, body func(*row) error) error {
	var r row
	for i := 0; ; i++ {
		if i%256 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		switch err := src.next(&r); err {
		case nil:
		case io.EOF:
			return nil
		default:
			return err
		}
		if err := body(&r); err != nil {
			return err
		}
	}
}

// Blocks returns an iterator over the file at path, or over the files of a pattern
// (see Items), in blocks of at most rows rows, in order. All blocks have the same columns, classes and storage: if o
// leaves any of that open, the file is scanned once before the first block. The
// sets are independent of each other. An error ends the iteration; it comes
// with a nil set.
//
// Memory: that of one block, at most twice.
func Blocks(ctx context.Context, path string, o Options, rows int) iter.Seq2[*Set, error] {
	if rows < 1 {
		panic("dataset: a block needs at least one row")
	}
	return func(yield func(*Set, error) bool) {
		if o.Names != nil && o.Task == AutoTask {
			o.Task = Classes
		}
		if o.missing() != "" {
			info, err := Scan(ctx, path, o)
			if err != nil {
				yield(nil, err)
				return
			}
			o = info.Options(o)
		}
		files, err := filesOf(path)
		if len(files) == 1 {
			o.Name = cmp.Or(o.Name, path)
		}
		more, found := true, false
		for k := 0; k < len(files) && more && err == nil; k++ {
			err = eachBlock(ctx, files[k].walk, o, rows, func(s *Set) bool {
				found, more = true, yield(s, nil)
				return more
			})
			if errors.Is(err, errNoRows) {
				err = nil
			}
		}
		if err == nil && !found {
			err = &ParseError{File: cmp.Or(o.Name, path), Reason: errNoRows.Error()}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// eachBlock is Blocks for options that leave nothing open.
func eachBlock(ctx context.Context, open opener, o Options, rows int, yield func(*Set) bool) error {
	return open(&o, func(src source, in *textInput) error {
		b := newBuilder(o)
		b.o.Name = stem(o.Name)
		d, tags := columns(src, o, 0)
		stop, found := false, false
		flush := func() error {
			s, err := b.set(src, d, tags)
			if err != nil {
				return err
			}
			found = true
			stop = !yield(s)
			if stop {
				return io.EOF
			}
			return nil
		}
		err := eachRow(ctx, src, func(r *row) error {
			if err := b.add(src, r); err != nil {
				return err
			}
			if b.n == rows {
				return flush()
			}
			return nil
		})
		if err == nil && b.n > 0 {
			err = flush()
		}
		if stop {
			return nil
		}
		if err == nil && !found {
			return errNoRows
		}
		return err
	})
}
