//go:build race

package main

// raceDetector reports whether the race detector is built in.
const raceDetector = true
