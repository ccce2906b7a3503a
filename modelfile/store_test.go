package modelfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/store"
)

// objects is a store in memory.
type objects map[string][]byte

// opened is an object that is being read.
type opened struct {
	*bytes.Reader
	size int
}

func (o opened) Close() error               { return nil }
func (o opened) Stat() (fs.FileInfo, error) { return regular(o.size), nil }

func (o objects) Open(path string) (store.File, error) {
	if b, is := o[path]; is {
		return opened{bytes.NewReader(b), len(b)}, nil
	}
	return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
}

func (o objects) Stat(path string) (fs.FileInfo, error) { return regular(len(o[path])), nil }
func (o objects) Glob(string) ([]string, error)         { return nil, nil }
func (o objects) Remove(path string) error              { delete(o, path); return nil }

func (o objects) Write(path string, write func(w io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	o[path] = b.Bytes()
	return nil
}

// Models go to the store of their path and come from it, and to the disk without one. A file that was read knows its
// path. Nothing goes anywhere if writing fails, or if nobody has registered the store.
func TestStores(t *testing.T) {
	all := objects{}
	store.Register("modelfiletest", all)
	dir := t.TempDir()
	far, near, nobody := "modelfiletest://bucket/m.gram", filepath.Join(dir, "m.gram"), "modelfilenobody://bucket/m.gram"
	want := newLeaf()
	text := encode(t, want)
	broken := errors.New("broken")
	for name, write := range map[string]func(path string, write func(w io.Writer) error) error{"WriteFile": WriteFile, "WriteUnsynced": WriteUnsynced} {
		for _, path := range []string{far, near} {
			must.Do(t, write(path, func(w io.Writer) error { return Write(w, want) }))
			if err := write(path, func(w io.Writer) error { _, _ = w.Write([]byte("x")); return broken }); err != broken {
				t.Errorf("%s to %s: %v, want %v", name, path, err, broken)
			}
			if b := must.Have(store.ReadFile(path))(t); !bytes.Equal(b, text) {
				t.Errorf("%s to %s: other bytes", name, path)
			}
			for how, open := range map[string]func(path string) (*File, error){"ReadFile": ReadFile, "Map": Map} {
				f := must.Have(open(path))(t)
				sameLeaf(t, must.Have(decodeLeaf(f))(t), want)
				if f.Path() != path {
					t.Errorf("%s: the path is %q, want %q", how, f.Path(), path)
				}
				must.Do(t, f.Close())
			}
			must.Do(t, store.Remove(path))
		}
		if err := write(nobody, func(io.Writer) error { t.Error("a store that is not there is written"); return nil }); err == nil {
			t.Errorf("%s: a store that is not there is none", name)
		}
	}
	if f := must.Have(Read(bytes.NewReader(text)))(t); f.Path() != "" {
		t.Errorf("the path of a stream is %q", f.Path())
	}
	for _, path := range []string{nobody, far} {
		if _, err := Map(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s is mapped: %v", path, err)
		}
	}
	must.Do(t, os.WriteFile(near, []byte("old"), 0o600))
	for path, ok := range map[string]bool{far: true, near: true, nobody: false, filepath.Join(dir, "no", "m.gram"): false} {
		if err := CheckFile(path); (err == nil) != ok {
			t.Errorf("%s: %v", path, err)
		}
	}
	if b := must.Have(os.ReadFile(near))(t); string(b) != "old" || len(all) > 0 {
		t.Errorf("a check leaves %q and %d objects", b, len(all))
	}
	path, remove, err := TempFile("gram-modelfiletest")
	must.Do(t, err)
	info := must.Have(os.Stat(path))(t)
	if info.Size() != 0 || !info.Mode().IsRegular() {
		t.Errorf("a new file for a while: %v, %d bytes", info.Mode(), info.Size())
	}
	if remove(); must.Have(filepath.Glob(path))(t) != nil {
		t.Errorf("%s is still there", path)
	}
}

// A header of up to 100 MiB is read; of a longer one nothing more than its length.
func TestHeaderLimit(t *testing.T) {
	for h, want := range map[uint64]string{100<<20 - 8: "the file ends here", 100<<20 + 56: "not a model file", 120: "the file ends here", 121: "not a model file"} {
		_, err := Read(bytes.NewReader(binary.LittleEndian.AppendUint64(nil, h)))
		if !isFormat(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("a header of %d bytes: %v, want %q", h, err, want)
		}
	}
}

// Models are up to 32 deep inside each other, when they are written and in a file of another program.
func TestDepth(t *testing.T) {
	nest := func(depth int) encoder {
		return func(w *Writer) error {
			u := w
			for range depth {
				u = u.Sub("a")
			}
			u.Float64("x", []float64{7})
			return w.Header("deep", 1, nil)
		}
	}
	f := must.Have(Read(bytes.NewReader(encode(t, nest(32)))))(t)
	if v, err := f.Float64(strings.Repeat("a/", 32)+"x", 1); err != nil || v[0] != 7 {
		t.Errorf("32 deep: %v, %v", v, err)
	}
	if must.Recovered(func() { _ = Write(io.Discard, nest(33)) }) == nil {
		t.Error("models that are 33 deep are written")
	}
	for depth, ok := range map[int]bool{32: true, 33: false} {
		_, err := Read(bytes.NewReader(build("", `,"format":"gram 1","`+strings.Repeat("a/", depth)+`method":"m"`, nil)))
		if (err == nil) != ok || err != nil && !isFormat(err) {
			t.Errorf("%d deep: %v", depth, err)
		}
	}
}

// A sparse matrix or a list of strings that lacks an array, or whose arrays do not fit each other, is refused with the
// name of the array. A check of finite numbers refuses a damaged array.
func TestBadParts(t *testing.T) {
	good := func(dims []int64, ptr []int64, col []int32, val []float64) encoder {
		return func(w *Writer) error {
			for name, v := range map[string][]int64{"x.dims": dims, "x.ptr": ptr} {
				if v != nil {
					w.int64s(name, v)
				}
			}
			if col != nil {
				w.int32s("x.col", col)
			}
			if val != nil {
				w.Float64("x.val", val)
			}
			return w.Header("m", 1, nil)
		}
	}
	for what, c := range map[string]struct {
		m     encoder
		array string // none: it is read
	}{
		"all":           {good([]int64{2, 3}, []int64{0, 1, 2}, []int32{0, 2}, []float64{1, 2}), ""},
		"no values":     {good([]int64{2, 3}, []int64{0, 1, 2}, []int32{0, 2}, nil), ""},
		"no dims":       {good(nil, []int64{0, 1, 2}, []int32{0, 2}, nil), "x.dims"},
		"three dims":    {good([]int64{2, 3, 4}, []int64{0, 1, 2}, []int32{0, 2}, nil), "x.dims"},
		"negative rows": {good([]int64{-1, 3}, []int64{}, []int32{}, nil), "x.dims"},
		"many rows":     {good([]int64{int64(largestInt), 3}, []int64{0, 1, 2}, []int32{0, 2}, nil), "x.dims"},
		"no rows":       {good([]int64{2, 3}, nil, []int32{0, 2}, nil), "x.ptr"},
		"few rows":      {good([]int64{2, 3}, []int64{0, 2}, []int32{0, 2}, nil), "x.ptr"},
		"no columns":    {good([]int64{2, 3}, []int64{0, 1, 2}, nil, nil), "x.col"},
		"few values":    {good([]int64{2, 3}, []int64{0, 1, 2}, []int32{0, 2}, []float64{1}), "x.val"},
		"a late start":  {good([]int64{1, 3}, []int64{1, 2}, []int32{0, 2}, nil), "x.ptr"},
		"an early end":  {good([]int64{1, 3}, []int64{0, 1}, []int32{0, 2}, nil), "x.ptr"},
	} {
		f := must.Have(Read(bytes.NewReader(encode(t, c.m))))(t)
		x, err := f.csr("x")
		var fe *FormatError
		if c.array == "" && (err != nil || x.N != 2 || x.D != 3) || c.array != "" && (!errors.As(err, &fe) || fe.Array != c.array || x != nil) {
			t.Errorf("%s: %v, %v", what, x, err)
		}
	}
	endless := must.Have(Read(bytes.NewReader(encode(t, encoder(func(w *Writer) error {
		add(w, "x", "U8", []byte("abc"), nil)
		return w.Header("m", 1, nil)
	})))))(t)
	var fe *FormatError
	if s, err := endless.Strings("x"); !errors.As(err, &fe) || fe.Array != "x.ends" {
		t.Errorf("strings without ends: %q, %v", s, err)
	}
	if s := endless.Shape("y"); s != nil {
		t.Errorf("the shape of no array is %v", s)
	}
	path := filepath.Join(t.TempDir(), "m")
	b := encode(t, &wide{1, 2})
	b[len(b)-1] ^= 1
	must.Do(t, os.WriteFile(path, b, 0o600))
	if m := must.Have(Map(path))(t); m.c.close != nil { // it is mapped
		if err := m.Expect("wide", 1, nil); !errors.As(err, &fe) || fe.Array != "numbers" || !strings.Contains(fe.Reason, "damaged") {
			t.Errorf("a damaged array: %v", err)
		}
		must.Do(t, m.Close())
	}
}

// What is said of a file has null for settings that are no JSON.
func TestContentsWithoutSettings(t *testing.T) {
	for config, want := range map[string]string{`{"A":1}`: `{"A":1}`, `{"A":`: "null", "": "null"} {
		f := must.Have(Read(bytes.NewReader(build("", fmt.Sprintf(`,"format":"gram 1","method":"m","version":"7","config":%q`, config), nil))))(t)
		if c := f.Contents(); len(c) != 1 || string(c[0].Config) != want || c[0].Version != 7 {
			t.Errorf("%q: %+v, want %s", config, c, want)
		}
	}
}
