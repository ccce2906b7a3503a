package main

/*
typedef void *(*made)(unsigned long);
typedef void (*turn)(void *, const float *, float *, long);

static void *make_rotator(void *f, unsigned long d) { return ((made)f)(d); }
static void rotate(void *f, void *r, const float *x, float *y, long reps) { ((turn)f)(r, x, y, reps); }
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/fwht"
	"github.com/gramworks/gram/sketch"
)

// compareRotators rotates one float32 vector with four rounds into another, by the
// rotation of both kinds and by the peer, which is a Kac walk for lengths that are not
// powers of two. The note has the time of a round over that of a transform.
func compareRotators(o options) ([]*bench.Peers, error) {
	create, err := symbol(o.rotator, "rotator")
	if err != nil {
		return nil, err
	}
	turn, err := symbol(o.rotator, "rotate")
	if err != nil {
		return nil, err
	}
	build, err := o.built(create)
	if err != nil {
		return nil, err
	}
	p := o.peer("RaBitQ-Library, FhtKacRotator", "", build)
	for _, d := range []int{128, 256, 512, 768, 960, 1024, 1536, 2048} {
		x, y, z := make([]float32, d), make([]float32, d), make([]float32, d)
		for i := range x {
			x[i] = float32(i % 5)
		}
		peer := C.make_rotator(create, C.ulong(d))
		rotations := []*sketch.Rotation[float32]{sketch.NewRotation[float32](d, 4, 1), sketch.NewKacRotation[float32](d, 4, 1)}
		work := []contestant{
			func(reps int) {
				C.rotate(turn, peer, (*C.float)(unsafe.Pointer(&x[0])), (*C.float)(unsafe.Pointer(&y[0])), C.long(reps))
			},
		}
		for _, r := range rotations {
			work = append(work, func(reps int) {
				for range reps {
					r.Apply(y, x)
				}
			})
		}
		if fwht.Supported(d) {
			work = append(work, func(reps int) {
				for range reps {
					fwht.Transform(z)
				}
			})
		}
		t, ratio := race(o, work...)
		round := ""
		if fwht.Supported(d) {
			round = fmt.Sprintf("a round takes %.2f of a transform", t[1]/4/t[3])
		}
		o.add(p, "NewRotation", "float32", fmt.Sprint(d), t[1], t[0], 1/ratio[1], round)
		o.add(p, "NewKacRotation", "float32", fmt.Sprint(d), t[2], t[0], 1/ratio[2], "")
	}
	return []*bench.Peers{p}, nil
}
