package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gramworks/gram/dataset"
)

var kills = flag.Int("kill", 0, "runs of each command that TestKilled kills; 0: two, without gram tune")

// Commands that are killed at random moments leave the old or the new file, whole, and
// what else they leave, the next run removes.
func TestKilled(t *testing.T) {
	if testing.Short() || runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("starts processes")
	}
	dir := t.TempDir()
	temporary := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	rings, model := in("rings.libsvm"), in("m.gram")
	if err := dataset.Save(t.Context(), rings, dataset.Rings(400, 3, .1, 1)); err != nil {
		t.Fatal(err)
	}
	ok(t, "fit", "--method", "svm", "--data", rings, "-o", model)
	html := func(text []byte) bool {
		return bytes.HasPrefix(text, []byte("<!DOCTYPE html>")) && bytes.HasSuffix(bytes.TrimSpace(text), []byte("</html>"))
	}
	run := func(after time.Duration, args []string) (killed bool, seconds time.Duration) {
		t.Helper()
		p := exec.CommandContext(t.Context(), os.Args[0])
		p.Env = append(os.Environ(), "GRAM_TEST_COMMAND="+strings.Join(args, "\n"), "TMPDIR="+temporary, "TMP="+temporary, "GRAM_DATA=")
		data, err := os.Open(rings)
		if err != nil {
			t.Fatal(err)
		}
		defer data.Close()
		var stderr bytes.Buffer
		p.Stdin, p.Stdout, p.Stderr = data, io.Discard, &stderr
		begin := time.Now()
		if err = p.Start(); err != nil {
			if errors.Is(err, syscall.ENOEXEC) {
				t.Skip("the test cannot start itself under an emulator: ", err)
			}
			t.Fatal(err)
		}
		if after > 0 {
			defer time.AfterFunc(after, func() { _ = p.Process.Kill() }).Stop()
		}
		err = p.Wait()
		var exit *exec.ExitError
		if errors.As(err, &exit) && after > 0 && exit.ExitCode() < 0 {
			return true, time.Since(begin)
		}
		if err != nil {
			t.Fatalf("gram %s: %v, %s", strings.Join(args, " "), err, stderr.Bytes())
		}
		return false, time.Since(begin)
	}
	type command struct {
		args  []string
		whole func(text []byte) bool // nil: always the same bytes
	}
	commands := []command{
		{args: []string{"fit", "--method", "krr", "--data", "-", "-o"}},
		{args: []string{"compile", "--model", model, "--data", "-", "--method", "nystrom", "--m", "8", "-o"}},
		{args: []string{"convert", "-", "--format", "libsvm"}},
		{args: []string{"predict", "--model", model, "--data", "-", "-o"}},
		{[]string{"table", "3.7", "--html"}, html},
	}
	n := *kills
	if n == 0 {
		n = 2
	} else {
		commands = append(commands, command{[]string{"tune", "--time", "1s", "-o"}, json.Valid})
	}
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	total, late, left := 0, 0, 0
	for _, c := range commands {
		name := c.args[0]
		out := filepath.Join(t.TempDir(), "out.csv")
		args := append(c.args, out)
		_, seconds := run(0, args)
		made, err := os.ReadFile(out)
		if err != nil || c.whole != nil && !c.whole(made) {
			t.Fatalf("%s: %v, %.100q", name, err, made)
		}
		for i := range n {
			old := []byte(nil) // no file
			if i%2 == 0 {
				old = append(slices.Clone(made), "\n\n"...) // gram tune replaces no file but a profile
			}
			if err := os.Remove(out); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			if old != nil {
				if err := os.WriteFile(out, old, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			killed, _ := run(max(1, time.Duration(r.Float64()*1.1*float64(seconds))), args)
			if total++; !killed {
				late++
			}
			got, err := os.ReadFile(out)
			isNew := err == nil && (c.whole == nil && bytes.Equal(got, made) || c.whole != nil && c.whole(got))
			isOld := killed && (old == nil && errors.Is(err, os.ErrNotExist) || old != nil && err == nil && bytes.Equal(got, old))
			if !isNew && !isOld {
				t.Errorf("%s: %v, %.100q", name, err, got)
			}
			for _, d := range []string{filepath.Dir(out), temporary} {
				entries, _ := os.ReadDir(d)
				for _, e := range entries {
					if strings.HasSuffix(e.Name(), ".tmp") {
						left++
					}
				}
			}
		}
		run(0, args)
		onlyFiles(t, filepath.Dir(out), "out.csv")
		if left, _ := os.ReadDir(temporary); len(left) > 0 {
			t.Errorf("%s: %v is left after the next run", name, left)
		}
	}
	t.Logf("%d runs, %d of them ended before they were killed; temporary files were there after %d", total, late, left)
}
