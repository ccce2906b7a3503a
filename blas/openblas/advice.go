//go:build openblas && cgo

package openblas

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gramworks/gram/asm/cpu"
)

// Kernels of OpenBLAS that use AVX-512 and those that use AVX2 and FMA.
var (
	cores512 = []string{"skylakex", "cooperlake", "sapphirerapids", "zen4", "zen5"}
	cores256 = []string{"haswell", "zen", "excavator"}
)

// advice says what to set where the kernels of a core do not use what a CPU of the
// given level has.
func advice(core string, level cpu.Level) string {
	name := strings.ToLower(core)
	has, better := "", ""
	switch {
	case slices.Contains(cores512, name):
	case level == cpu.AVX512:
		has, better = "AVX-512", "SkylakeX"
	case level == cpu.AVX2 && !slices.Contains(cores256, name):
		has, better = "AVX2", "Haswell"
	}
	if better == "" {
		return ""
	}
	return fmt.Sprintf("this CPU has %s, the kernels of %s do not use it: set GRAM_OPENBLAS_CORE=%s", has, core, better)
}
