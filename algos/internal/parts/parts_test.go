package parts

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gramworks/gram"
)

// groups have 1, 3, 0, 3 and 2 rows.
var groups = [][]int{{0}, {1, 2, 3}, {}, {4, 5, 6}, {7, 8}}

// Every group has its model, whatever is fitted beside it; large groups come first, equal ones in
// their order; events count the rows.
func TestFit(t *testing.T) {
	for _, side := range []int{1, 3} {
		var mu sync.Mutex
		var begun []int
		var last gram.Event
		run := gram.Run{Progress: func(e gram.Event) { last = e }}
		sums, short, err := Fit(t.Context(), run, "sums", side, groups, func(k int, rows []int) (sum int, _ error) {
			mu.Lock()
			begun = append(begun, k)
			mu.Unlock()
			for _, i := range rows {
				sum += i
			}
			return sum, nil
		})
		if short != nil || err != nil || !slices.Equal(sums, []int{0, 6, 0, 15, 15}) {
			t.Errorf("%d side by side: %v, %v, %v", side, sums, short, err)
		}
		if side == 1 && !slices.Equal(begun, []int{1, 3, 4, 0, 2}) {
			t.Errorf("groups in the order %v", begun)
		}
		if last.Phase != "sums" || last.Done != 9 || last.Total != 9 {
			t.Errorf("%d side by side: last event %+v", side, last)
		}
	}
}

// The first error counts that is not one of convergence, and names its part; the error of the
// context goes before it. Models that have not converged are returned.
func TestFitErrors(t *testing.T) {
	first, other := &gram.ConvergenceError{Residual: 1}, errors.New("other")
	fit := func(ctx context.Context, errs ...error) ([]int, error, error) {
		return Fit(ctx, gram.Run{}, "", 1, groups, func(k int, _ []int) (int, error) { return k, errs[k] })
	}
	models, short, err := fit(t.Context(), nil, first, nil, &gram.ConvergenceError{Residual: 2}, nil)
	if short != first || err != nil || !slices.Equal(models, []int{0, 1, 2, 3, 4}) {
		t.Errorf("not converged: %v, %v, %v", models, short, err)
	}
	_, short, err = fit(t.Context(), nil, first, nil, other, errors.New("another"))
	if short != nil || !errors.Is(err, other) || !strings.HasPrefix(err.Error(), "part 4: ") {
		t.Errorf("another error: %v, %v", short, err)
	}
	var ctx context.Context
	for at, want := range map[int][]int{4: {0, 1, 0, 3, 0}, 2: {0, 1, 0, 3, 4}} { // group 2 is the last one
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(t.Context())
		models, short, err = Fit(ctx, gram.Run{}, "", 1, groups, func(k int, _ []int) (int, error) {
			if k == at {
				cancel()
				return 0, other
			}
			return k, first
		})
		if short != nil || err != context.Canceled || !slices.Equal(models, want) {
			t.Errorf("ended in group %d: %v, %v, %v", at, models, short, err)
		}
	}
	if _, short, err = Fit(ctx, gram.Run{}, "", 1, groups[:0], func(int, []int) (int, error) { return 0, nil }); short != nil || err != context.Canceled {
		t.Errorf("no groups: %v, %v", short, err)
	}
}

// The limit of memory holds for the largest groups together.
func TestSide(t *testing.T) {
	plan := func(rows int) (gram.Plan, error) { return gram.Plan{PeakBytes: int64(10 * rows)}, nil }
	for _, c := range []struct{ workers, limit, want int }{{2, 0, 2}, {9, 0, 5}, {9, 95, 5}, {9, 94, 3}, {2, 94, 2}, {9, 70, 2}, {9, 64, 1}, {9, 35, 1}} {
		side, err := Side(gram.Run{Workers: c.workers, MemoryLimit: int64(c.limit)}, 5, groups, plan)
		if err != nil || side != c.want {
			t.Errorf("%d workers and %d bytes: %d side by side, %v", c.workers, c.limit, side, err)
		}
	}
	var full *gram.MemoryError
	if _, err := Side(gram.Run{Workers: 2, MemoryLimit: 34}, 5, groups, plan); !errors.As(err, &full) || full.Need != 35 || full.Limit != 34 || !strings.Contains(err.Error(), "part of 3 rows") {
		t.Errorf("34 bytes: %v", err)
	}
	wrong := errors.New("no plan")
	if _, err := Side(gram.Run{}, 0, groups, func(int) (gram.Plan, error) { return gram.Plan{}, wrong }); err != wrong {
		t.Errorf("without a plan: %v", err)
	}
}
