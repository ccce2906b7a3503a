package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
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
	limit     time.Duration // of the processor time of the tests near a fault
	also      map[string][]string
}

// A stage is a part of the tests of a package.
type stage struct {
	args  []string
	short bool
	limit time.Duration // of the processor time of the test program
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

// stages returns the parts in which the tests for a mutant run: those near it, which
// find most faults, then the others, and then all without -short.
func (b *bench) stages(m mutant) ([]stage, error) {
	near, err := b.near(m)
	if err != nil {
		return nil, err
	}
	_, python := pythonOf(m.File)
	out := []stage{{short: true, limit: 5 * b.limit}}
	switch {
	case python:
		out[0].args = []string{"-run", near}
	case near != "":
		out = []stage{{[]string{"-run", near}, true, b.limit}, {[]string{"-skip", near}, true, 5 * b.limit}}
	}
	if b.long && !python {
		out = append(out, stage{nil, false, 20 * b.limit})
	}
	return out, nil
}

// try runs the tests on a mutant.
func (b *bench) try(ctx context.Context, m mutant) (result, error) {
	r := result{mutant: m}
	start := time.Now()
	stages, err := b.stages(m)
	if err != nil {
		return r, err
	}
	env, remove, err := b.overlay(m)
	if err != nil {
		return r, err
	}
	defer remove()
	for _, s := range stages {
		status, out := b.goTest(ctx, m.Package, env, s)
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		if r.Status = status; status != survived {
			r.By, r.Long = firstFailure(out), !s.short
			break
		}
	}
	r.Seconds = float64(time.Since(start).Milliseconds()) / 1000
	return r, nil
}

// confirm runs the tests that found faults once without a fault: they must pass. The
// go command keeps what they answer, so that a later run is quick.
func (b *bench) confirm(ctx context.Context, results []result) error {
	type group struct {
		dir   string
		short bool
	}
	found := map[group]map[string]bool{}
	for _, r := range results {
		name, _, _ := strings.Cut(r.By, "/")
		if r.Status != killed && r.Status != hung || !tests.MatchString(name) {
			continue
		}
		g := group{r.Package, !r.Long}
		if found[g] == nil {
			found[g] = map[string]bool{}
		}
		found[g][name] = true
	}
	for g, names := range found {
		s := stage{[]string{"-run", anyOf(slices.Sorted(maps.Keys(names)))}, g.short, 0}
		if status, out := b.goTest(ctx, g.dir, "", s); status != survived && ctx.Err() == nil {
			return fmt.Errorf("the tests of %s do not pass without a fault (%s):\n%s", g.dir, status, out)
		}
	}
	return ctx.Err()
}

// overlay writes the file with the fault, and the map by which it replaces the
// original. It returns the variable of the environment that makes the tests see it,
// also through go commands that they start.
func (b *bench) overlay(m mutant) (env string, remove func(), err error) {
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
	if p, ok := pythonOf(m.File); ok {
		return "GRAM_PYTHON=" + dir, remove, b.copyPython(m, p, dir)
	}
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
	path := filepath.Join(dir, "overlay.json")
	return "GOFLAGS=" + os.Getenv("GOFLAGS") + " '-overlay=" + path + "'", remove, os.WriteFile(path, j, 0o600)
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

// goTest runs a part of the tests of a package, with a variable of the environment,
// and returns how they ended and what they printed. Where a shell can limit the
// processor time of the test program, a loop without end stops at its limit; whatever
// waits without computing stops after ten times as long.
func (b *bench) goTest(ctx context.Context, dir, env string, s stage) (status, out string) {
	args := []string{"test", "-vet=off", "-v", "-failfast", "-ldflags=-s -w", "-p", fmt.Sprint(b.procs)}
	long := "GRAM_LONG=1" // what takes long, too
	if s.short {
		args, long = append(args, "-short"), "GRAM_LONG="
	}
	wall := time.Hour
	if s.limit > 0 {
		wall = 10 * s.limit
		if runtime.GOOS != "windows" {
			args = append(args, "-exec", fmt.Sprintf(`sh -c 'ulimit -t %d && exec "$@"' sh`, max(1, int(s.limit.Seconds()))))
		}
	}
	args = slices.Concat(args, []string{"-timeout", wall.String()}, s.args)
	tmp, err := os.MkdirTemp(b.tmp, "trial")
	if err != nil {
		return unbuilt, err.Error()
	}
	defer os.RemoveAll(tmp) // the go command leaves its files there when it is killed
	const building = 5 * time.Minute
	ctx, cancel := context.WithTimeout(ctx, wall+building)
	defer cancel()
	c := exec.CommandContext(ctx, "go", slices.Concat(args, b.packages(dir), arguments[dir])...)
	var buf bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = b.root, &buf, &buf
	c.Env = append(os.Environ(), "TMPDIR="+tmp, long)
	if env != "" {
		c.Env = append(c.Env, env)
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
	case ctx.Err() != nil || strings.Contains(out, "panic: test timed out") || strings.Contains(out, "*** Test killed") || strings.Contains(out, "\nsignal: killed"):
		return hung, out
	}
	return killed, out
}

var (
	failure = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	began   = regexp.MustCompile(`(?m)^=== (?:RUN|CONT|NAME) +(\S+)`)
	ended   = regexp.MustCompile(`(?m)^(panic: .*|fatal error: .*|SIG\w+: .*)$`)
)

// firstFailure returns the name of the innermost test that failed first or, if the
// program ended otherwise, of the test that began last.
func firstFailure(out string) string {
	by := ""
	for _, m := range failure.FindAllStringSubmatch(out, -1) {
		if by == "" || strings.HasPrefix(m[1], by+"/") {
			by = m[1]
		}
	}
	if all := began.FindAllStringSubmatch(out, -1); by == "" && len(all) > 0 {
		by = all[len(all)-1][1]
	}
	if by == "" {
		by = ended.FindString(out)
	}
	return by
}
