package main

import (
	"fmt"
	"runtime"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// sklearn answers lines of the form "type n m d kernel reps".
const sklearn = `
import sys, time
import numpy, sklearn
from sklearn.metrics.pairwise import rbf_kernel, laplacian_kernel
data = {}
print(sklearn.__version__, flush=True)
for line in sys.stdin:
    dtype, n, m, d, name, reps = line.split()
    if (dtype, n, m, d) not in data:
        data.clear()
        data[dtype, n, m, d] = [numpy.random.rand(int(k), int(d)).astype(dtype) for k in (n, m)]
    x, z = data[dtype, n, m, d]
    kernel = rbf_kernel if name == 'gaussian' else laplacian_kernel
    start = time.perf_counter()
    for _ in range(int(reps)):
        kernel(x, z, gamma=0.5/int(d))
    print(time.perf_counter() - start, flush=True)
`

// compareScikitLearn prints one line per type and shape. It compares Block.Fill,
// each time into the same memory, with rbf_kernel and laplacian_kernel, which
// return new arrays, and with filling the block with a constant.
func compareScikitLearn(o options) error {
	p, version, err := startPython(o.sklearn, sklearn)
	if err != nil {
		return err
	}
	fmt.Printf("# scikit-learn %s\n", version)
	fmt.Println("kernel     type     shape          level      gram_ms  sklearn_ms  ratio  fill_ms")
	if o.only != "float64" {
		err = kernelBlocks[float32](o, p)
	}
	if err == nil && o.only != "float32" {
		err = kernelBlocks[float64](o, p)
	}
	if err != nil {
		return err
	}
	return p.close()
}

func kernelBlocks[F gram.Float](o options, p *python) error {
	var f F
	for _, c := range []struct {
		name    string
		n, m, d int
	}{
		{"gaussian", 8192, 1024, 8}, {"gaussian", 8192, 1024, 16}, {"gaussian", 8192, 1024, 54}, {"gaussian", 8192, 1024, 128}, {"gaussian", 8192, 1024, 784},
		{"laplacian", 4096, 512, 16},
	} {
		var k kernel.Kernel = kernel.Gaussian{Gamma: 0.5 / float64(c.d)}
		if c.name == "laplacian" {
			k = kernel.Laplacian{Gamma: 0.5 / float64(c.d)}
		}
		z, x, dst := mat.NewDense(c.m, c.d, nil), gram.MakeRows[F](c.n, c.d), gram.MakeRows[F](c.n, c.m)
		for i := range z.RawMatrix().Data {
			z.RawMatrix().Data[i] = float64(i*i%1009) / 1009
		}
		for i := range x.Data {
			x.Data[i] = F(i*i%1013) / 1013
		}
		block := kernel.Against[F](k, z).Limit(runtime.GOMAXPROCS(0))
		least, ratio, err := racePython(o, p, fmt.Sprintf("%T %d %d %d %s", f, c.n, c.m, c.d, c.name),
			func(reps int) {
				for range reps {
					block.Fill(dst, gram.Dense(x))
				}
			},
			func(reps int) {
				for r := range reps {
					for i := range dst.Data {
						dst.Data[i] = F(r)
					}
				}
			})
		if err != nil {
			return err
		}
		fmt.Printf("%-10s %-8T %-14s %-8s %9.2f %11.2f  %5.1f  %7.2f\n", c.name, f, fmt.Sprintf("%dx%dx%d", c.n, c.m, c.d), cpu.Current(),
			1e3*least[0], 1e3*least[1], ratio, 1e3*least[2])
	}
	return nil
}
