//go:build !unix

package modelfile

// Map reads a model file; on unix it would be mapped into memory.
func Map(path string) (*File, error) { return ReadFile(path) }
