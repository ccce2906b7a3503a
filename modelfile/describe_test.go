package modelfile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gramworks/gram/internal/must"
)

func TestContents(t *testing.T) {
	var b bytes.Buffer
	must.Do(t, Write(&b, nested{}))
	f := must.Have(Read(&b))(t)
	got := fmt.Sprintf("%+v", f.Contents())
	for _, want := range []string{
		"{Prefix: Method:outer Version:3 Config:[123 34 65 34 58 49 125]",
		"{Prefix:in/ Method:inner Version:1",
		"{Name:method Type:F64 Shape:[2 1] Bytes:16}",
		"{Name:names Type:U8 Shape:[3] Bytes:3} {Name:names.ends Type:I64 Shape:[2] Bytes:16}",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s does not contain %s", got, want)
		}
	}
	sub := must.Have(f.Sub("in"))(t)
	if c := sub.Contents(); len(c) != 1 || c[0].Prefix != "" || c[0].Method != "inner" || len(c[0].Arrays) != 1 {
		t.Errorf("the part: %+v", c)
	}
}

// nested has an array with the name of a key of the header.
type nested struct{}

func (nested) Encode(w *Writer) error {
	w.Strings("names", []string{"a", "bc"})
	in := w.Sub("in")
	in.Float64("method", []float64{1, 2}, 2, 1)
	if err := in.Header("inner", 1, nil); err != nil {
		return err
	}
	return w.Header("outer", 3, struct{ A int }{1})
}

// numPy returns the first Python that has NumPy.
func numPy(t *testing.T) string {
	t.Helper()
	var out []byte
	for _, p := range []string{"python3", "/usr/bin/python3"} {
		var err error
		if out, err = exec.Command(p, "-c", "import numpy").CombinedOutput(); err == nil {
			return p
		}
	}
	t.Skipf("no Python with NumPy (Debian: python3-numpy): %s", out)
	return ""
}

// TestNumPyHeads compares what docs/gram_model.py says of the method, the version and the settings of a
// model and of the models inside it, and its lists of strings. A file of another format is refused.
func TestNumPyHeads(t *testing.T) {
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	folder := cmp.Or(os.Getenv("GRAM_PYTHON"), "../docs")
	python := numPy(t)
	path := filepath.Join(t.TempDir(), "nested.gram")
	must.Do(t, WriteFile(path, func(w io.Writer) error { return Write(w, nested{}) }))
	const script = `import json, sys
sys.path.insert(0, sys.argv[1])
import gram_model
def show(model, prefix=""):
    print(json.dumps([prefix, model.method, model.version, model.config, model.get("names")]))
    for name, part in model.parts.items():
        show(part, prefix + name + "/")
show(gram_model.load(sys.argv[2]))`
	run := func(path string) (string, error) {
		c := exec.Command(python, "-c", script, folder, path)
		c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
		out, err := c.CombinedOutput()
		return string(out), err
	}
	got, err := run(path)
	if err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	f := must.Have(ReadFile(path))(t)
	heads := map[string][]any{}
	for line := range strings.Lines(got) {
		var head []any
		must.Do(t, json.Unmarshal([]byte(line), &head))
		heads[head[0].(string)] = head[1:]
	}
	for _, c := range f.Contents() {
		var config any
		must.Do(t, json.Unmarshal(c.Config, &config))
		var names any
		if c.Prefix == "" {
			names = []any{"a", "bc"}
		}
		if want := []any{c.Method, float64(c.Version), config, names}; !reflect.DeepEqual(heads[c.Prefix], want) {
			t.Errorf("part %q: %v, want %v", c.Prefix, heads[c.Prefix], want)
		}
	}
	head := `{"__metadata__":{"format":"pt"}}`
	other := append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...)
	must.Do(t, os.WriteFile(path, other, 0o600))
	if out, err := run(path); err == nil || !strings.Contains(out, "not a model file of gram") {
		t.Errorf("a file of another format: %v, %s", err, out)
	}
}

// TestNumPy reads every golden file of the module with docs/gram_model.py and compares
// names, types, shapes and the last element of every array.
func TestNumPy(t *testing.T) {
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	// ci/tools/mutate names a folder with a fault in the reader.
	reader := filepath.Join(cmp.Or(os.Getenv("GRAM_PYTHON"), "../docs"), "gram_model.py")
	python := numPy(t)
	var paths []string
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".gram" && strings.Contains(path, "testdata") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) < 50 {
		t.Fatalf("%d files: %v", len(paths), err)
	}
	got := must.Have(exec.Command(python, append([]string{reader}, paths...)...).Output())(t)
	// Files have arrays of the same names, so the lines are counted.
	listed := map[string]int{}
	for line := range strings.Lines(string(got)) {
		listed[strings.TrimSuffix(line, "\n")]++
	}
	for _, path := range paths {
		f := must.Have(ReadFile(path))(t)
		for _, name := range f.Names() {
			if strings.HasSuffix(name, ".ends") {
				continue
			}
			want := line(t, f, name)
			if listed[want]--; listed[want] < 0 {
				t.Errorf("%s: the reader does not print %q", path, want)
			}
		}
	}
	for text, n := range listed {
		if n > 0 {
			t.Errorf("the reader prints %q", text)
		}
	}
}

// line returns what the reader prints for an array.
func line(t *testing.T, f *File, name string) string {
	a := f.c.arrays[name]
	fields := []string{name}
	if f.Has(name + ".ends") {
		all := must.Have(f.Strings(name))(t)
		last := ""
		if len(all) > 0 {
			last = ascii(all[len(all)-1])
		}
		return strings.Join(append(fields, "strings", strconv.Itoa(len(all)), last), "\t")
	}
	fields = append(fields, map[string]string{"F64": "float64", "F32": "float32", "I64": "int64", "I32": "int32", "U8": "uint8"}[a.dtype])
	for _, n := range a.shape {
		fields = append(fields, strconv.Itoa(n))
	}
	b := must.Have(f.c.bytes(a))(t)
	last := ""
	if n := int64(len(b)); n > 0 {
		b = b[n-sizes[a.dtype]:]
		switch a.dtype {
		case "F64":
			last = python(math.Float64frombits(binary.LittleEndian.Uint64(b)))
		case "F32":
			last = python(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
		case "I64":
			last = strconv.FormatInt(int64(binary.LittleEndian.Uint64(b)), 10)
		case "I32":
			last = strconv.FormatInt(int64(int32(binary.LittleEndian.Uint32(b))), 10)
		default:
			last = strconv.Itoa(int(b[0]))
		}
	}
	return strings.Join(append(fields, last), "\t")
}

// python writes a number as Python does: the shortest text that is read back as the same
// number, with an exponent below 1e-4 and from 1e16 on.
func python(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(v, 'g', -1, 64)), "+")
	case a != 0 && (a < 1e-4 || a >= 1e16):
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// ascii writes a string as Python does, with bytes that are no text as surrogates.
func ascii(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for i, r := range s {
		switch {
		case r == utf8.RuneError && s[i] != 0xef:
			fmt.Fprintf(&b, "\\udc%02x", s[i])
		case r == '\'' || r == '\\':
			b.WriteString("\\" + string(r))
		case r < ' ' || r == 0x7f || r > 0x7f && r < 0x100:
			fmt.Fprintf(&b, "\\x%02x", r)
		case r > 0xffff:
			fmt.Fprintf(&b, "\\U%08x", r)
		case r > 0x7f:
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + "'"
}
