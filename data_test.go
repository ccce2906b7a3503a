package gram_test

import (
	"slices"
	"testing"

	"github.com/gramworks/gram"
)

func TestNewLabels(t *testing.T) {
	for what, c := range map[string]struct {
		rows  []string
		class []int
		names []string
	}{
		"numeric order":           {[]string{"10", "9", "-1", "9"}, []int{2, 1, 0, 1}, []string{"-1", "9", "10"}},
		"byte order":              {[]string{"b", "10", "9", "b"}, []int{2, 0, 1, 2}, []string{"10", "9", "b"}},
		"equal numbers":           {[]string{"+1", "-1", "1", "1.0", "-1.0"}, []int{1, 0, 1, 1, 0}, []string{"-1", "+1"}},
		"+1 is the second class":  {[]string{"+1", "-1"}, []int{1, 0}, []string{"-1", "+1"}},
		"NaN is a name":           {[]string{"nan", "2", "10"}, []int{2, 1, 0}, []string{"10", "2", "nan"}},
		"equal text, not numbers": {[]string{"1", "1.0", "x"}, []int{0, 1, 2}, []string{"1", "1.0", "x"}},
		"no rows":                 {nil, []int{}, []string{}},
		"one class":               {[]string{"7", "7"}, []int{0, 0}, []string{"7"}},
	} {
		l := gram.NewLabels(c.rows)
		if !slices.Equal(l.Class, c.class) || !slices.Equal(l.Names, c.names) {
			t.Errorf("%s: %q become %v of %q, want %v of %q", what, c.rows, l.Class, l.Names, c.class, c.names)
		}
	}
}

func TestRename(t *testing.T) {
	l := gram.Labels{Class: []int{2, 0, 1, 2}, Names: []string{"-1", "1.0", "x"}}
	for what, c := range map[string]struct {
		names []string
		class []int
		bad   int
	}{
		"another order":   {[]string{"x", "-1", "1.0"}, []int{0, 1, 2, 0}, -1},
		"equal as number": {[]string{"-1.0", "x", "+1"}, []int{1, 0, 2, 1}, -1},
		"more names":      {[]string{"a", "-1", "1.0", "x"}, []int{3, 1, 2, 3}, -1},
		"one missing":     {[]string{"x", "-1"}, []int{0, 1, -1, 0}, 2},
		"two missing":     {[]string{"1.0"}, []int{-1, -1, 0, -1}, 0},
		"text is no 1":    {[]string{"-1", "one", "x"}, []int{2, 0, -1, 2}, 2},
	} {
		got, bad := l.Rename(c.names)
		if !slices.Equal(got.Class, c.class) || !slices.Equal(got.Names, c.names) || bad != c.bad {
			t.Errorf("%s: %v of %q, the first unknown is %d; want %v and %d", what, got.Class, got.Names, bad, c.class, c.bad)
		}
	}
	if !slices.Equal(l.Class, []int{2, 0, 1, 2}) {
		t.Error("Rename has changed its receiver")
	}
	if _, bad := (gram.Labels{Class: []int{0}, Names: []string{"nan"}}).Rename([]string{"NaN"}); bad != 0 {
		t.Error("NaN equals NaN")
	}
}
