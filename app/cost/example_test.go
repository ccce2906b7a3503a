package cost_test

import (
	"fmt"

	"github.com/gramworks/gram/app/cost"
)

// Two fits give a rate, and the rate estimates a third one, on the same machine and on one with twice the speed.
func Example() {
	r := cost.Fit([]cost.Point{{Flops: 1e9, Seconds: 1.5}, {Flops: 1e10, Seconds: 6}})
	slow, fast := cost.Machine{Peak: 50, Plain: 1}, cost.Machine{Peak: 100, Plain: 2}
	fmt.Println(cost.About(r.Seconds(1e12, 1, slow, slow)))
	fmt.Println(cost.About(r.Seconds(1e12, 1, slow, fast)))
	// Output:
	// about 8 min
	// about 4 min
}
