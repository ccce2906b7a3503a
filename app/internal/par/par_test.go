package par

import (
	"context"
	"errors"
	"testing"
)

func TestEach(t *testing.T) {
	for _, workers := range []int{1, 3, 0} {
		const n = 50
		var calls [n]int
		last := 0
		err := Each(context.Background(), workers, n, func(k int) { calls[k]++ }, func(c int) {
			if c < last {
				t.Errorf("%d calls after %d", c, last)
			}
			last = c
		})
		if err != nil || last != n {
			t.Errorf("%d workers: %d calls, %v", workers, last, err)
		}
		for k, c := range calls {
			if c != 1 {
				t.Errorf("%d workers: %d calls of %d", workers, c, k)
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	err := Each(ctx, 1, 10, func(k int) {
		if k == 3 {
			cancel()
		}
	}, func(int) {})
	if err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	defer func() {
		if recover() != "trouble" {
			t.Error("the panic is lost")
		}
	}()
	Each(context.Background(), 2, 10, func(int) { panic("trouble") }, func(int) {})
}

// Await returns what the function returns, or when the context is done, and panics as
// the function does.
func TestAwait(t *testing.T) {
	boom := errors.New("boom")
	if v, err := Await(t.Context(), func() (int, error) { return 3, boom }); v != 3 || err != boom {
		t.Errorf("%d, %v", v, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	never := make(chan int)
	defer close(never)
	if v, err := Await(ctx, func() (int, error) { cancel(); return <-never, nil }); v != 0 || err != context.Canceled {
		t.Errorf("%d, %v", v, err)
	}
	defer func() {
		if p := recover(); p != "trouble" {
			t.Errorf("panic %v", p)
		}
	}()
	_, _ = Await(t.Context(), func() (int, error) { panic("trouble") })
}
