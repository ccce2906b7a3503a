//go:build !arm64

package trees

import "github.com/gramworks/gram/asm/cpu"

// vectors reports whether there is assembly for ranks and single rows at the level in force.
func vectors() bool {
	level := cpu.Current()
	return level == cpu.AVX2 || level == cpu.AVX512
}
