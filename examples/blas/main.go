// Command blas multiplies and factors a random matrix with gonum, on the BLAS
// backend of the flag -backend, and prints how long that takes.
//
//	go run ./examples/blas -n 1000
//	go run ./examples/blas -n 1000 -backend gonum
//	go run -tags openblas ./examples/blas -n 1000 -backend openblas
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"time"

	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/blas/openblas"
	"gonum.org/v1/gonum/mat"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("blas", flag.ExitOnError)
	n := flags.Int("n", 500, "order of the matrix")
	backend := flags.String("backend", "native", "native, gonum or openblas")
	if err := flags.Parse(args); err != nil {
		return err
	}
	// The import of package blas has made the native backend the one that gonum uses.
	switch *backend {
	case "native":
	case "gonum":
		blas.Use(blas.Gonum)
	case "openblas":
		b, err := openblas.New()
		if err != nil {
			return err
		}
		blas.Use(b)
	default:
		return fmt.Errorf("-backend is %q, want native, gonum or openblas", *backend)
	}

	g := rand.New(rand.NewPCG(1, 1))
	x := mat.NewDense(2**n, *n, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = g.NormFloat64()
	}
	start := time.Now()
	var a mat.SymDense
	a.SymOuterK(1, x.T()) // A = XᵀX
	product := time.Since(start)
	start = time.Now()
	var c mat.Cholesky
	if !c.Factorize(&a) {
		return fmt.Errorf("the matrix is not positive definite")
	}
	factor := time.Since(start)
	var again mat.SymDense
	c.ToSym(&again)
	var rest mat.Dense
	rest.Sub(&a, &again)
	fmt.Fprintf(out, "backend %s, n = %d\n", blas.Current().Name(), *n)
	fmt.Fprintf(out, "A = XᵀX   %v\n", product.Round(time.Microsecond))
	fmt.Fprintf(out, "A = LLᵀ   %v\n", factor.Round(time.Microsecond))
	fmt.Fprintf(out, "‖A-LLᵀ‖/‖A‖ below 1e-12: %t\n", mat.Norm(&rest, 2) <= 1e-12*mat.Norm(&a, 2))
	return nil
}
