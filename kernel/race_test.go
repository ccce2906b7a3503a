//go:build race

package kernel

// raceDetector is true if the race detector runs; sync.Pool drops values at
// random then.
const raceDetector = true
