// Package looktest checks for tests what functions do when their context ends. A look is a
// call of the methods Err or Done of the context; a context can end at any of them.
package looktest

import (
	"context"
	"errors"
	"reflect"
	"sync/atomic"
	"testing"
)

// countdown is a context that ends at a look.
type countdown struct {
	context.Context
	cancel context.CancelFunc
	looks  atomic.Int64
	last   int64 // the number of the look that ends the context, counted from 1; 0: none does
}

func begin(parent context.Context, last int64) *countdown {
	c := &countdown{last: last}
	c.Context, c.cancel = context.WithCancel(parent)
	return c
}

// After returns a context that ends at the look after so many.
func After(parent context.Context, looks int) context.Context { return begin(parent, int64(looks)+1) }

func (c *countdown) look() {
	if n := c.looks.Add(1); c.last > 0 && n >= c.last {
		c.cancel()
	}
}

func (c *countdown) Err() error {
	c.look()
	return c.Context.Err()
}

func (c *countdown) Done() <-chan struct{} {
	c.look()
	return c.Context.Done()
}

// firstLooks is the number of looks at the beginning that Every takes all of.
const firstLooks = 12

// Every calls f with a context that ends at its first look, at its second look and so on,
// until f does not look so often. After 12 looks it leaves out more and more, but not the last
// three. Every fails if f returns anything but context.Canceled, or nil beside the result that
// f has when the context does not end; results are compared by reflect.DeepEqual. f makes its
// arguments anew at each call, and checks what is promised of them after an error. It may be
// run by several goroutines, so that the number of looks is not always the same.
func Every(t testing.TB, f func(ctx context.Context) (result any, err error)) {
	t.Helper()
	whole := begin(t.Context(), 0)
	want, err := f(whole)
	whole.cancel()
	if err != nil {
		t.Errorf("the context did not end, but there is an error: %v", err)
		return
	}
	total := whole.looks.Load()
	if total == 0 {
		t.Error("the context is never looked at")
		return
	}
	ended := false
	for k := int64(1); k <= total; k++ {
		if k > firstLooks && k < total-2 {
			k = min(k+k/3, total-2)
		}
		c := begin(t.Context(), k)
		got, err := f(c)
		told := c.Context.Err() != nil
		c.cancel()
		switch {
		case err != nil && !told:
			t.Errorf("the context was to end at look %d of %d, which did not come, but there is an error: %v", k, total, err)
		case err != nil && !errors.Is(err, context.Canceled):
			t.Errorf("the context ended at look %d of %d: error %v, want %v", k, total, err, context.Canceled)
		case err == nil && !reflect.DeepEqual(got, want):
			t.Errorf("the context ended at look %d of %d: no error, but another result", k, total)
		}
		ended = ended || err != nil
	}
	if !ended {
		t.Errorf("the context ended at each of %d looks, and there was never an error", total)
	}
}

// Each runs Every for each of the functions, in a subtest of that name.
func Each(t *testing.T, functions map[string]func(ctx context.Context) (any, error)) {
	for name, f := range functions {
		t.Run(name, func(t *testing.T) { Every(t, f) })
	}
}

// Unless returns err if it is not nil, and otherwise the result of f: what a function for Every
// compares is seldom the model, but what the model says.
func Unless(err error, f func() any) (any, error) {
	if err != nil {
		return nil, err
	}
	return f(), nil
}
