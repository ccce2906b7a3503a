package par

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
)

// coversOnce checks that a loop calls its body for each index once, in blocks of the grain.
func coversOnce(t *testing.T, loop func(ctx context.Context, workers, n, grain int, body func(lo, hi int)) error) {
	t.Helper()
	for _, workers := range []int{0, 1, 2, 7, 100} {
		for _, n := range []int{0, 1, 2, 99, 100, 101} {
			for _, grain := range []int{1, 3, 100, 1000} {
				seen := make([]atomic.Int32, n)
				must.Do(t, loop(t.Context(), workers, n, grain, func(lo, hi int) {
					if lo%grain != 0 || (hi-lo != grain && hi != n) {
						t.Errorf("block [%d,%d) with n %d, grain %d", lo, hi, n, grain)
					}
					for i := lo; i < hi; i++ {
						seen[i].Add(1)
					}
				}))
				for i := range seen {
					if c := seen[i].Load(); c != 1 {
						t.Fatalf("workers %d, n %d, grain %d: index %d seen %d times", workers, n, grain, i, c)
					}
				}
			}
		}
	}
}

func TestForCoversOnce(t *testing.T) { coversOnce(t, For) }

func TestSumOrder(t *testing.T) {
	x := make([]float64, 10007)
	for i := range x {
		x[i] = 1 / float64(i+1)
	}
	sum := func(workers int) float64 {
		s := must.Have(Sum(t.Context(), workers, len(x), 13, func(lo, hi int) float64 {
			var s float64
			for _, v := range x[lo:hi] {
				s += v
			}
			return s
		}, func(a, b float64) float64 { return a + b }))(t)
		return s
	}
	want := sum(1)
	for _, w := range []int{2, 3, 7, 16} {
		for range 20 {
			if got := sum(w); got != want {
				t.Fatalf("workers %d: %v, want the bits of %v", w, got, want)
			}
		}
	}
}

// Sum joins the results of all blocks from the first to the last.
func TestSumValue(t *testing.T) {
	for _, n := range []int{0, 1, 12, 13, 14, 26, 1000} {
		for _, workers := range []int{1, 4} {
			got, err := Sum(t.Context(), workers, n, 13, func(lo, hi int) []int {
				var part []int
				for i := lo; i < hi; i++ {
					part = append(part, i)
				}
				return part
			}, func(a, b []int) []int { return append(a, b...) })
			if err != nil || len(got) != n {
				t.Fatalf("%d workers: %d of %d numbers, %v", workers, len(got), n, err)
			}
			for i, v := range got {
				if v != i {
					t.Fatalf("%d workers: number %d is %d", workers, i, v)
				}
			}
		}
	}
}

func TestForStops(t *testing.T) {
	for _, workers := range []int{1, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		var ran atomic.Int32
		err := For(ctx, workers, 1000, 1, func(lo, hi int) {
			if ran.Add(1) == 10 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("workers %d: err %v", workers, err)
		}
		if r := ran.Load(); r > 20 {
			t.Errorf("workers %d: %d blocks ran after the cancellation at 10", workers, r)
		}
	}
}

// Every loop ends with the error of its context or has done everything.
func TestLooks(t *testing.T) {
	const n = 100
	loops := map[string]func(ctx context.Context, workers int, body func(lo, hi int)) error{
		"For": func(ctx context.Context, workers int, body func(lo, hi int)) error {
			return For(ctx, workers, n, 3, body)
		},
		"Compute": func(ctx context.Context, workers int, body func(lo, hi int)) error {
			return Compute(ctx, workers, n, 3, body)
		},
		"Each": func(ctx context.Context, workers int, body func(lo, hi int)) error {
			return Each(ctx, workers, n, func(k int) { body(k, k+1) }, func(int) {})
		},
		"Sum": func(ctx context.Context, workers int, body func(lo, hi int)) error {
			sum, err := Sum(ctx, workers, n, 3, func(lo, hi int) int { body(lo, hi); return hi - lo }, func(a, b int) int { return a + b })
			if err == nil && sum != n {
				t.Errorf("no error, and the sum is %d of %d", sum, n)
			}
			return err
		},
		"none": func(ctx context.Context, workers int, body func(lo, hi int)) error {
			return errors.Join(For(ctx, workers, 0, 3, body), Compute(ctx, workers, 0, 3, body))
		},
	}
	for name, loop := range loops {
		for _, workers := range []int{1, 2, 5} {
			t.Run(fmt.Sprintf("%s, %d workers", name, workers), func(t *testing.T) {
				looktest.Every(t, func(ctx context.Context) (any, error) {
					var done atomic.Int64
					err := loop(ctx, workers, func(lo, hi int) { done.Add(int64(hi - lo)) })
					return done.Load(), err
				})
			})
		}
	}
}

// TestForWorkers checks that as many blocks as workers run at the same time, and
// never more.
func TestForWorkers(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 5} {
		all := make(chan struct{})
		var now, most atomic.Int32
		err := For(t.Context(), workers, 40, 1, func(lo, hi int) {
			n := now.Add(1)
			defer now.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			if int(n) == workers {
				select {
				case <-all:
				default:
					close(all)
				}
			}
			select {
			case <-all:
				time.Sleep(time.Millisecond) // for those that should not be
			case <-time.After(10 * time.Second):
				t.Error("not all workers run")
			}
		})
		if m := int(most.Load()); err != nil || m != workers {
			t.Errorf("%d workers: %d blocks side by side, %v", workers, m, err)
		}
	}
}

func TestForPanics(t *testing.T) {
	for _, workers := range []int{1, 4} {
		func() {
			defer func() {
				if p := recover(); p != "boom" {
					t.Errorf("workers %d: recovered %v", workers, p)
				}
			}()
			_ = For(t.Context(), workers, 100, 1, func(lo, hi int) {
				if lo == 50 {
					panic("boom")
				}
			})
		}()
	}
}

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
