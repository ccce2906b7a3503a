package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gramworks/gram"
	"golang.org/x/term"
)

// Least times between two drawings of the progress.
const (
	redraw = 100 * time.Millisecond // on a terminal
	relate = 5 * time.Second        // in a file or a pipe
)

// noProgress is the standard error of a command with --quiet, which shows no progress.
type noProgress struct{ io.Writer }

// bar shows progress: what is done of how much, the rate, the time left, and the objective
// or the gap of the method. On a terminal that is one line, which is drawn again and
// disappears at the end. In a file or a pipe it is a line every few seconds, so that a
// command that ends sooner writes none. On any other writer it shows nothing.
type bar struct {
	w     io.Writer // nil: show nothing
	width int       // columns of the terminal; 0: plain lines
	now   func() time.Time
	phase string // name of the phase, or "" for steps
	total int64
	first int64     // done when the phase began
	start time.Time // when the phase began; zero: there is none
	shown time.Time // when something was shown last
	drawn bool      // there is a line on the terminal
}

// newBar returns a bar that writes to w: a line drawn again on a terminal, plain lines in a file or a pipe, nothing elsewhere.
func newBar(w io.Writer) *bar {
	f, ok := w.(*os.File)
	if !ok {
		return &bar{}
	}
	if !term.IsTerminal(int(f.Fd())) {
		return &bar{w: w, now: time.Now, shown: time.Now()}
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 20 {
		width = 80
	}
	return &bar{w: w, width: width, now: time.Now}
}

// event shows e in the phase that it names; the rate and the time left begin anew with a phase.
func (b *bar) event(e gram.Event) { b.show(e.Phase, e) }

// step shows that done of total steps are done, and the name of the next one.
func (b *bar) step(done, total int, next string) {
	b.show("", gram.Event{Phase: next, Done: int64(done), Total: int64(total)})
}

// show shows e in the phase, whose rate is that since its first event.
func (b *bar) show(phase string, e gram.Event) {
	if b.w == nil {
		return
	}
	now := b.now()
	if b.start.IsZero() || b.phase != phase || b.total != e.Total || e.Done < b.first {
		b.phase, b.total, b.first, b.start = phase, e.Total, e.Done, now
	}
	wait := relate
	if b.width > 0 {
		wait = redraw
	}
	if now.Sub(b.shown) < wait {
		return
	}
	b.shown = now
	parts := b.parts(e, now.Sub(b.start))
	if b.width == 0 {
		fmt.Fprintf(b.w, "gram: %s\n", strings.Join(parts, ", "))
		return
	}
	line := strings.Join(parts, "  ")
	columns := b.width - 1
	if room := min(columns-utf8.RuneCountInString(line)-4, 40); e.Total > 0 && room >= 8 {
		full := int(float64(room) * min(1, max(0, float64(e.Done)/float64(e.Total))))
		line += "  [" + strings.Repeat("=", full) + strings.Repeat(" ", room-full) + "]"
	}
	fmt.Fprint(b.w, "\r"+padded(line, columns))
	b.drawn = true
}

// parts returns the parts of the line of e, in a phase that lasts so long.
func (b *bar) parts(e gram.Event, lasts time.Duration) []string {
	count := strconv.FormatInt(e.Done, 10)
	if e.Total > 0 {
		count += fmt.Sprintf("/%d (%d %%)", e.Total, int(100*float64(e.Done)/float64(e.Total)))
	}
	parts := []string{strings.TrimSpace(e.Phase + " " + count)}
	if done, seconds := e.Done-b.first, lasts.Seconds(); done > 0 && seconds > 0 {
		rate := float64(done) / seconds
		parts = append(parts, fmt.Sprintf("%.3g/s", rate))
		if rate >= 1000 {
			parts[1] = fmt.Sprintf("%.0f/s", rate)
		}
		if e.Total > 0 {
			left := time.Duration(float64(e.Total-e.Done) / rate * float64(time.Second))
			parts = append(parts, left.Round(time.Second).String()+" left")
		}
	}
	if e.Total <= 0 && lasts >= time.Second {
		parts = append(parts, lasts.Round(time.Second).String())
	}
	if e.Objective != 0 {
		parts = append(parts, fmt.Sprintf("objective %.6g", e.Objective))
	}
	if e.Gap != 0 {
		parts = append(parts, fmt.Sprintf("gap %.2g", e.Gap))
	}
	return parts
}

// padded cuts a line, or fills it with blanks.
func padded(line string, columns int) string {
	runes := []rune(line)
	if len(runes) > columns {
		return string(runes[:columns])
	}
	return line + strings.Repeat(" ", columns-len(runes))
}

// close removes the line. The bar may be used again.
func (b *bar) close() {
	if b.drawn {
		fmt.Fprint(b.w, "\r"+padded("", b.width-1)+"\r")
	}
	b.drawn, b.start = false, time.Time{}
}

// progress returns the function for Run.Progress, or nil if nothing is shown.
func (b *bar) progress() func(gram.Event) {
	if b.w == nil {
		return nil
	}
	return b.event
}
