package bench

import (
	"runtime"
	"testing"
)

// A stamp says where, when and, on Linux, beside what a measurement was made.
func TestWatch(t *testing.T) {
	stamp, before := Watch(), cores()
	for cores().all-before.all < .05 && runtime.GOOS == "linux" { // the clock has hundredths of seconds
		runtime.Gosched()
	}
	s := stamp()
	if s.CPU != Here().CPU || len(s.Date) != len("2026-01-02") {
		t.Errorf("%+v", s)
	}
	if known := s.Others != nil; known != (runtime.GOOS == "linux") || known && !(*s.Others >= 0 && *s.Others <= 1) {
		t.Errorf("%+v", s)
	}
}

// The work of this process is not that of others.
func TestOthers(t *testing.T) {
	for _, c := range []struct {
		before, after usage
		share         float64
		known         bool
	}{
		{usage{10, 5, 1}, usage{20, 12, 3}, .5, true}, {usage{10, 5, 1}, usage{20, 7, 4}, 0, true}, {usage{}, usage{}, 0, false},
	} {
		if share, known := others(c.before, c.after); share != c.share || known != c.known {
			t.Errorf("%v to %v: %v, %v", c.before, c.after, share, known)
		}
	}
}

// The cells of a comparison stand under the names of their columns.
func TestPeerCells(t *testing.T) {
	r := PeerRow{Work: "lu", Type: "float64", Shape: "64", NS: 1500, PeerNS: 3e6, Ratio: 2.004, Note: "n"}
	want := []string{"lu", "float64", "64", "1.5 µs", "3 ms", "2", "n"}
	got := r.Cells()
	for i, cell := range want {
		if len(got) != len(want) || len(PeerHead()) != len(want) || got[i] != cell {
			t.Fatalf("%q, want %q", got, want)
		}
	}
}
