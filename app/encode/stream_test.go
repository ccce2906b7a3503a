package encode

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// form is a file with one object.
type form func(x *modelfile.Exchange)

func (f form) Encode(w *modelfile.Writer) error {
	return modelfile.Put(w, func(x *modelfile.Exchange) {
		x.Header("test", 1, &struct{}{})
		x.Part("part", f)
	})
}

// carry writes an object to a file and reads another one from it.
func carry(from, to form) error {
	var file bytes.Buffer
	if err := modelfile.Write(&file, from); err != nil {
		return err
	}
	f, err := modelfile.Read(&file)
	if err == nil {
		_, err = modelfile.Get(f, to, func(to form, x *modelfile.Exchange) {
			x.Header("test", 1, &struct{}{})
			x.Part("part", to)
		})
	}
	return err
}

// stray returns a table with missing cells of all kinds, whose levels are in rows of each
// remainder modulo 5. Its target is one of so many classes, or a number for 0.
func stray(t *testing.T, classes int) *dataset.Set {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	var text strings.Builder
	text.WriteString("c,v,when,y\n")
	for i := range 150 {
		c, v, when, y := string("abcd "[i%7%5]), fmt.Sprint(r.NormFloat64()*1e6), fmt.Sprintf("2024-%02d-11", 1+i%12), fmt.Sprint(r.ExpFloat64())
		if i%11 == 3 {
			v = ""
		}
		if i%13 == 4 {
			when = ""
		}
		if classes > 0 {
			y = fmt.Sprintf("k%d", r.IntN(classes))
		}
		fmt.Fprintf(&text, "%s,%s,%s,%s\n", strings.TrimSpace(c), v, when, y)
	}
	o := dataset.Options{}
	if classes == 0 {
		o.Task = dataset.Regression
	}
	return table(t, text.String(), o)
}

// learn returns the streamed encoding of d, whose rows come in three parts, each of which
// goes through a file. They are merged in the given order.
func learn(t *testing.T, c Config, d *dataset.Set, order []int, fold func(i int) int) *Streamed {
	t.Helper()
	n, _ := d.Dims()
	part := func(p int) (rows []int) {
		for i := p; i < n; i += 3 {
			rows = append(rows, i)
		}
		return rows
	}
	all := NewFills(n)
	for _, p := range order {
		f, g := NewFills(n), NewFills(n)
		for _, i := range part(p) {
			f.Add(uint64(i*7919%n), int64(p), int64(i), mat.Row(nil, i, d.X))
		}
		if err := carry(f.Exchange, g.Exchange); err != nil {
			t.Fatal(err)
		}
		all.Merge(g)
	}
	if !all.Exact() {
		t.Fatal("the sample does not have all rows")
	}
	width := targetsOf(d).width()
	s, sum := c.Encoding(d.Schema, width, all)
	if sum == nil {
		return s
	}
	for _, p := range order {
		_, f := c.Encoding(d.Schema, width, all)
		_, g := c.Encoding(d.Schema, width, all)
		rows := part(p)
		f.Add(d.Select(rows), func(i int) int { return fold(rows[i]) })
		if err := carry(f.Exchange, g.Exchange); err != nil {
			t.Fatal(err)
		}
		sum.Merge(g)
	}
	return sum.Encoding()
}

// What is learned from a stream is what is learned in memory, to the bit: for new rows from all
// rows, and for the rows of a part of the cross-fitting, whose means are those of the other parts,
// from these. The parts of the stream may come in any order, through files.
func TestStreamIsFit(t *testing.T) {
	fold := func(i int) int { return i / 3 % Folds }
	for _, classes := range []int{0, 2, 3} {
		d := stray(t, classes)
		n, _ := d.Dims()
		for _, c := range []Config{{}, {Categories: TargetMean}, {Categories: TargetMean, Fill: Mean, Smoothing: 3}, {Categories: Ordinal, Fill: Mean, NoIndicator: true}} {
			name := fmt.Sprintf("%d classes, %+v", classes, c)
			whole, _, err := c.Fit(d)
			if err != nil {
				t.Fatal(err)
			}
			s := learn(t, c, d, []int{0, 1, 2}, fold)
			again, read := learn(t, c, d, []int{2, 0, 1}, fold), &Streamed{}
			if err := carry(s.Exchange, read.Exchange); err != nil {
				t.Fatal(err)
			}
			want := whole.Apply(d.X).(*mat.Dense)
			trained := mat.DenseCopyOf(want)
			for f := range Folds {
				if c.Categories != TargetMean {
					break
				}
				var others []int
				for i := range n {
					if fold(i) != f {
						others = append(others, i)
					}
				}
				without, _, err := c.Fit(d.Select(others))
				if err != nil {
					t.Fatal(err)
				}
				for i := range n {
					if fold(i) == f { // the means alone: what fills missing numbers comes from all rows
						row := mat.Row(nil, i, without.Apply(d.X))
						copy(trained.RawRowView(i), row[:whole.columns[0].width])
					}
				}
			}
			for what, s := range map[string]*Streamed{"one order": s, "another order": again, "a file": read} {
				if got := s.Apply(d.X); !equal(got, want) {
					t.Errorf("%s, %s: new rows are\n%v\nwant\n%v", name, what, mat.Formatted(got), mat.Formatted(want))
				}
				if got := s.Train(d.X, fold); !equal(got, trained) {
					t.Errorf("%s, %s: the rows to learn from are\n%v\nwant\n%v", name, what, mat.Formatted(got), mat.Formatted(trained))
				}
			}
		}
	}
}

// equal compares matrices whose NaN are equal.
func equal(a, b mat.Matrix) bool {
	n, d := a.Dims()
	if m, e := b.Dims(); m != n || e != d {
		return false
	}
	for i := range n {
		for j := range d {
			if v, w := a.At(i, j), b.At(i, j); v != w && (v == v || w == w) {
				return false
			}
		}
	}
	return true
}

// The means of a part without which there are no rows are those of all rows.
func TestStreamOfOnePart(t *testing.T) {
	d := stray(t, 0)
	c := Config{Categories: TargetMean}
	s := learn(t, c, d, []int{0, 1, 2}, func(int) int { return 4 })
	if !equal(s.Train(d.X, func(int) int { return 4 }), s.Apply(d.X)) {
		t.Error("the rows of the only part do not have the means of all rows")
	}
}

// The median of a stream is that of the rows with the smallest keys; where their cells are all
// missing the mean of all rows takes its place, and 0 where no row has a number.
func TestSampleOfStream(t *testing.T) {
	for _, most := range []int{1, 4, 40} {
		var parts [2]*Fills
		for p := range parts {
			parts[p] = NewFills(most)
			for i := range 50 {
				k := 2*i + p
				v, w := float64(k), float64(0)
				if k < 3 {
					v = nan
				}
				parts[p].Add(uint64(k), 0, int64(k), []float64{v, nan, w})
			}
		}
		parts[0].Merge(parts[1])
		f := parts[0]
		if f.Exact() || len(f.all) != most {
			t.Fatalf("%d rows of the sample, want %d; exact: %v", len(f.all), most, f.Exact())
		}
		want := map[int]float64{1: 51, 4: 3, 40: 21}[most] // the mean of 3 … 99; the lower median of 3; of 3 … 39
		if v, ok := (Config{}).filled(f, 0); !ok || v != want {
			t.Errorf("sample of %d: %v, %v, want %v", most, v, ok, want)
		}
		if v, ok := (Config{}).filled(f, 1); ok {
			t.Errorf("a column without numbers is filled with %v", v)
		}
		if v, ok := (Config{Fill: Mean}).filled(f, 0); !ok || v != 51 {
			t.Errorf("the mean is %v, want 51", v)
		}
		if _, ok := (Config{}).filled(NewFills(3), 0); ok {
			t.Error("no row fills")
		}
		// A file with more rows than the sample may have, and one whose rows do not ascend.
		if err := carry(f.Exchange, NewFills(most-1).Exchange); err == nil || !strings.Contains(err.Error(), "want at most") {
			t.Errorf("a sample that is too large: %v", err)
		}
	}
}

// Forged files of the states are refused.
func TestForgedStream(t *testing.T) {
	terms := func(x *modelfile.Exchange, lengths []int, n int) {
		v := make([]float64, n)
		x.Ints("lengths", &lengths, len(lengths), 0, 1<<12)
		x.Float64("terms", &v, n)
	}
	d := stray(t, 0)
	c := Config{Categories: TargetMean}
	_, m := c.Encoding(d.Schema, 1, learnFills(d))
	size := len(m.sums) * len(m.sums[0].count)
	for lengths, ok := range map[int]bool{2: true, 3: false} {
		err := carry(func(x *modelfile.Exchange) {
			x.Header("encode.means", 1, &struct{}{})
			counts := make([]int64, size)
			x.Int64("counts", &counts, size)
			terms(x, append(make([]int, size-1), lengths), 2)
		}, m.Exchange)
		if (err == nil) != ok {
			t.Errorf("a sum of %d terms of 2: %v", lengths, err)
		}
	}
	for _, bad := range []struct {
		keys []int64
		n    int // numbers that the sum has terms for
		want string
	}{{[]int64{1, 2}, 1, ""}, {[]int64{2, 1}, 1, "ascend"}, {[]int64{1, 2}, 2, "too few"}} {
		err := carry(func(x *modelfile.Exchange) {
			x.Header("encode.fills", 1, &struct{ Rows int64 }{2})
			n, counts, term, zeros, numbers := []int64{2}, []int{bad.n}, []float64{3}, []int64{0, 0}, []float64{1, 2}
			x.Int64("n", &n, 1)
			x.Ints("counts", &counts, 1, 0, 9)
			x.Float64("terms", &term, 1)
			x.Int64("keys", &bad.keys, 2)
			x.Int64("items", &zeros, 2)
			x.Int64("rows", &zeros, 2)
			x.AnyFloat64("numbers", &numbers, 2)
		}, NewFills(4).Exchange)
		if bad.want == "" && err != nil || bad.want != "" && (err == nil || !strings.Contains(err.Error(), bad.want)) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	for folds, ok := range map[int]bool{0: true, 1: false, Folds: true} {
		e, _, err := c.Fit(d)
		if err != nil {
			t.Fatal(err)
		}
		s := &Streamed{Encoding: e}
		for range folds {
			s.crossed = append(s.crossed, e)
		}
		if err := carry(s.Exchange, (&Streamed{}).Exchange); (err == nil) != ok {
			t.Errorf("%d parts: %v", folds, err)
		}
	}
}

func learnFills(d *dataset.Set) *Fills {
	n, _ := d.Dims()
	f := NewFills(n)
	for i := range n {
		f.Add(uint64(i), 0, int64(i), mat.Row(nil, i, d.X))
	}
	return f
}

var nan = math.NaN()
