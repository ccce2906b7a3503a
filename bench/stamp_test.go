package bench

import (
	"runtime"
	"testing"
	"time"
)

// The share of other programs is between 0 and 1, and the work of this one is not in it.
func TestWatch(t *testing.T) {
	stamp := Watch()
	before := cores()
	for begin := time.Now(); time.Since(begin) < 300*time.Millisecond; {
		work := 0.
		for i := range 1000 {
			work += float64(i)
		}
		sink(work)
	}
	after := cores()
	s := stamp()
	if s.CPU != Here().CPU || len(s.Date) != len("2026-01-02") {
		t.Errorf("%+v", s)
	}
	if runtime.GOOS != "linux" {
		if s.Others != nil {
			t.Errorf("the share %v is not known here", *s.Others)
		}
		return
	}
	own, busy, all := after.own-before.own, after.busy-before.busy, after.all-before.all
	if s.Others == nil || !(*s.Others >= 0 && *s.Others <= 1) {
		t.Fatalf("%+v", s)
	}
	if want := max(0, (busy-own)/all); !(own > 0 && *s.Others <= want+.2) {
		t.Errorf("others %v, want about %v: own %v of %v s, all %v", *s.Others, want, own, busy, all)
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
