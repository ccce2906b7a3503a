package dataset

import (
	"cmp"
	"context"
	"io"
	"iter"
	"os"

	"github.com/gramworks/gram"
)

// Open reads the file at path. Set.Name is the file's name without directory
// and extension.
//
// Memory: about twice that of the set while it is read.
func Open(path string, o Options) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	o.Name = cmp.Or(o.Name, path)
	s, err := Read(f, o)
	if err != nil {
		return nil, err
	}
	s.Name = stem(o.Name)
	return s, nil
}

// Read reads a data set from r to its end. o.Name is used in errors, for the
// format if it has a known extension, and becomes Set.Name.
func Read(r io.Reader, o Options) (*Set, error) {
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
	var r1 row
	for {
		err := src.next(&r1)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := b.add(src, &r1); err != nil {
			return nil, err
		}
		if o.MemoryLimit > 0 {
			if have := b.bytes(); have > o.MemoryLimit {
				return nil, &gram.MemoryError{Need: have, Limit: o.MemoryLimit}
			}
		}
	}
	if b.n == 0 {
		return nil, in.fail(0, 0, "there are no rows")
	}
	b.targets.resolve()
	d, tags := columns(src, o, b.d)
	if d == 0 {
		return nil, in.fail(0, 0, "there are no columns beside the target")
	}
	return b.set(d, tags)
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
	if o.Storage == AutoStorage {
		o.Storage = Sparse
		if isDense(AutoStorage, i.N, i.D, i.NNZ) {
			o.Storage = Dense
		}
	}
	return o
}

// Scan reads the file at path once, in constant memory (and that of the class
// names), and checks all of it.
func Scan(ctx context.Context, path string, o Options) (Info, error) {
	var info Info
	o.Name = cmp.Or(o.Name, path)
	err := walk(ctx, path, &o, func(src source, in *input) error {
		t := newTargets(o, false)
		n, seen := 0, 0
		var nnz int64
		err := each(ctx, src, func(r *row) error {
			n++
			seen = max(seen, r.maxIndex)
			if r.dense {
				nnz += nonzeros(r.val)
			} else {
				nnz += int64(len(r.val))
			}
			return t.add(src, r)
		})
		if err != nil {
			return err
		}
		if n == 0 {
			return in.fail(0, 0, "there are no rows")
		}
		t.resolve()
		d, tags := columns(src, o, seen)
		if d == 0 {
			return in.fail(0, 0, "there are no columns beside the target")
		}
		info = Info{Format: o.Format, N: n, D: d, NNZ: nnz, Task: t.task}
		switch t.task {
		case Classes:
			info.Names = t.classNames()
		case MultiLabel:
			info.Tags = max(tags, t.maxTag)
		}
		return nil
	})
	return info, err
}

// walk opens path and calls body. It resolves o and decides its format.
func walk(ctx context.Context, path string, o *Options, body func(source, *input) error) error {
	resolved, err := o.resolve()
	if err != nil {
		return err
	}
	*o = resolved
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in, err := newInput(f, cmp.Or(o.Name, path))
	if err != nil {
		return err
	}
	src, err := newSource(in, o)
	if err != nil {
		return err
	}
	defer src.close()
	return body(src, in)
}

// each calls body for every row and looks at ctx now and then.
func each(ctx context.Context, src source, body func(*row) error) error {
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

// Blocks returns an iterator over the file at path in blocks of at most rows
// rows, in order. All blocks have the same columns, classes and storage: if o
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
		if err := blocks(ctx, path, o, rows, func(s *Set) bool { return yield(s, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

// open reports whether Blocks has to know more than o says.
func (o Options) open() bool {
	return o.Task == AutoTask || o.Dim == 0 || o.Storage == AutoStorage ||
		(o.Task == Classes && o.Names == nil) || (o.Task == MultiLabel && o.Tags == 0)
}

func blocks(ctx context.Context, path string, o Options, rows int, yield func(*Set) bool) error {
	if o.Names != nil && o.Task == AutoTask {
		o.Task = Classes
	}
	if o.open() {
		info, err := Scan(ctx, path, o)
		if err != nil {
			return err
		}
		o = info.Options(o)
	}
	o.Name = cmp.Or(o.Name, path)
	return walk(ctx, path, &o, func(src source, in *input) error {
		b := newBuilder(o)
		b.o.Name = stem(o.Name)
		d, tags := columns(src, o, 0)
		stop, any := false, false
		flush := func() error {
			s, err := b.set(d, tags)
			if err != nil {
				return err
			}
			any = true
			stop = !yield(s)
			if stop {
				return io.EOF
			}
			return nil
		}
		err := each(ctx, src, func(r *row) error {
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
		if err == nil && !any {
			return in.fail(0, 0, "there are no rows")
		}
		return err
	})
}
