package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// put writes files of the given contents, compressed if their names end in .gz.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		data := []byte(text)
		if strings.HasSuffix(name, ".gz") {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			must.Have(z.Write(data))(t)
			must.Do(t, z.Close())
			data = b.Bytes()
		}
		must.Do(t, os.WriteFile(filepath.Join(dir, name), data, 0o666))
	}
}

// rowsOf reads all items with what their scan finds out, and returns it and the rows as text.
func rowsOf(t *testing.T, items []Item, o Options, size int) (Info, []string) {
	t.Helper()
	ctx := context.Background()
	var all Summary
	seen := 0
	for _, it := range items {
		s := must.Have(it.Scan(ctx, o, size, func(x *Set, _ []string) error {
			n, _ := x.Dims()
			seen += n
			return nil
		}))(t)
		plain, err := it.Scan(ctx, o, 0, nil)
		if err != nil || !reflect.DeepEqual(plain, s) {
			t.Fatalf("%+v: a scan without blocks finds %+v, one with blocks %+v, %v", it, plain, s, err)
		}
		must.Do(t, all.Merge(s))
	}
	info := must.Have(all.Info("data"))(t)
	if seen != info.N {
		t.Errorf("%d rows in blocks of %d", seen, info.N)
	}
	var lines []string
	for _, it := range items {
		for s, err := range it.Blocks(ctx, info.Options(o), size) {
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, text(s)...)
		}
	}
	return info, lines
}

func text(s *Set) []string {
	n, _ := s.Dims()
	var lines []string
	for i := range n {
		target := ""
		switch s.Task() {
		case Regression:
			target = fmt.Sprint(s.Value[i])
		case Classes:
			target = s.Labels.Names[s.Labels.Class[i]]
		}
		lines = append(lines, target+fmt.Sprint(mat.Row(nil, i, s.X)))
	}
	return lines
}

// However files are cut, the items have all their rows once, and know what the whole knows.
func TestItems(t *testing.T) {
	csv := "a,b,c\n"
	noHeader, svm := "", "# a comment\n"
	for i := range 40 {
		row := fmt.Sprintf("%d,%g,%g\n", i%3, float64(i)/8, float64(i%7)+.5)
		csv, noHeader = csv+row, noHeader+row
		if i%9 == 0 {
			row = strings.TrimSuffix(row, "\n") + "\r\n"
			csv += row
		}
		svm += fmt.Sprintf("%g 1:%d %d:1\n\n", float64(i)+.25, i, 2+i%5)
	}
	cases := map[string]struct {
		files   map[string]string
		pattern string
		o       Options
	}{
		"csv":       {map[string]string{"a.csv": csv}, "a.csv", Options{}},
		"classes":   {map[string]string{"a.csv": csv}, "a.csv", Options{Target: "a"}},
		"no header": {map[string]string{"a.csv": noHeader}, "a.csv", Options{NoHeader: true, Target: "3"}},
		"libsvm":    {map[string]string{"a.svm": svm}, "a.svm", Options{}},
		"no end":    {map[string]string{"a.svm": strings.TrimSpace(svm)}, "a.svm", Options{}},
		"files":     {map[string]string{"p1.csv": csv, "p2.csv": csv, "p3.csv.gz": csv}, "p*", Options{Task: Regression}},
		"gz":        {map[string]string{"a.svm.gz": svm}, "a.svm.gz", Options{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, c.files)
			path := filepath.Join(dir, c.pattern)
			whole := must.Have(Open(path, c.o))(t)
			want := text(whole)
			var blocks []string
			for s, err := range Blocks(context.Background(), path, c.o, 9) {
				if err != nil {
					t.Fatal(err)
				}
				blocks = append(blocks, text(s)...)
			}
			if !slices.Equal(blocks, want) {
				t.Errorf("blocks %q, want %q", blocks, want)
			}
			for _, size := range []int64{0, 1, 7, 64, 250, 1 << 20} {
				items, format := must.Have2(Items(path, size, c.o))(t)
				if size > 0 && size < 100 && name != "gz" && len(items) < 5 {
					t.Errorf("items of %d bytes: only %d", size, len(items))
				}
				o := c.o
				o.Format = format
				info, lines := rowsOf(t, items, o, 6)
				if !slices.Equal(lines, want) {
					t.Fatalf("items of %d bytes: rows\n%s\nwant\n%s", size, strings.Join(lines, "\n"), strings.Join(want, "\n"))
				}
				n, d := whole.Dims()
				if info.N != n || info.D != d || info.Task != whole.Task() || !slices.Equal(info.Names, whole.Labels.Names) {
					t.Errorf("items of %d bytes: %+v", size, info)
				}
				if scanned, err := Scan(context.Background(), path, c.o); err != nil || !reflect.DeepEqual(info, scanned) {
					t.Errorf("items of %d bytes: %+v, Scan says %+v, %v", size, info, scanned, err)
				}
			}
		})
	}
}

// An error in an item names the line of the file.
func TestItemErrors(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		o                Options
	}{
		{"a.csv", "x,y\n" + strings.Repeat("1,2\n", 50) + "1,oh\n" + strings.Repeat("1,2\n", 50), "a.csv:52:3", Options{Task: Regression}},
		{"a.csv", "x,y\n" + strings.Repeat("1,2\n", 50) + "no,2\n" + strings.Repeat("1,2\n", 50), "a.csv:52:1", Options{}},
		{"a.csv", strings.Repeat("1,2\n", 50) + "1,2,3\n", "a.csv:51", Options{NoHeader: true}},
		{"a.svm", strings.Repeat("1 1:2\n", 70) + "1 2:1 1:1\n" + strings.Repeat("1 1:2\n", 7), "a.svm:71:7", Options{}},
	} {
		dir := t.TempDir()
		put(t, dir, map[string]string{c.name: c.text})
		for _, size := range []int64{0, 3, 40, 200} {
			items, format := must.Have2(Items(filepath.Join(dir, c.name), size, c.o))(t)
			o := c.o
			o.Format = format
			failed := 0
			for _, it := range items {
				_, err := it.Scan(context.Background(), o, 10, func(*Set, []string) error { return nil })
				if err == nil {
					continue
				}
				failed++
				var parse *ParseError
				if !errors.As(err, &parse) || !strings.HasPrefix(strings.TrimPrefix(err.Error(), dir+"/"), c.want+": ") {
					t.Errorf("items of %d bytes: %v, want %s", size, err, c.want)
				}
			}
			if failed != 1 {
				t.Errorf("%s, items of %d bytes: %d errors", c.want, size, failed)
			}
		}
	}
}

// Files that have changed, that are of several formats or that are not there are errors.
func TestItemsRefused(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"a.csv": "x,y\n1,2\n", "b.svm": "1 1:2\n", "c.csv": "x,y,z\n1,2,3\n"})
	at := func(name string) string { return filepath.Join(dir, name) }
	if _, _, err := Items(at("[ab]*"), 0, Options{}); err == nil || !strings.Contains(err.Error(), "format") {
		t.Errorf("two formats: %v", err)
	}
	for _, p := range []string{"none", "none*", "[a"} {
		if _, _, err := Items(at(p), 0, Options{}); err == nil {
			t.Errorf("%s: no error", p)
		}
	}
	if _, err := Open(at("*.csv"), Options{}); err == nil {
		t.Error("two numbers of columns: no error")
	}
	items, _ := must.Have2(Items(at("a.csv"), 5, Options{}))(t)
	for _, o := range []Options{{}, {Task: Regression}, {Task: Regression, Dim: 1}, {Task: Classes, Dim: 1, Storage: Dense}} {
		for _, err := range items[0].Blocks(context.Background(), o, 5) {
			var refused *gram.ConfigError
			if !errors.As(err, &refused) {
				t.Errorf("%+v: %v", o, err)
			}
		}
	}
	put(t, dir, map[string]string{"a.csv": "x,y\n1,2\n3,4\n"})
	if _, err := items[0].Scan(context.Background(), Options{}, 0, nil); err == nil || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("a file that has changed: %v", err)
	}
	a, b := &Summary{N: 1, D: 2, Task: Classes, Labels: []string{"x"}}, &Summary{N: 1, D: 2, Task: Regression}
	if err := a.Merge(b); err == nil {
		t.Error("names and fractions: no error")
	}
}

// ReadBlocks reads what a reader holds.
func TestReadBlocks(t *testing.T) {
	o := Options{Format: LIBSVM, Task: Regression, Dim: 2, Storage: Dense}
	var lines []string
	for s, err := range ReadBlocks(context.Background(), strings.NewReader("1 1:2\n2 2:3\n3 1:1\n"), o, 2) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, text(s)...)
	}
	if want := []string{"1[2 0]", "2[0 3]", "3[1 0]"}; !slices.Equal(lines, want) {
		t.Errorf("%q, want %q", lines, want)
	}
}

// Moments that are added in blocks and merged give the scalings of all rows.
func TestMergedMoments(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n, d = 300, 4
	x := mat.NewDense(n, d, nil)
	for i := range n {
		x.SetRow(i, []float64{1e6 + r.NormFloat64(), float64(i % 2), 7, 0})
		if i%3 == 0 {
			x.Set(i, 3, -r.Float64())
		}
	}
	for _, cut := range []int{1, 10, 150, 299} {
		a, b := &Moments{}, &Moments{}
		a.Add(x.Slice(0, cut, 0, d-1)) // a column that comes later has been 0
		for i := range cut {
			x.Set(i, 3, 0)
		}
		for lo := cut; lo < n; lo += 7 {
			b.Add(x.Slice(lo, min(lo+7, n), 0, d))
		}
		a.Merge(b)
		stored, err := modelfile.Get(stored(t, a.Exchange), &Moments{}, (*Moments).Exchange)
		if err != nil || !reflect.DeepEqual(stored, a) {
			t.Fatalf("stored as %+v, %v", stored, err)
		}
		if a.Rows() != n {
			t.Errorf("%d rows", a.Rows())
		}
		want := must.Have(MinMax(x, 0, 1))(t)
		if got, err := a.MinMax(0, 1); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("cut at %d: %+v, want %+v, %v", cut, got, want, err)
		}
		for name, f := range map[string][2]func() (*Scaling, error){
			"standard": {a.Standardize, func() (*Scaling, error) { return Standardize(x) }},
			"unit":     {a.UnitVariance, func() (*Scaling, error) { return UnitVariance(x) }},
		} {
			got := must.Have(f[0]())(t)
			want := must.Have(f[1]())(t)
			for j := range d {
				if !(math.Abs(got.Shift[j]-want.Shift[j]) <= 1e-14*math.Abs(want.Shift[j])) || !(math.Abs(got.Divisor[j]-want.Divisor[j]) <= 1e-9*want.Divisor[j]) {
					t.Errorf("%s, cut at %d, column %d: %v %v, want %v %v", name, cut, j, got.Shift[j], got.Divisor[j], want.Shift[j], want.Divisor[j])
				}
			}
		}
	}
}

// stored is what a file holds of a state in the given form.
func stored(t *testing.T, form func(x *modelfile.Exchange)) *modelfile.File {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, modelfile.Write(&b, putter(form)))
	f := must.Have(modelfile.Read(&b))(t)
	return f
}

type putter func(x *modelfile.Exchange)

func (p putter) Encode(w *modelfile.Writer) error { return modelfile.Put(w, p) }
