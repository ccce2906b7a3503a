package constraint

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// A file of pairs is read line by line, and what is wrong in it is named by line and column.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pairs.csv")
	read := func(text string) ([]Statement, error) {
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
		return ReadFile(path, 5)
	}
	want := []Statement{{Pair{0, 4, true}, gram.Opt[float64]{}}, {Pair{3, 1, false}, gram.Set(2.5)}, {Pair{2, 0, true}, gram.Set(1e-9)}}
	for _, text := range []string{
		"0,4,same\n3,1,different,2.5\n2,0,same,1e-9\n",
		"\xef\xbb\xbfi,j,relation,bound\r\n0,4,same\r\n# a comment\r\n\r\n 3 ,\t1 , different , 2.5\r\n2,0,same,1e-9",
	} {
		if got, err := read(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for text, place := range map[string]string{
		"":                             ": there are no pairs",
		"# nothing\n":                  ": there are no pairs",
		"0,1\n":                        ":1:1: 2 fields",
		"0,1,same,2,3":                 ":1:1: 5 fields",
		"0,1,same\n\n5,1,same":         ":3:1: \"5\" is not a row, want a number from 0 to 4",
		"0,1,same\n0, -1,same":         ":2:4: \"-1\" is not a row",
		"0,x,same":                     ":1:3: \"x\" is not a row",
		"2,2,same":                     ":1:3: row 2 is paired with itself",
		"0,1,Same":                     ":1:5: \"Same\", want same or different",
		"0,1,different,0":              ":1:15: \"0\" is not a bound",
		"0,1,same,NaN":                 ":1:10: \"NaN\" is not a bound",
		"0,1,same,+Inf":                ":1:10: \"+Inf\" is not a bound",
		"0,1,same,":                    ":1:10: \"\" is not a bound",
		"0,1,same\ni,j,relation":       ":2:1: \"i\" is not a row",
		strings.Repeat("0", 99) + "9,": ":1:1: 2 fields",
	} {
		_, err := read(text)
		var pe *gram.ParseError
		if !errors.As(err, &pe) || !strings.HasPrefix(err.Error(), path+place) {
			t.Errorf("%q: %v, want %s%s", text, err, path, place)
		}
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none"), 5); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := read(strings.Repeat(" ", 1<<17)); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("a line without an end: %v", err)
	}
}

// Statements without a bound get the usual one.
func TestStatements(t *testing.T) {
	x := mat.NewDense(5, 1, []float64{0, 1, 3, 3, 10})
	statements := []Statement{{Pair: Pair{0, 1, true}}, {Pair{0, 2, false}, gram.Set(7.)}, {Pair: Pair{1, 4, false}}, {Pair: Pair{2, 3, true}}}
	got, err := FromMargin(x, statements, .5)
	want := []Linear{Distance(0, 1, AtMost, .5), Distance(0, 2, AtLeast, 7), Distance(1, 4, AtLeast, 121.5)}
	same := func(a, b Linear) bool {
		return a.Relation == b.Relation && math.Abs(a.Bound-b.Bound) < 1e-12 && slices.Equal(a.Terms[0].Z.Index, b.Terms[0].Z.Index)
	}
	if err != nil || !slices.EqualFunc(got, want, same) {
		t.Errorf("by a margin: %v, %v", got, err)
	}
	p := Pairs{Low: gram.Set(30.), High: 70}
	b := must.Have(Percentiles(t.Context(), kernel.Linear{}, x, 30, 70, 1))(t)
	got, err = p.FromStatements(t.Context(), kernel.Linear{}, x, statements, 1)
	want = []Linear{Distance(0, 1, AtMost, b.Low), Distance(0, 2, AtLeast, 7), Distance(1, 4, AtLeast, b.High)}
	if err != nil || !slices.EqualFunc(got, want, same) {
		t.Errorf("by percentiles: %v, %v", got, err)
	}
	if _, err := Unbounded(statements); err == nil {
		t.Error("a bound that nobody looks at")
	}
	if pairs, err := Unbounded(statements[2:]); err != nil || !slices.Equal(pairs, []Pair{{1, 4, false}, {2, 3, true}}) {
		t.Errorf("%v, %v", pairs, err)
	}
	_, err = FromMargin(x, []Statement{{Pair: Pair{0, 5, true}}}, .5)
	algotest.Names(t, "pairs[0]", 5, err)
	_, err = FromMargin(x, statements, 1)
	algotest.Names(t, "margin", 1, err)
	_, err = p.FromStatements(t.Context(), kernel.Linear{}, x, nil, 1)
	algotest.Names(t, "pairs", "none", err)
	var de *gram.DataError
	for _, f := range []func() ([]Linear, error){
		func() ([]Linear, error) { return FromMargin(x, statements[3:], .5) },
		func() ([]Linear, error) {
			return p.FromStatements(t.Context(), kernel.Linear{}, x, statements[3:], 1)
		},
	} {
		if _, err := f(); !errors.As(err, &de) {
			t.Errorf("rows that coincide: %v", err)
		}
	}
}
