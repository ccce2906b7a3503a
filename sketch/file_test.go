package sketch

import (
	"bytes"
	"errors"
	"flag"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
)

var renew = flag.Bool("renew", false, "write the golden files")

func TestRotationFile(t *testing.T) {
	for _, r := range []*Rotation[float64]{NewRotation[float64](100, 3, 1), NewKacRotation[float64](96, 4, 2), NewRotation[float64](96, 1, 3)} {
		data := must.Have(r.MarshalBinary())(t)
		var got Rotation[float64]
		must.Do(t, got.UnmarshalBinary(data))
		if got.n != r.n || got.rounds != r.rounds || got.m != r.m || !slices.Equal(got.factors, r.factors) {
			t.Errorf("n=%d: another rotation was read", r.n)
		}
		for cut := range data {
			if err := got.UnmarshalBinary(data[:cut]); err == nil {
				t.Fatalf("n=%d: the first %d of %d bytes were accepted", r.n, cut, len(data))
			}
		}
		if !slices.Equal(got.factors, r.factors) {
			t.Errorf("n=%d: an error changed the rotation", r.n)
		}
	}
}

// stored is a file with settings that do not fit its signs.
type stored struct {
	Dim, Rounds int
	Kac         bool
	words       int
}

func (s stored) Encode(w *modelfile.Writer) error {
	words := make([]int32, s.words)
	if err := modelfile.Put(w, func(x *modelfile.Exchange) { x.Int32("signs", &words, len(words), 0, 0) }); err != nil {
		return err
	}
	return w.Header("rotation", 1, s)
}

func TestRotationFileRefused(t *testing.T) {
	for _, s := range []stored{{0, 1, false, 0}, {-5, 1, false, 2}, {64, 0, false, 2}, {64, 1, false, 4}, {64, 2, true, 2}, {math.MaxInt32, 1, false, 2}, {64, 1, false, 3}} {
		var b bytes.Buffer
		must.Do(t, modelfile.Write(&b, s))
		var r Rotation[float32]
		var format *modelfile.FormatError
		if err := r.UnmarshalBinary(b.Bytes()); !errors.As(err, &format) {
			t.Errorf("%+v: error %v", s, err)
		}
	}
}

// TestRotationGolden reads a file that the first version has written.
func TestRotationGolden(t *testing.T) {
	const path = "testdata/rotation.v1.gram"
	want := NewRotation[float64](100, 3, 1)
	if *renew {
		must.Do(t, modelfile.Save(path, want))
	}
	data := must.Have(os.ReadFile(path))(t)
	var r Rotation[float64]
	must.Do(t, r.UnmarshalBinary(data))
	if !slices.Equal(r.signs, want.signs) {
		t.Error("the signs differ from those of the seed")
	}
}
