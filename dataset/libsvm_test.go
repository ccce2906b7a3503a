package dataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

func compress(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	must.Have(z.Write(b))(t)
	must.Do(t, z.Close())
	return out.Bytes()
}

func readText(text string, o Options) (*Set, error) {
	return Read(strings.NewReader(text), o)
}

func denseRows(r, c int, v ...float64) *mat.Dense { return mat.NewDense(r, c, v) }

func TestLIBSVM(t *testing.T) {
	const text = "# a comment\n" +
		"+1 1:0.5 3:-2e-3 # another\n" +
		"\n" +
		"-1\t2:7\t \r\n" +
		"1 1:0 4:+1.25\n" +
		"-1.0"
	for name, in := range map[string][]byte{
		"plain": []byte(text),
		"gz":    compress(t, []byte(text)),
		"two":   append(compress(t, []byte(text[:30])), compress(t, []byte(text[30:]))...),
		"mark":  append(slices.Clone(byteOrderMark), text...),
	} {
		s, err := Read(iotest.HalfReader(bytes.NewReader(in)), Options{Format: LIBSVM, Name: "x"})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := denseRows(4, 4, .5, 0, -2e-3, 0, 0, 7, 0, 0, 0, 0, 0, 1.25, 0, 0, 0, 0)
		if _, ok := s.X.(*mat.Dense); !ok || !mat.Equal(s.X, want) {
			t.Errorf("%s: X is %T %v", name, s.X, s.X)
		}
		if !slices.Equal(s.Labels.Class, []int{1, 0, 1, 0}) || !slices.Equal(s.Labels.Names, []string{"-1", "+1"}) || s.Task() != Classes {
			t.Errorf("%s: labels %v", name, s.Labels)
		}
	}
	s, err := readText(text, Options{Dim: 100, Storage: Sparse, Task: Regression})
	if err != nil {
		t.Fatal(err)
	}
	x, ok := s.X.(*sparse.CSR)
	if !ok || x.Validate() != nil || x.D != 100 || x.NNZ() != 4 || !slices.Equal(s.Value, []float64{1, -1, 1, -1}) || s.Task() != Regression {
		t.Errorf("%v %v", s.X, s.Value)
	}
	s, err = readText(text, Options{Names: []string{"3", "1", "-1"}})
	if err != nil || !slices.Equal(s.Labels.Class, []int{1, 2, 1, 2}) || !slices.Equal(s.Labels.Names, []string{"3", "1", "-1"}) {
		t.Errorf("%v, %v", s, err)
	}
	s, err = readText(text, Options{Task: NoTarget})
	if err != nil || s.Task() != NoTarget {
		t.Errorf("%v, %v", s, err)
	}
}

func TestLIBSVMTags(t *testing.T) {
	const text = "3,7 1:1\n1:1 2:2\n0 2:5\n"
	s, err := readText(text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := &sparse.CSR{N: 3, D: 8, Ptr: []int{0, 2, 2, 3}, Col: []int32{3, 7, 0}}
	if !reflect.DeepEqual(s.Tags, want) || s.Task() != MultiLabel {
		t.Errorf("tags %v", s.Tags)
	}
	s, err = readText("1 1:1\n1:2\n", Options{Task: MultiLabel, Tags: 20})
	if err != nil || s.Tags.D != 20 || !slices.Equal(s.Tags.Ptr, []int{0, 1, 1}) {
		t.Errorf("%v, %v", s, err)
	}
}

// bad is an input, what the error must say and where.
type bad struct {
	text      string
	o         Options
	line, col int
	want      string
}

func (b bad) check(t *testing.T, err error) {
	t.Helper()
	var e *ParseError
	if !errors.As(err, &e) {
		t.Errorf("%.60q: error %v, want a *ParseError", b.text, err)
		return
	}
	if e.Line != b.line || e.Col != b.col || !strings.Contains(e.Reason, b.want) {
		t.Errorf("%.60q: %v, want %q at %d:%d", b.text, err, b.want, b.line, b.col)
	}
}

func TestLIBSVMErrors(t *testing.T) {
	for _, c := range []bad{
		{"", Options{}, 0, 0, "empty"},
		{"# nothing\n\n", Options{}, 0, 0, "no rows"},
		{"1 1:1\n1 0:1\n", Options{}, 2, 3, "start at 1"},
		{"1 2:1 1:1\n", Options{}, 1, 7, "ascend"},
		{"1 2:1 2:1\n", Options{}, 1, 7, "ascend"},
		{"1 2147483647:1\n1 2147483648:1\n", Options{}, 2, 3, "limit of 2147483647"},
		{"1 99999999999999999999999:1\n", Options{}, 1, 3, "limit of 2147483647"},
		{"1 4:1\n", Options{Dim: 3}, 1, 3, "there are 3 columns"},
		{"1 4:1\n", Options{MaxDim: 3}, 1, 3, "limit of 3"},
		{"1 1:nan\n", Options{}, 1, 5, "not finite"},
		{"1 1:1\n1 1:-Inf\n", Options{}, 2, 5, "not finite"},
		{"1 1:1e999\n", Options{}, 1, 5, "out of range"},
		{"1 1:0x10\n", Options{}, 1, 5, "not a number"},
		{"1 1:1_0\n", Options{}, 1, 5, "not a number"},
		{"1 1:\n", Options{}, 1, 5, "missing"},
		{"1 1:1 x\n", Options{}, 1, 7, "not index:value"},
		{"1 1:1 7\n", Options{}, 1, 7, "not index:value"},
		{"1 1:1 x:1\n", Options{}, 1, 7, "not an index"},
		{"1 -1:1\n", Options{}, 1, 3, "not an index"},
		{"1 qid:3 1:1\n", Options{}, 1, 3, "qid"},
		{"1:1 2:1\n", Options{Format: LIBSVM}, 1, 1, "label is missing"},
		{"abc 1:1\n", Options{}, 1, 1, "wrong label"},
		{"  nan 1:1\n", Options{}, 1, 3, "wrong label"},
		{"1 1:1\n2 1:1\n", Options{Names: []string{"1", "-1"}}, 2, 1, "not among the 2 classes"},
		{"1,3,2 1:1\n", Options{}, 1, 5, "ascend"},
		{"1,,2 1:1\n", Options{}, 1, 3, "not a list"},
		{"1,x 1:1\n", Options{}, 1, 3, "not a list"},
		{"1,5 1:1\n", Options{Tags: 5}, 1, 1, "from 0 to 4"},
		{"1,2 1:1\n", Options{Task: Classes}, 1, 1, "wrong label"},
		{"1,2147483647 1:1\n", Options{}, 1, 3, "limit"},
		{"1 1:1\n1 1:1 " + strings.Repeat(" ", 200) + "\n", Options{MaxLine: 100}, 2, 0, "longer than the limit of 100"},
		{"1 1:1" + strings.Repeat(" ", 96) + "\n", Options{MaxLine: 100}, 1, 0, "longer than the limit of 100"},
		{"1\n2\n", Options{Format: LIBSVM}, 0, 0, "no columns"},
	} {
		c.o.Name = "f.libsvm"
		_, err := readText(c.text, c.o)
		c.check(t, err)
		if err != nil && !strings.HasPrefix(err.Error(), "f.libsvm:") {
			t.Errorf("error without the file: %v", err)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "no"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	for _, o := range []Options{
		{Dim: -1}, {MaxDim: -1}, {Tags: -2}, {MaxLine: -1}, {Task: 77}, {Storage: 9},
		{Task: Regression, Names: []string{"a"}}, {Comma: '"'}, {Comma: '\n'}, {Comma: '\r'}, {Comma: 0xFFFD}, {Comma: -1}, {Comma: 0x110000}, {Dim: 5, MaxDim: 4},
	} {
		var e *gram.ConfigError
		if _, err := readText("1 1:1", o); !errors.As(err, &e) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	var m *gram.MemoryError
	if _, err := readText("1 1:1 100000:1\n", Options{Storage: Dense, MemoryLimit: 1000}); !errors.As(err, &m) {
		t.Errorf("memory limit: %v", err)
	}
	if _, err := readText(strings.Repeat("1 1:1\n", 1000), Options{MemoryLimit: 1000}); !errors.As(err, &m) {
		t.Errorf("memory limit: %v", err)
	}
	if _, err := readText("1 1:1"+strings.Repeat(" ", 95)+"\n", Options{MaxLine: 100}); err != nil {
		t.Errorf("a line as long as the limit: %v", err)
	}
	if _, err := readText(strings.Repeat("1 2147483647:1\n", 3), Options{}); err != nil {
		t.Errorf("the largest index: %v", err)
	}
}

func TestGzipDamage(t *testing.T) {
	var text strings.Builder
	g := rng.New(1, 1)
	rows := 2000
	if testing.Short() {
		rows = 300
	}
	for range rows {
		text.WriteString("1 1:" + strconv.FormatFloat(g.NormFloat64(), 'g', -1, 64) + "\n")
	}
	b := compress(t, []byte(text.String()))
	for n := 2; n < len(b); n += 97 {
		_, err := Read(bytes.NewReader(b[:n]), Options{Name: "f", Format: LIBSVM})
		var e *ParseError
		if !errors.As(err, &e) {
			t.Fatalf("cut at %d of %d: %v", n, len(b), err)
		}
	}
	for i := 0; i < len(b); i += 97 {
		c := slices.Clone(b)
		c[i] ^= 0x55
		s, err := Read(bytes.NewReader(c), Options{Name: "f", Format: LIBSVM})
		var e *ParseError
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("byte %d: %v", i, err)
		}
		if n := 0; err == nil && i > 9 { // the gzip header's time, name and system do not matter
			n, _ = s.Dims()
			t.Fatalf("byte %d: %d rows and no error", i, n)
		}
	}
	_, err := Read(bytes.NewReader(append(b, "rubbish"...)), Options{Name: "f", Format: LIBSVM})
	var e *ParseError
	if !errors.As(err, &e) {
		t.Errorf("rubbish after the end: %v", err)
	}
}

func TestReadErrorIsKept(t *testing.T) {
	boom := errors.New("boom")
	for _, text := range []string{"", "1 1:1\n"} {
		_, err := Read(&failing{text, boom}, Options{Format: LIBSVM, Name: "f"})
		if !errors.Is(err, boom) || !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

type failing struct {
	text string
	err  error
}

func (f *failing) Read(p []byte) (int, error) {
	if f.text == "" {
		return 0, f.err
	}
	n := copy(p, f.text)
	f.text = f.text[n:]
	return n, nil
}

func TestAutoTask(t *testing.T) {
	lines := func(labels ...string) string { return strings.Join(labels, " 1:1\n") + " 1:1\n" }
	many := make([]string, 400)
	for i := range many {
		many[i] = strconv.Itoa(i % 21)
	}
	few := slices.Clone(many)
	for i := range few {
		few[i] = strconv.Itoa(i % 20)
	}
	for _, c := range []struct {
		text string
		want Task
	}{
		{lines("1", "2", "1"), Classes},
		{lines("1", "2", "1.5"), Regression},
		{lines("1", "1.0", "+1"), Classes},
		{lines("1.25"), Regression},
		{lines(many...), Regression},
		{lines(few...), Classes},
	} {
		s, err := readText(c.text, Options{})
		if err != nil || s.Task() != c.want {
			t.Errorf("%.30q: %v, %v, want %v", c.text, s.Task(), err, c.want)
		}
		if s.Task() == Regression {
			if n, _ := s.Dims(); len(s.Value) != n {
				t.Errorf("%d values for %d rows", len(s.Value), n)
			}
		}
	}
}

func TestAutoStorage(t *testing.T) {
	if s, _ := readText("1 10:1\n", Options{}); isCSR(s.X) {
		t.Error("a tenth is sparse")
	}
	if s, _ := readText("1 11:1\n", Options{}); !isCSR(s.X) {
		t.Error("less than a tenth is dense")
	}
}

func isCSR(x mat.Matrix) bool { _, ok := x.(*sparse.CSR); return ok }

// reference is number by strconv.
func reference(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v) && !strings.ContainsAny(s, "_xX")
}

// The fast path gives the bits of strconv.
func TestNumber(t *testing.T) {
	g := rng.New(2, 2)
	check := func(s string) {
		t.Helper()
		got, reason := parseNumber([]byte(s))
		want, ok := reference(s)
		if ok != (reason == "") {
			t.Fatalf("%q: %q, strconv says %v", s, reason, ok)
		}
		if reason == "" && math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%q: %g, want %g", s, got, want)
		}
	}
	for _, s := range []string{"0", "-0", "+0.0", "1", "-1.5", ".5", "5.", "1e5", "1E-5", "1e+22", "1e22", "1e23", "9007199254740993",
		"9007199254740992", "9007199254740991e22", "123456789012345678901234567890", "0.00000000000000000000000000000001", "1e-400", "5e-324",
		"2.4703282292062327208e-324", "1.7976931348623157e308", "1.7976931348623159e308", "", "-", "+", ".", "e5", "1e", "1e+", "1.2.3", "1 ", " 1",
		"inf", "NaN", "1e99999999999999999999", "0e99999999999999999999", "1e-99999999999999999999", "00000000000000000000000001.5", "0.1", "0.3", "3.14159265358979",
		"18446744073709551617", "184467440737095516.17", "36893488147419103233e-5"} {
		check(s)
	}
	n := 100000
	if testing.Short() {
		n = 10000
	}
	for range n {
		bits := math.Float64frombits(g.Uint64())
		if math.IsNaN(bits) || math.IsInf(bits, 0) {
			continue
		}
		check(strconv.FormatFloat(bits, 'g', -1, 64))
		check(strconv.FormatFloat(g.NormFloat64(), 'f', g.IntN(20), 64))
		check(strconv.FormatFloat(g.NormFloat64(), 'e', g.IntN(20), 64))
		check(strconv.FormatUint(g.Uint64()>>g.IntN(64), 10) + "e" + strconv.Itoa(g.IntN(60)-30))
	}
}

func TestBlocksAndScan(t *testing.T) {
	g := rng.New(3, 3)
	var b strings.Builder
	const n, d = 1003, 40
	for range n {
		b.WriteString(strconv.Itoa(g.IntN(3)))
		for j := 1; j <= d; j++ {
			if g.IntN(20) == 0 {
				b.WriteString(" " + strconv.Itoa(j) + ":" + strconv.FormatFloat(g.NormFloat64(), 'g', -1, 64))
			}
		}
		b.WriteString("\n")
	}
	path := filepath.Join(t.TempDir(), "x.libsvm.gz")
	must.Do(t, os.WriteFile(path, compress(t, []byte(b.String())), 0o600))
	whole := must.Have(Open(path, Options{}))(t)
	info := must.Have(Scan(t.Context(), path, Options{}))(t)
	if info.Format != LIBSVM || info.N != n || info.D != d || info.Task != Classes || !slices.Equal(info.Names, []string{"0", "1", "2"}) ||
		info.NNZ != int64(whole.X.(*sparse.CSR).NNZ()) || whole.Name != "x" {
		t.Errorf("info %+v", info)
	}
	for _, rows := range []int{1, 100, n, 2 * n} {
		at := 0
		for s, err := range Blocks(t.Context(), path, Options{}, rows) {
			if err != nil {
				t.Fatal(err)
			}
			m, e := s.Dims()
			if e != d || !isCSR(s.X) || (m != rows && at+m != n) || !slices.Equal(s.Labels.Names, info.Names) {
				t.Fatalf("block of %d×%d at %d", m, e, at)
			}
			if !mat.Equal(s.X, whole.X.(*sparse.CSR).Slice(at, at+m)) || !slices.Equal(s.Labels.Class, whole.Labels.Class[at:at+m]) {
				t.Fatalf("the block at %d differs", at)
			}
			at += m
		}
		if at != n {
			t.Errorf("%d rows", at)
		}
	}
	for s := range Blocks(t.Context(), path, Options{}, 10) { // leaving early
		if n, _ := s.Dims(); n != 10 {
			t.Error(n)
		}
		break
	}
	seen := 0
	for s, err := range Blocks(t.Context(), path+"no", Options{}, 10) {
		if seen++; s != nil || !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
	if seen != 1 {
		t.Errorf("%d errors", seen)
	}
}
