package looktest

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// recorder counts the failures that a check reports.
type recorder struct {
	testing.TB
	failures int
}

func (r *recorder) Helper()               {}
func (r *recorder) Error(...any)          { r.failures++ }
func (r *recorder) Errorf(string, ...any) { r.failures++ }

// sum adds the numbers below n, with a look before each of them.
func sum(ctx context.Context, n int) (int, error) {
	var s int
	for i := range n {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		s += i
	}
	return s, nil
}

// Every accepts what obeys and refuses what does not.
func TestEvery(t *testing.T) {
	for _, n := range []int{1, 2, firstLooks - 1, firstLooks, firstLooks + 1, firstLooks + 2, firstLooks + 3, firstLooks + 4, 1000} {
		for name, c := range map[string]struct {
			wrong bool
			f     func(ctx context.Context) (any, error)
		}{
			"obeys":   {false, func(ctx context.Context) (any, error) { return sum(ctx, n) }},
			"wrapped": {false, func(ctx context.Context) (any, error) { s, err := sum(ctx, n); return s, wrap(err) }},
			"one look too many": {false, func(ctx context.Context) (any, error) {
				s, err := sum(ctx, n)
				_ = ctx.Err()
				return s, err
			}},
			"channel": {false, func(ctx context.Context) (any, error) {
				for range n {
					select {
					case <-ctx.Done():
						return nil, context.Canceled
					default:
					}
				}
				return n, nil
			}},
			"no look":      {true, func(context.Context) (any, error) { return n, nil }},
			"no error":     {true, func(ctx context.Context) (any, error) { s, _ := sum(ctx, n); return s, nil }},
			"other error":  {true, func(ctx context.Context) (any, error) { s, err := sum(ctx, n); return s, replace(err) }},
			"always fails": {true, func(context.Context) (any, error) { return nil, errors.New("trouble") }},
			"never fails":  {true, func(ctx context.Context) (any, error) { _, _ = sum(ctx, n); return n, nil }},
			"the last look does not count": {true, func(ctx context.Context) (any, error) {
				s, err := sum(ctx, n)
				if ctx.Err() != nil {
					s++
				}
				return s, err
			}},
		} {
			r := &recorder{TB: t}
			if Every(r, c.f); r.failures > 0 != c.wrong {
				t.Errorf("%s, %d looks: %d failures", name, n, r.failures)
			}
		}
	}
}

func wrap(err error) error {
	if err != nil {
		return fmt.Errorf("wrapped: %w", err)
	}
	return nil
}

func replace(err error) error {
	if err != nil {
		return errors.New("replaced")
	}
	return nil
}

// Every tries all of the first looks, some of the others and the last ones.
func TestLadder(t *testing.T) {
	const n = 10_000
	at := map[int]bool{}
	Every(t, func(ctx context.Context) (any, error) {
		for i := range n {
			if err := ctx.Err(); err != nil {
				at[i+1] = true
				return nil, err
			}
		}
		return nil, nil
	})
	for i := 1; i <= firstLooks; i++ {
		if !at[i] {
			t.Errorf("look %d is not tried", i)
		}
	}
	if !at[n-2] || !at[n-1] || !at[n] || len(at) > 45 {
		t.Errorf("%d looks are tried, not the last ones", len(at))
	}
}

// Each runs every function under its name, and Unless does not call f beside an error.
func TestEach(t *testing.T) {
	called := 0
	Each(t, map[string]func(ctx context.Context) (any, error){
		"one": func(ctx context.Context) (any, error) {
			s, err := sum(ctx, 3)
			return Unless(err, func() any { called++; return s })
		},
	})
	if called == 0 {
		t.Error("the function is not called")
	}
	if v, err := Unless(context.Canceled, func() any { t.Error("called beside an error"); return 1 }); v != nil || err != context.Canceled {
		t.Errorf("Unless returns %v, %v", v, err)
	}
}

// A context ends at the look after those that it lets pass.
func TestAfter(t *testing.T) {
	ctx := After(t.Context(), 2)
	for look := range 4 {
		if err := ctx.Err(); (err != nil) != (look >= 2) {
			t.Errorf("look %d: %v", look, err)
		}
	}
}
