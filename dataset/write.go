package dataset

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/safefile"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
)

// Write writes s to w. Numbers are written with as many digits as it takes to
// read the same bits back.
//
//	LIBSVM  zeros are left out; without a target the label is 0; class names must be numbers
//	CSV     a header, of Set.Schema or x1,x2,…,target, then all cells; no multi-label sets
//	XML     multi-label sets only
//	NPY     X alone, as float64 in C order; Save writes the target beside it
//
// A value that is not finite is a *gram.DataError, a set that the format cannot
// hold a *gram.ConfigError. IDX is not written.
func Write(w io.Writer, s *Set, f Format) error {
	b := bufio.NewWriterSize(w, 1<<16)
	if err := writable("", f); err != nil {
		return err
	}
	if err := s.Schema.fits(f); err != nil {
		return err
	}
	out, err := f.write(b, "", s.info())
	if err != nil {
		return err
	}
	if err := out.write(s, 0); err != nil {
		return err
	}
	return b.Flush()
}

func (s *Set) info() Info {
	n, d := s.Dims()
	i := Info{N: n, D: d, Task: s.Task(), Names: s.Labels.Names, Schema: s.Schema}
	if s.Tags != nil {
		i.Tags = s.Tags.D
	}
	return i
}

// Save writes s to path in the format of its extension, compressed if it ends
// in .gz. For NAME.npy a target goes to NAME.target.npy: values, or the class
// names as numbers. Files are complete or not there at all, and if a process is killed while
// it replaces both there is no NAME.npy. If ctx is done Save returns ctx.Err()
// soon after, without a file.
func Save(ctx context.Context, path string, s *Set) error {
	n, d := s.Dims()
	entries := int64(n) * int64(d)
	if x, is := s.X.(*sparse.CSR); is {
		entries = int64(len(x.Col))
	}
	atOnce := rowsAtOnce(n, entries)
	return writeFile(path, AutoFormat, s.info(), func(yield func(*Set, error) bool) {
		if err := ctx.Err(); err != nil || n <= atOnce {
			yield(s, err)
			return
		}
		rows := make([]int, 0, atOnce)
		for at := 0; at < n; at += atOnce {
			rows = rows[:0]
			for i := at; i < min(n, at+atOnce); i++ {
				rows = append(rows, i)
			}
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			if !yield(s.Select(rows), nil) {
				return
			}
		}
	})
}

// Convert reads the file in and writes out, block by block, so that files may be
// larger than memory. The format of out is to, or that of its extension. in is
// read with o, twice if o leaves anything open. out appears when it is
// complete. run.Progress is told of the rows done.
func Convert(ctx context.Context, in, out string, o Options, to Format, run gram.Run) (Info, error) {
	if to == AutoFormat {
		to = extension(out)
	}
	if err := writable(out, to); err != nil {
		return Info{}, err
	}
	o.Storage = Sparse
	if to.dense {
		o.Storage = Dense
	}
	if st, err := os.Stat(in); err == nil && !st.IsDir() && !st.Mode().IsRegular() {
		return Info{}, &fs.PathError{Op: "convert", Path: in, Err: errors.New("not a regular file; it is read twice")}
	}
	info, err := Scan(ctx, in, o)
	if err != nil {
		return info, err
	}
	entries := int64(info.N) * int64(info.D)
	if o.Storage == Sparse {
		entries = info.NNZ
	}
	rows := rowsAtOnce(info.N, entries)
	meter := run.Meter()
	done := int64(0)
	err = writeFile(out, to, info, func(yield func(*Set, error) bool) {
		for s, err := range Blocks(ctx, in, info.Options(o), rows) {
			if !yield(s, err) {
				return
			}
			if s != nil {
				n, _ := s.Dims()
				done += int64(n)
				meter.Report(gram.Event{Phase: "convert", Done: done, Total: int64(info.N)})
			}
		}
	})
	return info, err
}

// rowsAtOnce returns how many of n rows are written between looks at a context: about
// 2¹⁶ numbers, which take 50 ms to compress.
func rowsAtOnce(n int, entries int64) int {
	return max(1, min(1<<14, int(float64(1<<16)*float64(n)/float64(entries+1))))
}

// Outputs returns the paths of the files that Save and Convert write to path in that
// format: path, and the file of the target beside it if the format has one.
func Outputs(path string, f Format) []string {
	if f == AutoFormat {
		f = extension(path)
	}
	files := []string{path}
	if f.codec != nil && f.targetPath != nil {
		files = append(files, f.targetPath(path))
	}
	return files
}

// writable returns an error if a file at path cannot be written in format f.
func writable(path string, f Format) error {
	if f.Writable() {
		return nil
	}
	var can []Format
	var suffixes []string
	for _, g := range registry {
		if g.Writable() {
			can, suffixes = append(can, g), append(suffixes, g.suffixes...)
		}
	}
	if f == AutoFormat {
		return settings.Refuse("format", path, "an extension of a known format: %s", strings.Join(suffixes, " "))
	}
	return settings.Refuse("format", f, "a format that can be written: %s", names(can, "or"))
}

// writeFile writes all blocks to path and, if the format wants it, the target to a
// second file.
func writeFile(path string, f Format, info Info, blocks func(yield func(*Set, error) bool)) error {
	if f == AutoFormat {
		f = extension(path)
	}
	if err := writable(path, f); err != nil {
		return err
	}
	if err := info.Schema.fits(f); err != nil {
		return err
	}
	target := ""
	if f.targetPath != nil {
		target = f.targetPath(path)
		if _, err := os.Stat(target); err == nil && info.Task == NoTarget {
			return fmt.Errorf("%s would be read as the target of %s: %w", target, path, fs.ErrExist)
		}
	}
	if target == "" || info.Task == NoTarget {
		return safefile.Write(path, func(w io.Writer) error {
			return compressed(w, path, func(w *bufio.Writer) error {
				rows, err := f.write(w, path, info)
				if err != nil {
					return err
				}
				return writeBlocks([]writer{rows}, info, blocks)
			})
		})
	}
	return safefile.WriteBoth(path, target, func(w, v io.Writer) error {
		return compressed(w, path, func(w *bufio.Writer) error {
			return compressed(v, target, func(v *bufio.Writer) error {
				rows, err := f.write(w, path, info)
				if err != nil {
					return err
				}
				targets, err := f.writeTarget(v, info)
				if err != nil {
					return err
				}
				return writeBlocks([]writer{targets, rows}, info, blocks)
			})
		})
	})
}

// writeBlocks gives each block, with the number of rows before it, to every writer. It returns the first error, and one if there
// are not info.N rows.
func writeBlocks(to []writer, info Info, blocks func(yield func(*Set, error) bool)) error {
	var failed error
	at := 0
	blocks(func(s *Set, err error) bool {
		for _, w := range to {
			if err == nil {
				err = w.write(s, at)
			}
		}
		if failed = err; err != nil {
			return false
		}
		n, _ := s.Dims()
		at += n
		return true
	})
	if failed == nil && at != info.N {
		failed = fmt.Errorf("%d rows, the first pass saw %d: the file has changed", at, info.N)
	}
	return failed
}

// compressed calls write with a buffered writer to w, compressed if the name asks for it.
func compressed(w io.Writer, path string, write func(w *bufio.Writer) error) error {
	var z *gzip.Writer
	if strings.HasSuffix(strings.ToLower(path), ".gz") {
		z = gzip.NewWriter(w)
		w = z
	}
	b := bufio.NewWriterSize(w, 1<<16)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil || z == nil {
		return err
	}
	return z.Close()
}

// writer writes blocks of one set; first is the number of the block's first row.
type writer interface {
	write(s *Set, first int) error
}

// fits returns an error if files of format f cannot hold what the columns have.
func (s *Schema) fits(f Format) error {
	if f.table != nil {
		return nil
	}
	for j := 0; s != nil && j < len(s.Columns); j++ {
		switch c := s.Columns[j]; {
		case c.Kind == Category:
			return settings.Refuse("format", f, "a format of tables, such as csv: %s is a category", s.Title(j))
		case c.Missing:
			return settings.Refuse("format", f, "a format of tables, such as csv: cells of %s are missing", s.Title(j))
		}
	}
	return nil
}

// refuse reports a task that a format cannot hold.
func refuse(info Info, want, format string) error {
	return settings.Refuse("task", info.Task, "%s for a file of format %s", want, format)
}

// classNumbers returns the numbers that the names of the classes are, for a
// format that has no place for names.
func classNumbers(info Info, format string) ([]float64, error) {
	values := make([]float64, len(info.Names))
	for c, name := range info.Names {
		v, reason := parseNumber([]byte(name))
		if reason != "" {
			return nil, settings.Refuse("class", strconv.Quote(name), "class names that are numbers for a file of format %s", format)
		}
		values[c] = v
	}
	return values, nil
}

// checkCell checks a value that is about to be written.
func checkCell(row, col int, v float64) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return &gram.DataError{Row: row, Col: col, Value: v}
	}
	return nil
}
