package bench

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/tuning"
)

// TestSearch gives a parameter a call whose time follows from it: the search
// must find the fastest value, and must not prefer one that is as fast.
func TestSearch(t *testing.T) {
	before := *tuning.Current()
	fastest := 1
	sleepy := func() func() {
		return func() {
			d := 300 * time.Microsecond
			if tuning.Current()[tuning.Panels64] == fastest {
				d /= 3
			}
			for start := time.Now(); time.Since(start) < d; {
			}
		}
	}
	s := search{tuning.Panels64, 1, []int{before[tuning.Panels64], 3, 9, 27}, []trial{sleepy, sleepy}}
	for _, want := range []int{9, before[tuning.Panels64]} {
		fastest = want
		r := Tuned{InForce: before[tuning.Panels64], Best: before[tuning.Panels64]}
		must.Do(t, s.run(context.Background(), before, 100*time.Millisecond, &r))
		if r.Best != want || r.Runs < leastRounds || (want == 9) != (r.Gain > 50) {
			t.Errorf("%+v, want %d", r, want)
		}
	}
	r := Tuned{InForce: 3, Best: 3}
	if err := s.run(context.Background(), before, time.Microsecond, &r); err != nil || r.Runs != 0 || r.Best != 3 {
		t.Errorf("with no time: %+v, %v", r, err)
	}
	if *tuning.Current() != before {
		t.Error("other values are in force after the search")
	}
}

// A call that takes longer each time makes what runs later seem slower, the
// value in force itself included: the noise says so.
func TestNoise(t *testing.T) {
	before := *tuning.Current()
	var d time.Duration
	slowing := func() func() {
		return func() {
			if d < time.Millisecond {
				d += d / 20
			}
			for start := time.Now(); time.Since(start) < d; {
			}
		}
	}
	in := before[tuning.Panels64]
	s := search{tuning.Panels64, 1, []int{in, in + 1, in + 2, in + 3}, []trial{slowing}}
	var r Tuned
	for limit := 50 * time.Millisecond; r.Runs == 0 && limit < 5*time.Second; limit *= 2 { // longer on a busy machine
		d, r = 300*time.Microsecond, Tuned{InForce: in, Best: in}
		must.Do(t, s.run(context.Background(), before, limit, &r))
	}
	if r.Runs == 0 || !(r.Noise > 4) || r.Best != in {
		t.Errorf("%+v, want a noise above 4 %% and no better value", r)
	}
}

func TestTune(t *testing.T) {
	before := *tuning.Current()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Tune(ctx, time.Second, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if *tuning.Current() != before {
		t.Error("other values are in force after the search")
	}
}
