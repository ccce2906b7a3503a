package modelfile

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

const (
	format    = "gram 1"
	alignment = 64
	maxHeader = 100 << 20 // the safetensors library has the same limit
	maxDepth  = 32        // of models inside models
	// The header starts with prologue, eight hex digits and epilogue.
	prologue = `{"__metadata__":{"checksum":"`
	epilogue = `"`
	zeroSum  = "00000000"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Model is a value that can be stored. Encode describes it by calls to w; it
// must call w.Header exactly once.
type Model interface {
	Encode(w *Writer) error
}

// Writer collects the contents of a model file. It keeps the slices that it is
// given, without copying them, until the file is written. Names of arrays and
// prefixes consist of letters, digits, '_', '-' and '.'. Any other name, a name
// used twice and a shape that does not fit its data panic.
type Writer struct {
	c      *contents
	prefix string
	with   any
}

type contents struct {
	arrays []pending
	names  map[string]bool
	meta   []pair
}

type pending struct {
	name, dtype string
	size        int // of an element
	shape       []int
	data        []byte
}

type pair struct{ key, value string }

// Header records the name of the method, the version (≥ 1) of its arrays and
// settings, and the settings, which are stored as JSON. It returns an error if
// encoding/json does, for example for a NaN.
func (w *Writer) Header(method string, version int, config any) error {
	if version < 1 {
		panic("modelfile: version is not positive")
	}
	w.use(w.prefix + "__header__")
	text, err := json.Marshal(config)
	if err != nil {
		return fmt.Errorf("config of %s: %w", method, err)
	}
	w.c.meta = append(w.c.meta,
		pair{w.prefix + "method", method},
		pair{w.prefix + "version", strconv.Itoa(version)},
		pair{w.prefix + "config", string(text)})
	return nil
}

// Method returns the method given to Header, or "" before that call.
func (w *Writer) Method() string {
	for _, p := range w.c.meta {
		if p.key == w.prefix+"method" {
			return p.value
		}
	}
	return ""
}

// Sub returns a Writer for a model inside this one, whose arrays and header are
// stored under prefix. Models are at most 32 deep inside each other.
func (w *Writer) Sub(prefix string) *Writer {
	checkName(prefix)
	if strings.Count(w.prefix, "/") == maxDepth {
		panic("modelfile: models are nested too deeply")
	}
	return &Writer{c: w.c, prefix: w.prefix + prefix + "/", with: w.with}
}

// With returns a Writer of the same contents with a value for the Encode methods of the
// model and of the models inside it; see File.With.
func (w *Writer) With(v any) *Writer {
	u := *w
	u.with = v
	return &u
}

// Value returns the value of With, or nil if there is none.
func (w *Writer) Value() any { return w.with }

// Float64 adds an array. It has one dimension if no shape is given.
func (w *Writer) Float64(name string, data []float64, shape ...int) {
	add(w, name, "F64", data, shape)
}

// Float32 adds an array. It has one dimension if no shape is given.
func (w *Writer) Float32(name string, data []float32, shape ...int) {
	add(w, name, "F32", data, shape)
}

// int64s adds an array. It has one dimension if no shape is given.
func (w *Writer) int64s(name string, data []int64, shape ...int) {
	add(w, name, "I64", data, shape)
}

// int32s adds an array. It has one dimension if no shape is given.
func (w *Writer) int32s(name string, data []int32, shape ...int) {
	add(w, name, "I32", data, shape)
}

// ints adds data as an array of 64-bit integers.
func (w *Writer) ints(name string, data []int) {
	wide := make([]int64, len(data))
	for i, v := range data {
		wide[i] = int64(v)
	}
	w.int64s(name, wide)
}

// Strings adds a list of strings, which may contain any bytes.
func (w *Writer) Strings(name string, data []string) {
	var text []byte
	ends := make([]int64, len(data))
	for i, s := range data {
		text = append(text, s...)
		ends[i] = int64(len(text))
	}
	add(w, name, "U8", text, nil)
	w.int64s(name+".ends", ends)
}

// Dense adds a matrix as an array of shape r×c.
func (w *Writer) Dense(name string, x *mat.Dense) {
	r, c := x.Dims()
	raw := x.RawMatrix()
	data := raw.Data
	switch {
	case r == 0 || c == 0:
		data = nil
	case raw.Stride == c:
		data = data[:r*c]
	default:
		data = make([]float64, 0, r*c)
		for i := range r {
			data = append(data, x.RawRowView(i)...)
		}
	}
	w.Float64(name, data, r, c)
}

// csr adds a sparse matrix as the arrays name.dims, name.ptr, name.col and, unless all values are 1, name.val.
func (w *Writer) csr(name string, x *sparse.CSR) {
	first, last := x.Ptr[0], x.Ptr[x.N]
	ptr := make([]int64, x.N+1)
	for i, p := range x.Ptr {
		ptr[i] = int64(p - first)
	}
	w.int64s(name+".dims", []int64{int64(x.N), int64(x.D)})
	w.int64s(name+".ptr", ptr)
	w.int32s(name+".col", x.Col[first:last])
	if x.Val != nil {
		w.Float64(name+".val", x.Val[first:last])
	}
}

type element interface {
	float64 | float32 | int64 | int32 | uint8
}

func add[T element](w *Writer, name, dtype string, data []T, shape []int) {
	checkName(name)
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	if n, ok := product(shape); !ok || n != len(data) {
		panic("modelfile: the shape does not fit the data")
	}
	name = w.prefix + name
	w.use(name)
	var zero T
	w.c.arrays = append(w.c.arrays, pending{name, dtype, int(unsafe.Sizeof(zero)), slices.Clone(shape), littleEndian(data, hostLittle)})
}

func (w *Writer) use(name string) {
	if w.c.names[name] {
		panic("modelfile: a name is used twice")
	}
	w.c.names[name] = true
}

func checkName(s string) {
	if s == "" {
		panic("modelfile: empty name")
	}
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-', c == '.':
		default:
			panic("modelfile: a name may only hold letters, digits, '_', '-' and '.'")
		}
	}
	if s == "__metadata__" || s == "__header__" {
		panic("modelfile: reserved name")
	}
}

// product returns the number of elements of a shape; ok is false if the shape
// is not valid or the number exceeds an int.
func product(shape []int) (n int, ok bool) {
	n = 1
	for _, s := range shape {
		if s < 0 || (s > 0 && n > largestInt/s) {
			return 0, false
		}
		n *= s
	}
	return n, true
}

const largestInt = int(^uint(0) >> 1)

// hostLittle reports whether this machine stores numbers in the byte order of
// the file.
var hostLittle = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// littleEndian returns the bytes of data in the order of the file. They are
// data's own memory if the machine has the same order.
func littleEndian[T element](data []T, host bool) []byte {
	if len(data) == 0 {
		return nil
	}
	if host {
		return unsafe.Slice((*byte)(unsafe.Pointer(&data[0])), len(data)*int(unsafe.Sizeof(data[0])))
	}
	b, _ := binary.Append(nil, binary.LittleEndian, data)
	return b
}

// Write writes m to dst as a model file. If m.Encode fails, nothing is written.
func Write(dst io.Writer, m Model) error {
	w := &Writer{c: &contents{names: map[string]bool{}}}
	if err := m.Encode(w); err != nil {
		return err
	}
	return w.c.write(dst)
}

func (c *contents) write(dst io.Writer) error {
	if !c.names["__header__"] {
		panic("modelfile: the model wrote no header")
	}
	slices.SortStableFunc(c.arrays, func(a, b pending) int { return b.size - a.size })
	head := []byte(prologue + zeroSum + epilogue)
	str := func(s string) {
		b, _ := json.Marshal(s)
		head = append(head, b...)
	}
	meta := append([]pair{{"format", format}}, c.meta...)
	for _, a := range c.arrays {
		meta = append(meta, pair{"checksum:" + a.name, fmt.Sprintf("%08x", crc32.Checksum(a.data, castagnoli))})
	}
	for _, p := range meta {
		head = append(head, ',')
		str(p.key)
		head = append(head, ':')
		str(p.value)
	}
	head = append(head, '}')
	var at int64
	for _, a := range c.arrays {
		head = append(head, ',')
		str(a.name)
		head = append(head, `:{"dtype":"`...)
		head = append(head, a.dtype...)
		head = append(head, `","shape":[`...)
		for i, s := range a.shape {
			if i > 0 {
				head = append(head, ',')
			}
			head = strconv.AppendInt(head, int64(s), 10)
		}
		end := at + int64(len(a.data))
		head = append(head, `],"data_offsets":[`...)
		head = strconv.AppendInt(head, at, 10)
		head = append(head, ',')
		head = strconv.AppendInt(head, end, 10)
		head = append(head, `]}`...)
		at = end
	}
	head = append(head, '}')
	for (8+len(head))%alignment != 0 {
		head = append(head, ' ')
	}
	if len(head) > maxHeader {
		return fmt.Errorf("modelfile: a header of %d bytes exceeds the limit of %d", len(head), maxHeader)
	}
	copy(head[len(prologue):], fmt.Sprintf("%08x", crc32.Checksum(head, castagnoli)))
	parts := [][]byte{binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head}
	for _, a := range c.arrays {
		parts = append(parts, a.data)
	}
	for _, b := range parts {
		if n, err := dst.Write(b); err != nil {
			return err
		} else if n != len(b) {
			return io.ErrShortWrite
		}
	}
	return nil
}

// Save writes m to a temporary file in the directory of path, syncs it and
// renames it to path. If anything fails, or if m.Encode panics, the temporary
// file is removed and a file at path stays unchanged.
func Save(path string, m Model) error {
	err := WriteFile(path, func(w io.Writer) error { return Write(w, m) })
	if err != nil {
		return fmt.Errorf("saving the model: %w", err)
	}
	return nil
}
