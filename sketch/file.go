package sketch

import (
	"bytes"
	"math"

	"github.com/gramworks/gram/modelfile"
)

// Exchange describes the stored form: the settings n, rounds and kind, and the signs
// of each round as 32-bit words whose bit i is set where element i changes its sign,
// filled up to a multiple of 64 bits. The type of the numbers is not stored.
func (r *Rotation[F]) Exchange(x *modelfile.Exchange) {
	settings := struct {
		Dim, Rounds int
		Kac         bool // the overlapping transforms are used for this length by choice
	}{r.n, r.rounds, false}
	if x.Writing() {
		m, _ := split(r.n)
		settings.Kac = m != r.m
	}
	x.Header("rotation", 1, &settings)
	var words []int32
	for _, s := range r.signs {
		words = append(words, int32(uint32(s)), int32(uint32(s>>32)))
	}
	x.Int32("signs", &words, -1, math.MinInt32, math.MaxInt32)
	if !x.Reading() {
		return
	}
	n, rounds := settings.Dim, settings.Rounds
	x.Require(n >= 1 && rounds >= 1 && n <= math.MaxInt32 && len(words)%2 == 0 && len(words)/2%rounds == 0 &&
		len(words)/2/rounds == (n+63)/64, "signs", "%d words for %d rounds of order %d", len(words), rounds, n)
	if !x.Reading() {
		return
	}
	signs := make([]uint64, len(words)/2)
	for i := range signs {
		signs[i] = uint64(uint32(words[2*i])) | uint64(uint32(words[2*i+1]))<<32
	}
	m, t := split(n)
	if settings.Kac {
		m, t = 1, powerBelow(n)
	}
	r.set(n, rounds, m, t, signs)
}

// Encode writes the stored form that Exchange describes.
func (r *Rotation[F]) Encode(w *modelfile.Writer) error { return modelfile.Put(w, r.Exchange) }

// MarshalBinary returns the stored form as the bytes of a model file.
func (r *Rotation[F]) MarshalBinary() ([]byte, error) {
	var b bytes.Buffer
	if err := modelfile.Write(&b, r); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// UnmarshalBinary makes r the rotation of which MarshalBinary returned data. No other
// goroutine may use r meanwhile. r is unchanged if there is an error.
func (r *Rotation[F]) UnmarshalBinary(data []byte) error {
	f, err := modelfile.Read(bytes.NewReader(data))
	if err != nil {
		return err
	}
	_, err = modelfile.Get(f, r, (*Rotation[F]).Exchange)
	return err
}
