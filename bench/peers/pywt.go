package main

import (
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
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

// comparePyWavelets prints one line per type and size. It compares
// haar.Orthonormal in place with PyWavelets' wavedec(x, 'haar'), which writes
// the same coefficients to new arrays, and with a copy of the vector. calls_ns is what
// PyWavelets takes for the same number of levels on two elements: the part of its time that
// is not the transform.
func comparePyWavelets(o options) error {
	p, version, err := startPython(o.python, pywt)
	if err != nil {
		return err
	}
	fmt.Printf("# PyWavelets %s\n", version)
	fmt.Println("type     n         level      gram_ns   pywt_ns  calls_ns  ratio  GB/s  pct_copy")
	if o.only != "float64" {
		err = wavelets[float32](o, p)
	}
	if err == nil && o.only != "float32" {
		err = wavelets[float64](o, p)
	}
	if err != nil {
		return err
	}
	return p.close()
}

func wavelets[F gram.Float](o options, p *python) error {
	var f F
	for k := max(o.min, 1); k <= o.max; k++ {
		n := 1 << k
		x, y := make([]F, n), make([]F, n)
		ours := func(reps int) {
			for range reps {
				haar.Orthonormal(x)
			}
		}
		least, ratio, err := racePython(o, p, fmt.Sprintf("%T %d", f, n), ours,
			func(reps int) {
				for range reps {
					copy(y, x)
				}
			})
		if err != nil {
			return err
		}
		calls, _, err := racePython(o, p, fmt.Sprintf("%T 0", f), ours)
		if err != nil {
			return err
		}
		bytes := float64(n) * float64(elementSize(f))
		fmt.Printf("%-8T %-9d %-8s %9.0f %9.0f  %8.0f  %5.1f  %4.1f  %8.0f\n", f, n, cpu.Current(), least[0]*1e9, least[1]*1e9,
			calls[1]*1e9, ratio, bytes/least[0]/1e9, 100*least[2]/least[0])
	}
	return nil
}

func elementSize[F gram.Float](f F) int {
	if _, single := any(f).(float32); single {
		return 4
	}
	return 8
}
