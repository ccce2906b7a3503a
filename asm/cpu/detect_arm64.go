//go:build !noasm

package cpu

import "github.com/klauspost/cpuid/v2"

var features = []cpuid.FeatureID{cpuid.ASIMD}

// detect needs no look at the CPU: Advanced SIMD is part of every arm64 that
// Go runs on.
func detect() Level { return NEON }
