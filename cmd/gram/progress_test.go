package main

import (
	"bytes"
	"strings"
	"testing"

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
	b := &bar{w: &out, width: 80}
	b.event(gram.Event{Phase: "one", Done: 1, Total: 4, Objective: 2.5})
	p := b.p
	b.event(gram.Event{Phase: "one", Done: 4, Total: 4})
	if b.p != p {
		t.Error("a step of the same phase has a bar of its own")
	}
	b.event(gram.Event{Phase: "next", Done: 2, Total: 4})
	b.event(gram.Event{Phase: "two", Done: 7})
	b.step(8, 0, "three")
	b.close()
	b.close()
	for _, want := range []string{"one 4 / 4", "next 2 / 4", "objective 2.5", "three 8"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %q", want, out.String())
		}
	}
	if strings.Contains(out.String(), "\n") {
		t.Errorf("the bar leaves lines behind: %q", out.String())
	}
}
