package modelfile_test

import (
	"encoding/json"
	"fmt"

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
