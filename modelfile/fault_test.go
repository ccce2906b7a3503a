package modelfile

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
)

// disk is a stored file whose call number at fails: with err, or, if err is nil, as the
// end of the file. Reads give at most most bytes, and every third one gives none.
type disk struct {
	text            []byte
	most, at, calls int
	err             error
	failed          string
}

func (d *disk) fails(name string) bool {
	if d.calls++; d.calls == d.at {
		d.failed = name
	}
	return d.failed != ""
}

func (d *disk) Stat() (fs.FileInfo, error) {
	if d.fails("stat") && d.err != nil {
		return nil, d.err
	}
	return regular(len(d.text)), nil
}

func (d *disk) Read(p []byte) (int, error) {
	if d.fails("read") {
		if d.err != nil {
			return 0, d.err
		}
		return 0, io.EOF
	}
	if d.calls%3 == 0 {
		return 0, nil
	}
	n := copy(p[:min(len(p), d.most)], d.text)
	if d.text = d.text[n:]; n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (d *disk) Fd() uintptr { return ^uintptr(0) }

// regular describes a file of that many bytes.
type regular int64

func (r regular) Name() string       { return "disk" }
func (r regular) Size() int64        { return int64(r) }
func (r regular) Mode() fs.FileMode  { return 0o600 }
func (r regular) ModTime() time.Time { return time.Time{} }
func (r regular) IsDir() bool        { return false }
func (r regular) Sys() any           { return nil }

// Every call that reads a file fails in turn, with an error or as the end of the file:
// reading returns that error, or says that the file ends, and no model. Without a fault
// reads of any length give the same model.
func TestReadFaults(t *testing.T) {
	text := encode(t, tree{newLeaf(), newLeaf()})
	broken := map[string]int{}
	for _, most := range []int{100, 1 << 20} {
		for _, fault := range []error{syscall.EIO, syscall.EINTR, syscall.ENOMEM, nil} {
			for at := 1; ; at++ {
				d := &disk{text: text, most: most, at: at, err: fault}
				f, err := readStored(d, 0)
				if d.failed == "" {
					if err != nil {
						t.Fatalf("%d bytes a read, without a fault: %v", most, err)
					}
					part := must.Have(f.Sub("leaf.1"))(t)
					got := must.Have(decodeLeaf(part))(t)
					sameLeaf(t, got, newLeaf())
					break
				}
				broken[d.failed]++
				switch atEnd := fault == nil && len(d.text) == 0; {
				case atEnd || fault == nil && d.failed == "stat" && err != nil: // an early end after the last byte is none
				case f != nil || fault == nil && !isFormat(err) || fault != nil && !errors.Is(err, fault):
					t.Errorf("%d bytes a read, %v of %s at call %d: %v, %v", most, fault, d.failed, at, f, err)
				}
			}
		}
	}
	if broken["stat"] < 6 || broken["read"] < 100 {
		t.Errorf("%v calls failed", broken)
	}
	for name, r := range map[string]io.Reader{"one byte": iotest.OneByteReader(bytes.NewReader(text)), "halves": iotest.HalfReader(bytes.NewReader(text)), "the end with data": iotest.DataErrReader(bytes.NewReader(text))} {
		if _, err := Read(r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Every call of Write to its destination fails in turn, with an error or by writing less
// than it was given: Write returns an error.
func TestWriteFaults(t *testing.T) {
	m := tree{newLeaf(), newLeaf()}
	whole := encode(t, m)
	for _, fault := range []error{syscall.EIO, syscall.ENOSPC, nil} {
		at := 1
		for ; ; at++ {
			w := &narrow{at: at, err: fault}
			err := Write(w, m)
			if w.calls < at {
				if err != nil || !bytes.Equal(w.Bytes(), whole) {
					t.Fatalf("without a fault: %v", err)
				}
				break
			}
			if want := cmp.Or(fault, io.ErrShortWrite); w.calls > at || err != want {
				t.Errorf("%v at call %d of %d: %v", fault, at, w.calls, err)
			}
		}
		if at < 20 {
			t.Errorf("%d calls", at)
		}
	}
}

// narrow takes half of what the call number at writes.
type narrow struct {
	bytes.Buffer
	at, calls int
	err       error
}

func (w *narrow) Write(p []byte) (int, error) {
	if w.calls++; w.calls == w.at {
		w.Buffer.Write(p[:len(p)/2])
		return len(p) / 2, w.err
	}
	return w.Buffer.Write(p)
}

// A limit of memory ends reading at each of the places that allocate, with an error, and
// no more is allocated than the limit says.
func TestMemoryLimits(t *testing.T) {
	leaf := newLeaf()
	leaf.coef = make([]float64, 5<<17) // longer than what is allocated at once for an input of unknown length
	leaf.names = strings.Split(strings.Repeat("name ", 40_000), " ")
	text := encode(t, tree{leaf, newLeaf()})
	use := func(f *File) error {
		for _, name := range []string{"leaf.0", "leaf.1"} {
			part, err := f.Sub(name)
			if err != nil {
				return err
			}
			if _, err := decodeLeaf(part); err != nil {
				return err
			}
			if _, err := part.ints("long", -1); err != nil && strconv.IntSize == 64 {
				return err
			}
		}
		return nil
	}
	for name, c := range map[string]struct {
		places int
		read   func(limit int64) (*File, error)
	}{
		"stream": {6, func(limit int64) (*File, error) { return ReadLimited(bytes.NewReader(text), limit) }},
		"file":   {12, func(limit int64) (*File, error) { return readStored(&disk{text: text, most: 1 << 20}, limit) }},
	} {
		places, limit := 0, int64(1)
		for ; ; places++ {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			f, err := c.read(limit)
			if err == nil {
				err = use(f)
			}
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 2*uint64(limit)+20_000 { // an input of unknown length: old and new buffers
				t.Errorf("%s: within %d bytes %d are allocated", name, limit, took)
			}
			if err == nil {
				break
			}
			var m *gram.MemoryError
			if !errors.As(err, &m) || m.Limit != limit || m.Need <= limit {
				t.Fatalf("%s: within %d bytes: %v", name, limit, err)
			}
			limit = m.Need
		}
		if places < c.places || limit > 4*int64(len(text)) {
			t.Errorf("%s: %d places allocate up to %d bytes for a file of %d", name, places, limit, len(text))
		}
	}
	path := filepath.Join(t.TempDir(), "sparse.gram")
	claim := build(`,"x":{"dtype":"U8","shape":[1073741824],"data_offsets":[0,1073741824]}`, `,"format":"gram 1","checksum:x":"00000000"`, nil)
	must.Do(t, os.WriteFile(path, claim, 0o600))
	if err := os.Truncate(path, int64(len(claim))+1<<30); err != nil {
		t.Skip("files have no holes here: ", err)
	}
	var m *gram.MemoryError
	if _, err := ReadFileLimited(path, 1<<20); !errors.As(err, &m) || !strings.Contains(err.Error(), path) {
		t.Errorf("a file of holes: %v", err)
	}
}

// A header costs memory and time in proportion to its length, whatever it says.
func TestHeaderCost(t *testing.T) {
	const meta = `,"format":"gram 1"`
	many := func(format string) string {
		var b strings.Builder
		for i := range 20_000 {
			b.WriteString(strings.ReplaceAll(format, "#", strconv.FormatInt(int64(i), 36)))
		}
		return b.String()
	}
	for name, text := range map[string][]byte{
		"short keys":  build(many(`,"#":0`), meta, nil),
		"arrays":      build(many(`,"#":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}`), meta+many(`,"checksum:#":"00000000"`), nil),
		"models":      build("", meta+many(`,"#/method":""`), nil),
		"deep arrays": build(`,"`+strings.Repeat("a/", 500_000)+`a":0`, meta, nil),
		"deep models": build("", meta+`,"`+strings.Repeat("a/", 500_000)+`method":"m"`, nil),
		"deep shapes": build(`,"a":{"dtype":"U8","shape":`+strings.Repeat("[", 500_000)+`}`, meta, nil),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Read(bytes.NewReader(text))
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 32*uint64(len(text)) {
			t.Errorf("%s: %d bytes for a header of %d, error %v", name, took, len(text), err)
		}
		if strings.HasPrefix(name, "deep") && !isFormat(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
