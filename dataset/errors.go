package dataset

import (
	"fmt"
	"strings"
)

// ParseError says where a data file cannot be read and why. Line and Col count
// from 1, Col in bytes; 0 means that there is none: the whole line, or a binary
// file, for which Reason names the place.
type ParseError struct {
	File      string
	Line, Col int
	Reason    string

	// Remedies are changes of the options, each of which lets the file be read: only the
	// fields to change are set. Not every error has one.
	Remedies []Options
}

// or adds remedies to the error.
func (e *ParseError) or(remedies ...Options) *ParseError {
	e.Remedies = append(e.Remedies, remedies...)
	return e
}

// Error returns the place, as FILE:LINE:COLUMN as far as it is known, and the reason.
func (e *ParseError) Error() string {
	var b strings.Builder
	file := e.File
	if file == "" {
		file = "input"
	}
	b.WriteString(file)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
		if e.Col > 0 {
			fmt.Fprintf(&b, ":%d", e.Col)
		}
	}
	b.WriteString(": ")
	b.WriteString(e.Reason)
	return b.String()
}

// quote shortens text from a file for an error message.
func quote(b []byte) string {
	const most = 40
	if len(b) > most {
		return fmt.Sprintf("%q…", b[:most])
	}
	return fmt.Sprintf("%q", b)
}
