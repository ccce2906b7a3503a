package dataset

import "testing"

// Digits are read to their end and held to maxDim, on machines whose int has 32 bits, too.
func TestWhole(t *testing.T) {
	for text, want := range map[string]struct {
		k, end int
		large  bool
	}{
		"": {0, 0, false}, "x1": {0, 0, false}, "0:": {0, 1, false}, "12 3": {12, 2, false}, "007": {7, 3, false},
		"2147483647": {maxDim, 10, false}, "2147483648:1": {maxDim, 10, true}, "4294967297": {maxDim, 10, true},
		"18446744073709551617": {maxDim, 20, true}, "99999999999999999999999999999999x": {maxDim, 32, true},
	} {
		if k, end, large := parseInteger([]byte(text), 0); k != want.k || end != want.end || large != want.large {
			t.Errorf("%q: %d, %d, %v, want %+v", text, k, end, large, want)
		}
	}
	if k, end, _ := parseInteger([]byte("1:23"), 2); k != 23 || end != 4 {
		t.Errorf("%d, %d", k, end)
	}
}
