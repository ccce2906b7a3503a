// Package par runs work of the application on goroutines: many pieces at once, and reads of
// files that may never end.
package par

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls body(k) for every k from 0 to n−1, in ascending order on up to workers goroutines
// (≤ 0: GOMAXPROCS) other than the caller's. From time to time the caller's goroutine calls
// done with the number of calls that have returned, so that progress is reported from one
// goroutine. After ctx is done Each starts no further call and returns ctx.Err(). A panic in
// body is passed on to the caller when all calls have returned.
func Each(ctx context.Context, workers, n int, body func(k int), done func(calls int)) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var (
		next, finished atomic.Int64
		group          sync.WaitGroup
		panicked       atomic.Pointer[any]
	)
	tick, end := make(chan struct{}, 1), make(chan struct{})
	for range min(workers, n) {
		group.Go(func() {
			defer func() {
				if trouble := recover(); trouble != nil {
					panicked.CompareAndSwap(nil, &trouble)
				}
			}()
			for ctx.Err() == nil && panicked.Load() == nil {
				k := int(next.Add(1)) - 1
				if k >= n {
					return
				}
				body(k)
				finished.Add(1)
				select {
				case tick <- struct{}{}:
				default:
				}
			}
		})
	}
	go func() {
		group.Wait()
		close(end)
	}()
	for {
		select {
		case <-tick:
			done(int(finished.Load()))
		case <-end:
			if trouble := panicked.Load(); trouble != nil {
				panic(*trouble)
			}
			done(int(finished.Load()))
			if int(finished.Load()) < n {
				return ctx.Err()
			}
			return nil
		}
	}
}

// Await returns what f returns, or ctx.Err() as soon as ctx is done: f, which may
// wait for a file for ever, then goes on in a goroutine of its own. A panic of f is a
// panic of Await.
func Await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		v        T
		err      error
		panicked any
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			r.panicked = recover()
			done <- r
		}()
		r.v, r.err = f()
	}()
	select {
	case r := <-done:
		if r.panicked != nil {
			panic(r.panicked)
		}
		return r.v, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
