package gram

import (
	"math"
	"runtime"
	"time"
)

// Run says how a fit runs. Every Config embeds it with the tag json:"-". Only
// Seed changes the result: with the same level, backend and seed, any number
// of workers and any memory limit give the same bits.
type Run struct {
	Seed        uint64      // seed of the random numbers; two fits with the same seed give the same model
	Workers     int         // largest number of goroutines; 0: GOMAXPROCS
	MemoryLimit int64       // bytes; 0: none
	Progress    func(Event) // called in the goroutine of Fit, at most every 100 ms and at the end of each phase; nil: not called
}

// SetRun sets how the configuration that embeds r runs.
func (r *Run) SetRun(run Run) { *r = run }

// GetRun returns how the configuration that embeds r runs.
func (r *Run) GetRun() Run { return *r }

// Event reports the progress of a long computation: Done of Total steps of a phase are done.
type Event struct {
	Phase       string
	Done, Total int64   // Total 0: the end is not known
	Objective   float64 // value of the method's own objective; 0 if it has none
	Gap         float64 // what the fit compares with its tolerance, a relative duality gap or residual; 0 if it has none
}

// Shape is the size of a problem: rows, columns and outputs. It is known
// before the data are read.
type Shape struct {
	N, D, Outputs int
	NNZ           int64 // stored entries of sparse rows; 0: the rows are dense
	Copied        int64 // bytes of the copy that Of makes of the rows; 0: none, or they are not in memory
}

// Plan is what a fit will cost, in floating-point operations and bytes.
type Plan struct {
	Flops       float64
	PeakBytes   int64 // beyond the data passed in, but with the copy of the data if one must be made
	ModelBytes  int64
	FullKernel  bool // the n×n kernel matrix is stored
	Description string
}

// Check returns a *MemoryError if p needs more memory than r.MemoryLimit
// allows.
func (r Run) Check(p Plan) error {
	need := p.PeakBytes
	if need < 0 { // more bytes than an int64 counts
		need = math.MaxInt64
	}
	if r.MemoryLimit > 0 && need > r.MemoryLimit {
		return &MemoryError{Need: need, Limit: r.MemoryLimit}
	}
	return nil
}

// Beside returns r for work while so many bytes are held that its plan does not count, such
// as the data: MemoryLimit is that much less. The error is a *MemoryError if nothing is left.
func (r Run) Beside(bytes int64) (Run, error) {
	if r.MemoryLimit > 0 {
		if bytes >= r.MemoryLimit {
			return r, &MemoryError{Need: bytes + 1, Limit: r.MemoryLimit}
		}
		r.MemoryLimit -= bytes
	}
	return r, nil
}

// Report calls r.Progress with e if Progress is set. Loops report through a
// Meter, which limits the rate.
func (r Run) Report(e Event) {
	if r.Progress != nil {
		r.Progress(e)
	}
}

// NumWorkers returns Workers, or GOMAXPROCS if Workers is not positive.
func (r Run) NumWorkers() int {
	if r.Workers > 0 {
		return r.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Meter limits the rate of progress events: it passes one on at most every
// 100 ms, and every event that ends a phase (Done == Total > 0). The zero
// Meter drops all events.
type Meter struct {
	run  Run
	last time.Time
}

// Meter returns a Meter that reports to r.Progress.
func (r Run) Meter() *Meter { return &Meter{run: r} }

// Report passes e on if it ends a phase or if 100 ms have passed since the
// last event.
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
