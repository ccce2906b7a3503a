package record_test

import (
	"fmt"

	"github.com/gramworks/gram/app/papers/record"
)

// A program that does not know its revision stores nothing.
func ExampleNewRecorder() {
	_, err := record.NewRecorder(".", "", "3.7")
	fmt.Println(err)
	// Output:
	// this program is of revision "": build one from a clean checkout with go build -buildvcs=true
}
