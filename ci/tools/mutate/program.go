package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// programs are the test programs of packages in a tree with a fault or, without a variable
// of the environment, in the tree as it is. Each is built once.
type programs struct {
	*bench
	env   []string          // the variables that put the fault in the tree
	flags []string          // further ones of go test
	built map[string]string // by package: the program, or "" for a package without tests
	used  time.Duration     // processor time of all commands

	folders []string
}

// remove removes the folders in which the programs were built.
func (p *programs) remove() {
	for _, f := range p.folders {
		os.RemoveAll(f)
	}
}

// command runs a command in a folder, with a time on the clock, a variable of the environment and
// a folder for its files that is removed. It returns what the command printed.
func (p *programs) command(ctx context.Context, dir string, wall time.Duration, variable string, args ...string) (out string, err error) {
	tmp, err := os.MkdirTemp(p.tmp, "trial")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp) // the go command and tests leave files there when they are killed
	ctx, cancel := context.WithTimeout(ctx, wall)
	defer cancel()
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	var buf bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = dir, &buf, &buf
	c.Env = append(os.Environ(), "TMPDIR="+tmp, "PWD="+dir, variable)
	c.Env = append(c.Env, p.env...)
	c.WaitDelay = 5 * time.Second
	ownGroup(c)
	err = c.Run()
	if c.ProcessState != nil {
		p.used += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return buf.String(), err
}

// build builds the test program of a package, and returns "" for a package without tests,
// which compiles.
func (p *programs) build(ctx context.Context, dir string) (name, out string, err error) {
	if name, ok := p.built[dir]; ok {
		return name, "", nil
	}
	folder, err := os.MkdirTemp(p.tmp, "program")
	if err != nil {
		return "", "", err
	}
	p.folders = append(p.folders, folder)
	const building, none = 20 * time.Minute, "GRAM_LONG="
	name = filepath.Join(folder, path.Base(dir)+".test")
	args := slices.Concat([]string{"go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-p", fmt.Sprint(p.procs), "-o", name}, p.flags, []string{"./" + dir})
	if out, err = p.command(ctx, p.root, building, none, args...); err != nil {
		return "", out, err
	}
	if _, err := os.Stat(name); err != nil {
		name = ""
		if out, err := p.command(ctx, p.root, building, none, "go", "build", "-o", os.DevNull, "./"+dir); err != nil {
			return "", out, err
		}
	}
	p.built[dir] = name
	return name, "", nil
}

// run runs some tests of a package until one fails, and returns how they ended and what they
// printed. Without tests it only builds their program. Where a shell can limit the processor
// time of the program, a loop without end stops at the limit; whatever waits without computing
// stops after ten times as long.
func (p *programs) run(ctx context.Context, dir string, s batch, flags ...string) (status, out string) {
	name, out, err := p.build(ctx, dir)
	if err != nil {
		return unbuilt, out
	}
	if name == "" || len(s.tests) == 0 {
		return survived, ""
	}
	args, long := []string{name}, "GRAM_LONG=1" // what takes long, too
	if s.short {
		long = "GRAM_LONG="
	}
	wall := time.Hour
	if s.limit > 0 {
		wall = 10 * s.limit
		if runtime.GOOS != "windows" {
			args = []string{"sh", "-c", fmt.Sprintf(`ulimit -t %d && exec "$@"`, max(1, int(s.limit.Seconds()))), "sh", name}
		}
	}
	args = slices.Concat(args, []string{"-test.paniconexit0", "-test.v", "-test.failfast", "-test.timeout=" + wall.String(), "-test.run=" + anyOf(s.tests)}, flags)
	if s.short {
		args = append(args, "-test.short")
	}
	out, err = p.command(ctx, filepath.Join(p.root, filepath.FromSlash(dir)), wall+time.Minute, long, append(args, arguments[dir]...)...)
	switch {
	case err == nil:
		return survived, out
	case err == context.DeadlineExceeded, strings.Contains(out, "panic: test timed out"), strings.HasPrefix(err.Error(), "signal: killed"), strings.HasPrefix(err.Error(), "signal: CPU time limit"):
		return hung, out
	}
	return killed, out
}
