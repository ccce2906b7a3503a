//go:build !noasm

package asmtest

// jump returns the machine code of MOVQ $r, R12; JMP landing at the address
// entry.
func jump(entry, landing, r uint64) [2]uint64 {
	offset := landing - (entry + 15)
	return [2]uint64{0xbc49 | r<<16, r>>48 | 0xe9<<16 | offset&0xffffffff<<24 | 0xcc<<56}
}
