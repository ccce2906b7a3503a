package num

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

// A Tree merges as a tree that is built level by level from all values does.
func TestTree(t *testing.T) {
	join := func(a, b string) (string, error) { return "(" + a + " " + b + ")", nil }
	for n := range 600 {
		tree := Tree[string]{Merge: join}
		var level []string
		for k := range n {
			v := fmt.Sprint(k)
			level = append(level, v)
			must.Do(t, tree.Add(v))
		}
		for len(level) > 1 {
			var next []string
			for lo := 0; lo < len(level); lo += Fan {
				sum := level[lo]
				for _, v := range level[lo+1 : min(lo+Fan, len(level))] {
					sum, _ = join(sum, v)
				}
				next = append(next, sum)
			}
			level = next
		}
		want := ""
		if n > 0 {
			want = level[0]
		}
		if got, err := tree.Result(); err != nil || got != want {
			t.Fatalf("%d values: %s, %v; want %s", n, got, err, want)
		}
		if got, err := tree.Result(); err != nil || got != "" {
			t.Fatalf("%d values: a second result %s, %v", n, got, err)
		}
	}
}

func TestTreeError(t *testing.T) {
	bad := errors.New("bad")
	tree := Tree[int]{Merge: func(a, b int) (int, error) {
		if b == 9 {
			return 0, bad
		}
		return a + b, nil
	}}
	var err error
	for k := 0; k < 20 && err == nil; k++ {
		err = tree.Add(k)
	}
	if !errors.Is(err, bad) {
		t.Fatalf("error %v", err)
	}
	tree = Tree[int]{Merge: func(a, b int) (int, error) {
		if a == 28 {
			return 0, bad
		}
		return a + b, nil
	}}
	for k := range 9 {
		must.Do(t, tree.Add(k))
	}
	if _, err := tree.Result(); !errors.Is(err, bad) {
		t.Fatalf("error %v", err)
	}
}
