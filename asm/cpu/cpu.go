// Package cpu decides which variant of the kernels runs. It is the only place
// that looks at the CPU.
//
// A level is a bundle of instruction sets; kernels test levels, never single
// features. The level is found once at start. The environment variable
// GRAM_LEVEL (generic, avx2, avx512, neon) can lower it, never raise it; under
// the build tag noasm it is always Generic.
//
// A value of GRAM_LEVEL that is no level, or none of this CPU and build, never
// stops a program that links the module: the detected level stays in force and
// EnvError tells why. Programs call EnvError when they start, as every gram
// command does, because their user meant something by that value.
package cpu

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"github.com/klauspost/cpuid/v2"
)

// Level is a bundle of instruction sets. Levels are ordered within one
// architecture: a kernel without a variant for a level uses the next lower one.
type Level uint8

// The levels.
const (
	Generic Level = iota // pure Go
	AVX2                 // amd64: AVX, AVX2, FMA, BMI2
	AVX512               // amd64: AVX2's and AVX-512 F, DQ, BW, VL
	NEON                 // arm64: Advanced SIMD
)

var names = [...]string{"generic", "avx2", "avx512", "neon"}

// String returns the name as GRAM_LEVEL takes it.
func (l Level) String() string {
	if int(l) < len(names) {
		return names[l]
	}
	return fmt.Sprintf("level(%d)", uint8(l))
}

// ParseLevel is the inverse of String.
func ParseLevel(s string) (Level, error) {
	for i, n := range names {
		if s == n {
			return Level(i), nil
		}
	}
	return Generic, fmt.Errorf("cpu: unknown level %q, want one of %s", s, strings.Join(names[:], ", "))
}

var (
	detected = detect()
	current  atomic.Uint32
	envErr   error
)

func init() {
	current.Store(uint32(detected))
	s := os.Getenv("GRAM_LEVEL")
	if s == "" {
		return
	}
	l, err := ParseLevel(s)
	switch {
	case err != nil:
		envErr = fmt.Errorf("GRAM_LEVEL: %w", err)
	case l != Generic && detected == Generic || !sameArch(l, detected):
		envErr = fmt.Errorf("GRAM_LEVEL is %s, but the best level here is %s", l, detected)
	case l <= detected:
		current.Store(uint32(l))
	default:
		envErr = fmt.Errorf("GRAM_LEVEL is %s, but the best level here is %s", l, detected)
	}
}

func sameArch(a, b Level) bool {
	return a == Generic || b == Generic || (a == NEON) == (b == NEON)
}

// Detected returns the best level of this CPU and build.
func Detected() Level { return detected }

// Current returns the level in force.
func Current() Level { return Level(current.Load()) }

// EnvError tells why GRAM_LEVEL was not obeyed. It is nil if the variable was
// obeyed, is empty or is not set.
func EnvError() error { return envErr }

// Levels returns the levels that can be in force here, lowest first.
func Levels() []Level {
	switch detected {
	case AVX512:
		return []Level{Generic, AVX2, AVX512}
	case Generic:
		return []Level{Generic}
	default:
		return []Level{Generic, detected}
	}
}

// Lower puts l in force until restore is called. It is an error to ask for a
// level above the one in force. Not for use while kernels run in other
// goroutines: those may mix levels.
func Lower(l Level) (restore func(), err error) {
	before := Current()
	if l > before || !sameArch(l, before) {
		return nil, fmt.Errorf("cpu: cannot go from level %s to %s", before, l)
	}
	current.Store(uint32(l))
	return func() { current.Store(uint32(before)) }, nil
}

// Info describes the CPU.
type Info struct {
	Name        string
	Family      int // as the CPU numbers itself, with Model; 0: not known
	Model       int
	Features    []string // of those that levels are made of
	Cores       int      // physical; 0: not known
	L1D, L2, L3 int      // bytes; 0: not known
}

// Describe returns what is known of the CPU.
func Describe() Info {
	c := &cpuid.CPU
	size := func(b int) int { return max(b, 0) }
	i := Info{Name: c.BrandName, Family: c.Family, Model: c.Model, Cores: c.PhysicalCores, L1D: size(c.Cache.L1D), L2: size(c.Cache.L2), L3: size(c.Cache.L3)}
	for _, f := range features {
		if c.Supports(f) {
			i.Features = append(i.Features, f.String())
		}
	}
	return i
}
