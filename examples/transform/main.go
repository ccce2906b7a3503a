// Command transform applies the orthonormal Hadamard and Haar transforms to
// rows of random numbers, or to the rows of a data file, and prints how the
// energy of the rows is spread over the coefficients.
//
//	go run ./examples/transform -n 100000 -d 256
//	go run ./examples/transform -data train.libsvm.gz
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/fwht"
	"github.com/gramworks/gram/haar"
	"github.com/gramworks/gram/num"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("transform", flag.ExitOnError)
	path := flags.String("data", "", "data `FILE`; without it, steps are drawn")
	n := flags.Int("n", 1000, "rows to draw")
	d := flags.Int("d", 256, "columns to draw")
	if err := flags.Parse(args); err != nil {
		return err
	}
	x := steps(*n, *d)
	if *path != "" {
		s, err := dataset.Open(*path, dataset.Options{Storage: dataset.Dense})
		if err != nil {
			return err
		}
		x, _ = gram.Of(s.X).Dense()
	}

	// Both transforms need a power of two; padding with zeros changes no norm.
	for _, t := range []struct {
		name  string
		width int
		rows  func(x num.Rows[float64], workers int)
	}{
		{"Hadamard", fwht.Pad(x.D), fwht.OrthonormalRows[float64]},
		{"Haar", haar.Pad(x.D), haar.OrthonormalRows[float64]},
	} {
		y := num.MakeRows[float64](x.N, t.width)
		fwht.PadRows(y, x)
		before := energy(y, t.width)
		start := time.Now()
		t.rows(y, 0)
		seconds := time.Since(start).Seconds()
		fmt.Fprintf(out, "%-8s  %d rows of %d in %.4f s; the first eighth of the coefficients has %2.0f %% of the energy\n",
			t.name, y.N, y.D, seconds, 100*energy(y, t.width/8)/before)
	}
	return nil
}

// steps draws rows that jump from 0 to 1 at a random place.
func steps(n, d int) num.Rows[float64] {
	x := num.MakeRows[float64](n, d)
	for i := range n {
		for j := range i * 37 % d {
			x.Row(i)[j] = 1
		}
	}
	return x
}

// energy sums the squares of the first k numbers of every row.
func energy(x num.Rows[float64], k int) (sum float64) {
	for i := range x.N {
		for _, v := range x.Row(i)[:k] {
			sum += v * v
		}
	}
	return sum
}
