package fastnys

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/seeds"
	"gonum.org/v1/gonum/mat"
)

// Landmarks are structured landmarks with a kernel. As a feature map they give
// the kernel values K(x,U), of which the features of a Model are linear
// functions; a linear model of these needs no more than the landmarks and its m
// coefficients (linear.Classifier.On). Their size is that of the seeds. They do
// not change and may be used by any number of goroutines.
type Landmarks struct {
	kernel  kernel.Kernel
	matrix  seeds.Matrix
	v       *mat.Dense // s×d seeds, for centred rows
	rows    int        // b
	centre  []float64  // nil: none
	workers int
	block   *Block[float64]
}

var _ gram.FeatureMap = (*Landmarks)(nil)

func newLandmarks(k kernel.Kernel, h seeds.Matrix, v *mat.Dense, b int, centre []float64, workers int) *Landmarks {
	l := &Landmarks{kernel: k, matrix: h, v: v, rows: b, centre: centre, workers: workers}
	l.block = NewBlock[float64](l)
	return l
}

// Dims returns the number of columns d of x and the number of landmarks m.
func (l *Landmarks) Dims() (d, m int) {
	m, d = l.block.Dims()
	return d, m
}

// Kernel returns the kernel.
func (l *Landmarks) Kernel() kernel.Kernel { return l.kernel }

// Seeds returns the matrix H, the s×d seeds for rows less the centre and the
// number b of rows of H for each. The seeds are the landmarks' own and must not
// be changed.
func (l *Landmarks) Seeds() (h seeds.Matrix, v *mat.Dense, b int) { return l.matrix, l.v, l.rows }

// Centre returns what is taken off rows first, nil for nothing. It is the
// landmarks' own and must not be changed.
func (l *Landmarks) Centre() []float64 { return l.centre }

// Points writes out the landmarks, m×d, in the coordinates of the data: H_q ∘ v_g
// plus the centre. It is meant for looking at them; nothing here needs it after a
// fit.
func (l *Landmarks) Points() *mat.Dense {
	d, m := l.Dims()
	u := mat.NewDense(m, d, nil)
	l.block.set.Landmarks(gram.View(u))
	if l.centre != nil {
		for i := range m {
			row := u.RawRowView(i)
			for j, c := range l.centre {
				row[j] += c
			}
		}
	}
	return u
}

// Flops returns the operations of U·x for one row, additions and multiplications,
// and those of a product with m rows of their own.
func (l *Landmarks) Flops() (structured, dense float64) {
	d, m := l.Dims()
	s, _ := l.v.Dims()
	return productFlops(l.matrix, s, d, l.rows), 2 * float64(m) * float64(d)
}

// productFlops counts U·x: the products v∘x and their sums over ranges, and s
// transforms of length b.
func productFlops(h seeds.Matrix, s, d, b int) float64 {
	one := 2 * float64(b-1)
	if h == seeds.Hadamard {
		one = 0
		for k := 1; k < b; k *= 2 {
			one += float64(b)
		}
	}
	return float64(s) * (2*float64(d) + one)
}

// Map computes K(x,U) for the rows of x.
func (l *Landmarks) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	d, m := l.Dims()
	dst = rows.Destination("fastnys", dst, x, d, m)
	if n, _ := x.Dims(); n > 0 {
		l.fill(dst, rows.Of(x))
	}
	return dst
}

// fill is Map without checks, for a result x of rows.Of.
func (l *Landmarks) fill(dst *mat.Dense, x mat.Matrix) {
	l.block.Fill(gram.View(dst), gram.Of(x))
}

// storedLandmarks is the form of the settings of landmarks in a model file.
type storedLandmarks struct {
	Kernel kernel.Spec
	Matrix seeds.Matrix
	Rows   int
}

// Encode writes the kernel, the seeds and the centre.
func (l *Landmarks) Encode(w *modelfile.Writer) error {
	if err := w.Header("fastnys.landmarks", 1, storedLandmarks{l.kernel.Spec(), l.matrix, l.rows}); err != nil {
		return err
	}
	w.Dense("seeds", l.v)
	if l.centre != nil {
		w.Float64("centre", l.centre)
	}
	return nil
}

// DecodeLandmarks reads what Landmarks.Encode wrote. The kernel must be one that
// kernel.New makes.
func DecodeLandmarks(f *modelfile.File) (*Landmarks, error) {
	var s storedLandmarks
	if err := f.Expect("fastnys.landmarks", 1, &s); err != nil {
		return nil, err
	}
	k, err := kernel.New(s.Kernel)
	if err != nil {
		return nil, err
	}
	if err := structured(k); err != nil {
		return nil, f.Errorf("", "%v", err)
	}
	v, err := f.Matrix("seeds", -1, -1)
	if err != nil {
		return nil, err
	}
	_, d := v.Dims()
	if s.Matrix > seeds.Hadamard || !rowsFit(s.Rows, d) {
		return nil, f.Errorf("", "matrix %d with %d rows for %d columns", s.Matrix, s.Rows, d)
	}
	var centre []float64
	if f.Has("centre") {
		if centre, err = f.Float64("centre", d); err != nil {
			return nil, err
		}
	}
	return newLandmarks(k, s.Matrix, v, s.Rows, centre, 0), nil
}

// rowsFit reports whether b leading rows of the matrix for d columns can be used.
func rowsFit(b, d int) bool { return b >= 1 && b&(b-1) == 0 && b <= padded(d) }

// structured returns a *gram.ConfigError unless values of k follow from inner
// products and norms.
func structured(k kernel.Kernel) error {
	_, inner := k.(kernel.Inner)
	if !inner && !radial(k) {
		return &gram.ConfigError{Field: "Kernel", Value: k.Spec().Name, Want: "a function of ‖x−y‖² or of ⟨x,y⟩: gaussian, polynomial, homogeneous …"}
	}
	return nil
}

func radial(k kernel.Kernel) bool {
	_, ok := k.(kernel.Radial)
	return ok
}
