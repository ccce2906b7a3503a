package fastnys

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/structured"
	"gonum.org/v1/gonum/mat"
)

var rbf = kernel.Gaussian{Gamma: 0.05}

// data are rows whose neighboring columns are alike, off the origin.
func data(n, d int, seed uint64) *mat.Dense {
	x := gen.Normal(n, d, seed)
	for i := range n {
		row := x.RawRowView(i)
		for j := 1; j < d; j++ {
			row[j] = 0.9*row[j-1] + 0.3*row[j]
		}
		for j := range row {
			row[j] += 3
		}
	}
	return x
}

func fit(t *testing.T, c Config, x mat.Matrix) *Model {
	t.Helper()
	m := must.Have(c.Fit(context.Background(), x))(t)
	return m
}

// Landmark number g·b is seed g, for the first row of either matrix is all ones.
func TestLandmarksContainTheSeeds(t *testing.T) {
	x := data(40, 21, 1)
	index := []int{2, 3, 17, 31, 39}
	for _, h := range []structured.Matrix{structured.Haar, structured.Hadamard} {
		for _, b := range []int{1, 4, 32} {
			m := fit(t, Config{Kernel: rbf, Matrix: h, Rows: b, M: 5 * b, NoLearning: true, Seeds: landmark.Fixed{Index: index}}, x)
			u := m.Landmarks().Points()
			for g, i := range index {
				for j := range 21 {
					if got, want := u.At(g*b, j), x.At(i, j); !(math.Abs(got-want) <= 1e-14*math.Abs(want)) {
						t.Fatalf("matrix %d, %d rows: landmark %d, column %d is %g, want %g", h, b, g*b, j, got, want)
					}
				}
			}
		}
	}
}

// The sum (4.16) never rises, is that of the explicit landmarks, and the seeds of
// each step are its minimum for the assignment of that step.
func TestLearning(t *testing.T) {
	y := data(300, 24, 3)
	for _, h := range []structured.Matrix{structured.Haar, structured.Hadamard} {
		for _, b := range []int{1, 4, 32} {
			c := must.Have(settings.Resolved(Config{Kernel: rbf, Matrix: h, Rows: b, M: 6 * b, Steps: 15}, gram.Shape{N: 300, D: 24}))(t)
			start := gram.MakeRows[float64](6, 24)
			for g := range 6 {
				copy(start.Row(g), y.RawRowView(50*g))
			}
			v, trace := must.Have2(c.learn(context.Background(), gram.View(y), start))(t)
			for i := 1; i < len(trace); i++ {
				if !(trace[i] < trace[i-1]) {
					t.Errorf("matrix %d, %d rows: the sum goes from %g to %g", h, b, trace[i-1], trace[i])
				}
			}
			// No step follows one that takes off little.
			for i := 1; i < len(trace)-1; i++ {
				if !(trace[i] <= (1-progress)*trace[i-1]) {
					t.Errorf("matrix %d, %d rows: steps go on after one from %g to %g", h, b, trace[i-1], trace[i])
				}
			}
			if len(trace) < 3 {
				t.Errorf("matrix %d, %d rows: learning ends after %d steps", h, b, len(trace)-1)
			}
			sum, assign := objective(h, b, v, y)
			if last := trace[len(trace)-1]; !(math.Abs(sum-last) <= 1e-10*sum) {
				t.Errorf("matrix %d, %d rows: the sum is %g, learning says %g", h, b, sum, last)
			}
			next := gram.MakeRows[float64](6, 24)
			set := structured.New(h, v, b)
			set.Update(next, gram.View(y), assign)
			best := assigned(h, b, next, y, assign)
			for j := range next.Data {
				for _, step := range []float64{-1e-3, 1e-3} {
					old := next.Data[j]
					next.Data[j] += step
					if s := assigned(h, b, next, y, assign); !(s >= best-1e-9) {
						t.Fatalf("matrix %d, %d rows: a seed moved by %g lowers the sum from %g to %g", h, b, step, best, s)
					}
					next.Data[j] = old
				}
			}
		}
	}
}

// objective is the sum (4.16) from explicit landmarks, with the assignment.
func objective(h structured.Matrix, b int, v gram.Rows[float64], y *mat.Dense) (float64, []int) {
	n, d := y.Dims()
	u := mat.NewDense(v.N*b, d, nil)
	structured.New(h, v, b).Landmarks(gram.View(u))
	var sum float64
	assign := make([]int, n)
	for i := range n {
		best := math.Inf(1)
		for t := range v.N * b {
			var s float64
			for j := range d {
				e := y.At(i, j) - u.At(t, j)
				s += e * e
			}
			if s < best {
				best, assign[i] = s, t
			}
		}
		sum += best
	}
	return sum, assign
}

func assigned(h structured.Matrix, b int, v gram.Rows[float64], y *mat.Dense, assign []int) float64 {
	n, d := y.Dims()
	u := mat.NewDense(v.N*b, d, nil)
	structured.New(h, v, b).Landmarks(gram.View(u))
	var sum float64
	for i := range n {
		for j := range d {
			e := y.At(i, j) - u.At(assign[i], j)
			sum += e * e
		}
	}
	return sum
}

// The approximation is that of the Nyström method with the same landmarks.
func TestFeaturesAreNystroms(t *testing.T) {
	x := data(120, 20, 4)
	for _, k := range []kernel.Kernel{rbf, kernel.Polynomial{Degree: 2, Offset: 1}} {
		m := fit(t, Config{Kernel: k, M: 24, Cut: 1e-9}, x)
		u := m.Landmarks().Points()
		other := must.Have(nystrom.Config{Kernel: k, M: 24, Cut: 1e-9, Landmarks: landmark.Fixed{U: u}}.Fit(context.Background(), x))(t)
		var got, want mat.Dense
		phi := m.Map(nil, x)
		got.Mul(phi, phi.T())
		psi := other.Map(nil, x)
		want.Mul(psi, psi.T())
		if e := algotest.Relative(&want, &got); !(e <= 1e-7) {
			t.Errorf("%s: relative difference %g", k.Spec().Name, e)
		}
	}
}

// With a number of landmarks that is no multiple of Rows the last seed makes fewer of them, also in a file.
func TestPartOfTheLastSeed(t *testing.T) {
	x := data(120, 20, 4)
	for _, core := range []Core{Exact, Randomized} {
		c := Config{Kernel: rbf, M: 21, Rank: 8, Cut: 1e-9, Core: core, Power: gram.Set(8), Oversample: gram.Set(12)}
		m := fit(t, c, x)
		u := m.Landmarks().Points()
		if rows, _ := u.Dims(); rows != 24 || m.Config().M != 21 {
			t.Fatalf("%d landmarks of the seeds, M is %d", rows, m.Config().M)
		}
		other := must.Have(nystrom.Config{Kernel: rbf, M: 21, Rank: 8, Cut: 1e-9, Landmarks: landmark.Fixed{U: mat.DenseCopyOf(u.Slice(0, 21, 0, 20))}}.Fit(context.Background(), x))(t)
		got, want := fixture.InnerProducts(m.Map(nil, x)), fixture.InnerProducts(other.Map(nil, x))
		if e := algotest.Relative(want, got); !(e <= 1e-6) {
			t.Errorf("core %d: relative difference %g", core, e)
		}
		var b bytes.Buffer
		must.Do(t, modelfile.Write(&b, m))
		f := must.Have(modelfile.Read(&b))(t)
		again := must.Have(Decode(f))(t)
		if !mat.Equal(again.Map(nil, x), m.Map(nil, x)) || again.Config().M != 21 {
			t.Errorf("core %d: the file has another model of %d landmarks", core, again.Config().M)
		}
	}
	index := landmark.Fixed{Index: []int{1, 5, 9}}
	if m := fit(t, Config{Kernel: rbf, M: 17, Seeds: index}, x); m.Config().M != 17 {
		t.Errorf("%d landmarks", m.Config().M)
	}
	_, err := Config{Kernel: rbf, M: 16, Seeds: index}.Fit(context.Background(), x)
	algotest.Names(t, "M", 16, err)
}

// A randomized core of the rank gives nearly the error of the exact one.
func TestRandomizedCore(t *testing.T) {
	x := data(400, 32, 5)
	c := Config{Kernel: kernel.Gaussian{Gamma: 0.005}, M: 256, Rank: 30}
	g := fixture.KernelMatrix(c.Kernel, x, x)
	errorOf := func(c Config) float64 {
		var h mat.Dense
		phi := fit(t, c, x).Map(nil, x)
		h.Mul(phi, phi.T())
		return algotest.Relative(g, &h)
	}
	exact := errorOf(c)
	c.Core = Randomized
	if e := errorOf(c); !(e <= 1.02*exact) {
		t.Errorf("relative error %g, with the exact core %g", e, exact)
	}
}

// Centering changes no value of the kernel but where the landmarks are: without
// it the error for rows far off the origin is larger.
func TestCentering(t *testing.T) {
	x := data(300, 32, 6)
	g := fixture.KernelMatrix(rbf, x, x)
	errorOf := func(c Config) float64 {
		var h mat.Dense
		phi := fit(t, c, x).Map(nil, x)
		h.Mul(phi, phi.T())
		return algotest.Relative(g, &h)
	}
	with, without := errorOf(Config{Kernel: rbf, M: 64}), errorOf(Config{Kernel: rbf, M: 64, NoCenter: true})
	if !(with < 0.9*without) {
		t.Errorf("relative error %g centred, %g as they are", with, without)
	}
}

func TestWeights(t *testing.T) {
	// All weight on the first half: no seed looks like the second, which is far
	// away.
	x := data(200, 16, 7)
	w := make([]float64, 200)
	for i := range 200 {
		w[i] = 1
		if i >= 100 {
			w[i] = 0
			for j := range 16 {
				x.Set(i, j, x.At(i, j)+1000)
			}
		}
	}
	m := must.Have(Config{Kernel: rbf, M: 16}.FitWeighted(context.Background(), x, w))(t)
	if v := mat.Max(m.Landmarks().Points()); !(v <= 100) {
		t.Errorf("a landmark has a coordinate %g", v)
	}
}

type bytesOf struct{ n int }

func (b *bytesOf) Write(p []byte) (int, error) { b.n += len(p); return len(p), nil }

// Nothing of the size m×d is stored.
func TestModelSize(t *testing.T) {
	const s, b, d, r = 12, 16, 500, 5
	m := fit(t, Config{Kernel: rbf, M: s * b, Rows: b, Rank: r}, data(200, d, 8))
	var whole, part bytesOf
	must.Do(t, errors.Join(modelfile.Write(&whole, m), modelfile.Write(&part, m.Landmarks())))
	const head = 2048
	if part.n > 8*(s+1)*d+head {
		t.Errorf("landmarks of %d seeds take %d bytes", s, part.n)
	}
	if whole.n > 8*((s+1)*d+s*b*r+r)+head {
		t.Errorf("a model of %d seeds and rank %d takes %d bytes", s, r, whole.n)
	}
}

func TestBadSettings(t *testing.T) {
	x := data(30, 6, 11)
	for name, c := range map[string]Config{
		"Kernel":       {},
		"Kernel ":      {Kernel: kernel.Laplacian{Gamma: 1}},
		"Rows":         {Kernel: rbf, Rows: 3},
		"Rows ":        {Kernel: rbf, Rows: 16},
		"M":            {Kernel: rbf, M: 8*30 + 1},
		"M ":           {Kernel: rbf, M: 8 * 31},
		"Matrix":       {Kernel: rbf, Matrix: 2},
		"Steps":        {Kernel: rbf, Steps: -1},
		"Sample":       {Kernel: rbf, Sample: -1},
		"Rank":         {Kernel: rbf, M: 16, Rank: 17},
		"Core":         {Kernel: rbf, Core: 2},
		"Power":        {Kernel: rbf, Power: gram.Set(-1)},
		"Oversample":   {Kernel: rbf, Oversample: gram.Set(-1)},
		"Cut":          {Kernel: rbf, Cut: 1},
		"Certificate":  {Kernel: rbf, Certificate: -1},
		"Kernel.Gamma": {Kernel: kernel.Gaussian{}},
	} {
		_, err := c.Fit(context.Background(), x)
		var ce *gram.ConfigError
		want := name
		for want[len(want)-1] == ' ' {
			want = want[:len(want)-1]
		}
		if !errors.As(err, &ce) || ce.Field != want {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// A certificate from one row costs something, and one from more rows than there are costs what all rows cost.
func TestPlanOfCertificate(t *testing.T) {
	plan := func(rows int) gram.Plan {
		return must.Have(Config{Kernel: rbf, M: 8, Rows: 2, Certificate: rows}.Plan(gram.Shape{N: 500, D: 4}))(t)
	}
	if none, one := plan(0), plan(1); one.Flops <= none.Flops {
		t.Errorf("%g flops with a certificate from one row, %g without one", one.Flops, none.Flops)
	}
	all, more := plan(500), plan(600)
	if all.Flops != more.Flops || all.PeakBytes != more.PeakBytes || all.PeakBytes <= plan(1).PeakBytes {
		t.Errorf("all rows take %g flops and %d bytes, more rows %g and %d", all.Flops, all.PeakBytes, more.Flops, more.PeakBytes)
	}
}
