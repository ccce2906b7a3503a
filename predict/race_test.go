//go:build race

package predict

// raceDetector: pools drop what they hold at random.
const raceDetector = true
