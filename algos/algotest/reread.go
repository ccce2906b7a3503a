package algotest

import (
	"bytes"

	"github.com/gramworks/gram/modelfile"
)

// Reread returns v as another process reads it from a file that form describes, into empty.
func Reread[T any](v, empty T, form func(v T, x *modelfile.Exchange)) (T, error) {
	var b bytes.Buffer
	err := modelfile.Write(&b, encoder(func(w *modelfile.Writer) error {
		return modelfile.Put(w, func(x *modelfile.Exchange) { form(v, x) })
	}))
	if err != nil {
		return empty, err
	}
	f, err := modelfile.Read(&b)
	if err != nil {
		return empty, err
	}
	return modelfile.Get(f, empty, form)
}
