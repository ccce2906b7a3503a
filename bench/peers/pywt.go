package main

import (
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/haar"
)

// pywt answers lines of the form "type n reps". n = 0 takes its calls alone: the levels of
// the vector of the line before, each on two elements.
const pywt = `
import sys, time
import numpy, pywt
data = {}
print(pywt.__version__, flush=True)
for line in sys.stdin:
    dtype, n, reps = line.split()
    if n == '0':
        levels, two = int(last).bit_length() - 1, numpy.ones(2, dtype)
        start = time.perf_counter()
        for _ in range(int(reps)):
            for _ in range(levels):
                pywt.dwt(two, 'haar')
        print(time.perf_counter() - start, flush=True)
        continue
    last = n
    x = data.setdefault((dtype, n), numpy.random.rand(int(n)).astype(dtype))
    start = time.perf_counter()
    for _ in range(int(reps)):
        pywt.wavedec(x, 'haar')
    print(time.perf_counter() - start, flush=True)
`

// comparePyWavelets compares haar.Orthonormal in place with PyWavelets' wavedec(x, 'haar'),
// which writes the same coefficients to new arrays, for each type and size. The note has the
// time of a copy of the vector, and what PyWavelets takes for the same number of levels on two
// elements: the part of its time that is not the transform.
func comparePyWavelets(o options) ([]*bench.Peers, error) {
	py, version, err := startPython(o.python, pywt)
	if err != nil {
		return nil, err
	}
	p := o.peer("PyWavelets", version, o.python)
	if o.only != "float64" {
		err = wavelets[float32](o, py, p)
	}
	if err == nil && o.only != "float32" {
		err = wavelets[float64](o, py, p)
	}
	if err == nil {
		err = py.close()
	}
	return []*bench.Peers{p}, err
}

func wavelets[F gram.Float](o options, py *python, p *bench.Peers) error {
	var f F
	for k := max(o.min, 1); k <= o.max; k++ {
		n := 1 << k
		x, y := make([]F, n), make([]F, n)
		ours := func(reps int) {
			for range reps {
				haar.Orthonormal(x)
			}
		}
		least, ratio, err := racePython(o, py, fmt.Sprintf("%T %d", f, n), ours,
			func(reps int) {
				for range reps {
					copy(y, x)
				}
			})
		if err != nil {
			return err
		}
		calls, _, err := racePython(o, py, fmt.Sprintf("%T 0", f), ours)
		if err != nil {
			return err
		}
		o.add(p, "Haar", fmt.Sprintf("%T", f), fmt.Sprint(n), 1e9*least[0], 1e9*least[1], ratio,
			fmt.Sprintf("a copy takes %.0f %% of gram's time, its calls %.0f %% of the peer's", 100*least[2]/least[0], 100*calls[1]/least[1]))
	}
	return nil
}
