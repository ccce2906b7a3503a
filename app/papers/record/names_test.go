package record

import (
	"strings"
	"testing"
)

// sums is a project whose table adds things up.
const sums = `package papers

import "strings"

type Table struct { ID string; run func() }

func All() []Table { return []Table{{ID: "1", run: table1}} }

type pair struct { left, right float64; Shown int }

const ( first = iota + 1; second )

var factor = 2.

func double(x float64) float64 { return 2 * twice(x) }
func treble(x float64) float64 { return 2 * thrice(x) }
func twice(x float64) float64  { return x + x }
func thrice(x float64) float64 { return x + x + x }

func (p pair) Sum() float64 { return double(p.left) + 3*p.right + treble(factor) }

func table1() {
	a, b := 1., 2.
	p := pair{left: a, right: b}
	switch x := any(p).(type) {
	case pair: a = x.Sum() - b
	}
	_ = strings.Repeat("text", first)
	routine()
}

func routine()
`

// Names are not in the hash, what they mean is.
func TestNames(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Setenv("GOWORK", "off")
	hash := func(files map[string]string) string {
		t.Helper()
		root := t.TempDir()
		write(t, root, map[string]string{"go.mod": "module github.com/gramworks/gram/app\n\ngo 1.26\n", "papers/routine.s": "TEXT ·routine(SB), 4, $0\n\tRET\n\nTEXT ·other(SB), 4, $0\n\tRET\n"})
		write(t, root, files)
		s, err := ReadSources(root)
		if err != nil {
			t.Fatal(err)
		}
		h, err := s.Hash("1")
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	changed := func(pairs ...string) string {
		t.Helper()
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(sums, pairs[i]) {
				t.Fatalf("no %q", pairs[i])
			}
		}
		return hash(map[string]string{"papers/a.go": strings.NewReplacer(pairs...).Replace(sums)})
	}
	want := hash(map[string]string{"papers/a.go": sums})
	same := [][]string{
		{"type pair", "// A comment.\ntype pair"}, {"factor", "times"}, {"{ return x + x }", "{\n\treturn x + x\n}"}, {"double", "one"}, {"pair", "couple"}, {"left", "west"}, {"first", "opening"}, {"1., 2.", "1.,\n2."},
		{"x float64", "y float64", "twice(x)", "twice(y)", "thrice(x)", "thrice(y)", "x + x", "y + y", "return x + x + x", "return y + y + y"},
		{"x :=", "y :=", "x.Sum", "y.Sum"}, {"p :=", "q :=", "any(p)", "any(q)"}, {`"strings"`, `words "strings"`, "strings.R", "words.R"},
	}
	all := sums // changed in all ways at once
	for _, pairs := range same {
		all = strings.NewReplacer(pairs...).Replace(all)
	}
	if hash(map[string]string{"papers/a.go": all}) != want {
		t.Error("other names: another hash")
		for _, pairs := range same {
			if changed(pairs...) != want {
				t.Errorf("%q: another hash", pairs)
			}
		}
	}
	from, to := strings.Index(sums, "func double"), strings.Index(sums, "func (p pair)")
	rest, cut := sums[:from]+sums[to:], sums[from:to]
	if hash(map[string]string{"papers/a.go": rest, "papers/b.go": "package papers\n" + cut}) != want {
		t.Error("functions in another file: another hash")
	}
	rest = strings.NewReplacer("double(p", "arith.Double(p", "treble(f", "arith.Treble(f", `"strings"`, "(\"strings\"; \"github.com/gramworks/gram/app/arith\")").Replace(rest)
	cut = strings.NewReplacer("double", "Double", "treble", "Treble").Replace(cut)
	if hash(map[string]string{"papers/a.go": rest, "arith/arith.go": "package arith\n" + cut}) != want {
		t.Error("functions in another package: another hash")
	}
	for _, pairs := range [][]string{
		{"p.left", "p.right"}, {`"text", first`, `"text", second`}, {"double(p", "treble(p"}, {"twice(x) }", "thrice(x) }"}, {"x.Sum() - b", "x.Sum() - a"}, {"Shown", "Seen"},
		{"Sum", "Total"}, {"routine()", "other()"}, {`"text"`, `"word"`}, {"factor = 2", "factor = 3"}, {"iota + 1", "iota"}, {"x + x + x", "x + x - x"},
	} {
		if changed(pairs...) == want {
			t.Errorf("%q: the same hash", pairs)
		}
	}
}
