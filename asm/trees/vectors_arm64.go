package trees

import "github.com/gramworks/gram/asm/cpu"

// vectors reports whether there is assembly for ranks and single rows at the level in force.
func vectors() bool { return cpu.Current() == cpu.NEON }
