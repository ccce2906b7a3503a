package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gramworks/gram"
)

// clock is a time that tests set.
type clock struct{ time.Time }

func (c *clock) now() time.Time        { return c.Time }
func (c *clock) after(d time.Duration) { c.Time = c.Add(d) }
func watched(width int) (*bar, *bytes.Buffer, *clock) {
	c, out := &clock{time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)}, new(bytes.Buffer)
	b := &bar{w: out, width: width, now: c.now}
	if width == 0 {
		b.shown = c.Time
	}
	return b, out, c
}

func TestBarIsSilent(t *testing.T) {
	var out bytes.Buffer
	b := newBar(&out) // neither a terminal nor a file
	b.event(gram.Event{Phase: "rows", Done: 1})
	b.step(1, 2, "next")
	b.close()
	if b.progress() != nil || out.Len() != 0 {
		t.Errorf("%q is shown where there is no terminal", out.String())
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if b := newBar(f); b.progress() == nil || b.width != 0 {
		t.Error("a file has no plain lines")
	}
	if b := newBar(noProgress{f}); b.progress() != nil {
		t.Error("there is progress with --quiet")
	}
	// With --quiet, commands get that writer.
	root := newRoot(nil)
	root.SetErr(f)
	root.SetOut(&out)
	root.SetArgs([]string{"version", "--quiet"})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	if _, ok := root.ErrOrStderr().(noProgress); !ok {
		t.Error("--quiet changes nothing")
	}
}

// In a file a line appears every five seconds, with what is done, the rate, the time left
// and what the method says of itself.
func TestPlainProgress(t *testing.T) {
	b, out, c := watched(0)
	for i := range 241 { // every 50 ms for 12 s
		b.event(gram.Event{Phase: "boosting", Done: int64(i), Total: 480, Objective: 2.5, Gap: .125})
		c.after(50 * time.Millisecond)
	}
	want := "gram: boosting 100/480 (20 %), 20/s, 19s left, objective 2.5, gap 0.12\n" +
		"gram: boosting 200/480 (41 %), 20/s, 14s left, objective 2.5, gap 0.12\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	// A phase without an end shows how long it lasts, and its rate is its own.
	out.Reset()
	b.event(gram.Event{Phase: "rows", Done: 10000})
	c.after(4 * time.Second)
	b.event(gram.Event{Phase: "rows", Done: 30000})
	b.close()
	if want := "gram: rows 30000, 5000/s, 4s\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	// What ends sooner writes nothing.
	b, out, c = watched(0)
	b.event(gram.Event{Phase: "Nyström core", Done: 1, Total: 1})
	c.after(4 * time.Second)
	b.event(gram.Event{Phase: "linear SVM", Done: 4, Total: 4})
	b.close()
	if out.Len() != 0 {
		t.Errorf("%q after four seconds", out.String())
	}
}

// On a terminal there is one line, as wide as the terminal, which is drawn ten times a second
// and erased at the end.
func TestTerminalProgress(t *testing.T) {
	for _, width := range []int{20, 60, 120} {
		b, out, c := watched(width)
		for i := range 100 { // every 10 ms
			b.event(gram.Event{Phase: "trees", Done: int64(i), Total: 200, Objective: -3})
			c.after(10 * time.Millisecond)
		}
		b.close()
		b.close()
		lines := strings.Split(out.String(), "\r")
		if len(lines) != 1+10+2 || lines[0] != "" || strings.TrimSpace(lines[11]) != "" || lines[12] != "" {
			t.Fatalf("width %d: %q", width, lines)
		}
		for _, line := range lines[1:12] {
			if n := len([]rune(line)); n != width-1 || strings.Contains(line, "\n") {
				t.Errorf("width %d: %q", width, line)
			}
		}
		last := lines[10]
		if width == 120 && (!strings.HasPrefix(last, "trees 90/200 (45 %)  100/s  1s left  objective -3  [==================      ") || !strings.HasSuffix(strings.TrimSpace(last), "]")) {
			t.Errorf("%q", last)
		}
	}
}

// Steps share one rate although each has a name of its own; phases do not.
func TestSteps(t *testing.T) {
	b, out, c := watched(0)
	b.step(0, 4, "first")
	c.after(6 * time.Second)
	b.step(2, 4, "third")
	if want := "gram: third 2/4 (50 %), 0.333/s, 6s left\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	out.Reset()
	c.after(6 * time.Second)
	b.event(gram.Event{Phase: "fit", Done: 3, Total: 4})
	if want := "gram: fit 3/4 (75 %)\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	// A count that starts anew is a phase of its own.
	out.Reset()
	c.after(6 * time.Second)
	b.event(gram.Event{Phase: "fit", Done: 1, Total: 4})
	if want := "gram: fit 1/4 (25 %)\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
