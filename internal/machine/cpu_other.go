//go:build !unix

package algotest

import "time"

func CPUTime() (time.Duration, bool) { return 0, false }
