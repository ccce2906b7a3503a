package job

import (
	"testing"

	"github.com/gramworks/gram/dataset"
)

// The first thing in which two lists of files differ is said.
func TestItemsDiffer(t *testing.T) {
	a, b := dataset.Item{Path: "a.csv", Size: 7}, dataset.Item{Path: "b.csv", Size: 9}
	longer, other := a, a
	longer.Size, other.Lo = 8, 3
	for _, c := range []struct {
		now, before []dataset.Item
		want        string
	}{
		{[]dataset.Item{a, b}, []dataset.Item{a, a}, "b.csv is among the data where a.csv was"},
		{[]dataset.Item{b, longer}, []dataset.Item{b, a}, "a.csv has 8 bytes, and had 7"},
		{[]dataset.Item{a, b}, []dataset.Item{a}, "the data are cut into 2 items, and were into 1"},
		{[]dataset.Item{a}, []dataset.Item{other}, "the lines of the data, or their beginning, differ"},
	} {
		if got := itemsDiffer(c.now, c.before); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
