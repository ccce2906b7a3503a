// Package par runs loops on several goroutines with results that do not depend
// on their number: the division into blocks depends only on the size of the
// problem, and sums are added in block order.
package par

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// For calls body(lo, hi) for the blocks [0, grain), [grain, 2·grain), … of [0,
// n), on up to workers goroutines (≤ 0: GOMAXPROCS) including the caller's.
// After ctx is done it starts no further block and returns ctx.Err(). A panic in
// body is passed on to the caller when all goroutines have stopped.
func For(ctx context.Context, workers, n, grain int, body func(lo, hi int)) error {
	if grain < 1 {
		panic("par: grain is not positive")
	}
	if n <= 0 {
		return ctx.Err()
	}
	blocks := (n-1)/grain + 1
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, blocks)
	if workers == 1 {
		for lo := 0; lo < n; lo += grain {
			if err := ctx.Err(); err != nil {
				return err
			}
			body(lo, min(lo+grain, n))
		}
		return nil
	}
	var next atomic.Int64
	j := job{workers: workers}
	j.work = func(int) {
		for !j.stop.Load() && ctx.Err() == nil {
			b := int(next.Add(1)) - 1
			if b >= blocks {
				return
			}
			body(b*grain, min((b+1)*grain, n))
		}
	}
	j.share()
	if int(next.Load()) < blocks {
		return ctx.Err()
	}
	return nil
}

// Each calls body(k) for every k from 0 to n−1 on up to workers goroutines (≤ 0:
// GOMAXPROCS) other than the caller's. From time to time the caller's goroutine
// calls done with the number of calls that have returned, so that progress is
// reported from one goroutine. After ctx is done Each starts no further call and
// returns ctx.Err(). A panic in body is passed on to the caller.
func Each(ctx context.Context, workers, n int, body func(k int), done func(calls int)) error {
	var finished atomic.Int64
	var err error
	var trouble any
	tick, end := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(end)
		defer func() { trouble = recover() }()
		err = For(ctx, workers, n, 1, func(k, _ int) {
			body(k)
			finished.Add(1)
			select {
			case tick <- struct{}{}:
			default:
			}
		})
	}()
	for {
		select {
		case <-tick:
			done(int(finished.Load()))
		case <-end:
			if trouble != nil {
				panic(trouble)
			}
			done(int(finished.Load()))
			return err
		}
	}
}

// Sum calls body for the blocks of [0, n) as For does and joins the results by
// add in the order of the blocks: add(…add(r₀, r₁)…, r_last). It returns the
// zero T for n = 0. add may change and return its first argument. If ctx ends
// the loop, the sum is not valid and Sum returns ctx.Err().
func Sum[T any](ctx context.Context, workers, n, grain int, body func(lo, hi int) T, add func(a, b T) T) (T, error) {
	var (
		mu      sync.Mutex
		total   T
		next    int
		waiting = map[int]T{}
	)
	err := For(ctx, workers, n, grain, func(lo, hi int) {
		r := body(lo, hi)
		mu.Lock()
		defer mu.Unlock()
		waiting[lo/grain] = r
		for {
			v, ok := waiting[next]
			if !ok {
				return
			}
			delete(waiting, next)
			if next == 0 {
				total = v
			} else {
				total = add(total, v)
			}
			next++
		}
	})
	return total, err
}
