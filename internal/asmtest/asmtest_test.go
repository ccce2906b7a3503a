package asmtest

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

func TestULP(t *testing.T) {
	for _, c := range []struct {
		got  float64
		want float64
		ulp  float64
	}{
		{1, 1, 0}, {1 + 0x1p-52, 1, 1}, {1 + 0x1p-51, 1, 2}, {math.NaN(), math.NaN(), 0},
		{math.NaN(), 1, math.Inf(1)}, {math.Inf(1), math.Inf(1), 0}, {math.Inf(1), 1, math.Inf(1)}, {0x1p-1074, 0, 1},
	} {
		if got := ULP(c.got, c.want); got != c.ulp {
			t.Errorf("ULP(%v, %v) = %v, want %v", c.got, c.want, got, c.ulp)
		}
	}
	if got := ULP(float32(1)+0x1p-23, 1); got != 1 {
		t.Errorf("float32: %v, want 1", got)
	}
}

func TestCanary(t *testing.T) {
	c := NewCanary[float32](5, 3, 2)
	c.Set([]float32{1, 2, 3, 4, 5})
	if s := c.Slice(); len(s) != 13 || s[0] != 1 || s[12] != 5 {
		t.Fatalf("slice %v", s)
	}
	c.Check(t)
	for _, off := range []int{-1, 1, 13} {
		probe := &recorder{TB: t}
		i := c.lo + off
		old := c.whole[i]
		c.whole[i] = 7
		func() {
			defer func() { _ = recover() }()
			c.Check(probe)
		}()
		c.whole[i] = old
		if !probe.failed {
			t.Errorf("a write at %d was not noticed", off)
		}
	}
	for _, l := range []int{0, 1, 17} {
		c := NewCanary[float64](l, 1, 1)
		if len(c.Slice()) != l {
			t.Errorf("length %d, want %d", len(c.Slice()), l)
		}
	}
}

type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Fatalf(string, ...any) { r.failed = true; panic("stop") }

// TestGuardCatches reads one element past a guarded slice in another process,
// which must be ended by the fault.
func TestGuardCatches(t *testing.T) {
	if side := os.Getenv("GRAM_TEST_GUARD"); side != "" {
		calls := 0
		Guarded(t, 100, func(x []float64) {
			calls++
			if side == "before" && calls == 1 {
				println(peek(x, -1))
			}
			if side == "after" && calls == 2 {
				println(peek(x, 100))
			}
		})
		return
	}
	for _, side := range []string{"before", "after"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestGuardCatches$")
		cmd.Env = append(os.Environ(), "GRAM_TEST_GUARD="+side)
		out, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("the test cannot start itself under an emulator: ", err)
		}
		if err == nil || !strings.Contains(string(out), "SIG") {
			t.Errorf("access %s the slice went unnoticed: %v\n%s", side, err, out)
		}
	}
}
