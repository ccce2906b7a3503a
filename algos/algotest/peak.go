package algotest

import (
	"testing"

	"github.com/gramworks/gram/internal/machine"
	"github.com/gramworks/gram/num"
)

// CheckPeak fails the test unless the planned number of bytes is within a factor
// of two of the memory that f uses at its peak.
//
// That memory lies between two numbers that can be measured: the largest live
// heap at a garbage collection, which misses memory that is used only between
// two collections, and the largest heap, which includes garbage. The plan is too
// small if it is too small for the first, and too large if it is too large for
// the second. On a busy machine both contain more garbage, so f is run again a
// few times if the plan seems too small for the least live heap.
func CheckPeak(t *testing.T, plan int64, f func()) {
	t.Helper()
	const slack = 256 << 10 // goroutines, small vectors, the runtime system
	live, heap := machine.Peak(f)
	for runs := 1; plan > 2*heap+slack || live > 2*plan+slack; runs++ {
		if runs == 12 {
			t.Errorf("the plan says %s, in use were at least %s and at most %s",
				num.FormatBytes(plan), num.FormatBytes(live), num.FormatBytes(heap))
			return
		}
		l, h := machine.Peak(f)
		live, heap = min(live, l), max(heap, h)
	}
}
