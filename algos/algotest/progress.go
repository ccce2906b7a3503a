package algotest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gramworks/gram"
)

var renewProgress = flag.Bool("progress", false, "write what the fits of the contract report to testdata/progress.txt")

// progressFile lists, by the name of a test, the phases of a fit that run to their
// end.
const progressFile = "testdata/progress.txt"

// progress checks that progress reports do not change the bits of a fit, that the
// events are consistent, come from the goroutine of the fit and are rare enough,
// and that the phases that run to their end are those listed in
// testdata/progress.txt. The events between may depend on the clock.
func (s Subject) progress(t *testing.T) {
	d := small()
	want := s.fit(t, d, run).Output(d.X)
	var events []gram.Event
	var times []time.Time
	var elsewhere atomic.Int64
	here := goroutine()
	watched := run
	watched.Workers = 3
	watched.Progress = func(e gram.Event) {
		if goroutine() != here {
			elsewhere.Add(1)
			return
		}
		events, times = append(events, e), append(times, time.Now())
	}
	m, err := s.Fit(context.Background(), d, watched)
	converged := err == nil
	if !converged && !(errors.As(err, new(*gram.ConvergenceError)) && m != nil) {
		t.Fatal(err)
	}
	same(t, "with progress", m.Output(d.X), want)
	if k := elsewhere.Load(); k > 0 {
		t.Errorf("%d events come from other goroutines than that of the fit", k)
	}
	var ended []string
	var before gram.Event
	early := 0
	for i, e := range events {
		if e.Phase == before.Phase && e.Total == before.Total && before.Done != before.Total {
			if e.Done < before.Done {
				t.Errorf("%+v comes after %+v", e, before)
			}
			if e.Done > before.Done && e.Done != e.Total && times[i].Sub(times[i-1]) < 95*time.Millisecond {
				early++
			}
		}
		before = e
		if e.Phase == "" || e.Done < 0 || e.Total < 0 || e.Total > 0 && e.Done > e.Total || e.Objective != e.Objective {
			t.Errorf("event %+v", e)
		}
		if e.Total > 0 && e.Done == e.Total {
			if !slices.Contains(ended, e.Phase) {
				ended = append(ended, e.Phase)
			}
		}
	}
	if early > 3 { // some may come early if the fit is held up between its clock and this one
		t.Errorf("%d of %d events come less than 100 ms after another one", early, len(events))
	}
	if converged && len(ended) == 0 {
		t.Error("a fit reports the end of no phase")
	}
	all := readProgress(t)
	name, _ := strings.CutSuffix(t.Name(), "/progress")
	got := strings.Join(ended, ", ")
	if *renewProgress {
		all[name] = got
		writeProgress(t, all)
	} else if all[name] != got {
		t.Errorf("the phases that end are %q, in %s %q (go test -run Contract -progress renews it)", got, progressFile, all[name])
	}
	ctx, cancel := context.WithCancel(context.Background())
	watched.Progress = func(gram.Event) { cancel() }
	if _, err := s.Fit(ctx, d, watched); err != nil && !errors.Is(err, context.Canceled) && !errors.As(err, new(*gram.ConvergenceError)) {
		t.Errorf("cancelled by the watcher: %v", err)
	}
}

// readProgress reads the lines "test: phases" of the file.
func readProgress(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	text, err := os.ReadFile(progressFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		name, phases, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		out[name] = phases
	}
	return out
}

func writeProgress(t *testing.T, all map[string]string) {
	t.Helper()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s: %s\n", name, all[name])
	}
	if err := os.MkdirAll(filepath.Dir(progressFile), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(progressFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// goroutine returns the first line of the caller's stack, which names the
// goroutine.
func goroutine() string {
	var b [64]byte
	line, _, _ := strings.Cut(string(b[:runtime.Stack(b[:], false)]), "[")
	return line
}
