// Image packs programs for Linux as a container image, a tar file in the layout of the Open Container Initiative, with
// nothing in it but the program /gram, its license and its bill of materials. It runs as a user without rights, as
// number 65532. The same programs give the same bytes.
//
//	go run ./ci/tools/image OUT.tar VERSION SECONDS linux/amd64=PROGRAM,SBOM ...
//
// SECONDS is the time of the revision since 1970.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	if len(os.Args) < 5 {
		fmt.Fprintln(os.Stderr, "usage: image OUT.tar VERSION SECONDS OS/ARCH=PROGRAM,SBOM ...")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3], os.Args[4:]); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

const kind = "application/vnd.oci.image."

type object = map[string]any

// layout gathers the files of an image layout of OCI, with the same time for all.
type layout struct {
	created time.Time
	files   []file
}

type file struct {
	name string
	mode int64
	data []byte
}

func write(out, version, seconds string, programs []string) error {
	s, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("the time is %q, want seconds since 1970", seconds)
	}
	l := &layout{created: time.Unix(s, 0).UTC()}
	var manifests []object
	for _, p := range programs {
		m, err := l.program(version, p)
		if err != nil {
			return err
		}
		manifests = append(manifests, m)
	}
	all, err := l.blob(kind+"index.v1+json", object{"schemaVersion": 2, "mediaType": kind + "index.v1+json", "manifests": manifests})
	if err != nil {
		return err
	}
	all["annotations"] = object{"org.opencontainers.image.ref.name": version}
	index, err := json.Marshal(object{"schemaVersion": 2, "mediaType": kind + "index.v1+json", "manifests": []object{all}})
	if err != nil {
		return err
	}
	l.files = append(l.files, file{"index.json", 0o644, index}, file{"oci-layout", 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`)})
	text, err := l.pack(l.files)
	if err != nil {
		return err
	}
	return os.WriteFile(out, text, 0o644)
}

// program adds the image of a program and returns its entry in the list of platforms.
func (l *layout) program(version, arg string) (object, error) {
	platform, files, found := strings.Cut(arg, "=")
	system, arch, also := strings.Cut(platform, "/")
	path, sbom, with := strings.Cut(files, ",")
	if !found || !also || !with || system != "linux" {
		return nil, fmt.Errorf("%q: want linux/ARCH=PROGRAM,SBOM", arg)
	}
	var layer []file
	for _, f := range []struct {
		from, to string
		mode     int64
	}{{"LICENSE", "LICENSE", 0o644}, {path, "gram", 0o755}, {sbom, "gram.spdx.json", 0o644}} {
		data, err := os.ReadFile(f.from)
		if err != nil {
			return nil, err
		}
		layer = append(layer, file{f.to, f.mode, data})
	}
	text, err := l.pack(layer)
	if err != nil {
		return nil, err
	}
	var small bytes.Buffer
	z, err := gzip.NewWriterLevel(&small, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err = z.Write(text); err == nil {
		err = z.Close()
	}
	if err != nil {
		return nil, err
	}
	config, err := l.blob(kind+"config.v1+json", object{
		"created": l.created.Format(time.RFC3339), "architecture": arch, "os": system,
		"config": object{
			"User": "65532:65532", "Entrypoint": []string{"/gram"}, "Cmd": []string{"serve", "--help"}, "ExposedPorts": object{"8080/tcp": object{}},
			"Labels": object{"org.opencontainers.image.title": "gram", "org.opencontainers.image.version": version, "org.opencontainers.image.created": l.created.Format(time.RFC3339)},
		},
		"rootfs": object{"type": "layers", "diff_ids": []string{"sha256:" + sum(text)}},
	})
	if err != nil {
		return nil, err
	}
	manifest, err := l.blob(kind+"manifest.v1+json", object{"schemaVersion": 2, "mediaType": kind + "manifest.v1+json", "config": config, "layers": []object{l.add(kind+"layer.v1.tar+gzip", small.Bytes())}})
	if err != nil {
		return nil, err
	}
	manifest["platform"] = object{"architecture": arch, "os": system}
	return manifest, nil
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// blob adds v in JSON as a blob of a media type, and returns what refers to it.
func (l *layout) blob(kind string, v any) (object, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return l.add(kind, text), nil
}

// add adds a blob and returns what refers to it.
func (l *layout) add(kind string, data []byte) object {
	name := "blobs/sha256/" + sum(data)
	if !slices.ContainsFunc(l.files, func(f file) bool { return f.name == name }) {
		l.files = append(l.files, file{name, 0o644, data})
	}
	return object{"mediaType": kind, "digest": "sha256:" + sum(data), "size": len(data)}
}

// pack returns the files as a tar file.
func (l *layout) pack(files []file) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		if err := w.WriteHeader(&tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: l.created, Format: tar.FormatUSTAR}); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
