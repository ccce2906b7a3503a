//go:build !parquet

package dataset

import (
	"strings"
	"testing"
)

// A program without the readers says how to get one that has them.
func TestColumnarMissing(t *testing.T) {
	for _, text := range []string{"PAR1xxxx", "ARROW1\x00\x00", "\xff\xff\xff\xff\x10\x00\x00\x00"} {
		if _, err := Read(strings.NewReader(text), Options{}); err == nil || !strings.Contains(err.Error(), "go build -tags parquet") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
