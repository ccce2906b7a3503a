package bench

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"math"

	"github.com/gramworks/gram/fwht"
	"github.com/gramworks/gram/haar"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

// Signature is a sum over all bits of what a family of exact routines returns for fixed inputs. It is
// the same at every level, with every backend, on every system and every architecture.
type Signature struct {
	Family string
	Sum    uint64
}

// String returns the family and the sum in hexadecimal digits.
func (s Signature) String() string { return fmt.Sprintf("%-16s %016x", s.Family, s.Sum) }

// Signatures returns the signatures of the random numbers and of the transforms, at the level in force. It takes
// some milliseconds.
func Signatures() []Signature {
	return []Signature{
		Sign("random numbers", signNumbers),
		Sign("fwht float64", signHadamard[float64]),
		Sign("fwht float32", signHadamard[float32]),
		Sign("haar float64", signHaar[float64]),
		Sign("haar float32", signHaar[float32]),
	}
}

// Sign returns the signature of what write writes.
func Sign(family string, write func(w io.Writer)) Signature {
	h := fnv.New64a()
	write(h)
	return Signature{family, h.Sum64()}
}

// signNumbers writes numbers of all kinds that a fit draws without functions of the math library.
func signNumbers(w io.Writer) {
	for stream := range uint64(8) {
		r := rng.New(rng.Derive(7, "signature"), stream)
		for range 256 {
			emit(w, []float64{r.Float64(), float64(r.IntN(1000)), math.Float64frombits(r.Uint64()>>2 | 1<<61)})
		}
		for _, i := range r.Perm(100) {
			emit(w, []float64{float64(i)})
		}
	}
}

// signed writes what each transform makes of a random vector of each length.
func signed[F num.Float](w io.Writer, lengths []int, transforms ...func(x []F)) {
	for k, transform := range transforms {
		for _, n := range lengths {
			r, x := rng.New(uint64(n), uint64(k)), make([]F, n)
			for i := range x {
				x[i] = F(r.Float64() - .5)
			}
			transform(x)
			emit(w, x)
		}
	}
}

func signHadamard[F num.Float](w io.Writer) {
	var all, powers []int
	for n := 1; n <= 200; n++ {
		if fwht.Supported(n) {
			all = append(all, n)
		}
	}
	for n := 1; n <= 1<<17; n *= 2 {
		powers = append(powers, n)
	}
	signed[F](w, append(all, powers...), fwht.Transform[F], fwht.Inverse[F], fwht.Orthonormal[F])
	signed[F](w, powers, fwht.Sequency[F])
}

func signHaar[F num.Float](w io.Writer) {
	var powers []int
	for n := 1; n <= 1<<17; n *= 2 {
		powers = append(powers, n)
	}
	signed[F](w, powers, haar.Transform[F], haar.Transpose[F], haar.Inverse[F], haar.Orthonormal[F], haar.InverseOrthonormal[F])
}

// emit writes the numbers as their bits, the lowest byte first, so that the signature is the same on every machine.
func emit[F num.Float](w io.Writer, x []F) { binary.Write(w, binary.LittleEndian, x) }
