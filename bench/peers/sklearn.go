package main

import (
	"fmt"
	"runtime"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/bench"
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

// compareScikitLearn compares Block.Fill, each time into the same memory, with rbf_kernel and
// laplacian_kernel, which return new arrays, for each type and shape. The note has the time of
// filling the block with a constant.
func compareScikitLearn(o options) ([]*bench.Peers, error) {
	py, version, err := startPython(o.sklearn, sklearn)
	if err != nil {
		return nil, err
	}
	p := o.peer("scikit-learn", version, o.sklearn)
	if o.only != "float64" {
		err = kernelBlocks[float32](o, py, p)
	}
	if err == nil && o.only != "float32" {
		err = kernelBlocks[float64](o, py, p)
	}
	if err == nil {
		err = py.close()
	}
	return []*bench.Peers{p}, err
}

func kernelBlocks[F gram.Float](o options, py *python, p *bench.Peers) error {
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
		least, ratio, err := racePython(o, py, fmt.Sprintf("%T %d %d %d %s", f, c.n, c.m, c.d, c.name),
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
		o.add(p, c.name, fmt.Sprintf("%T", f), fmt.Sprintf("%dx%d, d=%d", c.n, c.m, c.d), 1e9*least[0], 1e9*least[1], ratio,
			fmt.Sprintf("a fill takes %.0f %% of gram's time", 100*least[2]/least[0]))
	}
	return nil
}
