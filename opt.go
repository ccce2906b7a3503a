package gram

import "encoding/json"

// Opt is a setting whose zero is a value of its own: the zero Opt stands for the
// default, Set(v) for v, be it zero or not. In JSON an Opt is its value, or null.
type Opt[T any] struct {
	value T
	given bool
}

// Set returns the setting with value v.
func Set[T any](v T) Opt[T] { return Opt[T]{v, true} }

// Given reports whether there is a value.
func (o Opt[T]) Given() bool { return o.given }

// Value returns the value, zero for the default that has not been filled in. The
// settings that a model returns are filled in.
func (o Opt[T]) Value() T { return o.value }

// MarshalJSON writes the value, or null.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if !o.given {
		return []byte("null"), nil
	}
	return json.Marshal(o.value)
}

// UnmarshalJSON reads a value, or null.
func (o *Opt[T]) UnmarshalJSON(text []byte) error {
	*o = Opt[T]{}
	if string(text) == "null" {
		return nil
	}
	o.given = true
	return json.Unmarshal(text, &o.value)
}
