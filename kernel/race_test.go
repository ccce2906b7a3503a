//go:build race

package kernel

// raceDetector: pools drop what they hold at random.
const raceDetector = true
