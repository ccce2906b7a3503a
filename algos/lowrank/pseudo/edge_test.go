package pseudo

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Where the kernel is zero, or the further columns add nothing to the first, the
// features are those that remain, and finite.
func TestColumnsThatAddNothing(t *testing.T) {
	zero := fit(t, Config{Kernel: kernel.Linear{}, Kind: Products, M: 3, Landmarks: landmark.Uniform{}}, mat.NewDense(12, 2, nil))
	if f := zero.Map(nil, problem(5, 2)); mat.Norm(f, 1) != 0 {
		t.Errorf("features %v of a kernel that is zero", mat.Formatted(f))
	}
	// One column: every function of the kernel values of 4 points has rank 4.
	x := mat.NewDense(4, 1, []float64{0, 1, 2, 4})
	m := fit(t, Config{Kernel: rbf, Kind: Products, M: 4, Landmarks: landmark.Uniform{}}, x)
	if g := fixture.InnerProducts(m.Map(nil, x)); !mat.EqualApprox(g, fixture.KernelMatrix(rbf, x, x), 1e-6) {
		t.Errorf("the kernel matrix of all rows is\n%v", mat.Formatted(g))
	}
}

// A model from a file has the settings of the fit, with the landmarks that were
// chosen.
func TestStoredSettings(t *testing.T) {
	m := fit(t, Config{Kernel: rbf, Kind: Mid, M: 5, Landmarks: landmark.Uniform{}}, problem(40, 3))
	var file bytes.Buffer
	must.Do(t, modelfile.Write(&file, m))
	f := must.Have(modelfile.Read(&file))(t)
	back := must.Have(Decode(f))(t)
	got, want := back.Config(), m.Config()
	fixed, ok := got.Landmarks.(landmark.Fixed)
	if !ok || fixed.U == nil || !mat.Equal(fixed.U, m.c.Landmarks()) {
		t.Errorf("landmarks %v, want those of the model", got.Landmarks)
	}
	got.Landmarks, want.Landmarks = nil, nil
	got.Run, want.Run = gram.Run{}, gram.Run{}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("settings %+v, want %+v", got, want)
	}
}
