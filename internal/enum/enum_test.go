package enum

import "testing"

type (
	color uint8
	size  int
)

func TestName(t *testing.T) {
	for got, want := range map[string]string{
		Name(color(0), "red", "blue"): "red", Name(color(1), "red", "blue"): "blue", Name(color(7), "red", "blue"): "color(7)",
		Name(size(-1), "small"): "size(-1)", Name(size(1), "small"): "size(1)", Name(size(0), "small"): "small",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
