package modelfile_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/gramworks/gram/modelfile"
)

// A file that was written when the field was Bias bool is read, and written again with the same bytes.
func ExampleNot() {
	var config struct {
		NoBias modelfile.Not `json:"Bias"`
	}
	for _, text := range []string{`{"Bias":true}`, `{"Bias":false}`} {
		if err := json.Unmarshal([]byte(text), &config); err != nil {
			panic(err)
		}
		back, err := json.Marshal(config)
		fmt.Println(config.NoBias, string(back), err)
	}
	// Output:
	// false {"Bias":true} <nil>
	// true {"Bias":false} <nil>
}

// What is no switch leaves the field as it was.
func TestNotOfNoSwitch(t *testing.T) {
	var n modelfile.Not
	if err := json.Unmarshal([]byte(`"yes"`), &n); err == nil || n {
		t.Errorf("error %v, switch %v; want an error, false", err, n)
	}
}
