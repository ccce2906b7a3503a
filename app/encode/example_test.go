package encode_test

import (
	"fmt"
	"strings"

	"github.com/gramworks/gram/app/encode"
	"github.com/gramworks/gram/dataset"
	"gonum.org/v1/gonum/mat"
)

// A table with a category and a missing number becomes four columns of numbers.
func ExampleConfig() {
	const table = "color,age,price\nred,30,1.5\nblue,,2.5\nred,50,3.5\n"
	d, err := dataset.Read(strings.NewReader(table), dataset.Options{Name: "table.csv", Table: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	e, x, err := encode.Config{}.Fit(d)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Join(e.Names(d.Schema), ", "))
	fmt.Println(mat.Formatted(x))
	// Output:
	// color=blue, color=red, age, age missing
	// ⎡ 0   1  30   0⎤
	// ⎢ 1   0  30   1⎥
	// ⎣ 0   1  50   0⎦
}
