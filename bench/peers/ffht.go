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
	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/fwht"
)

// compareFFHT compares transforms in place of each type and size. The data are zeros, which
// both sides keep; the instructions take the same time for other normal
// numbers. Additions are n·log₂n.
func compareFFHT(o options) ([]*bench.Peers, error) {
	f, err := symbol(o.ffht, "fht_float")
	if err != nil {
		return nil, err
	}
	build, err := o.built(f)
	if err != nil {
		return nil, err
	}
	p := o.peer("FFHT", "", build)
	if o.only != "float64" {
		err = transforms[float32](o, p, "fht_float")
	}
	if err == nil && o.only != "float32" {
		err = transforms[float64](o, p, "fht_double")
	}
	return []*bench.Peers{p}, err
}

func transforms[F gram.Float](o options, p *bench.Peers, name string) error {
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
		o.add(p, "Hadamard", fmt.Sprintf("%T", x[0]), fmt.Sprint(n), t[0], t[1], ratio[1],
			fmt.Sprintf("%.0f %% of additions, two copies take %.0f %% of gram's time", 100*flops/t[0]/peak, 100*2*t[3]/t[0]))
	}
	return nil
}
