package beam

import (
	"context"
	"fmt"
	"os"
	"time"
)

// StallError says that an engine has made nothing for a while. It is not known why: a worker process may
// have died without the engine's notice, or there may be no worker at all.
type StallError struct {
	For time.Duration // without a new file in the folder of the job
}

// Error names the time and what to do.
func (e *StallError) Error() string {
	return fmt.Sprintf("the engine has made nothing for %v, its workers may have died; the same command goes on with what is there", e.For)
}

// farewell is how long an engine may take to end after it is asked to.
const farewell = 2 * time.Second

// watched calls run and returns its error. If nothing in the folder dir changes for the time stall, it cancels
// run's context and returns a *StallError, even if run does not return; likewise the error of ctx. A stall of 0
// is no bound.
//
// Such a watch is needed with Prism (2.77): when the process of a worker dies, its loop for instructions
// may see a closed channel before it sees that the worker is gone, and then it does not fail the pieces
// that the worker had; nor does it when the process dies before it has connected.
func watched(ctx context.Context, dir string, stall time.Duration, run func(context.Context) error) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- run(inner) }()
	leave := func(why error) error {
		cancel()
		select {
		case <-ended:
		case <-time.After(farewell):
		}
		return why
	}
	var look <-chan time.Time // never, without a bound
	if stall > 0 {
		t := time.NewTicker(max(time.Millisecond, min(stall/8, 10*time.Second)))
		defer t.Stop()
		look = t.C
	}
	files, since := contents(dir), time.Now()
	for {
		select {
		case err := <-ended:
			return err
		case <-ctx.Done():
			return leave(ctx.Err())
		case <-look:
		}
		if now := contents(dir); now != files {
			files, since = now, time.Now()
		} else if quiet := time.Since(since); quiet >= stall {
			return leave(&StallError{quiet.Round(time.Second)})
		}
	}
}

// folder is how many files there are in a folder and how many bytes they have.
type folder struct{ files, bytes int64 }

// contents returns what is in the folder dir now. A file that is being written counts, too.
func contents(dir string) (f folder) {
	entries, _ := os.ReadDir(dir) // what cannot be read does not change
	for _, e := range entries {
		f.files++
		if info, err := e.Info(); err == nil {
			f.bytes += info.Size()
		}
	}
	return f
}
