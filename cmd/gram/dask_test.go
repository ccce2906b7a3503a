package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

var dask = flag.Bool("dask", false, "run examples/dask on a cluster of two processes")

// The example for Dask gives the model of gram fit although a worker is killed in each pass.
func TestDask(t *testing.T) {
	if !*dask {
		t.Skip("starts a cluster: -dask")
	}
	if runtime.GOOS != "linux" {
		t.Skip("finds the workers in /proc")
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
	dir := parts(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	script := "#!/bin/sh\nsleep 0.2\nIFS='\n'\nGRAM_TEST_COMMAND=\"$*\" exec '" + self + "'\n"
	if err := os.WriteFile(filepath.Join(bin, "gram"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	program, err := filepath.Abs("../../examples/dask/fit.py")
	if err != nil {
		t.Fatal(err)
	}
	work, model, whole := filepath.Join(dir, "work"), filepath.Join(dir, "dask.gram"), filepath.Join(dir, "whole.gram")
	how := []string{"--data", filepath.Join(dir, "part-*"), "--task", "regression", "--method", "nystrom", "--set", "m=32", "--set", "gamma=0.5", "--item-bytes", "100kB"}
	c := exec.Command(python, append([]string{program, work, model, "--"}, how...)...)
	c.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for _, pass := range []string{"scan", "normal"} {
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
				t.Fatalf("the example ended in pass %s: %v\n%s", pass, err, &out)
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
	if err := <-ended; err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	_, stderr, code := cli(t, append([]string{"part", "items", "--work", work + "2"}, how...)...)
	if code != 0 {
		t.Fatal(stderr)
	}
	ok(t, "part", "scan", "--work", work+"2")
	ok(t, "part", "normal", "--work", work+"2")
	ok(t, "part", "finish", "--work", work+"2", "-o", whole)
	want, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	if have, err := os.ReadFile(model); err != nil || !bytes.Equal(have, want) {
		t.Errorf("Dask gives another model, %v", err)
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
