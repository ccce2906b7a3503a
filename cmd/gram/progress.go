package main

import (
	"io"
	"os"
	"time"

	"github.com/gramworks/gram"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// bar shows progress on a terminal, and nothing anywhere else.
type bar struct {
	w     io.Writer
	b     *progressbar.ProgressBar
	phase string
	total int64
}

// newBar returns a bar on w if that is a terminal, else one that is silent.
func newBar(w io.Writer) *bar {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &bar{}
	}
	return &bar{w: w}
}

// on reports whether there is anything to see.
func (b *bar) on() bool { return b.w != nil }

// event shows e.
func (b *bar) event(e gram.Event) {
	if !b.on() {
		return
	}
	if b.b == nil || e.Phase != b.phase || e.Total != b.total {
		b.close()
		total := e.Total
		if total <= 0 {
			total = -1 // a spinner
		}
		b.phase, b.total = e.Phase, e.Total
		b.b = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(b.w),
			progressbar.OptionSetDescription(e.Phase),
			progressbar.OptionSetWidth(30),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionClearOnFinish(),
		)
	}
	_ = b.b.Set64(e.Done) // the terminal is gone: nothing to do about it
}

// step shows that done of total things are done and what comes next.
func (b *bar) step(done, total int, next string) {
	if !b.on() {
		return
	}
	if b.b == nil {
		b.event(gram.Event{Phase: next, Done: int64(done), Total: int64(total)})
	}
	b.b.Describe(next)
	_ = b.b.Set(done)
}

// close removes the bar.
func (b *bar) close() {
	if b.b != nil {
		_ = b.b.Clear()
		b.b = nil
	}
}

// progress is what Run.Progress is set to: nil where nothing is shown.
func (b *bar) progress() func(gram.Event) {
	if !b.on() {
		return nil
	}
	return b.event
}
