package bench

import (
	"errors"
	"testing"

	"github.com/gramworks/gram/internal/tuning"
)

// The state of a profile is that of its values for the level in force, in one line.
func TestProfileState(t *testing.T) {
	here, elsewhere := map[string]bool{"avx2": true}, map[string]bool{"generic": true}
	for _, c := range []struct {
		s    tuning.Source
		want ProfileState
	}{
		{tuning.Source{Path: "p"}, ProfileState{File: "p"}},
		{tuning.Source{Path: "p", Found: here}, ProfileState{File: "p", InForce: true}},
		{tuning.Source{Path: "p", Found: here, Foreign: 2}, ProfileState{File: "p", InForce: true}},
		{tuning.Source{Path: "p", Found: elsewhere}, ProfileState{File: "p", Warning: "it is for other levels of this CPU"}},
		{tuning.Source{Path: "p", Foreign: 1}, ProfileState{File: "p", Warning: "it is for other CPUs"}},
		{tuning.Source{Path: "p", Found: elsewhere, Foreign: 1}, ProfileState{File: "p", Warning: "it is for other CPUs"}},
		{tuning.Source{Path: "p", Err: errors.New("two\nlines")}, ProfileState{File: "p", Warning: "two; lines"}},
	} {
		if got := stateOf(c.s, "avx2"); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.s, got, c.want)
		}
	}
	for want, p := range map[string]ProfileState{
		"p.json": {File: "p.json", InForce: true},
		"defaults; WARNING: p.json is not used: broken":     {File: "p.json", Warning: "broken"},
		"defaults (there is no configuration folder)":       {},
		"defaults (there is no p.json; gram tune makes it)": {File: "p.json"},
	} {
		if got := p.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
