//go:build !unix

package modelfile

// Map reads a model file like ReadFile. On unix it maps the file into memory
// instead.
func Map(path string) (*File, error) { return ReadFile(path) }
