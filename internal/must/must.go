// Package must ends a test at an error that the test does not expect, and returns panics that it does.
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

// Recovered calls f and returns the value with which f panics, or nil if f returns. A test can
// compare panics of several calls: if p := must.Recovered(f); p != want.
func Recovered(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}
