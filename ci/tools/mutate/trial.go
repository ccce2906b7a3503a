package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// The outcomes of a trial, as result.Status has them.
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
	By      string  `json:"by,omitempty"`     // the first test that failed
	Long    bool    `json:"long,omitempty"`   // whether only tests without -short found it
	Unseen  bool    `json:"unseen,omitempty"` // whether no test runs the place of the fault, as far as profiles were needed
	Seconds float64 `json:"seconds"`          // processor time of the trial, with the compiler's
}

// A bench runs the tests of mutants in the tree at root, with its files in tmp.
type bench struct {
	root, tmp string
	cache     string        // folder of profiles
	procs     int           // number of processes that the go command starts at a time
	long      bool          // whether tests that pass with -short run again without it
	limit     time.Duration // of the processor time of tests whose time is not known
	also      map[string][]string
	names     sync.Map           // by folders and more: the file of a profile
	measuring sync.Map           // by file: the lock of a profile
	families  map[string]*family // by package
}

// A batch is a part of the tests of a package.
type batch struct {
	tests []string
	short bool
	limit time.Duration // of the processor time of the test program
}

// try runs the tests on a mutant: first those near it, which find most faults, and then the
// others. What they do not end in time says nothing yet, because it is not known how long they
// take. The profile of the package says it, and which tests run the place of the fault: those
// that have not passed run by it, the quick ones first. A package that has a profile needs no
// other way. So do the tests of the packages that also have to find the fault when its own have
// passed, and at last those without -short.
func (b *bench) try(ctx context.Context, m mutant) (r result, err error) {
	r = result{mutant: m, Status: survived}
	env, remove, err := b.overlay(m)
	if err != nil {
		return r, err
	}
	defer remove()
	p := &programs{bench: b, env: []string{env}, built: map[string]string{}}
	defer p.remove()
	program, number, err := b.family(ctx, m)
	switch {
	case err != nil:
		return r, err
	case program != "" && number == 0:
		r.Status = unbuilt
		return r, nil
	case program != "":
		p.built[m.Package] = program
		p.env = append(p.env, fmt.Sprint("GRAM_FAULT=", number))
	}
	defer func() { r.Seconds = math.Round(100*p.used.Seconds()) / 100 }()
	near, others, err := b.near(m)
	if err != nil {
		return r, err
	}
	limit := b.limit
	first, all := [][]string{near, others}, len(near)+len(others)
	_, python := pythonOf(m.File)
	if python { // its tests build a library or train a model
		limit *= 20
	} else if _, err := b.stored(m.Package, m.Package, true); err == nil {
		first = [][]string{nil} // builds the tests
	}
	var passed []string
	ends := func(dir string, s batch) bool {
		var out string
		if r.Status, out = p.run(ctx, dir, s); r.Status == survived {
			passed = append(passed, s.tests...)
			return ctx.Err() != nil
		}
		r.By, r.Long, r.Unseen = firstFailure(out), !s.short, false
		return true
	}
	for _, names := range first {
		if ends(m.Package, batch{names, true, limit}) && (r.Status != hung || python) {
			return r, ctx.Err()
		}
		r.Status, r.By = survived, ""
	}
	if python {
		return r, ctx.Err()
	}
	r.Unseen = true
	for _, short := range []bool{true, false} {
		if !short && !b.long {
			break
		}
		for _, dir := range append([]string{m.Package}, b.also[m.Package]...) {
			if short && dir == m.Package && all > 0 && len(passed) == all {
				r.Unseen, passed = false, nil
				continue
			}
			batches, seen, err := b.batches(ctx, dir, m, near, passed, short)
			if err != nil {
				return r, err
			}
			r.Unseen = r.Unseen && !seen
			for _, s := range batches {
				if ends(dir, s) {
					return r, ctx.Err()
				}
			}
			passed = nil
		}
	}
	return r, ctx.Err()
}

// confirm runs the tests that found faults once without a fault: they must pass.
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
		for _, dir := range append([]string{r.Package}, b.also[r.Package]...) {
			g := group{dir, !r.Long}
			if found[g] == nil {
				found[g] = map[string]bool{}
			}
			found[g][name] = true
		}
	}
	p := &programs{bench: b, built: map[string]string{}}
	defer p.remove()
	for dir, f := range b.families {
		if f.program != "" {
			p.built[dir] = f.program
		}
	}
	for g, names := range found {
		status, out := p.run(ctx, g.dir, batch{slices.Sorted(maps.Keys(names)), g.short, 0})
		if status != survived && ctx.Err() == nil {
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

var (
	failure   = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	testStart = regexp.MustCompile(`(?m)^=== (?:RUN|CONT|NAME) +(\S+)`)
	ended     = regexp.MustCompile(`(?m)^(panic: .*|fatal error: .*|SIG\w+: .*)$`)
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
	if all := testStart.FindAllStringSubmatch(out, -1); by == "" && len(all) > 0 {
		by = all[len(all)-1][1]
	}
	if by == "" {
		by = ended.FindString(out)
	}
	return by
}
