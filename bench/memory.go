package bench

import (
	"time"

	"github.com/gramworks/gram/internal/machine"
)

// Memory returns the bytes of memory that this process may use: those of the machine, or
// the limit of its container where that is smaller. It is 0 where that is not known.
func Memory() int64 { return machine.Memory() }

// FreeDisk returns the bytes that are free for the user on the disk of a folder, 0 where
// that is not known.
func FreeDisk(folder string) int64 { return machine.Free(folder) }

// CPUTime returns the time that the process has spent on all cores, its system calls
// included, and whether that is known.
func CPUTime() (time.Duration, bool) { return machine.CPUTime() }

// PeakMemory runs f and returns the largest growth of the live heap and of the heap with
// its garbage, in bytes. The memory that f needs lies between the two: the first misses
// what is used between two collections only, the second includes garbage. The garbage
// collector runs often meanwhile, so f takes longer than by itself.
func PeakMemory(f func()) (live, heap int64) { return machine.Peak(f) }
