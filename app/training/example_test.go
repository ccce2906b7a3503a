package training_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
)

// A table with a category and a missing cell becomes a model that takes such rows.
func ExamplePrepare_Train() {
	const table = "size,kind,price\n1,a,2\n2,a,4\n3,b,16\n4,b,18\n,a,5\n2,b,14\n"
	data, err := dataset.Read(strings.NewReader(table), dataset.Options{Table: true, Task: dataset.Regression})
	if err != nil {
		log.Fatal(err)
	}
	m, err := catalog.Find("linear")
	if err != nil {
		log.Fatal(err)
	}
	model, err := training.Prepare{Scale: training.Standard}.Train(context.Background(), m, m.New(), data, gram.Run{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	out, err := model.Predict(data.X, false, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f\n", out.Value)
	// Output: [2.0 4.0 16.0 18.0 5.0 14.0]
}
