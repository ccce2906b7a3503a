package dataset

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gramworks/gram"
)

// ParseError says where a data file cannot be read and why. In a binary file, which has no lines, the
// reason names the place.
type ParseError = gram.ParseError

// remediedError is an error that can be avoided.
type remediedError struct {
	error
	remedies []Options
}

// Unwrap returns the error without its remedies.
func (e *remediedError) Unwrap() error { return e.error }

// withRemedies adds remedies to those of an error.
func withRemedies(err error, remedies ...Options) error {
	return &remediedError{err, slices.Concat(Remedies(err), remedies)}
}

// Remedies returns changes of the options each of which lets a file be read that could not be read
// because of err: only the fields to change are set. Not every error has one.
func Remedies(err error) []Options {
	if e := (*remediedError)(nil); errors.As(err, &e) {
		return e.remedies
	}
	return nil
}

// quote shortens text from a file for an error message.
func quote(b []byte) string {
	const most = 40
	if len(b) > most {
		return fmt.Sprintf("%q…", b[:most])
	}
	return fmt.Sprintf("%q", b)
}
