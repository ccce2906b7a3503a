package level2

import "github.com/gramworks/gram/asm/cpu"

// Substitutes reports whether Substitute has a routine of its own at the level in
// force. Else it is no faster than GemvT for each row.
func Substitutes() bool { return cpu.Current() == cpu.NEON }
