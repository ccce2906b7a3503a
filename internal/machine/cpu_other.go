//go:build !unix

package machine

import "time"

// CPUTime says that the processor time is not known.
func CPUTime() (time.Duration, bool) { return 0, false }
