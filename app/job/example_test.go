package job_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/job"
	"gonum.org/v1/gonum/mat"
)

// A regression is fitted to two files, in pieces that could lie on different machines.
func Example() {
	dir, err := os.MkdirTemp("", "job")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for k := range 2 {
		var text strings.Builder
		text.WriteString("x,y\n")
		for i := range 50 {
			x := float64(50*k+i) / 10
			fmt.Fprintf(&text, "%g,%g\n", x, 3*x+1)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("part-%d.csv", k)), []byte(text.String()), 0o666); err != nil {
			log.Fatal(err)
		}
	}

	j, err := job.New(job.Spec{Data: filepath.Join(dir, "part-*"), Task: "regression", Method: "linear", ItemBytes: 200})
	if err != nil {
		log.Fatal(err)
	}
	m, features, err := j.Fit(context.Background(), gram.Run{})
	if err != nil {
		log.Fatal(err)
	}
	p, err := m.Predict(mat.NewDense(1, 1, []float64{2}), false, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d items, %d rows: f(2) = %.3f\n", len(j.Items), features.Info.N, p.Value[0])
	// Output:
	// 9 items, 100 rows: f(2) = 7.000
}
