package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/gramworks/gram/bench"
)

// threadTime returns the time that the thread of the caller has spent on processors.
func threadTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRate predicts 130 000 rows in a second, in bursts of ten milliseconds, while another goroutine fits the models to a
// window of 5000 rows without a pause: that of the mean, or the band's, too. It reports processor times, which other programs of
// the machine change little: the share of a core that so many predictions take, and the time of a fit. An iteration is a burst.
func BenchmarkRate(b *testing.B) {
	const rate, burst = 130_000, 10 * time.Millisecond
	for _, n := range []int{1, 3} {
		b.Run(fmt.Sprintf("models=%d", n), func(b *testing.B) {
			p, _ := fitted(b, models[:n])
			s := &stream{random: rand.New(rand.NewPCG(2, 1))}
			rows := make([][]float64, 4096)
			for i := range rows {
				rows[i], _ = s.next()
			}
			ctx, stop := context.WithCancel(b.Context())
			defer stop()
			fits, ended := 0, make(chan error)
			begin := time.Now()
			go func() {
				for ctx.Err() == nil {
					if err := p.fit(ctx); err != nil {
						ended <- err
						return
					}
					fits++
				}
				ended <- nil
			}()
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			process, _ := bench.CPUTime()
			thread, n := threadTime(b), 0
			for b.Loop() {
				for range rate * burst / time.Second {
					p.predict(rows[n%len(rows)])
					n++
				}
				time.Sleep(time.Duration(n)*time.Second/rate - time.Since(begin))
			}
			elapsed := time.Since(begin)
			thread = threadTime(b) - thread
			if end, known := bench.CPUTime(); known {
				process = end - process
			}
			stop()
			if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
				b.Fatal(err)
			}
			b.ReportMetric(float64(n)/elapsed.Seconds(), "predictions/s")
			b.ReportMetric(100*rate*thread.Seconds()/float64(n), "%-of-a-core")
			if fits > 0 {
				b.ReportMetric(1e3*(process-thread).Seconds()/float64(fits), "cpu-ms/fit")
			}
		})
	}
}
