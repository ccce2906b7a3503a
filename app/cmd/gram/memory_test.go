//go:build linux

package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/num"
)

var memory = flag.Bool("memory", false, "measure the memory of a fit by every method")

// --memory-limit is a limit of the process: what the system counts as its largest resident memory stays
// below it, or the fit is refused with the limit.
func TestMemoryLimit(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	dir := t.TempDir()
	files := map[dataset.Task]string{dataset.Regression: filepath.Join(dir, "values.csv"), dataset.Classes: filepath.Join(dir, "classes.csv")}
	for task, path := range files {
		set := dataset.Friedman1(50_000, 20, .1, 1)
		if task == dataset.Classes {
			set.Labels.Names = []string{"high", "low"}
			for _, v := range set.Value {
				set.Labels.Class = append(set.Labels.Class, map[bool]int{v < 14: 1}[true])
			}
			set.Value = nil
		}
		if err := dataset.Save(t.Context(), path, set); err != nil {
			t.Fatal(err)
		}
	}
	long := os.Getenv("GRAM_LONG") != ""
	if *memory || long {
		files[dataset.MultiLabel] = filepath.Join(dir, "labels.xmlc")
		if err := dataset.Save(t.Context(), files[dataset.MultiLabel], dataset.SparseMultiLabel(40_000, 2_000, 100, 1)); err != nil {
			t.Fatal(err)
		}
	}
	files[dataset.NoTarget] = files[dataset.Regression] // all columns, and pairs of the rows
	var pairs strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&pairs, "%d,%d,%s\n", 7*i, 11*i+1, []string{"same", "different"}[i%2])
	}
	pairsFile := write(t, "pairs.csv", pairs.String())
	limits := []int64{80 << 20, 100 << 20, 200 << 20}
	if !*memory {
		limits = limits[1:2]
	}
	for _, m := range catalog.Methods() {
		if !*memory && m.Name != "linear" && m.Name != "rff" {
			continue
		}
		for k, task := range m.Tasks {
			if !*memory && !long && (k == 0) != (m.Name == "linear") {
				continue // one task of each
			}
			args := []string{"fit", "--method", m.Name, "--data", files[task], "--task", task.String(), "-o", filepath.Join(dir, "m.gram")}
			if task == dataset.NoTarget {
				args = append(args, "--set", "k=4", "--set", "pairs-file="+pairsFile)
			}
			for _, limit := range limits {
				what := fmt.Sprintf("%s, %v, %s", m.Name, task, num.FormatBytes(limit))
				peak, stderr, err := limited(t, limit, args...)
				t.Logf("%-32s %10s %v", what, num.FormatBytes(peak), err)
				if peak > limit {
					t.Errorf("%s: %s", what, num.FormatBytes(peak))
				}
				if err != nil && !strings.Contains(stderr, fmt.Sprintf("the limit is %s", num.FormatBytes(limit))) {
					t.Errorf("%s: %v, %s", what, err, stderr)
				}
			}
		}
	}
}

// A model takes as much memory as its fit if the rows are sparse and kept as dense ones. What follows the fit,
// a comparison with a linear model that fits both to other rows, does not come on top of that.
func TestMemoryLimitAfterFit(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	const n, d = 400, 20_000
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "%+d %d:1 %d:.5 %d:2\n", 1-i%2*2, 1+i%7, 10+i*17%(d-20), d-i%5)
	}
	path := write(t, "wide.libsvm", text.String())
	const limit = 2*8*n*d + 80<<20 // twice the dense rows, and the process
	peak, stderr, err := limited(t, limit, "fit", "--method", "krr", "--set", "lambda=.1", "--set", "gamma=1", "--data", path, "-o", filepath.Join(t.TempDir(), "m.gram"))
	if err != nil {
		t.Fatal(err, stderr)
	}
	if peak > limit {
		t.Errorf("%s, the limit is %s", num.FormatBytes(peak), num.FormatBytes(limit))
	}
}

// The memory that a plan of passes names, with that of the program, is within a quarter of the largest resident memory.
func TestPlanOfPassesIsThePeak(t *testing.T) {
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	path := filepath.Join(t.TempDir(), "values.csv")
	if err := dataset.Save(t.Context(), path, dataset.Friedman1(100_000, 20, .1, 1)); err != nil {
		t.Fatal(err)
	}
	const limit = 116 << 20 // has no room for the rows beside a fit in memory
	args := []string{"fit", "--method", "falkon", "--data", path, "--task", "regression", "--set", "m=2000", "--set", "gamma=0.1", "--set", "lambda=0.1", "--set", "tol=0.01"}
	var plan planned
	if err := json.Unmarshal([]byte(ok(t, append(args, "--plan", "--json", "--memory-limit", fmt.Sprint(limit))...)), &plan); err != nil {
		t.Fatal(err)
	}
	peak, stderr, err := limited(t, limit, append(args, "-o", filepath.Join(t.TempDir(), "m.gram"))...)
	if err != nil {
		t.Fatal(err, stderr)
	}
	if said := plan.PeakBytes + standing; plan.Passes == 0 || !(math.Abs(float64(said-peak)) <= float64(peak)/4) {
		t.Errorf("%d passes, %s, the plan says %s", plan.Passes, num.FormatBytes(peak), num.FormatBytes(said))
	}
}

// limited runs the command within a limit of memory. It returns its largest resident memory and how it
// ended. A fit that takes more than a minute is ended, which is no error: until then it has kept to the limit.
func limited(t *testing.T, limit int64, args ...string) (peak int64, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p := exec.CommandContext(ctx, os.Args[0])
	p.Cancel = func() error { return p.Process.Signal(os.Interrupt) }
	p.WaitDelay = time.Minute
	status := filepath.Join(t.TempDir(), "status")
	p.Env = append(os.Environ(), "GRAM_TEST_STATUS="+status, "GRAM_TEST_COMMAND="+strings.Join(append(args, "--memory-limit", fmt.Sprint(limit)), "\n"))
	var text strings.Builder
	p.Stderr = &text
	if err = p.Run(); ctx.Err() != nil {
		err = nil
	}
	return peakOf(t, status), text.String(), err
}

// peakOf returns the largest resident memory of the process that has written its status at its end. What
// waiting for it returns would be at least the memory of this process.
func peakOf(t *testing.T, status string) int64 {
	t.Helper()
	text, err := os.ReadFile(status)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	number, _, _ := strings.Cut(strings.TrimSpace(rest), " kB")
	v, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		t.Fatalf("no peak in %q", text)
	}
	return v << 10
}
