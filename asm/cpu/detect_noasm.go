//go:build noasm || (!amd64 && !arm64)

package cpu

import "github.com/klauspost/cpuid/v2"

var features []cpuid.FeatureID

func detect() Level { return Generic }
