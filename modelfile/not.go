package modelfile

import "encoding/json"

// Not is a switch that model files hold as its opposite. A field NoBias Not with the tag json:"Bias" has the default
// false, and files that were written when the field was Bias bool keep their bytes and their meaning.
type Not bool

// MarshalJSON returns true for false and false for true.
func (n Not) MarshalJSON() ([]byte, error) { return json.Marshal(!bool(n)) }

// UnmarshalJSON reads true as false and false as true.
func (n *Not) UnmarshalJSON(text []byte) error {
	var opposite bool
	if err := json.Unmarshal(text, &opposite); err != nil {
		return err
	}
	*n = Not(!opposite)
	return nil
}
