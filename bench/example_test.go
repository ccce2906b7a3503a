package bench_test

import (
	"fmt"
	"regexp"

	"github.com/gramworks/gram/bench"
)

// Cases says what Run would measure.
func ExampleCases() {
	for _, c := range bench.Cases(bench.Options{Match: regexp.MustCompile("^fwht/float64/1024$")})[:1] {
		fmt.Println(c.Kernel, c.Type, c.N, c.Flops)
	}
	// Output: fwht float64 1024 10240
}
