package main

/*
typedef int (*fht)(void *, int);

static void repeat(void *f, void *x, int bits, long reps) {
	for (long r = 0; r < reps; r++) ((fht)f)(x, bits);
}
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/fwht"
)

// compareFFHT prints one line per type and size. The data are zeros, which
// both sides keep; the instructions take the same time for other normal
// numbers.
func compareFFHT(o options) error {
	fmt.Println("type     n         level    gram_ns  ffht_ns  gram_GFLOP/s  ffht_GFLOP/s  ratio  pct_add_peak  GB/s  pct_two_copies")
	if o.only != "float64" {
		if err := compareType[float32](o, "fht_float"); err != nil {
			return err
		}
	}
	if o.only == "float32" {
		return nil
	}
	return compareType[float64](o, "fht_double")
}

func compareType[F gram.Float](o options, name string) error {
	f, err := symbol(o.ffht, name)
	if err != nil {
		return err
	}
	for k := o.min; k <= o.max; k++ {
		n := 1 << k
		x := make([]F, n)
		size := int(unsafe.Sizeof(x[0]))
		t, ratio := race(o,
			func(reps int) {
				for range reps {
					fwht.Transform(x)
				}
			},
			func(reps int) { C.repeat(f, unsafe.Pointer(&x[0]), C.int(k), C.long(reps)) },
			adds,
			copies(2*n*size))
		flops := float64(n * k)
		peak := addsPerRep() / t[2] * 8 / float64(size)
		fmt.Printf("%-8T %-9d %-8s %8.0f %8.0f  %12.1f  %12.1f  %5.2f  %12.0f  %4.0f  %14.0f\n", x[0], n, cpu.Current(), t[0], t[1],
			flops/t[0], flops/t[1], ratio[1], 100*flops/t[0]/peak, float64(2*n*size)/t[0], 100*2*t[3]/t[0])
	}
	return nil
}
