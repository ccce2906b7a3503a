package bench

import (
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
)

// The signatures are the ones of every version, level, system and architecture. One that is another on purpose is a
// change that the list of changes names.
func TestSignatures(t *testing.T) {
	want := []string{
		"random numbers   f7518a2f86080bd8",
		"fwht float64     f417858c099d3d59",
		"fwht float32     d4da6b1e8364d380",
		"haar float64     91e47a3c2f67c077",
		"haar float32     ecdadfe39c4ee633",
	}
	asmtest.ForEachLevel(t, available()[1:], func(t *testing.T) {
		var got []string
		for _, s := range Signatures() {
			got = append(got, s.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("the signatures are\n%s", strings.Join(got, "\n"))
		}
	})
}
