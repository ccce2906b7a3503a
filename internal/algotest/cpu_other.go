//go:build !unix

package algotest

import "time"

func cpuTime() (time.Duration, bool) { return 0, false }
