package settings_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/settings"
)

// tunable declares candidates in all ways.
type tunable struct {
	A, B float64
	K    int
}

func (c *tunable) Settings(s *settings.Fields) {
	s.Float(&c.A, "a", "a").Default(1).Above(0).Tries(10).Tries(.1, .01)
	s.Float(&c.B, "b", "b").Default(2).Above(0).LeaveOneOut(settings.ForValues)
	s.Int(&c.K, "k", "k").Default(20).Above(0).TriesHeldOut(settings.ForLabels, 10, 5)
	s.Tries(settings.Candidates{Names: []string{"a", "k"}, Lists: [][]string{{"a=3 k=4"}}, MostRows: 7})
}

// embedding has tunable parts: one with other names, and one whose a it describes itself.
type embedding struct {
	Part, Own tunable
	A         float64
}

func (c *embedding) Settings(s *settings.Fields) {
	s.Prefixed("x-", &c.Part)
	s.Float(&c.A, "a", "a").Default(1).Above(0)
	s.Embedded(&c.Own, "a")
}

func TestCandidates(t *testing.T) {
	show := func(c settings.Described) []string {
		var out []string
		for _, c := range settings.Bind(c).Candidates {
			out = append(out, fmt.Sprint(c))
		}
		return out
	}
	one := []string{"{[a] [[a=10] [a=0.1 a=0.01]] 0 0 0 }", "{[b] [] 2 0 2 }", "{[k] [[k=10 k=5]] 3 0 1 }", "{[a k] [[a=3 k=4]] 0 7 0 }"}
	if got := show(&tunable{}); !slices.Equal(got, one) {
		t.Errorf("candidates %v", got)
	}
	want := []string{"{[x-a] [[x-a=10] [x-a=0.1 x-a=0.01]] 0 0 0 }", "{[x-b] [] 2 0 2 }", "{[x-k] [[x-k=10 x-k=5]] 3 0 1 }",
		"{[x-a x-k] [[x-a=3 x-k=4]] 0 7 0 }", one[1], one[2]}
	if got := show(&embedding{}); !slices.Equal(got, want) {
		t.Errorf("candidates of parts %v", got)
	}
}

// storing has candidates of a size.
type storing struct{ Cache int64 }

func (c *storing) Settings(s *settings.Fields) {
	s.MiB(&c.Cache, "cache", "memory").Default(1<<20).AtLeast(1<<20).Tries(2<<20, 5<<20)
}

// Candidates are texts that set the value which was declared, whatever the unit of the text.
func TestCandidatesOfUnits(t *testing.T) {
	var c storing
	b := settings.Bind(&c)
	for i, want := range []int64{2 << 20, 5 << 20} {
		if err := b.Set(b.Candidates[0].Lists[0][i]); err != nil || c.Cache != want {
			t.Errorf("candidate %d: %d bytes, want %d: %v", i, c.Cache, want, err)
		}
	}
}

// A field that the configuration was made with is given, as one that is set.
func TestGiven(t *testing.T) {
	b := settings.Bind(&tunable{A: 1})
	must.Do(t, b.Set("k=3"))
	for name, want := range map[string]bool{"a": true, "b": false, "k": true} {
		if got := b.Lookup(name).Given(); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
