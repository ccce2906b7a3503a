package dataset

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

func labeled(counts ...int) *Set {
	var rows []string
	for c, n := range counts {
		for range n {
			rows = append(rows, string(rune('a'+c)))
		}
	}
	g := rng.New(9, 9)
	g.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	x := mat.NewDense(len(rows), 1, nil)
	for i := range rows {
		x.Set(i, 0, float64(i))
	}
	return &Set{X: x, Labels: gram.NewLabels(rows)}
}

func partition(t *testing.T, n int, parts ...[]int) {
	t.Helper()
	seen := make([]int, n)
	for _, p := range parts {
		if !slices.IsSorted(p) {
			t.Errorf("%v does not ascend", p)
		}
		for _, i := range p {
			seen[i]++
		}
	}
	for i, k := range seen {
		if k != 1 {
			t.Fatalf("row %d is in %d parts", i, k)
		}
	}
}

// Experiments name the seeds of their divisions: these stay what they are.
func TestPinnedSplits(t *testing.T) {
	sum := func(lists ...[]int) (s int) {
		for f, l := range lists {
			for k, i := range l {
				s += (f + 1) * (k + 1) * i
			}
		}
		return s
	}
	s := labeled(50, 30, 7, 1)
	train, test := s.SplitRows(.25, 5)
	for what, c := range map[string]struct{ got, want int }{
		"Permutation":     {sum(Permutation(20, 3)), 1928},
		"Sample":          {sum(Sample(20, 7, 3)), 361},
		"SplitRows":       {sum(train, test), 155716},
		"Folds":           {sum(s.Folds(4, 6)...), 147997},
		"Folds of values": {sum((&Set{X: s.X, Value: make([]float64, 88)}).Folds(4, 6)...), 143826},
	} {
		if c.got != c.want {
			t.Errorf("%q: %d, was %d", what, c.got, c.want)
		}
	}
}

func TestSplit(t *testing.T) {
	s := labeled(50, 30, 7, 1)
	for _, f := range []float64{0, .1, .25, .5, 2. / 3, 1} {
		train, test := s.SplitRows(f, 5)
		partition(t, 88, train, test)
		if want := int(f*88 + .5); len(test) != want {
			t.Errorf("fraction %v: %d rows, want %d", f, len(test), want)
		}
		counts := make([]int, 4)
		for _, i := range test {
			counts[s.Labels.Class[i]]++
		}
		for c, n := range []int{50, 30, 7, 1} {
			if d := float64(counts[c]) - f*float64(n); d <= -1 || d >= 1 {
				t.Errorf("fraction %v: %d of %d rows of class %d", f, counts[c], n, c)
			}
		}
		again, _ := s.SplitRows(f, 5)
		if !slices.Equal(again, train) {
			t.Error("the same seed gives another split")
		}
	}
	a, _ := s.SplitRows(.5, 1)
	b, _ := s.SplitRows(.5, 2)
	if slices.Equal(a, b) {
		t.Error("another seed gives the same split")
	}
	train, test := s.Split(.5, 1)
	if n, _ := train.Dims(); n != 44 {
		t.Error(n)
	}
	for k := range test.Labels.Class {
		if i := int(test.X.At(k, 0)); test.Labels.Class[k] != s.Labels.Class[i] {
			t.Errorf("row %d has another class in the part", i)
		}
	}
	reg := &Set{X: mat.NewDense(10, 1, nil), Value: make([]float64, 10)}
	train2, test2 := reg.SplitRows(.3, 1)
	partition(t, 10, train2, test2)
	if len(test2) != 3 {
		t.Error(test2)
	}
}

func TestFolds(t *testing.T) {
	s := labeled(23, 11, 6)
	folds := s.Folds(5, 3)
	partition(t, 40, folds...)
	for c, n := range []int{23, 11, 6} {
		for f, rows := range folds {
			k := 0
			for _, i := range rows {
				if s.Labels.Class[i] == c {
					k++
				}
			}
			if k < n/5 || k > n/5+1 || len(rows) != 8 {
				t.Errorf("fold %d has %d rows, %d of %d of class %d", f, len(rows), k, n, c)
			}
		}
	}
	train, test := Fold(folds, 2)
	partition(t, 40, train, test)
	if !slices.Equal(test, folds[2]) {
		t.Error("not the fold asked for")
	}
}

func TestSelectAndAppend(t *testing.T) {
	x := sparse.FromDense(denseRows(3, 2, 1, 0, 0, 2, 3, 0))
	s := &Set{X: x, Tags: &sparse.CSR{N: 3, D: 4, Ptr: []int{0, 1, 1, 3}, Col: []int32{2, 0, 3}}}
	got := s.Select([]int{2, 0, 2})
	if !mat.Equal(got.X, denseRows(3, 2, 3, 0, 1, 0, 3, 0)) || !mat.Equal(got.Tags, denseRows(3, 4, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1)) {
		t.Errorf("%v %v", got.X, got.Tags)
	}
	both, err := s.Append(got)
	if err != nil || both.X.(*sparse.CSR).Validate() != nil || both.Tags.Validate() != nil || both.Tags.Val != nil {
		t.Fatal(err)
	}
	if n, _ := both.Dims(); n != 6 || both.X.At(3, 0) != 3 || both.Tags.At(5, 3) != 1 {
		t.Errorf("%v", both.X)
	}
	a := &Set{X: denseRows(1, 1, 1), Labels: gram.NewLabels([]string{"b"})}
	b := &Set{X: sparse.FromDense(denseRows(2, 1, 2, 3)), Labels: gram.NewLabels([]string{"a", "b"})}
	a.Kept, b.Kept = []Texts{{"id", []string{"x"}}}, []Texts{{"id", []string{"y", "z"}}}
	ab, err := a.Append(b)
	if err != nil || !slices.Equal(ab.Labels.Class, []int{1, 0, 1}) || !mat.Equal(ab.X, denseRows(3, 1, 1, 2, 3)) {
		t.Errorf("%v, %v", ab, err)
	}
	if kept := ab.Select([]int{2, 0}).Kept; len(kept) != 1 || kept[0].Name != "id" || !slices.Equal(kept[0].Cells, []string{"z", "x"}) {
		t.Errorf("kept are %v", kept)
	}
	if _, err := a.Append(s); err == nil {
		t.Error("different sets were joined")
	}
	if r := Sample(100, 10, 1); len(r) != 10 || !slices.IsSorted(r) || len(slices.Compact(slices.Clone(r))) != 10 {
		t.Error(r)
	}
}

func TestRowLists(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) string {
		p := filepath.Join(dir, "x.gz")
		must.Do(t, os.WriteFile(p, compress(t, []byte(text)), 0o600))
		return p
	}
	if rows, err := ReadRows(write("3\n1\n\n2\n")); err != nil || !slices.Equal(rows, []int{3, 1, 2}) {
		t.Error(rows, err)
	}
	if sp, err := ReadSplits(write("2 0 5 6\n1 1 7\n")); err != nil || len(sp) != 2 || sp[1].Number != 1 || !slices.Equal(sp[0].Rows, []int{5, 6}) {
		t.Error(sp, err)
	}
	var e *ParseError
	for _, text := range []string{"", "1 2\n", "x\n", "1.5\n", "-1\n", "99999999999\n"} {
		if _, err := ReadRows(write(text)); !errors.As(err, &e) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := ReadSplits(write("3 0 5 6\n")); !errors.As(err, &e) || e.Line != 1 {
		t.Error(err)
	}
}

func TestDir(t *testing.T) {
	root := t.TempDir()
	put := func(name, text string) {
		p := filepath.Join(root, name)
		must.Do(t, os.MkdirAll(filepath.Dir(p), 0o700))
		must.Do(t, os.WriteFile(p, []byte(text), 0o600))
	}
	put("tabular/a.train.libsvm", "1 1:1 2:1\n3 1:2\n")
	put("tabular/a.test.libsvm", "2 3:1\n3 1:1\n")
	put("ssl/a.libsvm", "1 1:1\n")
	put("other/b.csv", "u,v\n1,2\n")
	put("multilabel/c.train.xml.txt", "1 9 3\n1 2:1\n")
	put("multilabel/c.test.xml.txt", "1 9 3\n2 1:1\n")
	put("tabular/README.md", "x")
	d := Dir(root)
	train, test, err := d.Load("a", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(train.X, denseRows(2, 3, 1, 1, 0, 2, 0, 0)) || !mat.Equal(test.X, denseRows(2, 3, 0, 0, 1, 1, 0, 0)) || train.Name != "a" {
		t.Errorf("%v %v", train.X, test.X)
	}
	names := []string{"1", "2", "3"}
	if !slices.Equal(train.Labels.Names, names) || !slices.Equal(test.Labels.Names, names) ||
		!slices.Equal(train.Labels.Class, []int{0, 2}) || !slices.Equal(test.Labels.Class, []int{1, 2}) {
		t.Errorf("%v %v", train.Labels, test.Labels)
	}
	train, test, err = d.Load("ssl/a", Options{})
	if n, _ := train.Dims(); err != nil || test != nil || n != 1 || train.Name != "a" {
		t.Error(err)
	}
	if s, _, err := d.Load("b", Options{}); err != nil || s.Name != "b" {
		t.Error(err)
	}
	if a, b, err := d.Load("c", Options{}); err != nil || a.Tags.D != 3 || b.Tags.D != 3 {
		t.Error(err)
	}
	if _, _, err := d.Load("nope", Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	t.Setenv("GRAM_DATA", root)
	if got, err := FindDir(); err != nil || got != d {
		t.Error(got, err)
	}
	for _, none := range []string{"", filepath.Join(root, "no")} {
		t.Setenv("GRAM_DATA", none)
		if d, err := FindDir(); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "GRAM_DATA") {
			t.Errorf("GRAM_DATA=%q: %q, %v", none, d, err)
		}
	}
}

// Real files: shapes and class counts as their README says.
func TestRealData(t *testing.T) {
	dir, err := FindDir()
	if err != nil {
		t.Skip("no data: ", err)
	}
	for _, c := range []struct {
		name           string
		n, test, d, k  int
		task           Task
		short, density bool
	}{
		{"pendigits", 7494, 3498, 16, 10, Classes, true, false},
		{"usps", 7291, 2007, 256, 10, Classes, false, false},
		{"a9a", 32561, 16281, 123, 2, Classes, false, false},
		{"ijcnn1", 49990, 91701, 22, 2, Classes, false, false},
		{"cadata", 20640, 0, 8, 1, Regression, false, false},
		{"ssl/text", 1500, 0, 11959, 2, Classes, false, true},
		{"bibtex", 4880, 2515, 1836, 159, MultiLabel, true, true},
	} {
		if testing.Short() && !c.short {
			continue
		}
		train, test, err := dir.Load(c.name, Options{})
		if errors.Is(err, fs.ErrNotExist) {
			t.Logf("%s is not at hand", c.name)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		n, d := train.Dims()
		if n != c.n || d != c.d || train.Task() != c.task || train.Shape().Outputs != c.k || isCSR(train.X) != c.density {
			t.Errorf("%s: %d×%d, %v, %+v", c.name, n, d, train.Task(), train.Shape())
		}
		if c.test == 0 {
			if test != nil {
				t.Errorf("%s has a test part", c.name)
			}
			continue
		}
		if n, e := test.Dims(); n != c.test || e != d || test.Task() != c.task || isCSR(test.X) != c.density {
			t.Errorf("%s: test part %d×%d", c.name, n, e)
		}
	}
	f, err := dir.Find("mnist")
	if errors.Is(err, fs.ErrNotExist) || testing.Short() {
		return
	}
	s := must.Have(Open(f.Test, Options{}))(t)
	if n, d := s.Dims(); n != 10000 || d != 784 || len(s.Labels.Names) != 10 || s.Labels.Class[0] != 7 {
		t.Errorf("mnist: %d×%d, %v", n, d, s.Labels.Names)
	}
}
