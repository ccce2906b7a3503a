//go:build unix

package fit

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/gramworks/gram/app/job"
)

// A pipe is not opened, which would wait for who writes to it.
func TestExceedsOpensNoPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.csv")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := exceeds(ctx, job.Spec{Data: pipe, Task: "regression", Method: "linear"}, 1); err != nil || ctx.Err() != nil {
		t.Errorf("got %v, %v", err, ctx.Err())
	}
}
