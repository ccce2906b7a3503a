//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// endsInTime checks that a command line, which waits for a pipe, ends when its context does. It
// runs as a process of its own, because what waits for the pipe ends with the process only.
func endsInTime(t *testing.T, args []string) {
	t.Helper()
	p := exec.CommandContext(t.Context(), os.Args[0])
	p.Env = append(os.Environ(), "GRAM_TEST_COMMAND="+strings.Join(args, "\n"), "GRAM_TEST_TIMEOUT=20ms")
	var stderr strings.Builder
	p.Stderr = &stderr
	err := p.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), "deadline") {
		t.Errorf("%v: %v, %q", args, err, &stderr)
	}
}

// A pipe that nobody writes to keeps no command from being interrupted.
func TestPipesAndInterrupt(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir := small(t)
	rings, model, pipe, out := filepath.Join(dir, "rings.libsvm"), filepath.Join(dir, "m.gram"), filepath.Join(dir, "pipe"), filepath.Join(dir, "out.libsvm")
	rows := filepath.Join(dir, "rows.npy")
	ok(t, "fit", "--method", "linear", "--data", rings, "-o", model)
	ok(t, "convert", rings, rows)
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no pipes here: ", err)
	}
	for _, args := range [][]string{
		{"fit", "--method", "linear", "--data", pipe, "-o", out}, {"fit", "--method", "krr", "--data", rows, "-o", out, "--target-file", pipe},
		{"fit", "--method", "bregman", "--data", rings, "-o", out, "--set", "pairs-file=" + pipe},
		{"predict", "--model", model, "--data", pipe, "-o", out}, {"predict", "--model", pipe, "--data", rings, "-o", out},
		{"eval", "--model", model, "--data", pipe}, {"eval", "--model", pipe, "--data", rings},
		{"compile", "--model", pipe}, {"compile", "--model", model, "--data", pipe},
		{"convert", pipe, out}, {"split", pipe, out, out + ".libsvm"}, {"compare", "--data", pipe}, {"compare", "--data", rings, "--test", pipe},
		{"serve", "--model", pipe, "--addr", "127.0.0.1:0"}, {"serve", "--model", model, "--token-file", pipe, "--addr", "127.0.0.1:0"},
	} {
		endsInTime(t, args)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("there is an output")
	}
}

// An output that is a pipe, which nobody reads, keeps no command from being interrupted.
func TestPipesWithoutReader(t *testing.T) {
	dir := small(t)
	rings, model, rest := filepath.Join(dir, "rings.libsvm"), filepath.Join(dir, "m.gram"), filepath.Join(dir, "rest.libsvm")
	ok(t, "fit", "--method", "linear", "--data", rings, "-o", model)
	for i, args := range [][]string{
		{"fit", "--method", "linear", "--data", rings, "-o", "PIPE"}, {"predict", "--model", model, "--data", rings, "-o", "PIPE"},
		{"compile", "--model", model, "--method", "exact", "-o", "PIPE"}, {"convert", rings, "PIPE.libsvm"}, {"split", rings, rest, "PIPE.libsvm"},
		{"eval", "--model", model, "--data", rings, "--html", "PIPE.html"},
	} {
		pipe := filepath.Join(dir, fmt.Sprint("pipe", i))
		for k, arg := range args {
			if rest, is := strings.CutPrefix(arg, "PIPE"); is {
				pipe += rest
				args[k] = pipe
			}
		}
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Skip("no pipes here: ", err)
		}
		endsInTime(t, args)
	}
}

// Data come through a pipe, as a shell's <(…), also where they are read twice, and
// whatever the name says of their format.
func TestPipes(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir := small(t)
	text, err := os.ReadFile(filepath.Join(dir, "friedman.csv"))
	if err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe.csv")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no pipes here: ", err)
	}
	out := filepath.Join(dir, "out.csv")
	want := ok(t, "convert", filepath.Join(dir, "friedman.csv"), out, "--task", "regression")
	wrote := make(chan error, 1)
	go func() {
		f, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err == nil {
			_, err = f.Write(text)
			f.Close()
		}
		wrote <- err
	}()
	if got := ok(t, "convert", pipe, out, "--task", "regression"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if err := <-wrote; err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
