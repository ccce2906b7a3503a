package safefile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries := must.Have(os.ReadDir(dir))(t)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	text := func(s string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
	}
	want := func(s string) {
		t.Helper()
		b, err := os.ReadFile(path)
		if err != nil || string(b) != s {
			t.Fatalf("read %q, %v, want %q", b, err, s)
		}
		if n := names(t, dir); len(n) != 1 {
			t.Fatalf("directory holds %v", n)
		}
	}
	boom := errors.New("boom")
	fail := func(w io.Writer) error { io.WriteString(w, "partial"); return boom }
	if err := Write(path, fail); !errors.Is(err, boom) {
		t.Fatalf("err %v", err)
	}
	if n := names(t, dir); len(n) != 0 {
		t.Fatalf("a failed write left %v", n)
	}
	must.Do(t, Write(path, text("one")))
	want("one")
	must.Do(t, os.Chmod(path, 0o640))
	must.Do(t, Write(path, text("two")))
	want("two")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Fatalf("mode %v, %v", info.Mode(), err)
	}
	if err := Write(path, fail); !errors.Is(err, boom) {
		t.Fatalf("err %v", err)
	}
	want("two")
	if must.Recovered(func() { _ = Write(path, func(w io.Writer) error { io.WriteString(w, "partial"); panic("boom") }) }) == nil {
		t.Error("the panic was swallowed")
	}
	want("two")
}

// Without a sync readers see the old file or the whole new one, too.
func TestWriteUnsynced(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	text := func(s string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, failed := io.WriteString(w, s)
			return errors.Join(err, failed)
		}
	}
	boom := errors.New("boom")
	for _, step := range []struct {
		write string
		err   error
		want  string
	}{{"one", nil, "one"}, {"part of two", boom, "one"}, {"three", nil, "three"}} {
		if err := WriteUnsynced(path, text(step.write, step.err)); !errors.Is(err, step.err) {
			t.Errorf("%q: %v", step.write, err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != step.want {
			t.Errorf("read %q, %v, want %q", b, err, step.want)
		}
		if n := names(t, dir); len(n) != 1 {
			t.Errorf("directory holds %v", n)
		}
	}
	f, err := unsynced{}.create(filepath.Join(dir, "b"), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := errors.Join(f.Sync(), unsynced{}.syncDir(filepath.Join(dir, "none"))); err != nil {
		t.Errorf("a sync is asked for: %v", err) // neither can be synced
	}
}

func TestWriteSpecial(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, func(io.Writer) error { return nil }); err == nil {
		t.Error("wrote over a directory")
	}
	if err := Write(filepath.Join(dir, "no", "such"), func(io.Writer) error { return nil }); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing directory: %v", err)
	}
	target, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	must.Do(t, os.WriteFile(target, []byte("old"), 0o600))
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no symbolic links here")
	}
	must.Do(t, Write(link, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }))
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info.Mode(), err)
	}
	if b, _ := os.ReadFile(target); string(b) != "new" {
		t.Errorf("the file behind the link holds %q", b)
	}
	if _, err := os.Stat(os.DevNull); err == nil {
		if err := Write(os.DevNull, func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err }); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
			t.Errorf("the null device was replaced: %v", err)
		}
	}
}

// Errors of the system when a file is opened, written or closed are returned, and the
// new file is removed.
func TestErrors(t *testing.T) {
	long := func(w io.Writer) error { _, err := w.Write(make([]byte, 1<<20)); return err }
	short := func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err }
	const full = "/dev/full"
	if info, err := os.Stat(full); err == nil && !info.Mode().IsRegular() {
		for what, write := range map[string]func(io.Writer) error{"while writing": long, "at the end": short} {
			if err := Write(full, write); err == nil {
				t.Errorf("no error from a full device %s", what)
			}
		}
		boom := errors.New("boom")
		if err := Write(full, func(io.Writer) error { return boom }); err != boom {
			t.Errorf("the error of the caller becomes %v", err)
		}
	}
	dir := t.TempDir()
	missing := filepath.Join(dir, "x", "y")
	for _, err := range []error{Write(missing, short), Check(missing)} {
		var at *os.PathError
		if !errors.Is(err, os.ErrNotExist) || !errors.As(err, &at) || at.Path != missing {
			t.Errorf("no folder: %v", err)
		}
	}
	file := filepath.Join(dir, "file")
	for range 2 { // with no file there, and with one
		if err := Check(file); err != nil {
			t.Error(err)
		}
		must.Do(t, Write(file, short))
	}
	if err := Check(dir); err == nil {
		t.Error("a folder is taken for a file")
	}
	if err := Write(filepath.Join(file, "y"), short); err == nil {
		t.Error("a file is taken for a folder")
	}
	path := filepath.Join(dir, "gone")
	err := Write(path, func(w io.Writer) error { // somebody removes the new file
		for _, name := range names(t, dir) {
			if name != "file" {
				os.Remove(filepath.Join(dir, name))
			}
		}
		return short(w)
	})
	if err == nil {
		t.Error("no error although the new file is gone")
	}
	if n := names(t, dir); len(n) != 1 {
		t.Errorf("the folder holds %v", n)
	}
}

// Every file that is opened is closed, whatever happens to it.
func TestFilesAreClosed(t *testing.T) {
	open := func() int {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("open files cannot be counted here")
		}
		return len(files)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it closes what is forgotten
	path := filepath.Join(t.TempDir(), "f")
	before := open()
	for what, write := range map[string]func(io.Writer) error{
		"written":  func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err },
		"failed":   func(io.Writer) error { return errors.New("boom") },
		"too long": func(w io.Writer) error { _, err := w.Write(make([]byte, 1<<20)); return err },
		"panicked": func(io.Writer) error { panic("boom") },
	} {
		for _, to := range []string{path, os.DevNull, "/dev/full"} {
			if to != path && what == "panicked" {
				continue
			}
			func() {
				defer func() { _ = recover() }()
				_ = Write(to, write)
			}()
			if after := open(); after != before {
				t.Errorf("%s, %s: %d files are open, before there were %d", to, what, after, before)
			}
		}
	}
}

// A name that is taken is not touched, and another one is tried.
func TestTakenNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	next, calls := uint32(0), 0
	count := func() uint32 {
		calls++
		if calls%3 == 0 {
			next++
		}
		return next
	}
	for range 3 {
		f, release := must.Have2(create(machine{}, path, 0o666, count))(t)
		f.Close()
		defer release()
	}
	if got := names(t, filepath.Dir(path)); len(got) != 3 || calls != 6 {
		t.Errorf("%v after %d numbers", got, calls)
	}
	calls = 0
	if _, _, err := create(machine{}, path, 0o666, func() uint32 { calls++; return 1 }); !errors.Is(err, fs.ErrExist) || calls != 101 {
		t.Errorf("%v after %d numbers", err, calls)
	}
}
