package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// The outcomes of a trial.
const (
	killed   = "killed"   // a test failed
	hung     = "timeout"  // the tests did not end in time, which counts as killed
	survived = "survived" // all tests passed
	unbuilt  = "build"    // the code did not compile, so the mutant does not count
)

// A result is the outcome of the tests of a mutant.
type result struct {
	mutant
	Status  string  `json:"status"`
	By      string  `json:"by,omitempty"`   // the first test that failed
	Long    bool    `json:"long,omitempty"` // whether only tests without -short found it
	Seconds float64 `json:"seconds"`
}

// A bench runs the tests of mutants.
type bench struct {
	root, tmp string
	procs     int           // number of processes that the go command starts at a time
	long      bool          // whether tests that pass with -short run again without it
	least     time.Duration // least time limit of a trial
	also      map[string][]string

	mu    sync.Mutex
	clean map[string]*baseline
}

// A baseline says how the tests of a package run without a fault.
type baseline struct {
	once sync.Once
	err  error
	took time.Duration
}

// packages returns the patterns of the packages whose tests run for the
// mutants of a package.
func (b *bench) packages(dir string) []string {
	out := []string{"./" + dir}
	for _, d := range b.also[dir] {
		out = append(out, "./"+d)
	}
	return out
}

// baseline runs the tests for a package once without a fault. They must pass,
// and their time determines the time limit of the trials.
func (b *bench) baseline(ctx context.Context, dir string, short bool) (time.Duration, error) {
	name := fmt.Sprint(dir, short)
	b.mu.Lock()
	c := b.clean[name]
	if c == nil {
		c = &baseline{}
		b.clean[name] = c
	}
	b.mu.Unlock()
	c.once.Do(func() {
		start := time.Now()
		status, out := b.goTest(ctx, dir, "", short, 20*time.Minute)
		c.took = time.Since(start)
		if status != survived {
			c.err = fmt.Errorf("the tests of %s do not pass without a fault (%s):\n%s", dir, status, out)
		}
	})
	return c.took, c.err
}

// try runs the tests on a mutant.
func (b *bench) try(ctx context.Context, m mutant) (result, error) {
	r := result{mutant: m}
	start := time.Now()
	for _, short := range []bool{true, false} {
		took, err := b.baseline(ctx, m.Package, short)
		if err != nil {
			return r, errors.Join(ctx.Err(), err)
		}
		overlay, remove, err := b.overlay(m)
		if err != nil {
			return r, err
		}
		status, out := b.goTest(ctx, m.Package, overlay, short, max(b.least, 5*took))
		remove()
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		r.Status, r.By, r.Long = status, firstFailure(out), !short
		if status != survived || !b.long {
			break
		}
	}
	r.Long = r.Long && r.Status != survived
	r.Seconds = float64(time.Since(start).Milliseconds()) / 1000
	return r, nil
}

// overlay writes the file with the fault, and the map by which it replaces the
// original. It returns the path of the map.
func (b *bench) overlay(m mutant) (path string, remove func(), err error) {
	dir, err := os.MkdirTemp(b.tmp, "mutant")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	defer func() {
		if err != nil {
			remove()
		}
	}()
	files, err := b.changed(m)
	if err != nil {
		return "", nil, err
	}
	replaced := map[string]string{}
	for name, text := range files {
		f := filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(f, text, 0o600); err != nil {
			return "", nil, err
		}
		replaced[filepath.Join(b.root, name)] = f
	}
	j, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(dir, "overlay.json")
	return path, remove, os.WriteFile(path, j, 0o600)
}

// changed returns the files that differ in a mutant: the mutant's own file or,
// for a header, the assembly files that include it, with the header's text in
// them.
func (b *bench) changed(m mutant) (map[string][]byte, error) {
	text, err := os.ReadFile(filepath.Join(b.root, m.File))
	if err != nil {
		return nil, err
	}
	if filepath.Ext(m.File) != ".h" {
		return map[string][]byte{m.File: m.apply(text)}, nil
	}
	dir := filepath.Dir(m.File)
	users, err := filepath.Glob(filepath.Join(b.root, dir, "*_amd64.s"))
	if err != nil {
		return nil, err
	}
	read := func(path string) (string, error) {
		t, err := os.ReadFile(filepath.Join(b.root, path))
		return string(t), err
	}
	files := map[string][]byte{}
	for _, u := range users {
		u = filepath.Join(dir, filepath.Base(u))
		s, err := read(u)
		if err != nil {
			return nil, err
		}
		if s, ok := inline(dir, s, filepath.Base(m.File), string(m.apply(text)), read); ok {
			files[u] = []byte(s)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s is included by no file", m.File)
	}
	return files, nil
}

// building is the time that a trial may take in addition to the time of the
// tests.
const building = 2 * time.Minute

// goTest runs the tests of a package and returns how they ended and what they
// printed.
func (b *bench) goTest(ctx context.Context, dir, overlay string, short bool, limit time.Duration) (status, out string) {
	args := []string{"test", "-vet=off", "-count=1", "-failfast", "-ldflags=-s -w", "-timeout", limit.String(), "-p", fmt.Sprint(b.procs)}
	if short {
		args = append(args, "-short")
	}
	tmp, err := os.MkdirTemp(b.tmp, "trial")
	if err != nil {
		return unbuilt, err.Error()
	}
	defer os.RemoveAll(tmp) // the go command leaves its files there when it is killed
	ctx, cancel := context.WithTimeout(ctx, limit+building)
	defer cancel()
	c := exec.CommandContext(ctx, "go", slices.Concat(args, b.packages(dir), arguments[dir])...)
	var buf bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = b.root, &buf, &buf
	c.Env = append(os.Environ(), "TMPDIR="+tmp)
	if overlay != "" { // also for go commands that the tests start
		c.Env = append(c.Env, "GOFLAGS="+os.Getenv("GOFLAGS")+" '-overlay="+overlay+"'")
	}
	c.WaitDelay = 5 * time.Second
	ownGroup(c)
	err = c.Run()
	out = buf.String()
	switch {
	case err == nil:
		return survived, out
	case strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]"):
		return unbuilt, out
	case ctx.Err() != nil || strings.Contains(out, "panic: test timed out") || strings.Contains(out, "*** Test killed"):
		return hung, out
	}
	return killed, out
}

var failure = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)|^(panic: .*|fatal error: .*|SIG\w+: .*)$`)

// firstFailure returns the name of the innermost test that failed first, or
// what ended the program.
func firstFailure(out string) string {
	by := ""
	for _, m := range failure.FindAllStringSubmatch(out, -1) {
		switch {
		case m[1] == "" && by == "":
			return m[2]
		case by == "" || strings.HasPrefix(m[1], by+"/"):
			by = m[1]
		}
	}
	return by
}
