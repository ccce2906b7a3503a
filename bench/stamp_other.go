//go:build !linux

package bench

// cores knows nothing.
func cores() usage { return usage{} }
