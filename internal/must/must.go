// Package must ends a test at an error that the test does not expect.
package must

import "testing"

// Have takes the value and the error of a call, and returns a function that returns the value or
// ends the test: m := must.Have(c.Fit(ctx, x))(t).
func Have[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
		return v
	}
}

// Have2 does for calls with two values what Have does.
func Have2[T, U any](v T, u U, err error) func(t testing.TB) (T, U) {
	return func(t testing.TB) (T, U) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
		return v, u
	}
}

// Do ends the test if err is not nil.
func Do(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
