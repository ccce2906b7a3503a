package job

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/sparse"
	"github.com/gramworks/gram/store"
	"gonum.org/v1/gonum/mat"
)

// keeper keeps the rows of items as numbers, so that one pass reads their text and the passes behind it do not.
type keeper interface {
	// open returns the rows of item k, nil if they are not kept.
	open(k int) (io.ReadCloser, error)
	// write keeps the rows of item k, which are what write writes.
	write(k int, write func(to io.Writer) error) error
}

// Keeps reports whether the fit keeps the rows as numbers on disk, and about how many bytes they take: if it reads them in
// more than one pass after Scan, and they are not numbers already. It is for Features that are not of a divided fit.
func (f *Features) Keeps() (bytes int64, keeps bool) {
	classes := f.Info.Task == dataset.Classes && f.Bins == nil && f.j.Spec.Cap == 0
	if f.Passes == nil && !classes || numbers(f.Info.Format, f.j.Items[0].Path) {
		return 0, false
	}
	nnz := int64(-1)
	if f.options().Storage == dataset.Sparse && f.Columns == nil && (f.Scaling == nil || !f.Scaling.Densifies()) {
		nnz = f.Info.NNZ
	}
	return keptBytes(int64(f.Info.N), int64(f.dim()), nnz), true
}

// numbers reports whether the files of a format are numbers that take no time to be read.
func numbers(format dataset.Format, path string) bool {
	return (format == dataset.NPY || format == dataset.IDX) && !strings.HasSuffix(path, ".gz")
}

// keptBytes is what n rows of d columns with their targets take, or with nnz entries if that is not negative.
func keptBytes(n, d, nnz int64) int64 {
	if nnz >= 0 {
		return 16*n + 12*nnz
	}
	return 8 * n * (d + 1)
}

// Keep makes the passes of Fit keep the rows as numbers in a file in the folder dir if Keeps says so. The function
// release, which is to be called at the end, removes the file.
func (f *Features) Keep(dir string) (release func(), err error) {
	if _, keeps := f.Keeps(); !keeps {
		return func() {}, nil
	}
	file, err := os.CreateTemp(dir, ".gram-rows-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(file.Name()) // where a file that is open can be removed, nothing is left if the process is killed
	f.kept = &keptFile{file: file, items: make([][]extent, len(f.j.Items))}
	return func() {
		f.kept = nil
		file.Close()
		os.Remove(file.Name())
	}, nil
}

// keptFile keeps the rows of all items in one file. Several items may be written at the same time.
type keptFile struct {
	file  *os.File
	end   atomic.Int64
	items [][]extent // nil: the item is not kept
}

// extent is a range of bytes of a file.
type extent struct{ lo, hi int64 }

// open returns what the extents of the item hold.
func (s *keptFile) open(k int) (io.ReadCloser, error) {
	if s.items[k] == nil {
		return nil, nil
	}
	var parts []io.Reader
	for _, e := range s.items[k] {
		parts = append(parts, io.NewSectionReader(s.file, e.lo, e.hi-e.lo))
	}
	return io.NopCloser(io.MultiReader(parts...)), nil
}

// write appends the rows of the item to the file.
func (s *keptFile) write(k int, write func(to io.Writer) error) error {
	w := &extents{s: s, written: []extent{}}
	err := write(w)
	if err == nil {
		s.items[k] = w.written
	}
	return err
}

// extents is a writer that appends to a file to which others append, too.
type extents struct {
	s       *keptFile
	written []extent
}

// Write writes p into the file as a whole.
func (w *extents) Write(p []byte) (int, error) {
	hi := w.s.end.Add(int64(len(p)))
	lo := hi - int64(len(p))
	if n, err := w.s.file.WriteAt(p, lo); err != nil {
		return n, fmt.Errorf("the file that keeps the rows as numbers: %w", err)
	}
	if last := len(w.written) - 1; last >= 0 && w.written[last].hi == lo {
		w.written[last].hi = hi
	} else {
		w.written = append(w.written, extent{lo, hi})
	}
	return len(p), nil
}

// keptFolder keeps the rows of each item in a file of the folder of a job, for all processes that work there. The files are
// not synced to the disk; their last bytes are a check sum, and those that are damaged or of another job are written again.
type keptFolder struct{ w *Work }

const keptPrefix, keptSuffix = "kept-", ".rows"

// path is the file of the rows of item k.
func (s keptFolder) path(k int) string {
	return filepath.Join(s.w.Dir, fmt.Sprintf("%s%06d%s", keptPrefix, k, keptSuffix))
}

// open returns what the file of the item holds behind the identity of the job.
func (s keptFolder) open(k int) (io.ReadCloser, error) {
	info, err := os.Stat(s.path(k))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	size := info.Size() - crc32.Size
	file, err := completeFile(s.path(k), size)
	if file == nil {
		return nil, err
	}
	id := make([]byte, len(s.w.Job.id))
	if _, err := file.ReadAt(id, 0); err != nil || string(id) != s.w.Job.id {
		file.Close()
		return nil, nil
	}
	n := int64(len(id))
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(file, n, size-n), file}, nil
}

// write makes the file of item k: the identity of the job, the content and its checksum.
func (s keptFolder) write(k int, write func(to io.Writer) error) error {
	return writeSummed(s.path(k), func(to io.Writer) error {
		if _, err := io.WriteString(to, s.w.Job.id); err != nil {
			return err
		}
		return write(to)
	})
}

// keeping returns f, whose passes keep the rows in the folder if Keeps says so. In a store they are not kept, so that each pass
// reads the data.
func (w *Work) keeping(f *Features) *Features {
	if _, keeps := f.Keeps(); keeps && !store.Remote(w.Dir) {
		f.kept = keptFolder{w}
	}
	return f
}

// forgetRows removes the rows that the folder keeps, which no pass needs once the fit has ended.
func (w *Work) forgetRows() error {
	if store.Remote(w.Dir) { // where none are kept
		return nil
	}
	entries, err := os.ReadDir(w.Dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), keptPrefix) && strings.HasSuffix(e.Name(), keptSuffix) {
			if gone := os.Remove(filepath.Join(w.Dir, e.Name())); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
				err = gone
			}
		}
	}
	return err
}

// rows calls add for the rows of item k, block by block, as the method learns from them. It reads those that are kept, or keeps
// them if they are to be kept.
func (f *Features) rows(ctx context.Context, k int, add func(x mat.Matrix, set *dataset.Set) error) error {
	if f.kept == nil {
		return f.parsed(ctx, k, add)
	}
	from, err := f.kept.open(k)
	if err != nil {
		return err
	}
	if from != nil {
		defer from.Close()
		return f.recall(ctx, from, add)
	}
	return f.kept.write(k, func(to io.Writer) error {
		w := rowWriter{to: to}
		err := f.parsed(ctx, k, func(x mat.Matrix, set *dataset.Set) error {
			if err := w.block(x, set); err != nil {
				return err
			}
			return add(x, set)
		})
		if err != nil {
			return err
		}
		return w.flush()
	})
}

// parsed is rows from the files of the data.
func (f *Features) parsed(ctx context.Context, k int, add func(x mat.Matrix, set *dataset.Set) error) error {
	folds := f.j.folds(k)
	for set, err := range f.j.Items[k].Blocks(ctx, f.options(), linear.BlockRows) {
		if err == nil {
			err = add(f.scaled(f.encoded(set.X, folds)), set)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// The kinds of targets that a block of rows can have, as they stand in the file.
const noTargets, valueTargets, classTargets = 0, 1, 2

// block is the head of a block of rows in a file. Behind it are the rows: D·N numbers, or N+1 beginnings of rows, their columns and
// their values; and then the targets.
type block struct {
	N, D    int64
	NNZ     int64 // −1: dense
	Targets int64
}

// keptBuffer is how many bytes are written or read at a time.
const keptBuffer = 1 << 18

// rowWriter writes blocks of rows. Its memory does not grow with the blocks.
type rowWriter struct {
	to  io.Writer
	buf []byte
	err error
}

// block writes a block of rows with their targets.
func (w *rowWriter) block(x mat.Matrix, set *dataset.Set) error {
	s := gram.Of(x)
	n, d := s.Dims()
	head := block{int64(n), int64(d), -1, noTargets}
	a := s.CSR()
	if a != nil {
		head.NNZ = int64(a.NNZ())
	}
	switch {
	case set.Value != nil:
		head.Targets = valueTargets
	case set.Labels.Class != nil:
		head.Targets = classTargets
	}
	for _, v := range []int64{head.N, head.D, head.NNZ, head.Targets} {
		w.word(uint64(v))
	}
	if a != nil {
		w.sparse(a)
	} else {
		dense, _ := s.Dense()
		for i := range n {
			w.numbers(dense.Row(i))
		}
	}
	w.numbers(set.Value)
	if head.Targets == classTargets {
		for _, c := range set.Labels.Class {
			w.word(uint64(c))
		}
	}
	return w.err
}

// sparse writes the beginnings of the rows, the columns and the values.
func (w *rowWriter) sparse(a *sparse.CSR) {
	at := 0
	for i := range a.N {
		w.word(uint64(at))
		col, _ := a.Row(i)
		at += len(col)
	}
	w.word(uint64(at))
	for i := range a.N {
		col, _ := a.Row(i)
		for _, c := range col {
			w.need(4)
			w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(c))
		}
	}
	for i := range a.N {
		col, val := a.Row(i)
		w.numbers(val)
		for range col[len(val):] { // which are all 1
			w.word(math.Float64bits(1))
		}
	}
}

// need writes the buffer out unless n more bytes have room in it.
func (w *rowWriter) need(n int) {
	if w.buf == nil {
		w.buf = make([]byte, 0, keptBuffer)
	}
	if len(w.buf)+n > cap(w.buf) && w.err == nil {
		w.err = w.flush()
	}
	if w.err != nil {
		w.buf = w.buf[:0]
	}
}

// word appends v to the buffer in 8 bytes, little-endian. An error waits for flush.
func (w *rowWriter) word(v uint64) {
	w.need(8)
	w.buf = binary.LittleEndian.AppendUint64(w.buf, v)
}

// numbers appends the bits of each number, 8 bytes little-endian. An error waits for flush.
func (w *rowWriter) numbers(v []float64) {
	for _, v := range v {
		w.word(math.Float64bits(v))
	}
}

// flush writes the buffer and returns the first error of all that was written.
func (w *rowWriter) flush() error {
	if w.err == nil {
		_, w.err = w.to.Write(w.buf)
		w.buf = w.buf[:0]
	}
	return w.err
}

// recall reads the blocks that were kept and gives each to add, instead of reading the data again.
func (f *Features) recall(ctx context.Context, from io.Reader, add func(x mat.Matrix, set *dataset.Set) error) error {
	r := rowReader{from: bufio.NewReaderSize(from, keptBuffer)}
	for {
		if _, err := r.from.Peek(1); err == io.EOF {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		x, set := r.block(f.dim())
		if r.err != nil {
			return fmt.Errorf("rows that were kept: %w", r.err)
		}
		if err := add(x, set); err != nil {
			return err
		}
	}
}

// rowReader is the inverse of rowWriter. Each block takes the memory of the last one.
type rowReader struct {
	from  *bufio.Reader
	err   error
	x, y  []float64
	class []int
	a     sparse.CSR
}

// block returns the next block of rows of d columns, and their targets.
func (r *rowReader) block(d int) (mat.Matrix, *dataset.Set) {
	var head block
	for _, v := range []*int64{&head.N, &head.D, &head.NNZ, &head.Targets} {
		*v = int64(r.word())
	}
	if r.err == nil && (head.N < 1 || head.N > linear.BlockRows || head.D != int64(d) || head.NNZ < -1 || head.NNZ > head.N*head.D) {
		r.err = fmt.Errorf("a block of %d rows of %d columns with %d entries", head.N, head.D, head.NNZ)
	}
	if r.err != nil {
		return nil, nil
	}
	n := int(head.N)
	var x mat.Matrix
	if head.NNZ >= 0 {
		x = r.sparse(n, d, int(head.NNZ))
	} else {
		r.x = room(r.x, n*d)
		r.numbers(r.x)
		x = mat.NewDense(n, d, r.x)
	}
	set := &dataset.Set{X: x}
	switch head.Targets {
	case valueTargets:
		r.y = room(r.y, n)
		r.numbers(r.y)
		set.Value = r.y
	case classTargets:
		r.class = room(r.class, n)
		for i := range r.class {
			r.class[i] = int(r.word())
		}
		set.Labels.Class = r.class
	}
	return x, set
}

// sparse reads n rows of d columns with nnz entries in all. They are overwritten by the next block.
func (r *rowReader) sparse(n, d, nnz int) *sparse.CSR {
	a := &r.a
	a.N, a.D = n, d
	a.Ptr, a.Col, a.Val = room(a.Ptr, n+1), room(a.Col, nnz), room(a.Val, nnz)
	for i := range a.Ptr {
		a.Ptr[i] = int(r.word())
	}
	for i := range a.Col {
		a.Col[i] = int32(binary.LittleEndian.Uint32(r.bytes(4)))
	}
	r.numbers(a.Val)
	return a
}

// room returns a slice of n elements, in the memory of s if that is enough.
func room[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// bytes returns the next n bytes, which are zeros if there is an error.
func (r *rowReader) bytes(n int) []byte {
	b, err := r.from.Peek(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if r.err == nil {
		r.err = err
	}
	if r.err != nil {
		return make([]byte, n)
	}
	_, _ = r.from.Discard(n)
	return b
}

// word returns the next 8 bytes, little-endian, or 0 after an error.
func (r *rowReader) word() uint64 { return binary.LittleEndian.Uint64(r.bytes(8)) }

// numbers fills v with the next numbers, 8 bytes little-endian each, until an error.
func (r *rowReader) numbers(v []float64) {
	for len(v) > 0 && r.err == nil {
		n := min(len(v), keptBuffer/8)
		b := r.bytes(8 * n)
		for i := range n {
			v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
		v = v[n:]
	}
}
