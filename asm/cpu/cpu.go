// Package cpu decides which variants of the kernels run. It is the only package
// that inspects the CPU, and the only one below asm whose API is promised.
//
// A level is a bundle of instruction sets. Kernels test levels, never single
// features. The level is determined once, at start. The environment variable
// GRAM_LEVEL (generic, avx2, avx512, neon) can lower it but not raise it. Under
// the build tag noasm the level is always Generic.
//
// If GRAM_LEVEL is no level, or a level that this CPU or build lacks, the
// detected level stays in force and EnvError returns an error. A program that
// links the module is thus never stopped, but should call EnvError at its
// start, as every gram command does, to tell its user.
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

// The levels, lowest first within an architecture.
const (
	Generic Level = iota // pure Go
	AVX2                 // amd64: AVX, AVX2, FMA, BMI2
	AVX512               // amd64: AVX2 and AVX-512 F, DQ, BW, VL
	NEON                 // arm64: Advanced SIMD
)

var names = [...]string{"generic", "avx2", "avx512", "neon"}

// String returns the name of the level in GRAM_LEVEL.
func (l Level) String() string {
	if int(l) < len(names) {
		return names[l]
	}
	return fmt.Sprintf("level(%d)", uint8(l))
}

// ParseLevel returns the level whose String is s; the error lists the levels there are.
func ParseLevel(s string) (Level, error) {
	for i, n := range names {
		if s == n {
			return Level(i), nil
		}
	}
	return Generic, fmt.Errorf("cpu: unknown level %q, want one of %s", s, strings.Join(names[:], ", "))
}

var (
	detectedLevel = detect()
	currentLevel  atomic.Uint32
	envErr        error
)

func init() {
	currentLevel.Store(uint32(detectedLevel))
	s := os.Getenv("GRAM_LEVEL")
	if s == "" {
		return
	}
	l, err := ParseLevel(s)
	switch {
	case err != nil:
		envErr = fmt.Errorf("GRAM_LEVEL: %w", err)
	case l != Generic && detectedLevel == Generic || !sameArch(l, detectedLevel):
		envErr = fmt.Errorf("GRAM_LEVEL is %s, but the best level here is %s", l, detectedLevel)
	case l <= detectedLevel:
		currentLevel.Store(uint32(l))
	default:
		envErr = fmt.Errorf("GRAM_LEVEL is %s, but the best level here is %s", l, detectedLevel)
	}
}

func sameArch(a, b Level) bool {
	return a == Generic || b == Generic || (a == NEON) == (b == NEON)
}

// Detected returns the best level of this CPU and build.
func Detected() Level { return detectedLevel }

// Current returns the level in force: the detected one, unless GRAM_LEVEL or Lower has lowered it.
func Current() Level { return Level(currentLevel.Load()) }

// EnvError returns an error if GRAM_LEVEL could not be obeyed, and nil if it
// was obeyed, is empty or is not set.
func EnvError() error { return envErr }

// Levels returns the levels that can be put in force here, lowest first.
func Levels() []Level {
	switch detectedLevel {
	case AVX512:
		return []Level{Generic, AVX2, AVX512}
	case Generic:
		return []Level{Generic}
	default:
		return []Level{Generic, detectedLevel}
	}
}

// Lower puts l in force until restore is called. It returns an error if l is
// above the level in force. It must not be called while kernels run in other
// goroutines, which might mix levels.
func Lower(l Level) (restore func(), err error) {
	before := Current()
	if l > before || !sameArch(l, before) {
		return nil, fmt.Errorf("cpu: cannot go from level %s to %s", before, l)
	}
	currentLevel.Store(uint32(l))
	return func() { currentLevel.Store(uint32(before)) }, nil
}

// Info describes the CPU as far as it is known.
type Info struct {
	Name        string
	Family      int // CPUID family and model; 0: not known
	Model       int
	Features    []string // the features that levels consist of
	Cores       int      // physical cores; 0: not known
	L1D, L2, L3 int      // sizes of the caches in bytes; 0: not known
	Adders      bool     // whether additions have pipes beside those of multiply-adds
}

// Describe returns what is known about the CPU.
func Describe() Info {
	c := &cpuid.CPU
	size := func(b int) int { return max(b, 0) }
	i := Info{Name: c.BrandName, Family: c.Family, Model: c.Model, Cores: c.PhysicalCores, L1D: size(c.Cache.L1D), L2: size(c.Cache.L2), L3: size(c.Cache.L3)}
	i.Adders = (c.VendorID == cpuid.AMD || c.VendorID == cpuid.Hygon) && c.Family >= 0x17 // Zen
	for _, f := range features {
		if c.Supports(f) {
			i.Features = append(i.Features, f.String())
		}
	}
	return i
}
