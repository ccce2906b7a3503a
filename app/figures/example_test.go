package figures_test

import (
	"fmt"

	"github.com/gramworks/gram/app/figures"
)

// A run without a revision is not stored.
func ExampleRecord() {
	fmt.Println(figures.Record(".", "epyc-zen3", "0123456789ab", &figures.Kernels{}))
	// Output:
	// a run is of revision "", and this program and the checkout are of "0123456789ab"
}
