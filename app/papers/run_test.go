package papers

import (
	"errors"
	"testing"

	"github.com/gramworks/gram"
)

// The first error ends a table, whatever has called it, with the names on its way;
// a panic that is no error of a table goes on.
func TestTry(t *testing.T) {
	wrong, reached := errors.New("wrong"), false
	err := try(func() {
		named("set", func() {
			named("method", func() { must(0, wrong) })
			reached = true
		})
	})
	if reached || !errors.Is(err, wrong) || err.Error() != "set: method: wrong" {
		t.Errorf("error %v", err)
	}
	if err := try(func() { fail(nil) }); err != nil {
		t.Errorf("error %v", err)
	}
	defer func() {
		if p := recover(); p != "a defect" {
			t.Errorf("recovered %v", p)
		}
	}()
	_ = try(func() { panic("a defect") })
	t.Error("the panic has ended")
}

// A model that has not converged is one; no model, and other errors, are none.
func TestFitted(t *testing.T) {
	slow, model := &gram.ConvergenceError{Residual: 1}, new(int)
	if m, rough := fitted(model, error(slow)); m != model || rough != slow {
		t.Errorf("%v, %v", m, rough)
	}
	if m, rough := fitted(model, nil); m != model || rough != nil {
		t.Errorf("%v, %v", m, rough)
	}
	for _, c := range []struct {
		model *int
		err   error
	}{{nil, slow}, {model, errors.New("wrong")}} {
		if err := try(func() { fitted(c.model, c.err) }); err != c.err {
			t.Errorf("error %v, want %v", err, c.err)
		}
	}
}
