package bench

import (
	"runtime/debug"
	"time"
)

// A Stamp says on which machine, when and with which program figures were measured, and what
// else the machine did meanwhile. Figures are compared within one stamp alone.
type Stamp struct {
	Machine
	Revision string   `json:"revision"` // of the program, with "+changes" if files of its checkout were changed; "": not known
	Date     string   `json:"date"`     // in UTC
	Others   *float64 `json:"others"`   // share of the time of all cores that other programs took; nil: not known
}

// Watch begins a measurement. The function that it returns makes the stamp of what was measured
// since. Times of child processes that have ended count as the program's own. The share of
// other programs is known on Linux alone.
func Watch() (stamp func() Stamp) {
	before := cores()
	return func() Stamp {
		s := Stamp{Machine: Here(), Revision: Revision(), Date: time.Now().UTC().Format(time.DateOnly)}
		if share, known := others(before, cores()); known {
			s.Others = &share
		}
		return s
	}
}

// usage is the time of all cores, its part in which they worked, and what of this was the
// work of this process and its children, in seconds; 0 where it is not known.
type usage struct{ all, busy, own float64 }

// others returns the share of the time of all cores that was not this process's, and whether
// it is known.
func others(before, after usage) (share float64, known bool) {
	all := after.all - before.all
	if all <= 0 {
		return 0, false
	}
	return significant(max(0, (after.busy-before.busy-(after.own-before.own))/all)), true
}

// Revision returns the first digits of the revision that the program was built from,
// followed by "+changes" if files of its checkout were changed, and "" if it is not known.
func Revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	revision, changed := "", ""
	for _, kv := range info.Settings {
		switch {
		case kv.Key == "vcs.revision":
			revision = kv.Value[:min(12, len(kv.Value))]
		case kv.Key == "vcs.modified" && kv.Value == "true":
			changed = "+changes"
		}
	}
	return revision + changed
}

// Peers are comparisons with one library, in one run of bench/peers.
type Peers struct {
	Stamp
	Peer    string    `json:"peer"`
	Version string    `json:"version"` // "": the library does not say
	Build   string    `json:"build"`   // what was loaded, and how it was built
	Threads int       `json:"threads"`
	Rounds  int       `json:"rounds"`
	Rows    []PeerRow `json:"rows"`
}

// PeerRow is a comparison with a library. Times are the least of all rounds, Ratio is the
// median of the ratios of the rounds.
type PeerRow struct {
	Work   string  `json:"work"`
	Type   string  `json:"type"`
	Shape  string  `json:"shape"`
	NS     float64 `json:"ns"`      // per call
	PeerNS float64 `json:"peer_ns"` // of the library
	Ratio  float64 `json:"ratio"`   // of the library's time to this module's: above 1 the module is faster
	Note   string  `json:"note,omitempty"`
}

// PeerHead returns the names of the columns of PeerRow.Cells.
func PeerHead() []string {
	return []string{"work", "type", "shape", "gram", "peer", "peer/gram", "note"}
}

// Cells returns the figures of a row as text, in the order of PeerHead.
func (r PeerRow) Cells() []string {
	return []string{r.Work, r.Type, r.Shape, duration(r.NS), duration(r.PeerNS), figure(r.Ratio, "%.3g"), r.Note}
}
