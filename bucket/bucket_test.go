package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/job"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/store"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// s3 starts a server that speaks the protocol of S3 on loopback, with the bucket b, and registers it.
func s3(t *testing.T) {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("b"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	t.Setenv("GRAM_S3", "endpoint="+server.URL+"&use_path_style=true&region=us-east-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "a")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	Register(t.Context())
}

// Trees grow in a bucket to the bytes from the disk.
func TestTrees(t *testing.T) {
	s3(t)
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := dataset.Save(t.Context(), path, dataset.Friedman1(600, 5, .1, 1)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, "s3://b/data/a.csv", text)
	var models []string
	for data, work := range map[string]string{path: t.TempDir(), "s3://b/data/a.csv": "s3://b/trees"} {
		j, err := job.New(job.Spec{Data: data, Task: "regression", Method: "gbdt", Settings: []string{"rounds=3", "leaves=4"}, Scale: "auto", Seed: 1, ItemBytes: int64(len(text) / 3)})
		if err != nil {
			t.Fatal(err)
		}
		w, err := job.Create(work, j)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := w.Fit(t.Context(), gram.Run{})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := modelfile.Write(&b, m); err != nil {
			t.Fatal(err)
		}
		models = append(models, b.String())
	}
	if models[0] != models[1] {
		t.Error("another model than from the disk")
	}
}

func put(t *testing.T, path string, text []byte) {
	t.Helper()
	s, err := store.Of(path)
	if err == nil {
		err = s.Write(path, func(w io.Writer) error { _, err := w.Write(text); return err })
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Objects are read as files are, at any place, found by patterns, replaced as a whole, and named in errors.
func TestObjects(t *testing.T) {
	s3(t)
	r := rand.New(rand.NewPCG(1, 1))
	text := make([]byte, 3<<20)
	for i := range text {
		text[i] = byte(r.Uint32())
	}
	for _, base := range []string{"s3://b/", "file://" + t.TempDir() + "/"} {
		path := base + "data/a 1.bin"
		put(t, path, text)
		put(t, base+"data/b.bin", nil)
		put(t, base+"data/deep/c.bin", nil)
		if found, err := store.Glob(base + "data/*.bin"); err != nil || !slices.Equal(found, []string{path, base + "data/b.bin"}) {
			t.Errorf("found %q, %v", found, err)
		}
		if b, err := store.ReadFile(path); err != nil || !bytes.Equal(b, text) {
			t.Errorf("%d bytes, %v", len(b), err)
		}
		f, err := store.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			at, n := r.IntN(len(text)), 1+r.IntN(200_000)
			p := make([]byte, n)
			m, err := f.ReadAt(p, int64(at))
			if want := text[at:min(len(text), at+n)]; !bytes.Equal(p[:m], want) || (err == io.EOF) != (m < n) {
				t.Fatalf("%d of %d bytes at %d, %v", m, n, at, err)
			}
		}
		if info, err := f.Stat(); err != nil || info.Size() != int64(len(text)) || time.Since(info.ModTime()) > time.Hour {
			t.Errorf("%v, %v", info, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		_, open := store.Open(base + "none")
		_, stat := store.Stat(base + "none")
		for _, err := range []error{open, stat} {
			if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), base+"none") {
				t.Error(err)
			}
		}
		s, _ := store.Of(path)
		broken := errors.New("broken")
		if err := s.Write(path, func(w io.Writer) error { _, _ = w.Write([]byte("half")); return broken }); err != broken {
			t.Error(err)
		}
		if info, err := store.Stat(path); err != nil || info.Size() != int64(len(text)) {
			t.Errorf("after a write that failed: %v, %v", info, err)
		}
		if err := store.Remove(path); err != nil {
			t.Error(err)
		}
		if _, err := store.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
	if _, err := store.Open("s3://nobody/key"); err == nil || !strings.Contains(err.Error(), "s3://nobody/key") || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
	if _, err := store.Open("s3:///key"); err == nil || !strings.Contains(err.Error(), "want a path such as s3://bucket/key") {
		t.Error(err)
	}
}

// A request ends when its context does, although the server never answers.
func TestInterrupted(t *testing.T) {
	s3(t)
	wait := make(chan struct{})
	hang := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-wait }))
	defer hang.Close()
	defer close(wait)
	t.Setenv("GRAM_S3", "endpoint="+hang.URL+"&use_path_style=true&region=us-east-1")
	ctx, cancel := context.WithCancel(t.Context())
	Register(ctx)
	time.AfterFunc(100*time.Millisecond, cancel)
	begin := time.Now()
	if _, err := store.Open("s3://b/key"); !errors.Is(err, context.Canceled) || time.Since(begin) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
}

// Four workers, one of which is killed, fit a model to files of a bucket, with the folder of the job there: it has the bytes of one from the
// disk.
func TestWorkers(t *testing.T) {
	s3(t)
	dir := t.TempDir()
	command := filepath.Join(dir, "gram-bucket")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", command, "./cmd/gram-bucket")
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	for k := range 4 {
		name := filepath.Join(dir, fmt.Sprintf("part-%d.csv", k))
		if err := dataset.Save(t.Context(), name, dataset.Friedman1(20000, 10, .1, uint64(k))); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		put(t, "s3://b/data/"+filepath.Base(name), text)
	}
	spec := job.Spec{Data: filepath.Join(dir, "part-*.csv"), Task: "regression", Method: "nystrom", Settings: []string{"m=64"}, Scale: "auto", Seed: 1, ItemBytes: 500_000}
	j, err := job.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	w, err := job.Create(filepath.Join(dir, "w"), j)
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := w.Fit(t.Context(), gram.Run{})
	if err == nil {
		err = job.Save(filepath.Join(dir, "m.gram"), m)
	}
	if err != nil {
		t.Fatal(err)
	}
	start := func(k int) *exec.Cmd {
		c := exec.CommandContext(t.Context(), command, "--data", "s3://b/data/part-*.csv", "--task", "regression", "--method", "nystrom", "--set", "m=64",
			"--item-bytes", "500000", "--work", "s3://b/w", "--model", "s3://b/m.gram", "--workers", "1", "--first", fmt.Sprint(5*k))
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	killed := start(0)
	var others []*exec.Cmd
	for k := 1; k < 4; k++ {
		others = append(others, start(k))
	}
	var all sync.WaitGroup
	all.Go(func() {
		for range 600 { // in the middle of its pieces
			if found, err := store.Glob("s3://b/w/scan-0-*.state"); err != nil || len(found) > 1 {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		_ = killed.Process.Kill()
		if err := killed.Wait(); err == nil {
			t.Error("the worker has ended before it was killed")
		}
	})
	for _, c := range others {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
	want, err := os.ReadFile(filepath.Join(dir, "m.gram"))
	if err != nil {
		t.Fatal(err)
	}
	if have, err := store.ReadFile("s3://b/m.gram"); err != nil || !bytes.Equal(have, want) {
		t.Errorf("another model than from the disk, %v", err)
	}
}
