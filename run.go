package gram

import (
	"fmt"
	"runtime"
	"time"
)

// Run says how a fit runs. It is embedded in every Config with the tag
// json:"-". Only Seed changes a result: the same level, backend and seed give
// the same bits for any number of workers and any limit.
type Run struct {
	Seed        uint64      // a value, not a source: fitting twice gives the same model
	Workers     int         // goroutines at most; 0: GOMAXPROCS
	MemoryLimit int64       // bytes; 0: none
	Progress    func(Event) // called from the goroutine of Fit, at most every 100 ms and at each phase's end; nil: none
}

// SetRun sets how a configuration that embeds r runs.
func (r *Run) SetRun(run Run) { *r = run }

// Event reports progress of a long computation.
type Event struct {
	Phase       string
	Done, Total int64   // Total 0: not known
	Objective   float64 // of the method's own problem; 0 where there is none
}

// Shape is the size of a problem before its data are read.
type Shape struct {
	N, D, Outputs int
	NNZ           int64 // 0: dense
}

// Plan is what a fit will cost.
type Plan struct {
	Flops       float64
	PeakBytes   int64 // beyond the data passed in; a copy of it that must be made is counted
	ModelBytes  int64
	FullKernel  bool // the n×n kernel matrix is stored
	Description string
}

// Check returns a *MemoryError if p needs more than r.MemoryLimit.
func (r Run) Check(p Plan) error {
	if r.MemoryLimit > 0 && p.PeakBytes > r.MemoryLimit {
		return &MemoryError{Need: p.PeakBytes, Limit: r.MemoryLimit}
	}
	return nil
}

// Report passes e to r.Progress, if there is one. Callers inside a loop go
// through a Meter, which keeps the rate down.
func (r Run) Report(e Event) {
	if r.Progress != nil {
		r.Progress(e)
	}
}

// NumWorkers is Workers with the default filled in.
func (r Run) NumWorkers() int {
	if r.Workers > 0 {
		return r.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Meter passes events on at most every 100 ms and always at a phase's end
// (Done == Total > 0). The zero value drops everything.
type Meter struct {
	run  Run
	last time.Time
}

// Meter returns a rate-limited reporter for r.
func (r Run) Meter() *Meter { return &Meter{run: r} }

// Report passes e on if it is due.
func (m *Meter) Report(e Event) {
	if m.run.Progress == nil {
		return
	}
	now := time.Now()
	if now.Sub(m.last) < 100*time.Millisecond && (e.Total == 0 || e.Done != e.Total) {
		return
	}
	m.last = now
	m.run.Progress(e)
}

// FormatBytes writes b with a binary unit: "1.5 GiB".
func FormatBytes(b int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	v, u := float64(b), 0
	for v >= 1024 && u < len(units)-1 {
		v /= 1024
		u++
	}
	if u == 0 {
		return fmt.Sprintf("%d B", b)
	}
	return fmt.Sprintf("%.1f %s", v, units[u])
}
