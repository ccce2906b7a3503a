//go:build linux

package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

var dask = flag.Bool("dask", false, "run app/examples/dask on a cluster of two processes")

// sums are the flags of a fit that sums, multiplies those of one by products of conjugate gradients, and grows those of one that grows trees.
var (
	sums       = []string{"--method", "nystrom", "--set", "m=32", "--set", "gamma=0.5"}
	multiplies = []string{"--method", "falkon", "--set", "m=32", "--set", "gamma=0.5", "--set", "lambda=0.1", "--set", "tol=0.01"}
	grows      = []string{"--method", "gbdt", "--set", "rounds=2", "--set", "leaves=3"}
)

// clustered prepares the example for Dask: the flags of the fit by a method, and a function that starts the program
// with the arguments in front of them. Every piece takes the given time more.
func clustered(t *testing.T, piece time.Duration, method []string, change ...string) (dir string, how []string, start func(args ...string) (*exec.Cmd, *bytes.Buffer)) {
	t.Helper()
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	if !*dask {
		t.Skip("starts a cluster: -dask")
	}
	python := ""
	for _, p := range []string{"python3", "/usr/bin/python3"} { // the first may be one without packages
		if python == "" && exec.Command(p, "-c", "import distributed").Run() == nil {
			python = p
		}
	}
	if python == "" {
		t.Skip("there is no package distributed for Python")
	}
	dir = parts(t, 4000)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nsleep %v\nIFS='\n'\nGRAM_TEST_COMMAND=\"$*\" exec '%s'\n", piece.Seconds(), self)
	if err := os.WriteFile(filepath.Join(bin, "gram"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../examples/dask/fit.py")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(bin, "fit.py")
	changed := strings.NewReplacer(change...).Replace(string(text))
	if (changed == string(text)) != (change == nil) {
		t.Fatalf("%q is not in the example", change[0])
	}
	if err := os.WriteFile(program, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	how = append([]string{"--data", filepath.Join(dir, "part-*"), "--task", "regression", "--item-bytes", "100kB"}, method...)
	return dir, how, func(args ...string) (*exec.Cmd, *bytes.Buffer) {
		c := exec.CommandContext(t.Context(), python, append(append([]string{program}, args...), append([]string{"--"}, how...)...)...)
		c.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		var out bytes.Buffer
		c.Stdout, c.Stderr = &out, &out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return c, &out
	}
}

// The example for Dask gives the model of one process although a worker is killed in each pass.
func TestDask(t *testing.T) {
	t.Run("sums", func(t *testing.T) { withDask(t, sums, "scan", "normal") })
	t.Run("products", func(t *testing.T) { withDask(t, multiplies, "scan", "products-000", "products-002") })
	t.Run("trees", func(t *testing.T) { withDask(t, grows, "scan", "bins", "trees-000000-001", "trees-000001-000") })
}

func withDask(t *testing.T, method []string, passes ...string) {
	dir, how, start := clustered(t, 200*time.Millisecond, method)
	work, model, whole := filepath.Join(dir, "work"), filepath.Join(dir, "dask.gram"), filepath.Join(dir, "whole.gram")
	c, out := start(work, model)
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for _, pass := range passes {
		for done := false; !done; {
			states, err := filepath.Glob(filepath.Join(work, pass+"-0-*.state"))
			if err != nil {
				t.Fatal(err)
			}
			if done = len(states) >= 3; done {
				workers := workersOf(t, c.Process.Pid)
				if len(workers) == 0 {
					t.Fatal("there are no workers")
				}
				if err := syscall.Kill(workers[0], syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
			}
			select {
			case err := <-ended:
				t.Fatalf("the example ended in pass %s: %v\n%s", pass, err, out)
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
	if err := <-ended; err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, stderr, code := cli(t, append([]string{"part", "items", "--work", work + "2"}, how...)...)
	if code != 0 {
		t.Fatal(stderr)
	}
	for {
		next, _, _ := strings.Cut(ok(t, "part", "next", "--work", work+"2"), " ")
		if next == "finish" {
			break
		}
		ok(t, "part", next, "--work", work+"2")
	}
	ok(t, "part", "finish", "--work", work+"2", "-o", whole)
	want, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	if have, err := os.ReadFile(model); err != nil || !bytes.Equal(have, want) {
		t.Errorf("Dask gives another model, %v", err)
	}
}

// A cluster whose workers are starting again when Dask would close those that it has lost before,
// after 15 seconds, goes on; it used to wait for ever without any worker.
func TestDaskSecondDeath(t *testing.T) {
	dir, _, start := clustered(t, 2*time.Second, sums)
	work := filepath.Join(dir, "work")
	c, out := start(work, filepath.Join(dir, "dask.gram"))
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	var last time.Time
	for kills := 0; ; {
		if states, _ := filepath.Glob(filepath.Join(work, "scan-0-*.state")); kills < 2 && len(states) > 0 && time.Since(last) > 14700*time.Millisecond {
			for _, pid := range workersOf(t, c.Process.Pid) {
				_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
			}
			last = time.Now()
			kills++
		}
		select {
		case err := <-ended:
			if err != nil || kills != 2 {
				t.Errorf("%d kills, %v\n%s", kills, err, out)
			}
			return
		case <-time.After(50 * time.Millisecond):
		}
		if !last.IsZero() && time.Since(last) > 3*time.Minute {
			t.Fatalf("the example does not end after %d kills", kills)
		}
	}
}

// A cluster without workers ends the example with one line.
func TestDaskWithoutWorkers(t *testing.T) {
	dir, _, start := clustered(t, 0, sums, "PATIENCE = 120", "PATIENCE = 2", "n_workers=2", "n_workers=0")
	c, out := start(filepath.Join(dir, "work"), filepath.Join(dir, "dask.gram"))
	if err := c.Wait(); c.ProcessState.ExitCode() != 1 || !strings.HasPrefix(out.String(), "the cluster has had no workers for 2 s; the same command goes on") {
		t.Errorf("%v\n%s", err, out)
	}
}

// workersOf returns the processes that a cluster's own process has started for its workers.
func workersOf(t *testing.T, pid int) []int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var workers []int
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		var child, parent int
		var state string
		_, rest, _ := strings.Cut(string(text), ") ")
		if _, err := fmt.Sscan(string(text), &child); err != nil {
			continue
		}
		if _, err := fmt.Sscan(rest, &state, &parent); err != nil || parent != pid {
			continue
		}
		command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if bytes.Contains(command, []byte("spawn_main")) {
			workers = append(workers, child)
		}
	}
	return workers
}
