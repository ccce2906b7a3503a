package columnar_test

import (
	"fmt"
	"log"

	_ "github.com/gramworks/gram/app/columnar"
	"github.com/gramworks/gram/dataset"
)

// A program that imports the package reads Parquet as it reads CSV.
func Example() {
	s, err := dataset.Open("testdata/polars-zstd.parquet", dataset.Options{Table: true, Task: dataset.Regression})
	if err != nil {
		log.Fatal(err)
	}
	n, _ := s.Dims()
	fmt.Println(n, s.Schema.Target)
	for _, c := range s.Schema.Columns {
		fmt.Println(c.Name, c.Levels, c.Missing)
	}
	// Output:
	// 60 price
	// ripe [false true] false
	// sold [false true] true
	// weight [] true
	// color [deep blue green red] false
	// count [] false
}
