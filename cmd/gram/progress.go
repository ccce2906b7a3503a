package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cheggaaa/pb/v3"
	"github.com/gramworks/gram"
	"golang.org/x/term"
)

// bar shows progress on one line of a terminal. It shows nothing if the output is no
// terminal.
type bar struct {
	w     io.Writer // nil: show nothing
	width int       // columns of the terminal
	p     *pb.ProgressBar
	phase string
}

// newBar returns a bar on w, which is silent unless w is a terminal.
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

// Formats of the line with a known and an unknown end.
const (
	withTotal    = `{{string . "phase"}} {{counters .}} {{bar . "[" "=" ">" " " "]"}} {{rtime . "%s left"}} {{string . "objective"}}`
	withoutTotal = `{{string . "phase"}} {{counters .}} {{string . "objective"}}`
)

// event shows the progress e.
func (b *bar) event(e gram.Event) {
	if b.w == nil {
		return
	}
	if b.p == nil || b.phase != e.Phase || b.p.Total() != max(e.Total, 0) {
		b.close()
		b.phase = e.Phase
		template := withTotal
		if e.Total <= 0 {
			template = withoutTotal
		}
		b.p = pb.New64(max(e.Total, 0)).SetWriter(b.w).SetTemplateString(template).SetWidth(b.width).SetRefreshRate(100 * time.Millisecond)
		b.p.Set(pb.Terminal, true).Set(pb.CleanOnFinish, true).Set("phase", e.Phase).Start()
	}
	if e.Objective != 0 {
		b.p.Set("objective", fmt.Sprintf("objective %.6g", e.Objective))
	}
	b.p.SetCurrent(e.Done)
}

// step shows that done of total steps are done, and the name of the next one.
func (b *bar) step(done, total int, next string) {
	if b.w == nil {
		return
	}
	if b.p == nil {
		b.event(gram.Event{Phase: next, Done: int64(done), Total: int64(total)})
	}
	b.p.Set("phase", next).SetCurrent(int64(done))
}

// close removes the line. The bar may be used again.
func (b *bar) close() {
	if b.p != nil {
		b.p.Finish()
		b.p = nil
	}
}

// progress returns the function for Run.Progress, or nil if nothing is shown.
func (b *bar) progress() func(gram.Event) {
	if b.w == nil {
		return nil
	}
	return b.event
}
