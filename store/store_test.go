package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/store"
)

// Paths without a scheme are those of the disk, and a scheme that nobody has registered is an error that names the path.
func TestDisk(t *testing.T) {
	dir := t.TempDir()
	path := store.Join(dir, "a.txt")
	if path != filepath.Join(dir, "a.txt") || store.Join("s3://b/w/", "a") != "s3://b/w/a" {
		t.Errorf("joined %s", path)
	}
	must.Do(t, os.WriteFile(path, []byte("text"), 0o666))
	if b := must.Have(store.ReadFile(path))(t); string(b) != "text" {
		t.Errorf("%q", b)
	}
	f := must.Have(store.Open(path))(t)
	b := must.Have(io.ReadAll(f))(t)
	must.Do(t, f.Close())
	info := must.Have(store.Stat(path))(t)
	if string(b) != "text" || info.Size() != 4 {
		t.Errorf("%q, %d bytes", b, info.Size())
	}
	if found := must.Have(store.Glob(filepath.Join(dir, "*.txt")))(t); !slices.Equal(found, []string{path}) {
		t.Errorf("found %q", found)
	}
	must.Do(t, store.Remove(path))
	if _, err := store.Open(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if abs := must.Have(store.Abs("a"))(t); !filepath.IsAbs(abs) {
		t.Errorf("%s is not whole", abs)
	}
	for _, path := range []string{"a/b.csv", `C:\a.csv`, "c://a.csv", "A B://c", "://a", ""} {
		if store.Remote(path) {
			t.Errorf("%q has a scheme", path)
		}
	}
	const far = "nobody://bucket/key"
	if abs, err := store.Abs(far); err != nil || abs != far {
		t.Errorf("%s, %v", abs, err)
	}
	_, open := store.Open(far)
	_, stat := store.Stat(far)
	_, glob := store.Glob(far)
	_, read := store.ReadFile(far)
	for _, err := range []error{open, stat, glob, read, store.Remove(far)} {
		if err == nil || !strings.Contains(err.Error(), far+": this program was built without stores for nobody://") {
			t.Error(err)
		}
	}
}

// one is a store of one file.
type one struct{ text []byte }

func (o *one) Open(path string) (store.File, error) {
	if o.text == nil {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	return memory{bytes.NewReader(o.text)}, nil
}
func (o *one) Stat(path string) (fs.FileInfo, error) { return nil, fmt.Errorf("%s: stat", path) }
func (o *one) Glob(pattern string) ([]string, error) { return []string{pattern + "!"}, nil }
func (o *one) Remove(string) error                   { o.text = nil; return nil }
func (o *one) Write(_ string, write func(w io.Writer) error) error {
	var b bytes.Buffer
	err := write(&b)
	if err == nil {
		o.text = b.Bytes()
	}
	return err
}

type memory struct{ *bytes.Reader }

func (memory) Close() error               { return nil }
func (memory) Stat() (fs.FileInfo, error) { return nil, errors.New("no stat") }

// Paths of a registered scheme go to its store, whole.
func TestRegister(t *testing.T) {
	s := &one{}
	store.Register("one", s)
	const path = "one://a/b"
	if _, err := store.ReadFile(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	have := must.Have(store.Of(path))(t)
	must.Do(t, have.Write(path, func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err }))
	if b := must.Have(store.ReadFile(path))(t); string(b) != "text" {
		t.Errorf("%q", b)
	}
	if _, err := store.Stat(path); err == nil || err.Error() != path+": stat" {
		t.Error(err)
	}
	if found := must.Have(store.Glob(path))(t); !slices.Equal(found, []string{path + "!"}) {
		t.Errorf("found %q", found)
	}
	must.Do(t, store.Remove(path))
	if s.text != nil {
		t.Error("it is not removed")
	}
}
