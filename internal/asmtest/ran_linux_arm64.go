//go:build !noasm

package asmtest

// jump returns the machine code of LDR X16, 2f; B landing; 2: r at the
// address entry.
func jump(entry, landing, r uint64) [2]uint64 {
	const load, branch = 0x58000050, 0x14000000
	offset := (landing - (entry + 4)) >> 2 & 0x3ffffff
	return [2]uint64{load | (branch|offset)<<32, r}
}
