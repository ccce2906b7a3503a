package must

import (
	"errors"
	"testing"
)

// A recorder keeps what ends the test. Unlike a test it goes on.
type recorder struct {
	testing.TB
	fatal []any
}

func (r *recorder) Helper()           {}
func (r *recorder) Fatal(args ...any) { r.fatal = args }

func TestMust(t *testing.T) {
	bad := errors.New("bad")
	for _, err := range []error{nil, bad} {
		for name, f := range map[string]func(t testing.TB){
			"Do": func(t testing.TB) { Do(t, err) },
			"Have": func(tb testing.TB) {
				if v := Have(7, err)(tb); v != 7 {
					t.Errorf("Have returns %d", v)
				}
			},
			"Have2": func(tb testing.TB) {
				if v, u := Have2(7, "u", err)(tb); v != 7 || u != "u" {
					t.Errorf("Have2 returns %d, %q", v, u)
				}
			},
		} {
			r := &recorder{TB: t}
			f(r)
			if ended := len(r.fatal) == 1 && r.fatal[0] == error(bad); ended != (err != nil) || len(r.fatal) > 1 {
				t.Errorf("%s with the error %v ends the test with %v", name, err, r.fatal)
			}
		}
	}
}

func TestRecovered(t *testing.T) {
	if p := Recovered(func() { panic("bad") }); p != "bad" {
		t.Errorf("the panic is %v", p)
	}
	if p := Recovered(func() {}); p != nil {
		t.Errorf("a function without a panic gives %v", p)
	}
}
