package gram

import "encoding/json"

// Opt is an optional setting whose type has a legal zero: the zero Opt stands for
// the default, Set(v) for the value v, which may be zero. JSON holds the value,
// or null for the default.
type Opt[T any] struct {
	value T
	given bool
}

// Set returns the setting with the value v.
func Set[T any](v T) Opt[T] { return Opt[T]{v, true} }

// Given reports whether Set made the setting; false stands for the default.
func (o Opt[T]) Given() bool { return o.given }

// Value returns the value that was set, and zero if none was. The Config that a
// fitted model returns has all its defaults filled in.
func (o Opt[T]) Value() T { return o.value }

// MarshalJSON writes the value, or null for the default.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if !o.given {
		return []byte("null"), nil
	}
	return json.Marshal(o.value)
}

// UnmarshalJSON reads a value, or null for the default.
func (o *Opt[T]) UnmarshalJSON(text []byte) error {
	*o = Opt[T]{}
	if string(text) == "null" {
		return nil
	}
	o.given = true
	return json.Unmarshal(text, &o.value)
}
