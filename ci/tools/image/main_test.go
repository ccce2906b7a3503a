package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The image refers to each of its blobs by the sum of its bytes, its layer holds the program, and it is the same each time.
func TestImage(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{"LICENSE": "terms", "program": "\x7fELF", "sbom": "{}"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"linux/amd64=program,sbom", "linux/arm64=program,sbom"}
	if err := write("a.tar", "v1", "1700000000", args); err != nil {
		t.Fatal(err)
	}
	if err := write("b.tar", "v1", "1700000000", args); err != nil {
		t.Fatal(err)
	}
	a, err := os.ReadFile("a.tar")
	if b, also := os.ReadFile("b.tar"); err != nil || also != nil || !bytes.Equal(a, b) {
		t.Fatalf("two images differ: %v, %v", err, also)
	}
	files := contents(t, bytes.NewReader(a))
	type reference struct {
		Digest   string
		Size     int
		Platform struct{ Architecture string }
	}
	read := func(r reference, to any) []byte {
		t.Helper()
		data := files["blobs/sha256/"+strings.TrimPrefix(r.Digest, "sha256:")]
		if len(data) != r.Size || "sha256:"+sum(data) != r.Digest {
			t.Fatalf("%+v refers to %d bytes with the sum %s", r, len(data), sum(data))
		}
		if to != nil {
			if err := json.Unmarshal(data, to); err != nil {
				t.Fatal(err)
			}
		}
		return data
	}
	var names, index struct{ Manifests []reference }
	if err := json.Unmarshal(files["index.json"], &names); err != nil || len(names.Manifests) != 1 || files["oci-layout"] == nil {
		t.Fatalf("%v: %s", err, files["index.json"])
	}
	if read(names.Manifests[0], &index); len(index.Manifests) != 2 {
		t.Fatalf("%+v", index)
	}
	for k, arch := range []string{"amd64", "arm64"} {
		var m struct {
			Config reference
			Layers []reference
		}
		if read(index.Manifests[k], &m); index.Manifests[k].Platform.Architecture != arch || len(m.Layers) != 1 {
			t.Fatalf("%+v", m)
		}
		var config struct {
			Architecture string
			Config       struct{ User string }
			RootFS       struct {
				DiffIDs []string `json:"diff_ids"`
			}
		}
		read(m.Config, &config)
		z, err := gzip.NewReader(bytes.NewReader(read(m.Layers[0], nil)))
		if err != nil {
			t.Fatal(err)
		}
		layer, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if inside := contents(t, bytes.NewReader(layer)); string(inside["gram"]) != "\x7fELF" || inside["LICENSE"] == nil || inside["gram.spdx.json"] == nil {
			t.Errorf("the layer has %v", inside)
		}
		if config.Architecture != arch || config.Config.User != "65532:65532" || len(config.RootFS.DiffIDs) != 1 || config.RootFS.DiffIDs[0] != "sha256:"+sum(layer) {
			t.Errorf("%+v", config)
		}
	}
	for _, bad := range [][]string{{"x", "linux/amd64=program,sbom"}, {"0", "linux/amd64"}, {"0", "windows/amd64=program,sbom"}, {"0", "linux/amd64=missing,sbom"}} {
		if err := write("c.tar", "v1", bad[0], bad[1:]); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func contents(t *testing.T, r io.Reader) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for in := tar.NewReader(r); ; {
		h, err := in.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
	}
}
