package tables

import (
	"fmt"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/divide/dcpred"
	"github.com/gramworks/gram/algos/lowrank/fastnys"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/rff"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/predict"
	"gonum.org/v1/gonum/mat"
)

// set52kernels is a data set of the figure with kernels and C to choose from.
type set52kernels struct {
	name    string
	kernels []kernel.Kernel
	cs      []float64
}

func (s set52kernels) String() string { return s.name }

// Figure 5.2 of [S16]: accuracy against prediction time in multiples of a
// linear model's. MNIST (pixels/255) and usps, the digits 0–4 against 5–9; the
// Gaussian kernel on the one and the cubic on the other. The paper draws curves;
// its text says that Fast-Nys reaches 95 % on MNIST at about 40× and the second
// best at more than 80×. It does not say whether that is for two classes.
func fig52(r *run) {
	count := r.int("n", cut(r, "training rows", 0, 6000), 0, "training rows; 0: all")
	few := cut(r, "m", []int{16, 32, 64, 128}, []int{32, 64})
	many := cut(r, "structured m", []int{64, 128, 256, 512}, []int{128, 256})
	repeats := r.repeats(3, 1)
	each(r, []set52kernels{
		{"mnist", []kernel.Kernel{kernel.Gaussian{Gamma: 1. / 128}, kernel.Gaussian{Gamma: 1. / 64}, kernel.Gaussian{Gamma: 1. / 32}}, []float64{1, 4, 16}},
		{"usps", []kernel.Kernel{kernel.Polynomial{Degree: 3, Offset: 1}}, []float64{1e-5, 1e-4, 1e-3, 1e-2}},
		{"cifar", nil, nil},
	}, func(s set52kernels) {
		part := r.load52(s.name, true)
		var by setting52
		var chosen string
		if part != nil {
			if s.name == "mnist" {
				part = must(part.Mapped(func(x mat.Matrix) mat.Matrix {
					var out mat.Dense
					out.Scale(1./255, x)
					return &out
				}))
			}
			part = part.Limited(count, rng.Derive(r.Seed, "rows"))
			by, chosen = r.chooseFig52(s, part.Train)
		}
		on := func(m lowRank, sizes []int) ladder52 {
			return ladder52{m.name, sizes, func(size int, run gram.Run) machine52 {
				return drawnMachine(r.ctx, m, size, by, part.Train, run)
			}}
		}
		methods := []ladder52{
			on(landmarkMethod("Nys", landmark.Uniform{}), few),
			on(landmarkMethod("KNys", landmark.KMeans{}), few),
			on(structuredMethod("Fast-Nys", fastnys.Config{}), many),
			{"DC-Fast-Nys", many, func(m int, run gram.Run) machine52 {
				return dividedMachine(r.ctx, dcpred.Config{Kernel: by.k, C: by.c, Leaf: 2000, M: m, Structured: true, Run: run}, part.Train)
			}},
		}
		if _, radial := by.k.(kernel.Radial); radial {
			methods = append(methods, on(frequencyMethod("RKS", rff.Independent), few), on(frequencyMethod("Fastfood", rff.Fastfood), few))
		}
		for _, method := range methods {
			for _, m := range method.sizes {
				row := Row{Dataset: s.name, Method: fmt.Sprintf("%s m=%d", method.name, m), Metric: "accuracy", Series: method.name}
				r.measure(row, repeats, func(t *trial) {
					fitted := method.fit(m, t.Run)
					seconds := t.seconds()
					if t.index == 0 {
						speed := predict.Measure(fitted.program, gram.Of(part.Train.X), 300*time.Millisecond)
						n, _ := part.Train.Dims()
						t.rows[0].X = speed.Multiple()
						t.note(fmt.Sprintf("%.1f× linear (%.3g µs a row); %d training rows, %s", speed.Multiple(), 1e6*speed.Linear, n, chosen))
					}
					t.add(seconds, fitted.program.Cost().ModelBytes, must(part.Accuracy(fitted.model)))
				})
			}
		}
	})
}

// ladder52 is a method of the figure at some sizes.
type ladder52 struct {
	name  string
	sizes []int
	fit   func(m int, run gram.Run) machine52
}

// chooseFig52 returns the kernel and C of the best accuracy of 64 k-means landmarks on
// a fifth of 5 000 training rows.
func (r *run) chooseFig52(s set52kernels, train *dataset.Set) (setting52, string) {
	if n, _ := train.Dims(); n > 5000 {
		train = train.Select(dataset.Sample(n, 5000, rng.Derive(r.Seed, "choice")))
	}
	grid := crossval.Grid{len(s.kernels), len(s.cs)}
	setting := func(i int) setting52 {
		at := grid.At(i)
		return setting52{k: s.kernels[at[0]], c: s.cs[at[1]]}
	}
	best, most := r.choose(train, r.fifth(train), grid.Len(), true, func(i int, part, held *dataset.Set, run gram.Run) float64 {
		m := drawnMachine(r.ctx, landmarkMethod("", landmark.KMeans{}), 64, setting(i), part, run)
		return metric.Accuracy(m.model.Predict(nil, held.X), held.Labels.Class)
	})
	by := setting(best)
	return by, fmt.Sprintf("%s, C %g: accuracy %.4f on a fifth", kernelNote(by.k), by.c, most)
}
