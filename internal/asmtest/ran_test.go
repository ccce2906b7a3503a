package asmtest

import (
	"errors"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/asm/level2"
)

// TestWatch records the routines of a kernel at every level.
func TestWatch(t *testing.T) {
	if _, err := routines(); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("the routines that ran cannot be read back here")
	} else if err != nil {
		t.Fatal(err)
	}
	for _, l := range cpu.Levels() {
		if l > cpu.Current() {
			continue
		}
		At(l, func() {
			for range 2 {
				stop := watch(t, func(*routine) bool { return true })
				level2.Dot([]float64{1, 2}, []float64{3, 4})
				for range 3 {
					level2.Scale(2, []float32{1})
				}
				got := map[string]bool{}
				for _, r := range stop() {
					got[r.name] = true
					if r.level != l {
						t.Errorf("%s ran at level %s", r.name, l)
					}
				}
				if l == cpu.Generic && len(got) != 0 || l != cpu.Generic && len(got) != 2 {
					t.Errorf("level %s: %v ran", l, got)
				}
			}
			if got := level2.Dot([]float64{1, 2}, []float64{3, 4}); got != 11 {
				t.Errorf("level %s: dot is %v after the watch", l, got)
			}
		})
	}
}
