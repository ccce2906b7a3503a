package algotest

import (
	"bytes"
	"errors"
	"testing"

	"github.com/gramworks/gram/modelfile"
)

// Misfits tests that the parts of m do not become a model: neither a file that decode reads nor,
// where a rule is about numbers, a file at all.
func Misfits[M any](t *testing.T, what string, m modelfile.Model, decode func(*modelfile.File) (M, error)) {
	t.Helper()
	var b bytes.Buffer
	err := modelfile.Write(&b, m)
	if err == nil {
		f, broken := modelfile.Read(&b)
		if broken != nil {
			t.Fatal(broken)
		}
		_, err = decode(f)
	}
	var wrong *modelfile.FormatError
	if !errors.As(err, &wrong) {
		t.Errorf("%s: %v", what, err)
	}
}
