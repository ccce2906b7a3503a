//go:build openblas && cgo

package openblas

import (
	"strings"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
)

func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		core  string
		level cpu.Level
		want  string // what is to be set; empty: nothing
	}{
		{"SkylakeX", cpu.AVX512, ""},
		{"Zen", cpu.AVX512, "SkylakeX"},
		{"Haswell", cpu.AVX512, "SkylakeX"},
		{"Prescott", cpu.AVX512, "SkylakeX"},
		{"Prescott", cpu.AVX2, "Haswell"},
		{"Haswell", cpu.AVX2, ""},
		{"Zen", cpu.AVX2, ""},
		{"SkylakeX", cpu.AVX2, ""},
		{"Prescott", cpu.Generic, ""},
		{"armv8", cpu.NEON, ""},
	} {
		got := advice(c.core, c.level)
		if c.want == "" && got != "" || c.want != "" && (!strings.HasSuffix(got, "GRAM_OPENBLAS_CORE="+c.want) || !strings.Contains(got, c.core)) {
			t.Errorf("kernels of %s at %s: advice %q, want to set %q", c.core, c.level, got, c.want)
		}
	}
}
