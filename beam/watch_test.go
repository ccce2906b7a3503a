package beam

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// An engine that hangs is left when nothing has been made for a while, and not before: a file that
// appears or grows starts the time anew. So is one that is interrupted and does not hear it.
func TestWatched(t *testing.T) {
	const stall = 400 * time.Millisecond
	hang := func(context.Context) error { select {} }
	dir := t.TempDir()
	var made time.Time
	busy := func(context.Context) error {
		for k := range 12 {
			time.Sleep(stall / 4)
			if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(k/2)), make([]byte, k), 0o600); err != nil {
				return err
			}
		}
		made = time.Now()
		<-t.Context().Done()
		return nil
	}
	var stalled *StallError
	if err := watched(t.Context(), dir, stall, busy); !errors.As(err, &stalled) || made.IsZero() {
		t.Errorf("%v; the files were made at %v", err, made)
	}
	if err := watched(t.Context(), dir, stall, func(ctx context.Context) error { <-ctx.Done(); return nil }); !errors.As(err, &stalled) {
		t.Errorf("a run that ends when it is asked to: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(stall/4, cancel)
	if err := watched(ctx, dir, 0, hang); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	failed := errors.New("a piece failed")
	if err := watched(t.Context(), dir, 0, func(context.Context) error { return failed }); err != failed {
		t.Errorf("%v", err)
	}
}
