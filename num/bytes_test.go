package num_test

import (
	"testing"

	"github.com/gramworks/gram/num"
)

func TestFormatBytes(t *testing.T) {
	for b, want := range map[int64]string{
		0: "0 B", 1: "1 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 1 << 20: "1.0 MiB", 5 << 29: "2.5 GiB",
		1 << 40: "1.0 TiB", 1 << 50: "1.0 PiB", 1 << 62: "4096.0 PiB",
	} {
		if got := num.FormatBytes(b); got != want {
			t.Errorf("%d bytes are %q, want %q", b, got, want)
		}
	}
}
