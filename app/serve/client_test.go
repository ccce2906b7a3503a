package serve

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// curl sends requests of the Open Inference Protocol as its documents write them: it looks whether server and model are ready,
// reads the metadata, and sends tensors in JSON and in binary form, of which the answer comes back in binary form.
func TestInferByCurl(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a program")
	}
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("there is no curl")
	}
	s := httptest.NewServer(protocolServer(t))
	defer s.Close()
	dir := t.TempDir()
	head := filepath.Join(dir, "head")
	ask := func(path string, args ...string) []byte {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), curl, append([]string{"--silent", "--show-error", "--fail-with-body", "--max-time", "60", "--dump-header", head, s.URL + path}, args...)...).Output()
		if err != nil {
			t.Fatalf("%s: %v %s", path, err, out)
		}
		return out
	}
	for _, path := range []string{"/v2/health/live", "/v2/health/ready", "/v2/models/table/ready"} {
		ask(path)
	}
	if text := string(ask("/v2")); !strings.Contains(text, "binary_tensor_data") {
		t.Errorf("the server says %s", text)
	}
	if text := string(ask("/v2/models/table")); !strings.Contains(text, `{"name":"size","datatype":"BYTES","shape":[-1,1]}`) {
		t.Errorf("the model says %s", text)
	}
	text := ask("/v2/models/values/infer", "--json", `{"id":"42","inputs":[{"name":"rows","shape":[2,3],"datatype":"FP32","data":[1,2,3,4,5,6]}],"outputs":[{"name":"value"}]}`)
	if !strings.Contains(string(text), `"id":"42"`) || !strings.Contains(string(text), `"data":[6,15]`) {
		t.Errorf("tensors in JSON: %s", text)
	}

	// Three tensors follow the JSON, each in the order of the inputs: FP32, BOOL, and BYTES, each text behind its length.
	request := `{"inputs":[{"name":"a","shape":[2,1],"datatype":"FP32","parameters":{"binary_data_size":8}},{"name":"ripe","shape":[2,1],"datatype":"BOOL","parameters":{"binary_data_size":2}},` +
		`{"name":"size","shape":[2,1],"datatype":"BYTES","parameters":{"binary_data_size":10}}],"outputs":[{"name":"value","parameters":{"binary_data":true}}]}`
	body := []byte(request)
	for _, v := range []float32{1.5, -2} {
		body = binary.LittleEndian.AppendUint32(body, math.Float32bits(v))
	}
	body = append(body, 1, 0)
	for _, v := range []string{"3", "1"} {
		body = append(binary.LittleEndian.AppendUint32(body, uint32(len(v))), v...)
	}
	file := filepath.Join(dir, "body")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
	answer := ask("/v2/models/table/infer", "--header", "Content-Type: application/octet-stream", "--header", fmt.Sprintf("Inference-Header-Content-Length: %d", len(request)), "--data-binary", "@"+file)
	heads, err := os.ReadFile(head)
	if err != nil {
		t.Fatal(err)
	}
	length := -1
	for line := range bytes.Lines(heads) {
		if name, value, _ := strings.Cut(string(line), ":"); strings.EqualFold(name, "Inference-Header-Content-Length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if length < 0 || length+16 != len(answer) {
		t.Fatalf("an answer of %d bytes with the header\n%s", len(answer), heads)
	}
	var about struct {
		Outputs []struct {
			Name, Datatype string
			Shape          []int
			Parameters     struct {
				Size int `json:"binary_data_size"`
			}
		}
	}
	if err := json.Unmarshal(answer[:length], &about); err != nil || len(about.Outputs) != 1 || about.Outputs[0].Parameters.Size != 16 || about.Outputs[0].Datatype != "FP64" {
		t.Fatalf("%s: %v", answer[:length], err)
	}
	for i, want := range []float64{1.5 + 1 + 2, -2} {
		if got := math.Float64frombits(binary.LittleEndian.Uint64(answer[length+8*i:])); got != want {
			t.Errorf("row %d is %g, want %g", i+1, got, want)
		}
	}
}
