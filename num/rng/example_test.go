package rng_test

import (
	"fmt"

	"github.com/gramworks/gram/num/rng"
)

// The streams of two parts of a computation are unrelated, and each is the same on every
// machine.
func Example() {
	landmarks := rng.New(rng.Derive(7, "landmarks"), 0)
	noise := rng.New(rng.Derive(7, "noise"), 0)
	fmt.Println(landmarks.IntN(1000), landmarks.IntN(1000), noise.IntN(1000))
	// Output: 812 757 395
}
