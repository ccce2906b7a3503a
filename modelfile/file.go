package modelfile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/sparse"
	"github.com/gramworks/gram/store"
	"gonum.org/v1/gonum/mat"
)

// FormatError says what is wrong with a model file, or with a model that is to be written, and
// where. Array is empty if the header is wrong. Offset is the position in the file in bytes, −1 if
// there is no file yet.
type FormatError struct {
	Array  string
	Offset int64
	Reason string
}

// unwritten is the offset of what is wrong with a model before there is a file of it.
const unwritten = -1

// Error returns the array, if the error is about one, the byte of the file and the reason.
func (e *FormatError) Error() string {
	if e.Offset == unwritten {
		where := "the model"
		if e.Array != "" {
			where = fmt.Sprintf("array %q", e.Array)
		}
		return fmt.Sprintf("%s: %s; no file with it could be read", where, e.Reason)
	}
	if e.Array == "" {
		return fmt.Sprintf("model file, byte %d: %s", e.Offset, e.Reason)
	}
	return fmt.Sprintf("model file, array %q at byte %d: %s", e.Array, e.Offset, e.Reason)
}

// File is a model file that has been read or mapped, or the part of one that holds
// a nested model. It is safe for concurrent use.
//
// The slices that its methods return share its memory and must not be changed.
// Those of a mapped file must not be used after Close.
type File struct {
	c      *loaded
	prefix string
	with   any
}

type loaded struct {
	meta      map[string]string
	arrays    map[string]*storedArray
	parts     map[string]bool           // prefixes, each with its slash
	ownArrays map[string][]*storedArray // by prefix of a model: its arrays, without those of models inside it
	data      []byte                    // nil after Close
	base      int64                     // offset of data in the file
	close     func() error
	memory    *budget
	path      string // "" if it was read from a stream
}

type storedArray struct {
	name   string
	dtype  string
	shape  []int
	lo, hi int64
	sum    uint32
	once   sync.Once
	err    error
}

// Read reads a model file to its end and verifies all checksums.
func Read(r io.Reader) (*File, error) { return readFile(r, -1, 0) }

// ReadLimited reads a model file as Read does and returns a *gram.MemoryError instead of
// using more than limit bytes of memory; 0 means no limit. The limit counts the file, its
// header 32 times for what is made of it, and all copies that the methods of File make:
// the lists of Ints, Strings and CSR, and any array on a big-endian machine. Of what a
// decoder derives from them it counts what the decoder reserves, see Exchange.Reserve.
func ReadLimited(r io.Reader, limit int64) (*File, error) { return readFile(r, -1, limit) }

// ReadFile reads the named file as Read does. Its errors start with the name.
func ReadFile(path string) (*File, error) { return ReadFileLimited(path, 0) }

// ReadFileLimited reads the named file as ReadLimited does. Its errors start with the name.
func ReadFileLimited(path string, limit int64) (*File, error) {
	f, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := readStored(f, limit)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m.c.path = path
	return m, nil
}

// Path returns the name of the file, as it was given to ReadFile or Map; "" for a file that was
// read from a stream. A model that consists of several files finds the others by it.
func (f *File) Path() string { return f.c.path }

// stored is the part of an *os.File that is used to read one.
type stored interface {
	io.Reader
	Stat() (fs.FileInfo, error)
}

// readStored reads a model from f as ReadLimited does, but knows the size of a regular file beforehand.
func readStored(f stored, limit int64) (*File, error) {
	size := int64(-1)
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if info.Mode().IsRegular() {
		size = info.Size()
	}
	return readFile(f, size, limit)
}

// readFile does the work of ReadLimited for an input of size bytes; −1 means that the size is
// not known.
func readFile(r io.Reader, size, limit int64) (*File, error) {
	c, total, err := readHeader(r, size, &budget{limit: limit})
	if err != nil {
		return nil, err
	}
	c.data, err = readN(r, c.base, total, size, c.memory)
	if err != nil {
		var short *FormatError
		if errors.As(err, &short) {
			return nil, c.truncated(short.Offset)
		}
		return nil, err
	}
	var one [1]byte
	switch _, err := io.ReadFull(r, one[:]); err {
	case io.EOF:
	case nil:
		return nil, &FormatError{Offset: c.base + total, Reason: "the file goes on after the last array"}
	default:
		return nil, err
	}
	f := &File{c: c}
	return f, f.Verify()
}

// readHeader reads and checks the header of an input of size bytes; −1 means that the
// size is not known. It returns the arrays that the header describes and the number of
// bytes of all arrays.
func readHeader(r io.Reader, size int64, memory *budget) (*loaded, int64, error) {
	start, err := readN(r, 0, 8, size, memory)
	if err != nil {
		return nil, 0, err
	}
	h, err := headerLength(start)
	if err != nil {
		return nil, 0, err
	}
	head, err := readN(r, 8, h, size, memory)
	if err != nil {
		return nil, 0, err
	}
	if err := memory.take(31 * h); err != nil {
		return nil, 0, err
	}
	c, total, err := parse(head)
	if err != nil {
		return nil, 0, err
	}
	if c.memory = memory; size >= 0 && size < c.base+total {
		return nil, 0, c.truncated(size)
	}
	return c, total, nil
}

// budget counts memory. It is safe for concurrent use.
type budget struct {
	limit int64 // 0: none
	used  atomic.Int64
}

// take counts n bytes that are about to be allocated and returns an error if they are too
// many.
func (b *budget) take(n int64) error {
	if used := b.used.Add(n); b.limit > 0 && used > b.limit {
		b.used.Add(-n)
		return &gram.MemoryError{Need: used, Limit: b.limit}
	}
	return nil
}

// readN reads n bytes that start at offset at. Unless the input is known to be
// long enough, its memory grows with what has been read, so that a false length
// allocates nothing.
func readN(r io.Reader, at, n, size int64, memory *budget) ([]byte, error) {
	if int64(int(n)) != n {
		return nil, &FormatError{Offset: at, Reason: "too large for this machine"}
	}
	have := 0
	room := n
	if size < at+n {
		room = min(n, 1<<20)
	}
	if err := memory.take(room); err != nil {
		return nil, err
	}
	buf := aligned(int(room))
	for {
		k, err := io.ReadFull(r, buf[have:])
		have += k
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil, &FormatError{Offset: at + int64(have), Reason: fmt.Sprintf("the file ends here, %d bytes are missing", n-int64(have))}
		}
		if err != nil {
			return nil, err
		}
		if int64(have) == n {
			return buf, nil
		}
		room = min(n, 2*int64(len(buf)))
		if err := memory.take(room); err != nil {
			return nil, err
		}
		more := aligned(int(room))
		memory.used.Add(-int64(copy(more, buf)))
		buf = more
	}
}

// aligned returns n bytes at an address that is a multiple of eight.
func aligned(n int) []byte {
	if n == 0 {
		return []byte{}
	}
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n)
}

func headerLength(start []byte) (int64, error) {
	h := binary.LittleEndian.Uint64(start)
	if h > maxHeader || (h+8)%alignment != 0 {
		return 0, &FormatError{Reason: "not a model file, as gram fit and gram compile write them"}
	}
	return int64(h), nil
}

// parse checks the header. It returns the arrays that the header describes and the
// number of bytes of all arrays.
func parse(head []byte) (*loaded, int64, error) {
	bad := func(reason string, args ...any) error {
		return &FormatError{Offset: 8, Reason: fmt.Sprintf(reason, args...)}
	}
	digits := len(prologue) + len(zeroSum)
	if !bytes.HasPrefix(head, []byte(prologue)) || len(head) < digits {
		return nil, 0, bad("not a model file: the header has no checksum")
	}
	sum := crc32.Checksum(head[:len(prologue)], castagnoli)
	sum = crc32.Update(sum, castagnoli, []byte(zeroSum))
	sum = crc32.Update(sum, castagnoli, head[digits:])
	if want := fmt.Sprintf("%08x", sum); want != string(head[len(prologue):digits]) {
		return nil, 0, bad("the header is damaged: its checksum is %s, not %q", want, head[len(prologue):digits])
	}
	entries, err := object[json.RawMessage](head)
	if err != nil {
		return nil, 0, bad("the header is not a JSON object: %v", err)
	}
	c := &loaded{arrays: map[string]*storedArray{}, parts: map[string]bool{}, ownArrays: map[string][]*storedArray{}, base: 8 + int64(len(head))}
	if c.meta, err = object[string](entries["__metadata__"]); err != nil {
		return nil, 0, bad("__metadata__ does not hold strings: %v", err)
	}
	delete(entries, "__metadata__")
	for _, names := range []iter.Seq[string]{maps.Keys(c.meta), maps.Keys(entries)} {
		for name := range names {
			if strings.Count(name, "/") > maxDepth {
				return nil, 0, bad("%.40q… is nested in more than %d models", name, maxDepth)
			}
		}
	}
	if got := c.meta["format"]; got != format {
		return nil, 0, bad("the format is %q, this program reads %q", got, format)
	}
	for key := range c.meta {
		if key, isHeader := strings.CutSuffix(key, "/method"); isHeader && !strings.HasPrefix(key, "checksum:") {
			c.addParts(key + "/method")
		}
	}
	list := make([]*storedArray, 0, len(entries))
	for name, text := range entries {
		a, err := parseArray(name, text, c.base, c.meta["checksum:"+name])
		if err != nil {
			return nil, 0, err
		}
		c.arrays[name] = a
		c.addParts(name)
		model := name // the prefix of the innermost model that the array belongs to
		for {
			model = model[:strings.LastIndexByte(strings.TrimSuffix(model, "/"), '/')+1]
			if _, is := c.meta[model+"method"]; is || model == "" {
				break
			}
		}
		c.ownArrays[model] = append(c.ownArrays[model], a)
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b *storedArray) int { return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.hi, b.hi)) })
	var at int64
	for _, a := range list {
		if a.lo != at {
			return nil, 0, &FormatError{Array: a.name, Offset: c.base + a.lo, Reason: fmt.Sprintf("starts at %d of the data, the arrays before it end at %d", a.lo, at)}
		}
		at = a.hi
	}
	return c, at, nil
}

// object decodes a JSON object. A key that is there twice is an error, which it is not to
// json.Unmarshal.
func object[T any](text []byte) (map[string]T, error) {
	var all map[string]T
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	commas, depth, inText := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case inText && b == '\\':
			i++
		case b == '"':
			inText = !inText
		case inText:
		case b == '{', b == '[':
			depth++
		case b == '}', b == ']':
			depth--
		case b == ',' && depth == 1:
			commas++
		}
	}
	if all == nil || commas != max(0, len(all)-1) {
		return nil, errors.New("a key is there twice, or there is no object")
	}
	return all, nil
}

func (c *loaded) addParts(name string) {
	for i := range len(name) {
		if name[i] == '/' {
			c.parts[name[:i+1]] = true
		}
	}
}

var sizes = map[string]int64{"F64": 8, "I64": 8, "F32": 4, "I32": 4, "U8": 1}

func parseArray(name string, text []byte, base int64, sum string) (*storedArray, error) {
	var e struct {
		Dtype   string
		Shape   []int
		Offsets []int64
	}
	bad := func(reason string, args ...any) error {
		return &FormatError{Array: name, Offset: base, Reason: fmt.Sprintf(reason, args...)}
	}
	fields, err := object[json.RawMessage](text)
	for name, to := range map[string]any{"dtype": &e.Dtype, "shape": &e.Shape, "data_offsets": &e.Offsets} {
		if err == nil {
			if err = json.Unmarshal(fields[name], to); err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
		}
		delete(fields, name)
	}
	if err == nil && len(fields) > 0 {
		err = errors.New("it has unknown members")
	}
	if err != nil {
		return nil, bad("its entry in the header is not valid: %v", err)
	}
	size := sizes[e.Dtype]
	if size == 0 {
		return nil, bad("type %q is not known", e.Dtype)
	}
	if len(e.Offsets) != 2 || e.Offsets[0] < 0 || e.Offsets[1] < e.Offsets[0] {
		return nil, bad("data_offsets are %v", e.Offsets)
	}
	lo, hi := e.Offsets[0], e.Offsets[1]
	if hi > int64(largestInt)-base {
		return nil, bad("ends at %d, too far for this machine", hi)
	}
	n, ok := product(e.Shape)
	if !ok || int64(n) > (1<<63-1)/size || int64(n)*size != hi-lo {
		return nil, bad("shape %v of %s does not fill %d bytes", e.Shape, e.Dtype, hi-lo)
	}
	if lo%size != 0 {
		return nil, bad("not aligned: starts at %d of the data", lo)
	}
	crc, err := strconv.ParseUint(sum, 16, 32)
	if err != nil || len(sum) != 8 {
		return nil, bad("its checksum is %q", sum)
	}
	return &storedArray{name: name, dtype: e.Dtype, shape: e.Shape, lo: lo, hi: hi, sum: uint32(crc)}, nil
}

// truncated returns an error for the first array that does not fit into a file of
// size bytes.
func (c *loaded) truncated(size int64) error {
	var first *storedArray
	for _, a := range c.arrays {
		if c.base+a.hi > size && (first == nil || a.lo < first.lo) {
			first = a
		}
	}
	return &FormatError{Array: first.name, Offset: size, Reason: fmt.Sprintf("the file ends here, the array at byte %d", c.base+first.hi)}
}

// Verify checks the checksums of all arrays of f. Read and ReadFile have done so
// already; a mapped file otherwise checks an array when it is first used.
func (f *File) Verify() error {
	names := f.Names()
	for _, name := range names {
		if _, err := f.c.bytes(f.c.arrays[f.prefix+name]); err != nil {
			return err
		}
	}
	return nil
}

func (c *loaded) bytes(a *storedArray) ([]byte, error) {
	if c.data == nil {
		panic("modelfile: the file is closed")
	}
	b := c.data[a.lo:a.hi:a.hi]
	a.once.Do(func() {
		if sum := crc32.Checksum(b, castagnoli); sum != a.sum {
			a.err = &FormatError{Array: a.name, Offset: c.base + a.lo, Reason: fmt.Sprintf("damaged: checksum %08x, want %08x", sum, a.sum)}
		}
	})
	return b, a.err
}

// Close releases a mapped file; slices taken from it must not be used afterwards.
// Close does nothing for a file that was read, or for a part. It must not run
// concurrently with other calls.
func (f *File) Close() error {
	if f.c.close == nil || f.prefix != "" {
		return nil
	}
	closer := f.c.close
	f.c.close, f.c.data = nil, nil
	return closer()
}

// With returns f with a value for the Decode functions that read it and the models
// inside it. The value holds what a program adds to the module, such as kernels of
// its own.
func (f *File) With(v any) *File {
	g := *f
	g.with = v
	return &g
}

// Value returns the value of With, or nil if there is none.
func (f *File) Value() any { return f.with }

// Method returns the name of the method that wrote the model, or "" if there is no
// header.
func (f *File) Method() string { return f.c.meta[f.prefix+"method"] }

// Header checks that the model was written by the given method in a version from 1
// to newest. It decodes the settings into config, unless config is nil, and
// returns the version. Settings that config does not have are an error.
func (f *File) Header(method string, newest int, config any) (version int, err error) {
	bad := func(reason string, args ...any) error {
		return &FormatError{Offset: 8, Reason: f.where() + fmt.Sprintf(reason, args...)}
	}
	got, ok := f.c.meta[f.prefix+"method"]
	if !ok {
		return 0, bad("has no header")
	}
	if got != method {
		return 0, bad("is of method %q, not %q", got, method)
	}
	version, err = strconv.Atoi(f.c.meta[f.prefix+"version"])
	if err != nil || version < 1 {
		return 0, bad("has version %q", f.c.meta[f.prefix+"version"])
	}
	if version > newest {
		return 0, bad("is version %d of %s; this program reads up to version %d", version, method, newest)
	}
	if config == nil {
		return version, nil
	}
	text := f.c.meta[f.prefix+"config"]
	if strings.HasPrefix(text, "{") {
		if _, err := object[json.RawMessage]([]byte(text)); err != nil {
			return 0, bad("has a config that cannot be read: %v", err)
		}
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(config); err != nil {
		return 0, bad("has a config that cannot be read: %v", err)
	}
	return version, nil
}

// Expect does what Header does and checks that the model's arrays, except the
// named ones, hold no NaN and no infinity. It does not check models inside the
// model; their own Decode does.
func (f *File) Expect(method string, newest int, config any, unchecked ...string) error {
	if _, err := f.Header(method, newest, config); err != nil {
		return err
	}
	for _, a := range f.c.ownArrays[f.prefix] {
		if slices.Contains(unchecked, a.name[len(f.prefix):]) {
			continue
		}
		b, err := f.c.bytes(a)
		if err != nil {
			return err
		}
		if i := notFinite(a.dtype, b); i >= 0 {
			return f.Errorf(a.name[len(f.prefix):], "element %d is not a finite number", i)
		}
	}
	return nil
}

// notFinite returns the index of the first NaN or infinity in the bytes of an
// array, or −1. Such numbers are those whose exponent has all bits set.
func notFinite(dtype string, b []byte) int {
	switch dtype {
	case "F64":
		for i, v := range view[int64](b, hostLittle) {
			if v>>52&0x7ff == 0x7ff {
				return i
			}
		}
	case "F32":
		for i, v := range view[int32](b, hostLittle) {
			if v>>23&0xff == 0xff {
				return i
			}
		}
	}
	return -1
}

func (f *File) where() string {
	if f.prefix == "" {
		return "the model "
	}
	return fmt.Sprintf("the part %q ", strings.TrimSuffix(f.prefix, "/"))
}

// Sub returns the nested model that Writer.Sub(prefix) has written.
func (f *File) Sub(prefix string) (*File, error) {
	p := f.prefix + prefix + "/"
	if !f.c.parts[p] {
		return nil, &FormatError{Array: f.prefix + prefix, Offset: 8, Reason: "there is no such part"}
	}
	return &File{c: f.c, prefix: p, with: f.with}, nil
}

// HasSub reports whether there is a nested model with that prefix.
func (f *File) HasSub(prefix string) bool { return f.c.parts[f.prefix+prefix+"/"] }

// Names returns the names of all arrays, including those of nested models, in byte
// order.
func (f *File) Names() []string {
	var names []string
	for name := range f.c.arrays {
		if rest, ok := strings.CutPrefix(name, f.prefix); ok {
			names = append(names, rest)
		}
	}
	slices.Sort(names)
	return names
}

// Has reports whether there is an array of that name.
func (f *File) Has(name string) bool { return f.c.arrays[f.prefix+name] != nil }

// Shape returns the shape of the named array, or nil if there is no such array.
func (f *File) Shape(name string) []int {
	if a := f.c.arrays[f.prefix+name]; a != nil {
		return slices.Clone(a.shape)
	}
	return nil
}

// Float64 returns an array. If a shape is given, the array must have that shape;
// −1 stands for any length.
func (f *File) Float64(name string, shape ...int) ([]float64, error) {
	return readArray[float64](f, name, "F64", shape)
}

// Float32 returns an array of float32 numbers. The array must have the shape as for Float64.
func (f *File) Float32(name string, shape ...int) ([]float32, error) {
	return readArray[float32](f, name, "F32", shape)
}

// int64s returns an array of int64 numbers. The array must have the shape as for Float64.
func (f *File) int64s(name string, shape ...int) ([]int64, error) {
	return readArray[int64](f, name, "I64", shape)
}

// int32s returns an array of int32 numbers. The array must have the shape as for Float64.
func (f *File) int32s(name string, shape ...int) ([]int32, error) {
	return readArray[int32](f, name, "I32", shape)
}

// ints returns a copy of what Writer.ints wrote. If n ≥ 0 there must be n
// integers.
func (f *File) ints(name string, n int) ([]int, error) {
	wide, err := f.int64s(name, n)
	if err != nil {
		return nil, err
	}
	if err := f.c.memory.take(int64(len(wide)) * strconv.IntSize / 8); err != nil {
		return nil, err
	}
	out := make([]int, len(wide))
	for i, v := range wide {
		if out[i] = int(v); int64(out[i]) != v {
			return nil, f.Errorf(name, "element %d is %d, too large for this machine", i, v)
		}
	}
	return out, nil
}

// Strings returns a copy of what Writer.Strings wrote.
func (f *File) Strings(name string) ([]string, error) {
	text, err := readArray[uint8](f, name, "U8", []int{-1})
	if err != nil {
		return nil, err
	}
	ends, err := f.int64s(name+".ends", -1)
	if err != nil {
		return nil, err
	}
	if err := f.c.memory.take(int64(len(ends))*int64(unsafe.Sizeof("")) + int64(len(text))); err != nil {
		return nil, err
	}
	out := make([]string, len(ends))
	var at int64
	for i, end := range ends {
		if end < at || end > int64(len(text)) {
			return nil, f.Errorf(name+".ends", "element %d is %d after %d, with %d bytes of text", i, end, at, len(text))
		}
		out[i] = string(text[at:end])
		at = end
	}
	if at != int64(len(text)) {
		return nil, f.Errorf(name+".ends", "the last string ends at %d of %d bytes", at, len(text))
	}
	return out, nil
}

// Dense returns a two-dimensional array as a matrix that shares f's memory. If r
// or c is not negative, the array must have that many rows or columns.
func (f *File) Dense(name string, r, c int) (*mat.Dense, error) {
	data, err := f.Float64(name, max(r, -1), max(c, -1))
	if err != nil {
		return nil, err
	}
	shape := f.Shape(name)
	if len(data) == 0 {
		return &mat.Dense{}, nil
	}
	return mat.NewDense(shape[0], shape[1], data), nil
}

// Matrix returns a matrix as Dense does and requires at least one row and one
// column.
func (f *File) Matrix(name string, r, c int) (*mat.Dense, error) {
	x, err := f.Dense(name, r, c)
	if err == nil && x.IsEmpty() {
		return nil, f.Errorf(name, "is empty")
	}
	return x, err
}

// csr returns a sparse matrix, whose columns and values share f's memory.
func (f *File) csr(name string) (*sparse.CSR, error) {
	dims, err := f.ints(name+".dims", 2)
	if err != nil {
		return nil, err
	}
	if dims[0] < 0 || dims[0] == largestInt {
		return nil, f.Errorf(name+".dims", "%d rows", dims[0])
	}
	x := &sparse.CSR{N: dims[0], D: dims[1]}
	if x.Ptr, err = f.ints(name+".ptr", x.N+1); err != nil {
		return nil, err
	}
	if x.Col, err = f.int32s(name+".col", -1); err != nil {
		return nil, err
	}
	if f.Has(name + ".val") {
		if x.Val, err = f.Float64(name+".val", len(x.Col)); err != nil {
			return nil, err
		}
	}
	if err := x.Validate(); err != nil {
		return nil, f.Errorf(name+".ptr", "%v", err)
	}
	if x.Ptr[0] != 0 || x.Ptr[x.N] != len(x.Col) {
		return nil, f.Errorf(name+".ptr", "the rows are %d..%d of %d entries", x.Ptr[0], x.Ptr[x.N], len(x.Col))
	}
	return x, nil
}

// Errorf returns a *FormatError about an array, for a Decode that finds its
// contents wrong.
func (f *File) Errorf(name, reason string, args ...any) error {
	e := &FormatError{Array: f.prefix + name, Offset: 8, Reason: fmt.Sprintf(reason, args...)}
	if a := f.c.arrays[f.prefix+name]; a != nil {
		e.Offset = f.c.base + a.lo
	}
	return e
}

func readArray[T element](f *File, name, dtype string, shape []int) ([]T, error) {
	a := f.c.arrays[f.prefix+name]
	if a == nil {
		return nil, f.Errorf(name, "there is no such array")
	}
	if a.dtype != dtype {
		return nil, f.Errorf(name, "is of type %s, want %s", a.dtype, dtype)
	}
	if len(shape) > 0 {
		ok := len(shape) == len(a.shape)
		for i := 0; ok && i < len(shape); i++ {
			ok = shape[i] == -1 || shape[i] == a.shape[i]
		}
		if !ok {
			return nil, f.Errorf(name, "has shape %v, want %v (-1: any)", a.shape, shape)
		}
	}
	b, err := f.c.bytes(a)
	if err != nil {
		return nil, err
	}
	if !hostLittle {
		if err := f.c.memory.take(int64(len(b))); err != nil {
			return nil, err
		}
	}
	return view[T](b, hostLittle), nil
}

// view returns the numbers in b. They share b's memory if the machine has the byte
// order of the file.
func view[T element](b []byte, host bool) []T {
	var zero T
	n := len(b) / int(unsafe.Sizeof(zero))
	if n == 0 {
		return []T{}
	}
	if host {
		return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
	}
	out := make([]T, n)
	_, _ = binary.Decode(b, binary.LittleEndian, out)
	return out
}
