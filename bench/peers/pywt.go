package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/haar"
)

// pywt answers each line "type n reps" with the seconds that reps calls of
// wavedec took, by its own clock.
const pywt = `
import sys, time
import numpy, pywt
data = {}
print(pywt.__version__, flush=True)
for line in sys.stdin:
    dtype, n, reps = line.split()
    x = data.setdefault((dtype, n), numpy.random.rand(int(n)).astype(dtype))
    start = time.perf_counter()
    for _ in range(int(reps)):
        pywt.wavedec(x, 'haar')
    print(time.perf_counter() - start, flush=True)
`

// comparePyWavelets prints one line per type and size: haar.Orthonormal in place
// against PyWavelets' wavedec(x, 'haar'), which computes the same coefficients
// into new arrays, and against a copy of the vector.
func comparePyWavelets(o options) error {
	cmd := exec.Command(o.python, "-c", pywt)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	out := bufio.NewReader(pipe)
	var version string
	if _, err := fmt.Fscanln(out, &version); err != nil {
		return fmt.Errorf("%s does not run PyWavelets: %w", o.python, err)
	}
	fmt.Printf("# PyWavelets %s\n", version)
	fmt.Println("type     n         level      gram_ns   pywt_ns  ratio  GB/s  pct_copy")
	if o.only != "float64" {
		err = wavelets[float32](o, in, out)
	}
	if err == nil && o.only != "float32" {
		err = wavelets[float64](o, in, out)
	}
	if err != nil {
		return err
	}
	if err := in.Close(); err != nil {
		return err
	}
	return cmd.Wait()
}

func wavelets[F gram.Float](o options, in io.Writer, out io.Reader) error {
	var f F
	for k := max(o.min, 1); k <= o.max; k++ {
		n := 1 << k
		x, y := make([]F, n), make([]F, n)
		var failed error
		contestants := []func(reps int) float64{
			func(reps int) float64 {
				start := time.Now()
				for range reps {
					haar.Orthonormal(x)
				}
				return time.Since(start).Seconds()
			},
			func(reps int) float64 {
				var seconds float64
				if _, err := fmt.Fprintf(in, "%T %d %d\n", f, n, reps); err != nil {
					failed = err
				} else if _, err := fmt.Fscanln(out, &seconds); err != nil {
					failed = err
				}
				return seconds
			},
			func(reps int) float64 {
				start := time.Now()
				for range reps {
					copy(y, x)
				}
				return time.Since(start).Seconds()
			},
		}
		reps := []int{1, 1, 1}
		for i, c := range contestants {
			for failed == nil && c(reps[i]) < o.slice.Seconds() {
				reps[i] *= 2
			}
		}
		least := []float64{math.Inf(1), math.Inf(1), math.Inf(1)}
		var ratios []float64
		for range o.rounds {
			var t [3]float64
			for i, c := range contestants {
				t[i] = c(reps[i]) / float64(reps[i])
				least[i] = min(least[i], t[i])
			}
			ratios = append(ratios, t[1]/t[0])
		}
		if failed != nil {
			return failed
		}
		slices.Sort(ratios)
		bytes := float64(n) * float64(elementSize(f))
		fmt.Printf("%-8T %-9d %-8s %9.0f %9.0f  %5.1f  %4.1f  %8.0f\n", f, n, cpu.Current(), least[0]*1e9, least[1]*1e9,
			ratios[len(ratios)/2], bytes/least[0]/1e9, 100*least[2]/least[0])
	}
	return nil
}

func elementSize[F gram.Float](f F) int {
	if _, single := any(f).(float32); single {
		return 4
	}
	return 8
}
