//go:build !noasm

package cpu

import "github.com/klauspost/cpuid/v2"

var features = []cpuid.FeatureID{
	cpuid.AVX, cpuid.AVX2, cpuid.FMA3, cpuid.BMI2,
	cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512BW, cpuid.AVX512VL,
}

func detect() Level {
	switch {
	case !cpuid.CPU.Supports(cpuid.AVX, cpuid.AVX2, cpuid.FMA3, cpuid.BMI2):
		return Generic
	case !cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512BW, cpuid.AVX512VL):
		return AVX2
	}
	return AVX512
}
