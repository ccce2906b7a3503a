package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/gramworks/gram"
	"golang.org/x/term"
)

// bar shows progress on one line of a terminal, and nothing anywhere else. (The
// libraries for this bring net/http along, a fifth of the time that it takes to
// compile this command.)
type bar struct {
	w     io.Writer // nil: show nothing
	width int       // columns of the terminal
	phase string
	start time.Time // of the phase
	last  time.Time // that something was drawn
	drawn bool
}

// newBar returns a bar on w if that is a terminal, else one that is silent.
func newBar(w io.Writer) *bar {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &bar{}
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 20 {
		width = 80
	}
	return &bar{w: w, width: width}
}

// event shows e.
func (b *bar) event(e gram.Event) {
	now := time.Now()
	if b.w == nil || b.phase == e.Phase && now.Sub(b.last) < 100*time.Millisecond {
		return
	}
	if b.phase != e.Phase || b.start.IsZero() {
		b.phase, b.start = e.Phase, now
	}
	b.draw(b.line(e, now.Sub(b.start)), now)
}

// step shows that done of total things are done and what comes next.
func (b *bar) step(done, total int, next string) {
	now := time.Now()
	if b.w == nil || now.Sub(b.last) < 100*time.Millisecond {
		return
	}
	if b.start.IsZero() {
		b.start = now
	}
	b.draw(b.line(gram.Event{Phase: next, Done: int64(done), Total: int64(total)}, now.Sub(b.start)), now)
}

// line is what there is to say about e: the phase, how much of it is done and,
// where that can be told, how long it will go on.
func (b *bar) line(e gram.Event, since time.Duration) string {
	s := e.Phase
	switch {
	case e.Total > 0:
		const cells = 30
		done := min(max(e.Done, 0), e.Total)
		full := int(float64(cells) * float64(done) / float64(e.Total))
		s += fmt.Sprintf(" [%s%s] %d/%d", strings.Repeat("=", full), strings.Repeat(" ", cells-full), done, e.Total)
		if done > 0 && done < e.Total {
			left := time.Duration(float64(since) * float64(e.Total-done) / float64(done))
			s += fmt.Sprintf(", %s left", left.Round(time.Second))
		}
	case e.Done > 0:
		s += fmt.Sprintf(" %d", e.Done)
	}
	if e.Objective != 0 {
		s += fmt.Sprintf(", objective %.6g", e.Objective)
	}
	if r := []rune(s); len(r) >= b.width { // a line that wraps could not be wiped
		s = string(r[:b.width-1])
	}
	return s
}

// wipe goes back to the start of the line and clears it.
const wipe = "\r\x1b[K"

func (b *bar) draw(line string, now time.Time) {
	fmt.Fprint(b.w, wipe+line) // if the terminal is gone there is nothing to do about it
	b.drawn, b.last = true, now
}

// close removes the bar. It may be used again.
func (b *bar) close() {
	if b.drawn {
		fmt.Fprint(b.w, wipe)
	}
	b.drawn, b.start, b.last = false, time.Time{}, time.Time{}
}

// progress is what Run.Progress is set to: nil where nothing is shown.
func (b *bar) progress() func(gram.Event) {
	if b.w == nil {
		return nil
	}
	return b.event
}
