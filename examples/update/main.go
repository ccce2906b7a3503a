// Command update updates the Cholesky factor of XᵀX + I while rows are added and
// removed, and compares it with a factor that is computed anew.
//
//	go run ./examples/update -d 500 -rows 1000
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"time"

	"github.com/gramworks/gram/cholupdate"
	"gonum.org/v1/gonum/mat"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("update", flag.ExitOnError)
	d := flags.Int("d", 100, "columns")
	rows := flags.Int("rows", 300, "rows to add; half of them are taken away again")
	if err := flags.Parse(args); err != nil {
		return err
	}
	g := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(*rows, *d, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = g.NormFloat64()
	}

	l := mat.NewTriDense(*d, mat.Lower, nil)
	for j := range *d {
		l.SetTri(j, j, 1)
	}
	start := time.Now()
	for i := range *rows {
		if err := cholupdate.Update(l.RawTriangular(), x.RawRowView(i)); err != nil {
			return err
		}
	}
	least := 1.0
	for i := range *rows / 2 {
		// The margin says how far the factor is from losing definiteness.
		margin, err := cholupdate.Downdate(l.RawTriangular(), x.RawRowView(i))
		if err != nil {
			return err
		}
		least = min(least, margin)
	}
	each := time.Since(start) / time.Duration(*rows+*rows/2)

	start = time.Now()
	a := mat.NewSymDense(*d, nil)
	for j := range *d {
		a.SetSym(j, j, 1)
	}
	a.SymRankK(a, 1, x.Slice(*rows/2, *rows, 0, *d).T())
	var anew mat.Cholesky
	if !anew.Factorize(a) {
		return fmt.Errorf("the matrix is not positive definite")
	}
	whole := time.Since(start)
	var product mat.Dense
	product.Mul(l, l.T())
	product.Sub(&product, a)
	fmt.Fprintf(out, "an update of order %d  %v, the factor anew %v\n", *d, each.Round(time.Microsecond/10), whole.Round(time.Microsecond))
	fmt.Fprintf(out, "margin stayed above 0: %t; ‖A-LLᵀ‖/‖A‖ below 1e-12: %t\n", least > 0, mat.Norm(&product, 2) <= 1e-12*mat.Norm(a, 2))
	return nil
}
