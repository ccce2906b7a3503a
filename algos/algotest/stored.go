package algotest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/modelfile"
)

// stored is a decomposed model file: the headers of the model and of the models
// inside it, and all arrays. It can be assembled again, with or without changes.
type stored struct {
	parts  []part
	arrays []array
}

// part is the header of a model. Its prefix is empty for the outermost model and
// ends in a slash for a nested one; config is JSON.
type part struct{ prefix, method, version, config string }

// array is an array of a model file. data is a []float64, []float32, []int64,
// []int32 or []uint8.
type array struct {
	name  string // with the prefix of its part
	shape []int
	data  any
}

// entry is the description of an array in the header of a model file.
type entry struct {
	Dtype   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

// takeApart decomposes a valid model file into the headers of its models, sorted by prefix, and its arrays, sorted by name.
func takeApart(t *testing.T, file []byte) stored {
	t.Helper()
	decode := func(text []byte, to any) {
		t.Helper()
		if err := json.Unmarshal(text, to); err != nil {
			t.Fatal(err)
		}
	}
	head := 8 + int(binary.LittleEndian.Uint64(file))
	var header map[string]json.RawMessage
	decode(file[8:head], &header)
	var meta map[string]string
	decode(header["__metadata__"], &meta)
	delete(header, "__metadata__")
	var s stored
	for key, method := range meta {
		prefix, is := strings.CutSuffix(key, "method")
		if is && !strings.HasPrefix(key, "checksum:") && (prefix == "" || strings.HasSuffix(prefix, "/")) {
			s.parts = append(s.parts, part{prefix, method, meta[prefix+"version"], meta[prefix+"config"]})
		}
	}
	slices.SortFunc(s.parts, func(a, b part) int { return strings.Compare(a.prefix, b.prefix) })
	for name, text := range header {
		var e entry
		decode(text, &e)
		a := array{name: name, shape: e.Shape}
		raw := file[head+e.Offsets[0] : head+e.Offsets[1]]
		switch e.Dtype {
		case "F64":
			a.data = make([]float64, len(raw)/8)
		case "F32":
			a.data = make([]float32, len(raw)/4)
		case "I64":
			a.data = make([]int64, len(raw)/8)
		case "I32":
			a.data = make([]int32, len(raw)/4)
		case "U8":
			a.data = make([]uint8, len(raw))
		default:
			t.Fatalf("array %s is of type %s", name, e.Dtype)
		}
		if _, err := binary.Decode(raw, binary.LittleEndian, a.data); err != nil {
			t.Fatal(err)
		}
		s.arrays = append(s.arrays, a)
	}
	slices.SortFunc(s.arrays, func(a, b array) int { return strings.Compare(a.name, b.name) })
	return s
}

// dtype returns the type of a's elements, as model files name it, and their size
// in bytes.
func (a array) dtype() (name string, size int) {
	switch a.data.(type) {
	case []float64:
		return "F64", 8
	case []int64:
		return "I64", 8
	case []float32:
		return "F32", 4
	case []int32:
		return "I32", 4
	}
	return "U8", 1
}

// bytes returns a's elements in the form of a model file.
func (a array) bytes() []byte {
	raw, err := binary.Append(nil, binary.LittleEndian, a.data)
	if err != nil {
		panic(err) // not one of the types above
	}
	return raw
}

// file assembles s, with valid checksums, and reads it.
func (s stored) file(t *testing.T) *modelfile.File {
	t.Helper()
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	meta := map[string]string{"format": "gram 1"}
	for _, p := range s.parts {
		meta[p.prefix+"method"], meta[p.prefix+"version"], meta[p.prefix+"config"] = p.method, p.version, p.config
	}
	arrays := slices.Clone(s.arrays)
	slices.SortStableFunc(arrays, func(a, b array) int {
		_, i := a.dtype()
		_, j := b.dtype()
		return j - i
	})
	entries := map[string]entry{}
	var data []byte
	for _, a := range arrays {
		raw := a.bytes()
		dtype, _ := a.dtype()
		entries[a.name] = entry{dtype, a.shape, [2]int{len(data), len(data) + len(raw)}}
		meta["checksum:"+a.name] = fmt.Sprintf("%08x", crc32.Checksum(raw, castagnoli))
		data = append(data, raw...)
	}
	text := func(x any) string {
		b, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	const start = `{"__metadata__":{"checksum":"`
	head := []byte(start + `00000000",` + text(meta)[1:])
	if len(entries) > 0 {
		head = append(head, ","+text(entries)[1:]...)
	} else {
		head = append(head, '}')
	}
	head = append(head, bytes.Repeat([]byte{' '}, (64-(8+len(head))%64)%64)...)
	copy(head[len(start):], fmt.Sprintf("%08x", crc32.Checksum(head, castagnoli)))
	whole := binary.LittleEndian.AppendUint64(nil, uint64(len(head)))
	f, err := modelfile.Read(bytes.NewReader(append(append(whole, head...), data...)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
