package multiclass_test

import (
	"fmt"

	"github.com/gramworks/gram/algos/multiclass"
)

// Three classes are told apart by three functions; the values of the functions are a class again.
func Example() {
	class := []int{0, 2, 1}
	y := multiclass.Signs(class, 3)
	for i := range class {
		fmt.Println(y.RawRowView(i), multiclass.Decide(y.RawRowView(i)))
	}
	// Output:
	// [1 -1 -1] 0
	// [-1 -1 1] 2
	// [-1 1 -1] 1
}
