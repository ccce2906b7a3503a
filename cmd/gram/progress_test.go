package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/gramworks/gram"
)

func TestBarIsSilent(t *testing.T) {
	var out bytes.Buffer
	b := newBar(&out) // no terminal
	b.event(gram.Event{Phase: "rows", Done: 1})
	b.step(1, 2, "next")
	b.close()
	if b.progress() != nil || out.Len() != 0 {
		t.Errorf("%q is shown where there is no terminal", out.String())
	}
}

func TestBar(t *testing.T) {
	var out bytes.Buffer
	b := &bar{w: &out, width: 60}
	b.event(gram.Event{Phase: "one", Done: 1, Total: 4})
	b.event(gram.Event{Phase: "one", Done: 2, Total: 4}) // too soon to be drawn
	b.event(gram.Event{Phase: "two", Done: 7})
	b.close()
	b.close()
	got := strings.Split(out.String(), wipe)
	if len(got) != 4 || !strings.HasPrefix(got[1], "one [=======  ") || !strings.Contains(got[1], "1/4") || got[2] != "two 7" || got[3] != "" {
		t.Errorf("drawn is %q", got)
	}
	if s := b.line(gram.Event{Phase: "fit", Done: 1, Total: 5, Objective: 2.5}, 3*time.Second); len([]rune(s)) >= b.width {
		t.Errorf("the line %q does not fit %d columns", s, b.width)
	}
	b.width = 200
	if s := b.line(gram.Event{Phase: "fit", Done: 1, Total: 5, Objective: 2.5}, 3*time.Second); !strings.HasSuffix(s, "1/5, 12s left, objective 2.5") {
		t.Errorf("line %q", s)
	}
	if s := b.line(gram.Event{Phase: "fit", Done: 9, Total: 5}, time.Second); !strings.HasSuffix(s, "] 5/5") {
		t.Errorf("line %q", s)
	}
}
