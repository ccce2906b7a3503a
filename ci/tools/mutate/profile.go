package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gramworks/gram/asm/cpu"
)

// A profile says for each test of a package how long it takes and which blocks of the Go code
// of one package it runs, its own or another.
type profile struct {
	Blocks []block
	Tests  []timed
}

// A block is a part of a file without a branch. Lines and columns count from 1.
type block struct {
	File                             string
	Line, Column, EndLine, EndColumn int
}

// timed is a test with the time that it takes and the blocks that it runs.
type timed struct {
	Name    string
	Seconds float64 // of processor time
	Starts  bool    // whether it may start another program, whose code has no profile
	Runs    []int   // its blocks
}

// contains reports whether a place of a file is in the block.
func (k block) contains(line, column int) bool {
	return cmp.Or(cmp.Compare(k.Line, line), cmp.Compare(k.Column, column)) <= 0 && cmp.Or(cmp.Compare(k.EndLine, line), cmp.Compare(k.EndColumn, column)) >= 0
}

// profile returns the profile of the tests in one folder for the code in another. It is measured
// once, and again if something changes in one of the folders.
func (b *bench) profile(ctx context.Context, dir, code string, short bool) (*profile, error) {
	lock, _ := b.measuring.LoadOrStore(fmt.Sprint(dir, " ", code, short), new(sync.Mutex))
	lock.(*sync.Mutex).Lock()
	defer lock.(*sync.Mutex).Unlock()
	if p, err := b.stored(dir, code, short); err == nil {
		return p, nil
	}
	p, err := b.measure(ctx, dir, code, short)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	file, err := b.file(dir, code, short)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(b.cache, 0o755); err != nil {
		return nil, err
	}
	return p, os.WriteFile(file, text, 0o644)
}

// stored returns a profile from the cache, and an error if it is not there.
func (b *bench) stored(dir, code string, short bool) (*profile, error) {
	file, err := b.file(dir, code, short)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p := new(profile)
	return p, json.Unmarshal(text, p)
}

// file returns the file of a profile. Its name is of the files in the two folders, with the data of
// the tests. What they import is left out: a change there moves few tests to another block, and would
// take the profiles of all packages that import it.
func (b *bench) file(dir, code string, short bool) (string, error) {
	id := fmt.Sprint(dir, " ", code, short, runtime.Version(), cpu.Detected())
	if name, ok := b.names.Load(id); ok {
		return name.(string), nil
	}
	h := sha256.New()
	fmt.Fprintln(h, id)
	for _, folder := range []string{dir, code, dir + "/testdata"} {
		top := filepath.Join(b.root, filepath.FromSlash(folder))
		err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
			switch {
			case os.IsNotExist(err):
				return nil
			case err != nil:
				return err
			case d.IsDir() && name != top && !strings.HasSuffix(folder, "testdata"):
				return filepath.SkipDir
			case !d.Type().IsRegular():
				return nil
			}
			text, err := os.ReadFile(name)
			fmt.Fprintf(h, "%s %x\n", strings.TrimPrefix(name, b.root), sha256.Sum256(text))
			return err
		})
		if err != nil {
			return "", err
		}
	}
	name := filepath.Join(b.cache, fmt.Sprintf("%x.json", h.Sum(nil)))
	b.names.Store(id, name)
	return name, nil
}

// measure runs each test of a folder alone. Each must pass.
func (b *bench) measure(ctx context.Context, dir, code string, short bool) (*profile, error) {
	starts, err := b.starters(dir)
	if err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp(b.tmp, "profile")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	// A test that starts its own program reads what that prints: without a folder it would be a warning.
	p := &programs{bench: b, env: []string{"GOCOVERDIR=" + tmp}, flags: []string{"-cover", "-coverpkg=./" + code}, built: map[string]string{}}
	defer p.remove()
	covered, log := filepath.Join(tmp, "cover"), filepath.Join(tmp, "log")
	name, out, err := p.build(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("the tests of %s do not build without a fault: %w\n%s", dir, err, out)
	}
	prof := new(profile)
	if name == "" {
		return prof, nil
	}
	if out, err = p.command(ctx, filepath.Join(b.root, filepath.FromSlash(dir)), time.Minute, "GRAM_LONG=", name, "-test.list", tests.String()); err != nil {
		return nil, fmt.Errorf("the tests of %s have no list: %w\n%s", dir, err, out)
	}
	index := map[string]int{}
	for t := range strings.Lines(out) {
		if t = strings.TrimSpace(t); !tests.MatchString(t) || strings.Contains(t, " ") {
			continue
		}
		var status string
		var used time.Duration
		for range 2 { // a test with a limit on the clock may fail once on a busy machine
			used = p.used
			if status, out = p.run(ctx, dir, batch{[]string{t}, short, 0}, "-test.coverprofile="+covered, "-test.testlogfile="+log); status == survived {
				break
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		if status != survived {
			return nil, fmt.Errorf("the tests of %s do not pass without a fault (%s):\n%s", dir, status, out)
		}
		one := timed{Name: t, Seconds: (p.used - used).Seconds(), Starts: starts[t]}
		if text, err := os.ReadFile(log); err != nil || bytes.Contains(text, []byte("getenv GRAM_TREE\n")) {
			one.Starts = true
		}
		if one.Runs, err = prof.read(covered, index); err != nil {
			return nil, err
		}
		prof.Tests = append(prof.Tests, one)
	}
	return prof, nil
}

var coverLine = regexp.MustCompile(`^(.+):(\d+)\.(\d+),(\d+)\.(\d+) \d+ (\d+)$`)

// read adds the blocks of a profile of the go command, whose indices are known by their lines,
// and returns those that ran.
func (p *profile) read(file string, index map[string]int) (runs []int, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		m := coverLine.FindStringSubmatch(lines.Text())
		if m == nil {
			continue // the mode
		}
		id := strings.Join(m[1:6], " ")
		i, ok := index[id]
		if !ok {
			i = len(p.Blocks)
			index[id] = i
			k := block{File: path.Base(m[1])}
			if _, err := fmt.Sscan(strings.Join(m[2:6], " "), &k.Line, &k.Column, &k.EndLine, &k.EndColumn); err != nil {
				return nil, err
			}
			p.Blocks = append(p.Blocks, k)
		}
		if m[6] != "0" {
			runs = append(runs, i)
		}
	}
	return runs, lines.Err()
}

// starters returns the tests of a folder that may start a program, maybe themselves: they name
// os/exec, or a function that does. A test that reads GRAM_TREE is another one.
func (b *bench) starters(dir string) (map[string]bool, error) {
	out := map[string]bool{"exec": true}
	bodies := map[string]ast.Node{}
	files, err := filepath.Glob(filepath.Join(b.root, filepath.FromSlash(dir), "*_test.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				bodies[name+" "+d.Name.Name] = d.Body
			}
		}
	}
	for grown := true; grown; {
		grown = false
		for id, body := range bodies {
			_, name, _ := strings.Cut(id, "_test.go ")
			if !out[name] && name != "TestMain" && names(body, out) {
				out[name], grown = true, true
			}
		}
	}
	return out, nil
}

// blocks returns the blocks in which the place of a fault is: the smallest around a place in
// Go, or all of its function if the place is between blocks, and those that call a function in
// assembly. known is false where that cannot be said: for a macro or for data.
func (b *bench) blocks(p *profile, m mutant) (in map[int]bool, known bool, err error) {
	in = map[int]bool{}
	folder := filepath.Join(b.root, filepath.FromSlash(m.Package))
	if filepath.Ext(m.File) != ".go" {
		call := regexp.MustCompile(`\b` + regexp.QuoteMeta(m.Func) + `\(`)
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || m.Func == "-" {
			return nil, false, err
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, false, err
			}
			n := 0
			for line := range strings.Lines(string(text)) {
				n++
				at := call.FindStringIndex(line)
				if at == nil || strings.HasPrefix(line, "func "+m.Func+"(") {
					continue
				}
				for i, k := range p.Blocks {
					if k.File == filepath.Base(name) && k.contains(n, at[0]+1) {
						in[i] = true
					}
				}
			}
		}
		return in, len(in) > 0, nil
	}
	name := filepath.Join(b.root, filepath.FromSlash(m.File))
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, false, err
	}
	column := m.lo - bytes.LastIndexByte(text[:m.lo], '\n')
	best := -1
	size := func(k block) int { return (k.EndLine-k.Line)<<16 + k.EndColumn - k.Column }
	for i, k := range p.Blocks {
		if k.File == filepath.Base(name) && k.contains(m.Line, column) && (best < 0 || size(k) < size(p.Blocks[best])) {
			best = i
		}
	}
	if best >= 0 {
		return map[int]bool{best: true}, true, nil
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, text, 0)
	if err != nil {
		return nil, false, err
	}
	for _, d := range f.Decls {
		from, to := set.PositionFor(d.Pos(), false), set.PositionFor(d.End(), false)
		if _, ok := d.(*ast.FuncDecl); !ok || from.Offset > m.lo || to.Offset < m.lo {
			continue
		}
		for i, k := range p.Blocks {
			if k.File == filepath.Base(name) && k.Line >= from.Line && k.EndLine <= to.Line {
				in[i] = true
			}
		}
	}
	return in, len(in) > 0, nil
}

// batches returns the tests of a folder that may find a fault, but those that have passed. seen
// says whether the profile has one of them in the place of the fault.
func (b *bench) batches(ctx context.Context, dir string, m mutant, near, passed []string, short bool) (out []batch, seen bool, err error) {
	p, err := b.profile(ctx, dir, m.Package, short)
	if err != nil {
		return nil, false, err
	}
	return b.order(p, m, near, passed, short)
}

// order is batches with a profile: the near and quick tests come first, and each that takes
// long is alone.
func (b *bench) order(p *profile, m mutant, near, passed []string, short bool) (out []batch, seen bool, err error) {
	in, known, err := b.blocks(p, m)
	if err != nil {
		return nil, false, err
	}
	rank := func(t timed) int { // tests of one rank are a batch
		r := 0
		switch {
		case t.Seconds > 2:
			return 4
		case t.Seconds > 0.2:
			r = 2
		}
		if !slices.Contains(near, t.Name) {
			r++
		}
		return r
	}
	var some []timed
	for _, t := range p.Tests {
		runs := !known || slices.ContainsFunc(t.Runs, func(i int) bool { return in[i] })
		seen = seen || runs
		if (runs || t.Starts) && !slices.Contains(passed, t.Name) {
			some = append(some, t)
		}
	}
	slices.SortStableFunc(some, func(a, b timed) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Seconds, b.Seconds)) })
	for i, t := range some {
		if r := rank(t); i == 0 || r == 4 || r != rank(some[i-1]) {
			out = append(out, batch{short: short, limit: 5 * time.Second})
		}
		last := &out[len(out)-1]
		last.tests = append(last.tests, t.Name)
		last.limit += time.Duration(10 * t.Seconds * float64(time.Second)) // a fault may make a test slow, and not wrong
	}
	return out, seen, nil
}
