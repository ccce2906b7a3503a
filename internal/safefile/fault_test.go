package safefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

// faulty is the machine, whose call number at fails, or also all calls after it. It
// syncs nothing, which takes time.
type faulty struct {
	machine
	at, calls int
	forever   bool
	err       error // nil: a Write takes half of its bytes and reports no error
	failed    []string
}

// call counts a call and returns the error that it ends with.
func (f *faulty) call(name string) error {
	f.calls++
	if f.calls == f.at || f.forever && f.calls > f.at {
		f.failed = append(f.failed, name)
		return f.err
	}
	return nil
}

func (f *faulty) stat(path string) (fs.FileInfo, error) {
	if err := f.call("stat"); err != nil {
		return nil, err
	}
	return f.machine.stat(path)
}

func (f *faulty) lstat(path string) (fs.FileInfo, error) {
	if err := f.call("lstat"); err != nil {
		return nil, err
	}
	return f.machine.lstat(path)
}

func (f *faulty) readlink(path string) (string, error) {
	if err := f.call("readlink"); err != nil {
		return "", err
	}
	return f.machine.readlink(path)
}

func (f *faulty) readDir(path string) ([]fs.DirEntry, error) {
	if err := f.call("readDir"); err != nil {
		return nil, err
	}
	return f.machine.readDir(path)
}

func (f *faulty) create(path string, perm fs.FileMode) (file, error) {
	if err := f.call("create"); err != nil {
		return nil, err
	}
	g, err := f.machine.create(path, perm)
	return &faultyFile{g, f}, err
}

func (f *faulty) rename(from, to string) error {
	if err := f.call("rename"); err != nil {
		return err
	}
	return f.machine.rename(from, to)
}

func (f *faulty) remove(path string) error {
	if err := f.call("remove"); err != nil {
		return err
	}
	return f.machine.remove(path)
}

func (f *faulty) syncDir(string) error {
	return f.call("syncDir")
}

func (f *faulty) use(path string, g file) (func(), bool) { return f.machine.use(path, g) }

type faultyFile struct {
	file
	*faulty
}

func (f *faultyFile) Write(p []byte) (int, error) {
	calls := len(f.failed)
	if err := f.call("write"); err != nil || len(f.failed) > calls {
		n, _ := f.file.Write(p[:len(p)/2])
		return n, err
	}
	return f.file.Write(p)
}

func (f *faultyFile) Chmod(mode fs.FileMode) error {
	if err := f.call("chmod"); err != nil {
		return err
	}
	return f.file.Chmod(mode)
}

func (f *faultyFile) Sync() error {
	return f.call("sync")
}

func (f *faultyFile) Close() error { // the system closes a file in any case
	err := f.call("close")
	return errors.Join(err, f.file.Close())
}

// Every call of the system fails in turn, alone or with all calls after it, in every
// way that disks have: there is the old or the new file afterwards, the new one if no
// error is returned, and the next Write leaves nothing else behind.
func TestFaults(t *testing.T) {
	was, will := bytes.Repeat([]byte("old"), 1000), bytes.Repeat([]byte("new file"), 100_000)
	write := func(w io.Writer) error { _, err := w.Write(will); return err }
	faults := map[string]error{"broken": syscall.EIO, "short": nil}
	if !testing.Short() {
		faults["full"], faults["read-only"], faults["interrupted"] = syscall.ENOSPC, syscall.EROFS, syscall.EINTR
	}
	broken, cleans := map[string]bool{}, locks(t)
	for _, replaced := range []string{"", "a file", "a link", "a link to nothing"} {
		for what, err := range faults {
			for _, forever := range []bool{false, true} {
				for at := 1; ; at++ {
					dir := t.TempDir()
					path, behind := filepath.Join(dir, "f"), filepath.Join(dir, "f")
					if strings.HasPrefix(replaced, "a link") {
						if path = filepath.Join(dir, "link"); os.Symlink("f", path) != nil {
							t.Skip("no symbolic links here")
						}
					}
					old := replaced == "a file" || replaced == "a link"
					if old {
						must.Do(t, os.WriteFile(behind, was, 0o600))
					}
					f := &faulty{at: at, err: err, forever: forever}
					failed := writeOn(f, path, write)
					if len(f.failed) == 0 {
						if failed != nil {
							t.Fatalf("%d calls without a fault: %v", f.calls, failed)
						}
						break
					}
					for _, name := range f.failed {
						broken[name] = true
					}
					where := fmt.Sprintf("replacing %q, %s at call %d (%v)", replaced, what, at, f.failed)
					got, readErr := os.ReadFile(behind)
					switch {
					case readErr == nil && bytes.Equal(got, will):
					case failed == nil:
						t.Errorf("%s: no error, but the file is not new: %d bytes, %v", where, len(got), readErr)
					case old && (readErr != nil || !bytes.Equal(got, was)):
						t.Errorf("%s: %v, and the old file has %d bytes, %v", where, failed, len(got), readErr)
					case !old && !errors.Is(readErr, fs.ErrNotExist):
						t.Errorf("%s: %v, and there is a file of %d bytes, %v", where, failed, len(got), readErr)
					}
					if missed := f.failed[0]; failed == nil && missed != "readDir" && missed != "remove" && !(missed == "syncDir" && err != syscall.EIO) && err != nil {
						t.Errorf("%s: no error", where)
					}
					if failed != nil && err != nil && !errors.Is(failed, err) {
						t.Errorf("%s: the error is %v", where, failed)
					}
					if err := writeOn(&faulty{}, path, write); err != nil {
						t.Fatalf("%s: the next run fails: %v", where, err)
					}
					if got, err := os.ReadFile(behind); err != nil || !bytes.Equal(got, will) {
						t.Errorf("%s: the next run leaves %d bytes, %v", where, len(got), err)
					}
					if n := names(t, dir); cleans && (len(n) != 1 && path == behind || len(n) != 2 && path != behind) {
						t.Errorf("%s: the folder holds %v after the next run", where, n)
					}
				}
			}
		}
	}
	for _, name := range []string{"stat", "lstat", "readlink", "readDir", "create", "write", "chmod", "sync", "close", "rename", "syncDir", "remove"} {
		if !broken[name] {
			t.Errorf("%s never failed", name)
		}
	}
}

// Every call of the system fails in turn while two files are written: there are two old
// files, two new ones, or none at the first path. Calls that all fail from some moment on
// are a process that is killed then.
func TestFaultsOfBoth(t *testing.T) {
	was, will := [2]string{"old", "old of the other"}, [2]string{strings.Repeat("new", 1000), strings.Repeat("another", 1000)}
	write := func(w, v io.Writer) error {
		_, err := io.WriteString(v, will[1])
		_, err2 := io.WriteString(w, will[0])
		return errors.Join(err, err2)
	}
	missing := 0
	for _, replaced := range []bool{false, true} {
		for _, fault := range []error{syscall.EIO, syscall.ENOSPC, nil} {
			for _, forever := range []bool{false, true} {
				for at := 1; ; at++ {
					dir := t.TempDir()
					paths := [2]string{filepath.Join(dir, "f"), filepath.Join(dir, "g")}
					for k, path := range paths {
						if !replaced {
							break
						}
						must.Do(t, os.WriteFile(path, []byte(was[k]), 0o600))
					}
					f := &faulty{at: at, err: fault, forever: forever}
					failed := writeBothOn(f, paths[0], paths[1], write)
					var got [2]string
					for k, path := range paths {
						b, err := os.ReadFile(path)
						if err != nil && !errors.Is(err, fs.ErrNotExist) {
							t.Fatal(err)
						}
						got[k] = string(b)
					}
					if got[0] == "" {
						missing++
					}
					where := fmt.Sprintf("replaced %v, %v at call %d (%v)", replaced, fault, at, f.failed)
					if got != will && failed == nil && fault != nil {
						t.Errorf("%s: no error", where)
					}
					if got != will && got[0] != "" && (got != was || !replaced) {
						t.Errorf("%s: %v, and the files hold %.20q and %.20q", where, failed, got[0], got[1])
					}
					if err := writeBothOn(&faulty{}, paths[0], paths[1], write); err != nil {
						t.Fatalf("%s: the next run fails: %v", where, err)
					}
					if len(f.failed) == 0 {
						break
					}
				}
			}
		}
	}
	if missing == 0 {
		t.Error("no fault between the two files")
	}
}

// A process that is killed while it writes leaves the old file and a new one beside
// it, which the next Write removes; it does not remove one that is being written, or
// a file of a similar name.
func TestKilled(t *testing.T) {
	if path := os.Getenv("GRAM_TEST_KILLED"); path != "" {
		_ = Write(path, func(w io.Writer) error {
			_, _ = w.Write(make([]byte, 1<<20))
			p, err := os.FindProcess(os.Getpid())
			if err == nil {
				_ = p.Kill()
			}
			select {}
		})
	}
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("there are no processes here")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	text := func(s string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
	}
	must.Do(t, Write(path, text("old")))
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilled$")
	child.Env = append(os.Environ(), "GRAM_TEST_KILLED="+path)
	if err := child.Run(); errors.Is(err, syscall.ENOEXEC) {
		t.Skip("the test cannot start itself under an emulator: ", err)
	} else if err == nil {
		t.Fatal("the process was not killed")
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
		t.Errorf("the file holds %q, %v", got, err)
	}
	if n := names(t, dir); len(n) != 2 {
		t.Fatalf("the folder holds %v, want the file and the rest of a new one", n)
	}
	similar := []string{".f.12345678.tmp.gz", ".f.1234567.tmp", ".f.xxxxxxxx.tmp", ".g.12345678.tmp", "f.12345678.tmp"}
	for _, name := range similar {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	err := Write(path, func(w io.Writer) error {
		if err := Write(path, text("between")); err != nil {
			t.Error(err)
		}
		return text("new")(w)
	})
	if got, readErr := os.ReadFile(path); err != nil || readErr != nil || string(got) != "new" {
		t.Errorf("the file holds %q, %v, %v", got, readErr, err)
	}
	if n := names(t, dir); len(n) != 1+len(similar) && (locks(t) || len(n) != 2+len(similar)) {
		t.Errorf("the folder holds %v", n)
	}
}

// A link to a file that does not exist stays a link, and the file is written where
// the system would create it. A circle of links is an error.
func TestLinksToNothing(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"real", "real/deep", "other"} {
		must.Do(t, os.Mkdir(in(name), 0o700))
	}
	for link, to := range map[string]string{"first": "second", "second": in("other/file"), "folder": "real/deep", "real/deep/up": "../file", "circle": "circle"} {
		if err := os.Symlink(to, in(link)); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	for link, want := range map[string]string{"first": "other/file", "folder/up": "real/file"} { // not file, as a lexical .. would have it
		if err := Write(in(link), func(w io.Writer) error { _, err := io.WriteString(w, link); return err }); err != nil {
			t.Errorf("%s: %v", link, err)
			continue
		}
		if got, err := os.ReadFile(in(want)); err != nil || string(got) != link {
			t.Errorf("%s: %s holds %q, %v", link, want, got, err)
		}
		if info, err := os.Lstat(in(link)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s was replaced: %v", link, err)
		}
	}
	if err := Write(in("circle"), func(io.Writer) error { return nil }); err == nil {
		t.Error("a circle of links was written")
	}
}

// A name may have as many bytes as the file system allows.
func TestLongNames(t *testing.T) {
	for _, name := range []string{strings.Repeat("a", 245), strings.Repeat("a", 255), "a" + strings.Repeat("é", 120)} {
		path := filepath.Join(t.TempDir(), name)
		if len(path) > 259 && runtime.GOOS == "windows" {
			continue
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Skip("the name is too long here: ", err)
		}
		if err := Write(path, func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err }); err != nil {
			t.Errorf("%d bytes: %v", len(name), err)
		}
	}
}

// A temporary file is the user's own, and goes with remove or, after a process was
// killed, with the next one of its name.
func TestTemporary(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	left := filepath.Join(dir, ".x.01234567.tmp")
	must.Do(t, os.WriteFile(left, nil, 0o600))
	path, remove := must.Have2(Temporary("x"))(t)
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 || info.Size() != 0 {
		t.Errorf("%v, %v", info, err)
	}
	_, other := must.Have2(Temporary("x"))(t)
	if n := names(t, dir); len(n) != 2 && (locks(t) || len(n) != 3) {
		t.Errorf("the folder holds %v", n)
	}
	remove()
	other()
	if n := names(t, dir); len(n) != 0 && (locks(t) || len(n) != 1) {
		t.Errorf("the folder holds %v afterwards", n)
	}
}

// locks reports whether the system has locks: where it has none, what a killed process
// leaves stays for a day.
func locks(t *testing.T) bool {
	path := filepath.Join(t.TempDir(), "f")
	must.Do(t, os.WriteFile(path, nil, 0o600))
	left, release := machine{}.abandoned(path)
	release()
	return left
}
