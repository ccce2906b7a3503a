package sketch_test

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"hash"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/fwht"
	"github.com/gramworks/gram/haar"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/sketch"
)

// numbers returns n numbers of either sign and of magnitudes from 2⁻⁸ to 2⁸, made without a
// function whose result depends on the machine.
func numbers[F num.Float](n int) []F {
	r := rng.New(5, uint64(n))
	x := make([]F, n)
	for i := range x {
		x[i] = F(math.Ldexp(float64(r.Int64N(1<<24)-1<<23), r.IntN(16)-31))
	}
	return x
}

// digest adds the bits of x to h.
func digest[F num.Float](h hash.Hash, x []F) {
	for _, v := range x {
		_ = binary.Write(h, binary.LittleEndian, v) // a hash takes everything
	}
}

// exactRoutines names the routines of type F whose results have the same bits on every level and
// every machine, each with its results for several sizes.
func exactRoutines[F num.Float](each func(name string, run func(h hash.Hash))) {
	kind := fmt.Sprintf("%T", F(0))
	inPlace := func(name string, sizes []int, f func([]F)) {
		each(name+" "+kind, func(h hash.Hash) {
			for _, n := range sizes {
				x := numbers[F](n)
				f(x)
				digest(h, x)
			}
		})
	}
	powers := []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 1 << 10, 1 << 12, 1 << 15}
	orders := append(powers, 12, 20, 28, 24, 96, 320, 28<<6, 12<<8)
	inPlace("fwht.Transform", orders, fwht.Transform[F])
	inPlace("fwht.Orthonormal", orders, fwht.Orthonormal[F])
	inPlace("fwht.Inverse", orders, fwht.Inverse[F])
	inPlace("fwht.Sequency", powers, fwht.Sequency[F])
	inPlace("fwht.TransformColumns", powers[:8], func(x []F) {
		fwht.TransformColumns(num.Rows[F]{Data: x, N: len(x), D: 1, Stride: 1}, 2)
	})
	inPlace("haar.Transform", powers, haar.Transform[F])
	inPlace("haar.Orthonormal", powers, haar.Orthonormal[F])
	inPlace("haar.Inverse", powers, haar.Inverse[F])
	inPlace("haar.Transpose", powers, haar.Transpose[F])
	inPlace("haar.InverseOrthonormal", powers, haar.InverseOrthonormal[F])
	lengths := []int{1, 2, 3, 8, 64, 100, 128, 768, 1000, 1024, 1536, 2304, 3 << 10, 36 << 6}
	for rounds := 1; rounds <= 5; rounds++ {
		for name, make := range map[string]func(n, rounds int, seed uint64) *sketch.Rotation[F]{
			"sketch.NewRotation": sketch.NewRotation[F], "sketch.NewKacRotation": sketch.NewKacRotation[F],
		} {
			inPlace(fmt.Sprintf("%s, %d rounds", name, rounds), lengths, func(x []F) {
				make(len(x), rounds, 3).Apply(x, x)
			})
			inPlace(fmt.Sprintf("%s, %d rounds, inverse", name, rounds), lengths, func(x []F) {
				make(len(x), rounds, 3).Invert(x, x)
			})
		}
	}
}

// The routines that promise the same bits on every level and every machine have the digests in
// testdata/exact.txt. ci/arm64 and ci/platforms run this test on other architectures.
func TestExactBits(t *testing.T) {
	const path = "testdata/exact.txt"
	want := map[string]string{}
	text, err := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		want[name] = sum
	}
	renewed := flag.Lookup("renew").Value.String() == "true"
	if err != nil && !renewed {
		t.Fatal(err)
	}
	have := map[string]string{}
	asmtest.ForEachLevel(t, []cpu.Level{cpu.AVX2, cpu.AVX512, cpu.NEON}, func(t *testing.T) {
		check := func(name string, run func(h hash.Hash)) {
			h := sha256.New()
			run(h)
			sum := fmt.Sprintf("%x", h.Sum(nil)[:8])
			if before, there := have[name]; there && before != sum || !renewed && want[name] != sum {
				t.Errorf("%s has the digest %s, want %s", name, sum, want[name])
			}
			have[name] = sum
		}
		exactRoutines[float64](check)
		exactRoutines[float32](check)
	})
	if !renewed {
		if len(have) != len(want) {
			t.Errorf("%d routines, %s has %d", len(have), path, len(want))
		}
		return
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(have)) {
		fmt.Fprintf(&b, "%s %s\n", have[name], name)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}
