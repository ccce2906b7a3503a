//go:build !arm64

package level2

import "github.com/gramworks/gram/asm/cpu"

// Substitutes reports whether Substitute has a routine of its own at the level in
// force. Else it is no faster than GemvT for each row.
func Substitutes() bool {
	level := cpu.Current()
	return level == cpu.AVX2 || level == cpu.AVX512
}
