package encode

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

func table(t *testing.T, text string, o dataset.Options) *dataset.Set {
	t.Helper()
	o.Name, o.Table = "table.csv", true
	d, err := dataset.Read(strings.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const small = "c,v,y\na,1,10\nb,,20\na,4,30\n,2,40\nb,9,60\n"

// The formulas of the package's comment, by hand.
func TestFit(t *testing.T) {
	d := table(t, small, dataset.Options{Task: dataset.Regression})
	nan := math.NaN()
	unseen := mat.NewDense(1, 2, []float64{dataset.UnknownLevel, nan})
	mean := func(sum, count float64) float64 { return (sum + 4*32) / (count + 4) }
	for _, c := range []struct {
		config Config
		last   []float64 // of row 4, missing and 2
		unseen []float64
		names  string
	}{
		{Config{}, []float64{0, 0, 1, 2, 0}, []float64{0, 0, 0, 2, 1}, "c=a c=b c missing v v missing"},
		{Config{Categories: Ordinal, Fill: Mean, NoIndicator: true}, []float64{-2, 2}, []float64{-1, 4}, "c v"},
		{Config{Categories: TargetMean, Smoothing: 4, NoIndicator: true}, []float64{mean(40, 1), 2}, []float64{32, 2}, "c v"},
	} {
		e, x, err := c.config.Fit(d)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Apply(d.X).(*mat.Dense).RawRowView(3); !slices.Equal(got, c.last) {
			t.Errorf("%+v: row 4 is %v, want %v", c.config, got, c.last)
		}
		if got := e.Apply(unseen).(*mat.Dense).RawRowView(0); !slices.Equal(got, c.unseen) {
			t.Errorf("%+v: an unseen row is %v, want %v", c.config, got, c.unseen)
		}
		if got := strings.Join(e.Names(d.Schema), " "); got != c.names {
			t.Errorf("%+v: columns %s, want %s", c.config, got, c.names)
		}
		if c.config.Categories != TargetMean && !mat.Equal(x, e.Apply(d.X)) {
			t.Errorf("%+v: the training rows are encoded otherwise", c.config)
		}
		var b bytes.Buffer
		if err := modelfile.Write(&b, e); err != nil {
			t.Fatal(err)
		}
		f, err := modelfile.Read(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if back, err := Decode(f); err != nil || !reflect.DeepEqual(back, e) {
			t.Errorf("%+v: read as %+v, %v", c.config, back, err)
		}
	}
	if e, x, err := (Config{}).Fit(table(t, "a,y\n1,2\n3,4.5\n", dataset.Options{})); e != nil || err != nil || x == nil {
		t.Errorf("numbers: %v, %v", e, err)
	}
	d = table(t, "a,b,y\n1,,2\n3,NA,4.5\n", dataset.Options{})
	e, x, err := (Config{}).Fit(d)
	if err != nil || !mat.Equal(x, mat.NewDense(2, 2, []float64{1, 0, 3, 0})) || strings.Join(e.Empty(d.Schema), " ") != `column "b"` {
		t.Fatalf("an empty column: %v, %v", x, err)
	}
	if x = e.Apply(mat.NewDense(1, 2, []float64{2, 7})); !mat.Equal(x, mat.NewDense(1, 2, []float64{2, 0})) {
		t.Errorf("a value of an empty column: %v", x)
	}
}

// The classes of TargetMean: one column for two, one each for more, whose rows sum to 1.
func TestTargetMeanOfClasses(t *testing.T) {
	for classes, want := range map[int]int{2: 1, 3: 3} {
		var text strings.Builder
		text.WriteString("c,y\n")
		for i := range 60 {
			fmt.Fprintf(&text, "%c,k%d\n", 'a'+i%4, i%classes)
		}
		e, x, err := Config{Categories: TargetMean}.Fit(table(t, text.String(), dataset.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		if _, width := e.Dims(); width != want {
			t.Fatalf("%d classes: %d columns, want %d", classes, width, want)
		}
		for i := range 60 {
			if sum := mat.Sum(x.(*mat.Dense).RowView(i)); classes > 2 && !(math.Abs(sum-1) <= 1e-12) {
				t.Errorf("row %d sums to %v", i, sum)
			}
		}
	}
}

// Cross-fitting keeps a row's own target out of its features: a category of pure chance is
// not correlated with the target, as it is without.
func TestCrossFitting(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	text.WriteString("c,y\n")
	const n = 4000
	for range n {
		fmt.Fprintf(&text, "c%d,%.6f\n", r.IntN(1000), r.NormFloat64())
	}
	d := table(t, text.String(), dataset.Options{Task: dataset.Regression})
	e, x, err := Config{Categories: TargetMean, Smoothing: 1}.Fit(d)
	if err != nil {
		t.Fatal(err)
	}
	correlation := func(x mat.Matrix) float64 {
		var sxy, sxx, syy float64
		for i, y := range d.Value {
			v := x.At(i, 0)
			sxy, sxx, syy = sxy+v*y, sxx+v*v, syy+y*y
		}
		return sxy / math.Sqrt(sxx*syy)
	}
	if with, without := correlation(x), correlation(e.Apply(d.X)); !(math.Abs(with) <= .1) || !(without >= .4) {
		t.Errorf("the correlation is %.3f, and %.3f without cross-fitting", with, without)
	}
	_, again, err := Config{Categories: TargetMean, Smoothing: 1}.Fit(d)
	if err != nil || !mat.Equal(again, x) {
		t.Errorf("another time it is another matrix, %v", err)
	}
}

// There are five parts of the cross-fitting, of as many rows each, or one for each of fewer rows: rows of
// one part and category have the same mean of the others' targets.
func TestCrossFittingParts(t *testing.T) {
	for n, want := range map[int][]int{20: {4, 4, 4, 4, 4}, 3: {1, 1, 1}} {
		var text strings.Builder
		text.WriteString("c,y\n")
		for i := range n {
			fmt.Fprintf(&text, "c%d,%d\n", 0, 1<<i)
		}
		d := table(t, text.String(), dataset.Options{Task: dataset.Regression})
		_, x, err := Config{Categories: TargetMean, Smoothing: 1}.Fit(d)
		if err != nil {
			t.Fatal(err)
		}
		rows := map[float64]int{}
		for i := range n {
			rows[x.At(i, 0)]++
		}
		if got := slices.Collect(maps.Values(rows)); !slices.Equal(got, want) {
			t.Errorf("%d rows are in parts of %v rows, want %v", n, got, want)
		}
	}
}

// A date becomes its year, month, day of the week and days since the first one, and a mark where it
// is missing; a stored encoding does the same.
func TestDates(t *testing.T) {
	d, err := dataset.Read(strings.NewReader("when,a,y\n2024-01-31,1,2\n,2,3\n2023-12-31 06:00,3,4.5\n"), dataset.Options{Table: true, Task: dataset.Regression})
	if err != nil {
		t.Fatal(err)
	}
	e, x, err := Config{}.Fit(d)
	if err != nil {
		t.Fatal(err)
	}
	want := mat.NewDense(3, 6, []float64{
		2024, 1, 3, 30.75, 0, 1,
		2023, 12, 7, 0, 1, 2,
		2023, 12, 7, 0, 0, 3,
	})
	names := []string{"when year", "when month", "when weekday", "when days", "when missing", "a"}
	if !mat.Equal(x, want) || !slices.Equal(e.Names(d.Schema), names) || (Config{}).Width(d.Schema, 1) != 6 || !slices.Equal(e.Places(), []int{0, 0, 0, 0, 0, 1}) {
		t.Errorf("%v %q", mat.Formatted(x), e.Names(d.Schema))
	}
	var b bytes.Buffer
	if err := modelfile.Write(&b, e); err != nil {
		t.Fatal(err)
	}
	f, err := modelfile.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Decode(f); err != nil || !mat.Equal(again.Apply(d.X), want) {
		t.Error(err)
	}
	kept, x, err := Config{Fill: Keep}.Fit(d)
	if _, width := kept.Dims(); err != nil || width != 5 || x.At(1, 0) == x.At(1, 0) || x.At(1, 3) == x.At(1, 3) {
		t.Errorf("kept: %v, %v", mat.Formatted(x), err)
	}
}

// Without a target there are no means: the levels have a column each, whatever is asked for.
func TestWithoutTarget(t *testing.T) {
	d := &dataset.Set{X: mat.NewDense(2, 1, []float64{1, 0}), Schema: &dataset.Schema{
		Columns: []dataset.Column{{Name: "c", Kind: dataset.Category, Levels: []string{"a", "b"}}},
	}}
	for _, c := range []Config{{}, {Categories: OneHot}, {Categories: TargetMean}} {
		e, x, err := c.Fit(d)
		if want := mat.NewDense(2, 2, []float64{0, 1, 1, 0}); err != nil || !mat.Equal(x, want) || c.Width(d.Schema, 0) != 2 || !mat.Equal(e.Apply(d.X), want) {
			t.Errorf("%+v: %v, %v", c, x, err)
		}
	}
}

// No rows are encoded as no rows.
func TestNoRows(t *testing.T) {
	e, _, err := Config{}.Fit(table(t, small, dataset.Options{Task: dataset.Regression}))
	if err != nil {
		t.Fatal(err)
	}
	if n, d := e.Apply(&sparse.CSR{D: 2, Ptr: []int{0}}).Dims(); n != 0 || d != 0 {
		t.Errorf("%d×%d", n, d)
	}
}

// Scaled is the encoding and then the scaling; the rows of the table stay.
func TestScaled(t *testing.T) {
	d := table(t, small, dataset.Options{Task: dataset.Regression})
	e, encoded, err := Config{}.Fit(d)
	if err != nil {
		t.Fatal(err)
	}
	s, err := dataset.Standardize(encoded)
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string][2]mat.Matrix{
		"encoded": {Scaled(e, nil, d.X), encoded}, "both": {Scaled(e, s, d.X), s.Apply(encoded)}, "scaled": {Scaled(nil, s, encoded), s.Apply(encoded)},
	} {
		if !mat.Equal(c[0], c[1]) {
			t.Errorf("%s: %v, want %v", what, mat.Formatted(c[0]), mat.Formatted(c[1]))
		}
	}
	if !mat.Equal(encoded, e.Apply(d.X)) || Scaled(nil, nil, d.X) != d.X {
		t.Error("the rows are changed, or copied for nothing")
	}
	if n, _ := Scaled(e, s, &sparse.CSR{D: len(d.Schema.Columns), Ptr: []int{0}}).Dims(); n != 0 {
		t.Errorf("%d rows of none", n)
	}
}

// The widths of the columns in a file must fit their kinds, and their values must be all there are.
func TestForgedEncoding(t *testing.T) {
	for _, c := range []struct {
		levels, width, indicator, values int
		ok                               bool
	}{
		{0, 1, 0, 0, true}, {0, 2, 1, 0, true}, {0, 2, 0, 0, false}, {0, 1, 1, 0, false}, // a number
		{0, 4, 0, 1, true}, {0, 5, 1, 1, true}, {0, 4, 0, 0, false}, {0, 5, 0, 1, false}, {0, 4, 0, 2, false}, // a date
		{1, 3, 0, 9, true}, {2, 1, 0, 4, true}, {2, 1, 0, 3, false}, {2, 1, 0, 5, false}, // a category
		{0, modelfile.MaxCount, 0, 0, false},
	} {
		err := carry(func(x *modelfile.Exchange) {
			x.Header("encoding", 1, &struct{}{})
			fill, values, zero := make([]float64, 1), make([]float64, c.values), []int{0}
			levels, width, indicator := []int{c.levels}, []int{c.width}, []int{c.indicator}
			x.Float64("fill", &fill, 1)
			x.Ints("levels", &levels, 1, 0, modelfile.MaxCount)
			x.Ints("width", &width, 1, 1, modelfile.MaxCount)
			x.Ints("missing", &zero, 1, 0, 1)
			x.Ints("indicator", &indicator, 1, 0, 1)
			x.Float64("values", &values, -1)
		}, (&Encoding{}).Exchange)
		if (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// Each fill but Keep has its name.
func TestParseFill(t *testing.T) {
	for _, f := range []Fill{AutoFill, Median, Mean} {
		if got, err := ParseFill(f.String()); got != f || err != nil {
			t.Errorf("%v is %v, %v", f, got, err)
		}
	}
	for _, name := range []string{"keep", "", "Mean"} {
		if _, err := ParseFill(name); err == nil {
			t.Errorf("%q is a fill", name)
		}
	}
}
