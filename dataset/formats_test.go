package dataset

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// The last line needs no end, and all may end as on Windows.
func TestLineEnds(t *testing.T) {
	for _, c := range []struct {
		text string
		o    Options
	}{
		{"1 1:2 2:31\n-1 1:4 3:57\n", Options{Format: LIBSVM}},
		{"a,b,y\n1,2,13\n4,5,67\n", Options{Format: CSV}},
		{"2 3 4\n0,3 0:12 2:34\n1 1:56\n", Options{Format: XML}},
	} {
		want := must.Have(readText(c.text, c.o))(t)
		for _, text := range []string{strings.TrimSuffix(c.text, "\n"), strings.ReplaceAll(c.text, "\n", "\r\n"), strings.TrimSuffix(strings.ReplaceAll(c.text, "\n", "\r\n"), "\n")} {
			if got, err := readText(text, c.o); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%q is read as %+v, %v, with other ends of lines as %+v", text, got, err, want)
			}
		}
	}
}

// No file stays open, whether it can be read or not.
func TestFilesAreClosed(t *testing.T) {
	open := func() (n int) {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("open files cannot be counted here")
		}
		return len(files)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it closes what is forgotten
	dir := t.TempDir()
	values := &Set{X: denseRows(3, 2, 1, 2, 3, 4, 5, 6), Value: []float64{1, 2, 3}}
	tags := &Set{X: denseRows(2, 1, 1, 2), Tags: &sparse.CSR{N: 2, D: 2, Ptr: []int{0, 1, 2}, Col: []int32{0, 1}}}
	before := open()
	for name, s := range map[string]*Set{"a.csv": values, "a.libsvm": values, "a.csv.gz": values, "a.npy": values, "a.xml.txt": tags} {
		path := filepath.Join(dir, name)
		must.Do(t, Save(t.Context(), path, s))
		must.Have(Open(path, Options{}))(t)
		for range Blocks(t.Context(), path, Options{}, 1) {
			break
		}
		whole := must.Have(os.ReadFile(path))(t)
		for _, n := range []int{0, 1, len(whole) / 2, len(whole) - 2} {
			must.Do(t, os.WriteFile(path, whole[:n], 0o600))
			_, _ = Open(path, Options{})
		}
		if after := open(); after != before {
			t.Errorf("%s: %d files are open, before there were %d", name, after, before)
			before = after
		}
	}
}

func TestCSV(t *testing.T) {
	const text = "a,\"b \"\"x\",kind,c\n1,2.5,red,-3e2\n0, 0 ,blue,4\r\n\n7,8,red,9\n"
	s, err := readText(text, Options{Format: CSV, Target: "kind"})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(s.X, denseRows(3, 3, 1, 2.5, -300, 0, 0, 4, 7, 8, 9)) || !slices.Equal(s.Labels.Class, []int{1, 0, 1}) || !slices.Equal(s.Labels.Names, []string{"blue", "red"}) {
		t.Errorf("%v %v", s.X, s.Labels)
	}
	if s, err = readText(text, Options{Format: CSV, Target: "3"}); err != nil || s.Task() != Classes {
		t.Errorf("column 3: %v", err)
	}
	if _, err = readText("u;v\n0,5;1\n", Options{Format: CSV}); err == nil {
		t.Error("a decimal comma was read")
	}
	for _, text := range []string{"u;v\n0,5;1\n-12,25e1;,5\n", "u,v\n\"0,5\",1\n\" -12,25e1\",\",5\"\n", "0,5;1\n-12,25e1;,5\n"} {
		s, err = readText(text, Options{Format: CSV, DecimalComma: true, NoHeader: text[0] == '0', Task: Regression})
		if err != nil || !mat.Equal(s.X, denseRows(2, 1, .5, -122.5)) || !slices.Equal(s.Value, []float64{1, .5}) {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
	if _, err = readText("u;v\n0,5;1\n1.500;2\n", Options{Format: CSV, DecimalComma: true}); err == nil || !strings.Contains(err.Error(), `input:3:1: "1.500" has a decimal point`) {
		t.Errorf("a point among decimal commas: %v", err)
	}
	for _, text := range []string{"u;v\n1;0.5\n2;1.5\n", "u\tv\n1\t0.5\n2\t1.5\n", "u,v\n1,0.5\n2,1.5\n"} {
		s, err = readText(text, Options{})
		if err != nil || !mat.Equal(s.X, denseRows(2, 1, 1, 2)) || !slices.Equal(s.Value, []float64{.5, 1.5}) {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
	s, err = readText("1,2\n3,4\n", Options{NoHeader: true, Task: NoTarget, Comma: ',', Format: CSV})
	if err != nil || !mat.Equal(s.X, denseRows(2, 2, 1, 2, 3, 4)) || s.Task() != NoTarget {
		t.Errorf("%v, %v", s, err)
	}
	s, err = readText("u,v,y\n0,0,1\n"+strings.Repeat("0,0,2\n", 30), Options{Format: CSV})
	if err != nil || !isCSR(s.X) || s.X.(*sparse.CSR).Validate() != nil {
		t.Errorf("zeros: %T, %v", s.X, err)
	}
	for _, header := range []string{"0,1,2,y", "2019,2020,2021,y"} { // columns that are counted
		if s, err := readText(header+"\n1,2,3,x\n", Options{Format: CSV}); err != nil || s.X.At(0, 1) != 2 {
			t.Errorf("%s: %v, %v", header, s, err)
		}
	}
	for _, row := range []string{"1,2,a", "1,2,2,a", "5,a"} { // what could be either
		if s, err := readText(row+"\n"+row+"\n", Options{Format: CSV}); err == nil || !strings.Contains(err.Error(), "1:1: the first line holds numbers") {
			t.Errorf("%s: %v, %v", row, s, err)
		}
	}
	s, err = readText("u,y\n1,5\n1,7\n", Options{Format: CSV, Names: []string{"7", "5"}})
	if err != nil || !slices.Equal(s.Labels.Class, []int{1, 0}) {
		t.Errorf("%v, %v", s, err)
	}
	for _, c := range []bad{
		{"", Options{}, 0, 0, "empty"},
		{"a,b\n", Options{}, 0, 0, "no rows"},
		{"a,b\n1,2\n3\n", Options{}, 3, 0, "1 cells, want 2"},
		{"a,b\n1,2\n3,4,5\n", Options{}, 3, 0, "3 cells, want 2"},
		{"a,b\n1,x\"y\n", Options{}, 2, 4, "write each mark inside twice"},
		{"a,b\n1,\"x\n3,4\n", Options{}, 3, 5, "does not end with one"},
		{"gr\xf6\xdfe,b\n1,2\n", Options{}, 1, 1, `"gr\xf6\xdfe" is not UTF-8: save the file as UTF-8`},
		{"a,b\n1,gr\xfcn\n", Options{}, 2, 3, "is not UTF-8"},
		{"a,b\nx,2\n", Options{}, 2, 1, "not a number"},
		{"a,b,y\n1,,2\n", Options{}, 2, 3, "missing"},
		{"a,b,y\n1,NaN,2\n", Options{}, 2, 3, "not finite"},
		{"a,b,y\n1,2,\n", Options{}, 2, 5, "target is missing"},
		{"a,b\n1,\"2\n", Options{}, 2, 6, "quotation mark"},
		{"1,2\n3,4\n", Options{}, 1, 1, "header"},
		{"1,2.5,red\n3,4,blue\n", Options{}, 1, 1, "header"},
		{"red,3,2.5\nblue,3,4\n", Options{Target: "1"}, 1, 1, "header"},
		{"7,red\n3,blue\n", Options{}, 1, 1, "header"},
		{"a,b\n1,2\n", Options{Dim: 1, Task: NoTarget}, 1, 0, "name it"},
		{"a,b\n1,2\n", Options{Target: "c"}, 1, 0, "no column is called"},
		{"length,Price\n1,2\n", Options{Target: "price"}, 1, 0, "no column is called \"price\" (did you mean Price?)"},
		{"a,b\n1,2\n", Options{Target: "3"}, 1, 0, "no column 3"},
		{"a,a,b\n1,2,3\n", Options{Target: "a"}, 1, 0, "both called"},
		{"a,b\n1,2\n", Options{Dim: 5}, 1, 0, "want 5"},
		{"a,b,c\n1,2,3\n", Options{MaxDim: 1}, 1, 0, "limit of 1"},
		{"a,b\n1,x\n", Options{Task: Regression}, 2, 3, "not a number"},
		{"a,b\n1,x\n", Options{Names: []string{"y"}}, 2, 3, "not among"},
		{"a,b\n1,2\n1,2.5\n1,x\n", Options{}, 4, 3, "not a number"},
		{"a,b\n" + strings.Repeat("1", 1<<15) + ",2\n", Options{MaxLine: 100}, 2, 0, "limit of 100"},
		{"a,b\n\"" + strings.Repeat("1\n", 1<<15) + "\",2\n", Options{MaxLine: 100}, 2, 0, "limit of 100"},
		{"a\n1\n", Options{}, 0, 0, "no columns beside"},
		{"1,x\n", Options{NoHeader: true, Task: Regression}, 1, 3, "not a number"},
	} {
		c.o.Name = "f.csv"
		_, err := readText(c.text, c.o)
		c.check(t, err)
	}
	var e *gram.ConfigError
	if _, err := readText("a,b\n1,2\n", Options{Format: CSV, Task: MultiLabel}); !errors.As(err, &e) {
		t.Error(err)
	}
}

func TestXML(t *testing.T) {
	const text = "4 5 3\n0,2 1:0.5 4:2\n 0:1\n1 \n2 3:0 4:-1\n"
	for _, o := range []Options{{}, {Format: XML}, {Name: "x.xml.txt"}} {
		s := must.Have(readText(text, o))(t)
		want := &sparse.CSR{N: 4, D: 3, Ptr: []int{0, 2, 2, 3, 4}, Col: []int32{0, 2, 1, 2}}
		if !mat.Equal(s.Tags, want) || s.Tags.Val != nil || !mat.Equal(s.X, denseRows(4, 5, 0, .5, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1)) {
			t.Errorf("%v %v", s.X, s.Tags)
		}
	}
	for _, c := range []bad{
		{"", Options{}, 0, 0, "empty"},
		{"1 2\n", Options{}, 1, 0, "rows columns labels"},
		{"1 x 2\n", Options{}, 1, 3, "not a number"},
		{"1 99999999999 2\n", Options{}, 1, 3, "not a number of at most"},
		{"0 3 2\n", Options{}, 1, 1, "rows is 0"},
		{"2 3 2\n0 1:1\n", Options{}, 2, 0, "after 1 of 2 rows"},
		{"1 3 2\n0 1:1\n1 1:1\n", Options{}, 3, 1, "more rows"},
		{"1 3 2\n2 1:1\n", Options{}, 2, 1, "from 0 to 1"},
		{"1 3 2\n0 3:1\n", Options{}, 2, 3, "from 0 to 2"},
		{"1 3 2\n0 1:1 1:2\n", Options{}, 2, 7, "ascend"},
		{"1 3 2\n0 1:1 0:2\n", Options{}, 2, 7, "ascend"},
		{"1 3 3\n0,2,1 1:1\n", Options{}, 2, 5, "ascend"},
		{"1 3 2\n0 1:inf\n", Options{}, 2, 5, "not finite"},
		{"1 3 2\n1:1 2:2\n", Options{}, 2, 1, "starts with a space"},
		{"2 3 2\n\n0 1:1\n", Options{}, 2, 1, "empty"},
		{"1 3 2\n0 1:1\n", Options{Dim: 4}, 1, 0, "want 4"},
		{"1 3 2\n0 1:1\n", Options{Tags: 4}, 1, 0, "want 4"},
		{"1 3 2\n0 1:1\n", Options{MaxDim: 2}, 1, 0, "limit of 2"},
		{"1 3 2\n0 a:1\n", Options{}, 2, 3, "not an index"},
		{"1 3 2\n0 1:\n", Options{}, 2, 5, "missing"},
	} {
		c.o.Name = "f.xml.txt"
		_, err := readText(c.text, c.o)
		c.check(t, err)
	}
	var e *gram.ConfigError
	if _, err := readText("1 2 1\n0 1:1\n", Options{Task: Classes}); !errors.As(err, &e) {
		t.Error(err)
	}
}

// wide is what a machine with an int of 64 bits says, or else narrow.
func wide(wide, narrow string) string {
	if strconv.IntSize == 64 {
		return wide
	}
	return narrow
}

func idxBytes(code byte, dims []uint32, data []byte) []byte {
	b := []byte{0, 0, code, byte(len(dims))}
	for _, d := range dims {
		b = binary.BigEndian.AppendUint32(b, d)
	}
	return append(b, data...)
}

func TestIDX(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, b []byte) string {
		p := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(p, b, 0o600))
		return p
	}
	images := put("t-images-idx3-ubyte.gz", compress(t, idxBytes(8, []uint32{3, 2, 2}, []byte{0, 1, 2, 255, 4, 5, 6, 7, 8, 9, 10, 11})))
	x := denseRows(3, 4, 0, 1, 2, 255, 4, 5, 6, 7, 8, 9, 10, 11)
	s, err := Open(images, Options{})
	if err != nil || !mat.Equal(s.X, x) || s.Task() != NoTarget {
		t.Fatalf("%v, %v", s, err)
	}
	labels := put("t-labels-idx1-ubyte", idxBytes(8, []uint32{3}, []byte{7, 2, 7}))
	for _, o := range []Options{{}, {TargetFile: labels}, {Format: IDX, Dim: 4}} {
		s, err := Open(images, o)
		if err != nil || !mat.Equal(s.X, x) || !slices.Equal(s.Labels.Class, []int{1, 0, 1}) || !slices.Equal(s.Labels.Names, []string{"2", "7"}) {
			t.Errorf("%v, %v", s, err)
		}
	}
	if s, err := Open(images, Options{Task: Regression}); err != nil || !slices.Equal(s.Value, []float64{7, 2, 7}) {
		t.Errorf("%v, %v", s, err)
	}
	info, err := Scan(t.Context(), images, Options{})
	if err != nil || info.N != 3 || info.D != 4 || info.NNZ != 11 || info.Task != Classes || info.Format != IDX {
		t.Errorf("%+v, %v", info, err)
	}
	for code, data := range map[byte][]byte{
		0x09: {1, 0xff}, 0x0b: {0, 1, 0xff, 0xff}, 0x0c: {0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff},
		0x0d: {0x3f, 0x80, 0, 0, 0xbf, 0x80, 0, 0}, 0x0e: {0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0xbf, 0xf0, 0, 0, 0, 0, 0, 0},
	} {
		s, err := Read(bytes.NewReader(idxBytes(code, []uint32{1, 2}, data)), Options{})
		if err != nil || !mat.Equal(s.X, denseRows(1, 2, 1, -1)) {
			t.Errorf("type %x: %v, %v", code, s, err)
		}
	}
	for _, c := range []struct {
		b    []byte
		o    Options
		want string
	}{
		{idxBytes(8, []uint32{2, 2}, []byte{1, 2, 3}), Options{}, "ends in row 2 of 2"},
		{idxBytes(8, []uint32{1, 2}, []byte{1, 2, 3}), Options{}, "goes on"},
		{idxBytes(8, []uint32{0, 2}, nil), Options{}, "no rows"},
		{idxBytes(8, []uint32{1, 0}, nil), Options{}, "want 1 to"},
		{idxBytes(8, []uint32{1, 1 << 20, 1 << 20}, nil), Options{}, "want 1 to"},
		{idxBytes(8, []uint32{1<<32 - 1, 1<<31 - 1}, []byte{1}), Options{}, wide("ends in row 1", "more than this machine")},
		{idxBytes(8, []uint32{1, 2}, nil)[:6], Options{}, "too early"},
		{idxBytes(8, []uint32{1, 2}, []byte{1, 2}), Options{Dim: 3}, "want 3"},
		{idxBytes(8, []uint32{1, 2}, []byte{1, 2}), Options{MaxDim: 1}, "limit of 1"},
		{idxBytes(7, []uint32{1, 2}, []byte{1, 2}), Options{Format: IDX}, "not an IDX"},
		{idxBytes(0xd, []uint32{1, 1}, []byte{0x7f, 0xc0, 0, 0}), Options{}, "row 1, column 1 is NaN"},
	} {
		c.o.Name = "f"
		_, err := Read(bytes.NewReader(c.b), c.o)
		bad{text: fmt.Sprintf("% x", c.b), want: c.want}.check(t, err)
	}
	put("u-images-idx3-ubyte", idxBytes(8, []uint32{3, 1, 1}, []byte{1, 2, 3}))
	put("u-labels-idx1-ubyte", idxBytes(8, []uint32{2}, []byte{1, 2}))
	_, err = Open(filepath.Join(dir, "u-images-idx3-ubyte"), Options{})
	bad{text: "fewer labels", want: "one for each of 3 rows"}.check(t, err)
	put("v-images-idx3-ubyte", idxBytes(8, []uint32{3, 1, 1}, []byte{1, 2, 3}))
	put("v-labels-idx1-ubyte", idxBytes(8, []uint32{3}, []byte{1, 2}))
	_, err = Open(filepath.Join(dir, "v-images-idx3-ubyte"), Options{})
	bad{text: "labels cut", want: "ends in row 3"}.check(t, err)
	put("w-images-idx3-ubyte", idxBytes(8, []uint32{3, 1, 1}, []byte{1, 2, 3}))
	put("w-labels-idx1-ubyte", idxBytes(8, []uint32{3}, []byte{1, 2, 3, 4}))
	_, err = Open(filepath.Join(dir, "w-images-idx3-ubyte"), Options{})
	bad{text: "labels go on", want: "goes on"}.check(t, err)
	if _, err := Open(images, Options{TargetFile: filepath.Join(dir, "no")}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func npyBytes(version byte, dict string, data []byte) []byte {
	b := append(slices.Clone(npyMagic), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(dict)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(dict)))
	}
	return append(append(b, dict...), data...)
}

func dict(descr, shape string) string {
	return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }      \n"
}

func TestNPY(t *testing.T) {
	one := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, math.Float64bits(1.5)), math.Float64bits(-2))
	for _, c := range []struct {
		b    []byte
		want *mat.Dense
	}{
		{npyBytes(1, dict("<f8", "(1, 2)"), one), denseRows(1, 2, 1.5, -2)},
		{npyBytes(2, dict("<f8", "(2,)"), one), denseRows(2, 1, 1.5, -2)},
		{npyBytes(3, "{\"shape\":(1,1,2),'fortran_order':False,'descr':'<f8'}", one), denseRows(1, 2, 1.5, -2)},
		{npyBytes(1, dict(">f4", "(1, 1)"), []byte{0x3f, 0x80, 0, 0}), denseRows(1, 1, 1)},
		{npyBytes(1, dict("<f4", "(1, 1)"), []byte{0, 0, 0x80, 0x3f}), denseRows(1, 1, 1)},
		{npyBytes(1, dict("|u1", "(2, 1)"), []byte{200, 3}), denseRows(2, 1, 200, 3)},
		{npyBytes(1, dict("|i1", "(2, 1)"), []byte{200, 3}), denseRows(2, 1, -56, 3)},
		{npyBytes(1, dict("|b1", "(2, 1)"), []byte{1, 0}), denseRows(2, 1, 1, 0)},
		{npyBytes(1, dict("<i2", "(1, 1)"), []byte{0xfe, 0xff}), denseRows(1, 1, -2)},
		{npyBytes(1, dict("<u2", "(1, 1)"), []byte{0xfe, 0xff}), denseRows(1, 1, 65534)},
		{npyBytes(1, dict("<i4", "(1, 1)"), []byte{0xfe, 0xff, 0xff, 0xff}), denseRows(1, 1, -2)},
		{npyBytes(1, dict(">u4", "(1, 1)"), []byte{0, 0, 1, 2}), denseRows(1, 1, 258)},
		{npyBytes(1, dict("<i8", "(1, 1)"), []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}), denseRows(1, 1, -2)},
		{npyBytes(1, dict("<u8", "(1, 1)"), []byte{7, 0, 0, 0, 0, 0, 0, 0}), denseRows(1, 1, 7)},
	} {
		for _, b := range [][]byte{c.b, compress(t, c.b)} {
			s, err := Read(bytes.NewReader(b), Options{})
			if err != nil || !mat.Equal(s.X, c.want) || s.Task() != NoTarget {
				t.Errorf("%q: %v, %v", c.b, s, err)
			}
		}
	}
	s, err := Read(bytes.NewReader(npyBytes(1, dict("|u1", "(2, 3)"), []byte{1, 2, 3, 4, 5, 6})), Options{Target: "2"})
	if err != nil || !mat.Equal(s.X, denseRows(2, 2, 1, 3, 4, 6)) || !slices.Equal(s.Labels.Names, []string{"2", "5"}) {
		t.Errorf("%v, %v", s, err)
	}
	for _, c := range []struct {
		b    []byte
		o    Options
		want string
	}{
		{npyBytes(1, dict("<f8", "(1, 2)"), one[:15]), Options{}, "ends in row 1 of 1"},
		{npyBytes(1, dict("<f8", "(1, 2)"), append(slices.Clone(one), 0)), Options{}, "goes on"},
		{npyBytes(1, dict("<f8", "(1, 1)"), one), Options{}, "goes on"},
		{npyBytes(1, dict("<f8", "(0, 1)"), nil), Options{}, "no rows"},
		{npyBytes(1, dict("<f8", "(1, 0)"), nil), Options{}, "want 1 to"},
		{npyBytes(1, dict("<f8", "()"), one), Options{}, "no dimensions"},
		{npyBytes(1, dict("<f8", "(1, 99999999999)"), nil), Options{}, wide("want 1 to", "shape has")},
		{npyBytes(1, dict("<f8", "(9999999999, 2000000000)"), nil), Options{}, wide("ends in row 1", "shape has")},
		{npyBytes(1, dict("<f8", "(99999999999999999999,)"), nil), Options{}, "shape has"},
		{npyBytes(1, dict("<f8", "(-1, 2)"), nil), Options{}, "shape has"},
		{npyBytes(1, dict("<f2", "(1, 2)"), nil), Options{}, "not supported"},
		{npyBytes(1, dict("<c16", "(1, 2)"), nil), Options{}, "not supported"},
		{npyBytes(1, dict("|O", "(1, 2)"), nil), Options{}, "not supported"},
		{npyBytes(1, dict("|f8", "(1, 2)"), nil), Options{}, "no order"},
		{npyBytes(1, strings.Replace(dict("<f8", "(1, 2)"), "False", "True", 1), one), Options{}, "Fortran"},
		{npyBytes(1, strings.Replace(dict("<f8", "(1, 2)"), "'shape'", "'form'", 1), one), Options{}, "not known"},
		{npyBytes(1, "{'descr': '<f8', 'fortran_order': False}", one), Options{}, "missing"},
		{npyBytes(1, "{'descr': [('a','<f8')], 'fortran_order': False, 'shape': (1,)}", one), Options{}, "plain type"},
		{npyBytes(1, "rubbish", one), Options{}, "not a dictionary"},
		{npyBytes(1, "{'descr': '<f8' 'fortran_order': False}", one), Options{}, "no comma"},
		{npyBytes(1, "{'descr': '<f8', 'descr': '<f8'}", one), Options{}, "no entry"},
		{npyBytes(4, dict("<f8", "(1, 2)"), one), Options{}, "version 4"},
		{npyBytes(2, strings.Repeat(" ", 1<<16+1), one), Options{}, "limit"},
		{npyBytes(1, dict("<f8", "(1, 2)"), one)[:30], Options{}, "too early"},
		{npyBytes(1, dict("<f8", "(1, 1)"), []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x7f}), Options{}, "row 1, column 1 is +Inf"},
		{npyBytes(1, dict("<i8", "(1, 1)"), []byte{1, 0, 0, 0, 0, 0, 0x40, 0}), Options{}, "above 2^53"},
		{npyBytes(1, dict("|u1", "(1, 3)"), []byte{1, 2, 3}), Options{Target: "4"}, "no column"},
		{npyBytes(1, dict("|u1", "(1, 1)"), []byte{1}), Options{Target: "1"}, "no column"},
		{npyBytes(1, dict("|u1", "(1, 2)"), []byte{1, 2}), Options{Dim: 3}, "want 3"},
		{npyBytes(1, dict("|u1", "(1, 2)"), []byte{1, 2}), Options{Task: Regression}, "no target"},
	} {
		_, err := Read(bytes.NewReader(c.b), c.o)
		bad{text: string(c.b), want: c.want}.check(t, err)
	}
}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       Format
	}{
		{"x.libsvm.gz", "1\n", LIBSVM}, {"x.CSV", "a\n", CSV}, {"x.tsv", "a\n", CSV}, {"x.xml.txt", "1\n", XML}, {"x.xmlc.gz", "1\n", XML},
		{"x.csv", "\x93NUMPY\x01\x00", NPY}, {"x", "\x00\x00\x08\x01", IDX},
		{"", "1 1:1\n", LIBSVM}, {"", "# c\n\n+1 3:4", LIBSVM}, {"", "3,4 1:1", LIBSVM}, {"", "0 qid:3 1:1", LIBSVM}, {"", "1\n", LIBSVM},
		{"", "10 20 30\n", XML}, {"", "a,b\n", CSV}, {"", "a;b", CSV}, {"", "a\tb", CSV}, {"", "name\n", CSV}, {"", "1,2,3\n", CSV},
	} {
		in := must.Have(newInput(strings.NewReader(c.text), c.name))(t)
		if f, err := detect(in); err != nil || f != c.want {
			t.Errorf("%s %q: %v, %v, want %v", c.name, c.text, f, err, c.want)
		}
	}
	_, err := readText("some words here\n", Options{})
	bad{text: "words", line: 1, want: "format is not known"}.check(t, err)
	for _, f := range append(Formats(), AutoFormat) {
		if g, err := ParseFormat(f.String()); err != nil || g != f {
			t.Error(f, g, err)
		}
	}
	for f := AutoTask; f <= NoTarget; f++ {
		if g, err := ParseTask(f.String()); err != nil || g != f {
			t.Error(f, g, err)
		}
	}
	var e *gram.ConfigError
	if _, err := ParseFormat("x"); !errors.As(err, &e) {
		t.Error(err)
	}
	if _, err := ParseTask("x"); !errors.As(err, &e) {
		t.Error(err)
	}
}

// sets are sets of all tasks, dense and sparse, with numbers of all kinds. The
// last column of the first row is not zero, so that LIBSVM keeps the shape.
func sets() map[string]*Set {
	g := rng.New(5, 5)
	const n, d = 37, 9
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			switch g.IntN(4) {
			case 0:
				x.Set(i, j, math.Ldexp(g.NormFloat64(), g.IntN(2000)-1000))
			case 1:
				x.Set(i, j, float64(g.IntN(10)))
			}
		}
	}
	x.Set(0, d-1, 1e-300)
	values := make([]float64, n)
	numbers, words := make([]string, n), make([]string, n)
	tags := &sparse.CSR{N: n, D: 5, Ptr: []int{0}}
	for i := range n {
		values[i] = g.NormFloat64()
		numbers[i] = []string{"-1", "1", "2.5"}[g.IntN(3)]
		words[i] = []string{"a b", "c,\"d", "ü\nv"}[g.IntN(3)]
		for k := range 5 {
			if g.IntN(2) == 0 || i == 0 {
				tags.Col = append(tags.Col, int32(k))
			}
		}
		tags.Ptr = append(tags.Ptr, len(tags.Col))
	}
	a := sparse.FromDense(x)
	return map[string]*Set{
		"values":  {X: x, Value: values},
		"numbers": {X: a, Labels: gram.NewLabels(numbers)},
		"words":   {X: x, Labels: gram.NewLabels(words)},
		"tags":    {X: a, Tags: tags},
		"ones":    {X: &sparse.CSR{N: n, D: d, Ptr: a.Ptr, Col: a.Col}, Tags: tags},
		"plain":   {X: x},
	}
}

func sameSet(t *testing.T, got, want *Set) {
	t.Helper()
	if !mat.Equal(got.X, want.X) {
		t.Error("X differs")
	}
	if !slices.Equal(got.Value, want.Value) || !slices.Equal(got.Labels.Class, want.Labels.Class) || !slices.Equal(got.Labels.Names, want.Labels.Names) {
		t.Errorf("targets differ: %v %v", got.Labels.Names, want.Labels.Names)
	}
	if (got.Tags == nil) != (want.Tags == nil) || (got.Tags != nil && !mat.Equal(got.Tags, want.Tags)) {
		t.Error("tags differ")
	}
}

// Every set comes back from every format that can hold it, bit by bit.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	fits := map[string]string{
		".libsvm": "values numbers tags ones plain", ".libsvm.gz": "values numbers", ".csv": "values numbers words plain", ".tsv.gz": "values words",
		".xml.txt": "tags ones", ".npy": "values numbers plain", ".npy.gz": "values numbers",
	}
	for ext, names := range fits {
		for name, want := range sets() {
			path := filepath.Join(dir, name+ext)
			err := Save(t.Context(), path, want)
			if !slices.Contains(strings.Fields(names), name) {
				var e *gram.ConfigError
				if !strings.HasSuffix(ext, ".gz") && !errors.As(err, &e) {
					t.Errorf("%s as %s: %v", name, ext, err)
				}
				if _, err := os.Stat(path); err == nil && !strings.HasSuffix(ext, ".gz") {
					t.Errorf("%s as %s left a file", name, ext)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s as %s: %v", name, ext, err)
			}
			o := Options{Task: want.Task()}
			if want.Tags != nil {
				o.Tags = want.Tags.D
			}
			got, err := Open(path, o)
			if err != nil {
				t.Fatalf("%s as %s: %v", name, ext, err)
			}
			sameSet(t, got, want)
			if t.Failed() {
				t.Fatalf("%s as %s", name, ext)
			}
			for _, to := range []string{".libsvm", ".csv", ".xml.txt", ".npy"} {
				if !slices.Contains(strings.Fields(fits[to]), name) {
					continue
				}
				out := filepath.Join(dir, name+"-converted"+to)
				info, err := Convert(t.Context(), path, out, o, AutoFormat, gram.Run{})
				if err != nil || info.N != 37 {
					t.Fatalf("%s from %s to %s: %v", name, ext, to, err)
				}
				got := must.Have(Open(out, o))(t)
				sameSet(t, got, want)
				if t.Failed() {
					t.Fatalf("%s from %s to %s", name, ext, to)
				}
			}
		}
	}
}

func TestWriteErrors(t *testing.T) {
	dir := t.TempDir()
	var data *gram.DataError
	for _, ext := range []string{".libsvm", ".csv", ".npy", ".xml.txt"} {
		s := &Set{X: denseRows(3, 2, 1, 2, 3, 4, 5, math.NaN()), Value: make([]float64, 3)}
		if ext == ".xml.txt" {
			s.Value, s.Tags = nil, &sparse.CSR{N: 3, D: 1, Ptr: []int{0, 0, 0, 0}}
		}
		if err := Save(t.Context(), filepath.Join(dir, "x"+ext), s); !errors.As(err, &data) || data.Row != 2 || data.Col != 1 {
			t.Errorf("%s: %v", ext, err)
		}
		if ext == ".xml.txt" {
			continue
		}
		s = &Set{X: denseRows(2, 1, 1, 2), Value: []float64{1, math.Inf(1)}}
		if err := Save(t.Context(), filepath.Join(dir, "x"+ext), s); !errors.As(err, &data) || data.Row != 1 || data.Col != -1 {
			t.Errorf("%s: %v", ext, err)
		}
	}
	empty := &Set{X: sparse.FromDense(denseRows(2, 2, 1, 0, 0, 0)), Tags: &sparse.CSR{N: 2, D: 3, Ptr: []int{0, 1, 1}, Col: []int32{2}}}
	if err := Save(t.Context(), filepath.Join(dir, "x.libsvm"), empty); !errors.As(err, &data) || data.Row != 1 {
		t.Error(err)
	}
	if err := Save(t.Context(), filepath.Join(dir, "x.csv"), &Set{X: denseRows(1, 1, 1), Labels: gram.NewLabels([]string{" a"})}); !errors.As(err, &data) {
		t.Error(err)
	}
	var conf *gram.ConfigError
	for _, name := range []string{"x.bin", "x-ubyte"} {
		if err := Save(t.Context(), filepath.Join(dir, name), empty); !errors.As(err, &conf) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left %v", left)
	}
	a := filepath.Join(dir, "a.npy")
	must.Do(t, Save(t.Context(), a, &Set{X: denseRows(1, 1, 1), Value: []float64{1}}))
	if err := Save(t.Context(), a, &Set{X: denseRows(1, 1, 1)}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a set without target beside an old target: %v", err)
	}
	if err := Write(&bytes.Buffer{}, empty, IDX); !errors.As(err, &conf) {
		t.Error(err)
	}
	if _, err := Convert(t.Context(), filepath.Join(dir, "no.csv"), filepath.Join(dir, "b.npy"), Options{}, AutoFormat, gram.Run{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Convert(ctx, a, filepath.Join(dir, "b.csv"), Options{}, AutoFormat, gram.Run{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "b.csv")); err == nil {
		t.Error("a canceled conversion left a file")
	}
}

func TestConvertProgress(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "a.libsvm"), filepath.Join(dir, "b.csv")
	must.Do(t, Save(t.Context(), in, Friedman1(100, 5, 1, 1)))
	var last gram.Event
	must.Have(Convert(t.Context(), in, out, Options{}, AutoFormat, gram.Run{Progress: func(e gram.Event) { last = e }}))(t)
	if last.Done != 100 || last.Total != 100 {
		t.Errorf("%+v", last)
	}
}

// An option that a format has no use for is an error, not overlooked.
func TestUselessTarget(t *testing.T) {
	var config *gram.ConfigError
	for _, o := range []Options{
		{Format: LIBSVM, Target: "1"}, {Format: LIBSVM, TargetFile: "labels.npy"},
		{Format: XML, Target: "1"}, {Format: XML, TargetFile: "labels.npy"},
		{Format: CSV, TargetFile: "labels.npy"},
	} {
		if _, err := Read(strings.NewReader("1 1:2\n2 1:3\n"), o); !errors.As(err, &config) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// Convert reads its input twice, which a pipe cannot give.
func TestConvertPipe(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.csv")
	_, err := Convert(t.Context(), os.DevNull, out, Options{Format: LIBSVM}, AutoFormat, gram.Run{})
	if err == nil || !strings.Contains(err.Error(), "regular") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("there is an output")
	}
}

// Save writes what Write writes, also in several blocks, and nothing if the context is done.
func TestSaveContext(t *testing.T) {
	sets := map[string]*Set{"a.csv": Rings(30_000, 3, .1, 1), "b.libsvm": Rings(50, 3, .1, 1), "c.libsvm": Friedman1(20_000, 5, .1, 1)}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for name, s := range sets {
		dir := t.TempDir()
		path, none := filepath.Join(dir, "1"+name), filepath.Join(dir, "2"+name)
		must.Do(t, Save(t.Context(), path, s))
		var want bytes.Buffer
		err := Write(&want, s, extension(path))
		if got, err2 := os.ReadFile(path); err != nil || err2 != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s: %v, %v, or the files differ", name, err, err2)
		}
		if err := Save(done, none, s); err != context.Canceled {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(none); err == nil {
			t.Errorf("%s: there is a file", name)
		}
	}
}

// What is wrong with compressed data is said without the words of the decompressor.
func TestDamagedGzip(t *testing.T) {
	whole := compress(t, []byte("a,b\n"+strings.Repeat("1,2\n3,5\n", 500)))
	for _, at := range []int{12, len(whole) - 6} {
		bad := slices.Clone(whole)
		bad[at] ^= 0xff
		if _, err := Read(bytes.NewReader(bad), Options{Name: "f"}); err == nil || !strings.HasSuffix(err.Error(), "the compressed data are damaged") {
			t.Errorf("byte %d: %v", at, err)
		}
	}
}
