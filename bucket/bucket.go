// Package bucket makes package store find files in buckets of objects: s3://bucket/key of Amazon S3 and of servers that
// speak its protocol, gs://bucket/key of Google Cloud Storage and file:///path, which is for tests. A program calls
// Register, as the command gram-bucket does. It is a module of its own because the libraries that this is built on,
// gocloud.dev and those of the providers, are larger than the rest of the command gram.
//
// Credentials and regions are those of the usual environment of the providers: AWS_ACCESS_KEY_ID, AWS_PROFILE, AWS_REGION,
// GOOGLE_APPLICATION_CREDENTIALS and so on. The variable GRAM_S3 may hold options of gocloud.dev for S3 in the form of
// a query, such as endpoint=http://127.0.0.1:7070&use_path_style=true for a server of one's own. Requests that fail for a time are
// repeated by the libraries.
//
// An object is read by requests for ranges of it: a piece of a large object reads its range, and at most 8 MiB more. An open
// object holds up to 32 MiB in memory.
package bucket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gramworks/gram/store"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/fileblob" // file://
	_ "gocloud.dev/blob/gcsblob"  // gs://
	_ "gocloud.dev/blob/s3blob"   // s3://
	"gocloud.dev/gcerrors"
)

// Register makes package store find the files of buckets. When ctx ends, so do all requests.
func Register(ctx context.Context) {
	for _, scheme := range []string{"s3", "gs", "file"} {
		store.Register(scheme, &buckets{ctx: ctx, scheme: scheme, open: map[string]*blob.Bucket{}})
	}
}

// buckets finds the files of all buckets of one scheme: s3, gs or file.
type buckets struct {
	ctx    context.Context
	scheme string
	mu     sync.Mutex
	open   map[string]*blob.Bucket // that were used
}

// place returns the bucket and the key of a path.
func (b *buckets) place(p string) (*blob.Bucket, string, error) {
	name, key, _ := strings.Cut(strings.TrimPrefix(p, b.scheme+"://"), "/")
	if (name == "") != (b.scheme == "file") {
		return nil, "", fmt.Errorf("%s: want a path such as %s", p, map[string]string{"s3": "s3://bucket/key", "gs": "gs://bucket/key", "file": "file:///folder/name"}[b.scheme])
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if have := b.open[name]; have != nil {
		return have, key, nil
	}
	url := b.scheme + "://" + name
	switch b.scheme {
	case "s3":
		if options := os.Getenv("GRAM_S3"); options != "" {
			url += "?" + options
		}
	case "file":
		url += "/?metadata=skip&no_tmp_dir=true&create_dir=true"
	}
	made, err := blob.OpenBucket(b.ctx, url)
	if err != nil {
		return nil, "", b.named(p, err)
	}
	b.open[name] = made
	return made, key, nil
}

// named returns err with the path before it, in one line. It returns io.EOF as it is, the error of the context once that has
// ended, and an *fs.PathError with fs.ErrNotExist for an object that is not there.
func (b *buckets) named(p string, err error) error {
	switch {
	case err == nil || err == io.EOF:
		return err
	case b.ctx.Err() != nil:
		return b.ctx.Err()
	case gcerrors.Code(err) == gcerrors.NotFound:
		return &fs.PathError{Op: "open", Path: p, Err: fs.ErrNotExist}
	}
	text := strings.Join(strings.Fields(err.Error()), " ") // the libraries write several lines
	return fmt.Errorf("%s: %w", p, told{text, err})
}

// told is an error with its message in one line.
type told struct {
	text string
	err  error
}

// Error returns the message without line breaks.
func (t told) Error() string { return t.text }

// Unwrap returns the error of the library.
func (t told) Unwrap() error { return t.err }

// Open returns the object at a path for reading. It asks for size and time alone; data are fetched when they are read.
func (b *buckets) Open(p string) (store.File, error) {
	from, key, err := b.place(p)
	if err != nil {
		return nil, err
	}
	a, err := from.Attributes(b.ctx, key)
	if err != nil {
		return nil, b.named(p, err)
	}
	return &object{b: b, from: from, path: p, key: key, info: info{path.Base(key), a.Size, a.ModTime}}, nil
}

// Stat returns the name, the size and the time of an object, with one request.
func (b *buckets) Stat(p string) (fs.FileInfo, error) {
	from, key, err := b.place(p)
	if err != nil {
		return nil, err
	}
	a, err := from.Attributes(b.ctx, key)
	if err != nil {
		return nil, b.named(p, err)
	}
	return info{path.Base(key), a.Size, a.ModTime}, nil
}

// Glob returns the objects whose paths match a pattern. It lists those that begin as the pattern does.
func (b *buckets) Glob(pattern string) ([]string, error) {
	from, key, err := b.place(pattern)
	if err != nil {
		return nil, err
	}
	if _, err := path.Match(key, ""); err != nil {
		return nil, err
	}
	prefix := key
	if k := strings.IndexAny(key, `*?[\`); k >= 0 {
		prefix = key[:k]
	}
	var found []string
	for objects := from.List(&blob.ListOptions{Prefix: prefix}); ; {
		o, err := objects.Next(b.ctx)
		if err == io.EOF {
			slices.Sort(found)
			return found, nil
		}
		if err != nil {
			return nil, b.named(pattern, err)
		}
		if match, _ := path.Match(key, o.Key); match && !o.IsDir {
			found = append(found, strings.TrimSuffix(pattern, key)+o.Key)
		}
	}
}

// Write makes an object of what write writes.
func (b *buckets) Write(p string, write func(w io.Writer) error) error {
	to, key, err := b.place(p)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(b.ctx)
	defer cancel()
	w, err := to.NewWriter(ctx, key, &blob.WriterOptions{ContentType: "application/octet-stream"})
	if err != nil {
		return b.named(p, err)
	}
	written := false
	defer func() {
		if !written { // write has failed or panics: without the context nothing is stored
			cancel()
			_ = w.Close()
		}
	}()
	if err := write(w); err != nil {
		return err
	}
	written = true
	return b.named(p, w.Close())
}

// Remove removes an object; one that is not there is an error with fs.ErrNotExist.
func (b *buckets) Remove(p string) error {
	from, key, err := b.place(p)
	if err != nil {
		return err
	}
	return b.named(p, from.Delete(b.ctx, key))
}

// info is the name, the size and the time of an object, as an fs.FileInfo.
type info struct {
	name string
	size int64
	time time.Time
}

// Name returns the part of the key after its last slash.
func (i info) Name() string { return i.name }

// Size returns the size of the object in bytes.
func (i info) Size() int64 { return i.size }

// Mode returns 0666, as of a regular file which all may read and write: buckets have no modes.
func (i info) Mode() fs.FileMode { return 0o666 }

// ModTime returns when the object was written last.
func (i info) ModTime() time.Time { return i.time }

// IsDir returns false: buckets have no folders.
func (i info) IsDir() bool { return false }

// Sys returns nil: there is no more to know of an object.
func (i info) Sys() any { return nil }

// object is an object that is read in ranges, which are kept.
type object struct {
	b         *buckets
	from      *blob.Bucket
	path, key string
	info      info

	mu     sync.Mutex
	at     int64 // of Read
	ranges []span
	held   int64
}

// span is a range of an object in memory, from byte at on.
type span struct {
	at   int64
	data []byte
}

const (
	firstRange = 64 << 10 // bytes of a request that goes on where no other one ended
	mostRange  = 8 << 20
	mostHeld   = 32 << 20
)

// Stat describes the object as it was when it was opened.
func (o *object) Stat() (fs.FileInfo, error) { return o.info, nil }

// Close gives the memory of the ranges back. The object can still be read.
func (o *object) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ranges, o.held = nil, 0
	return nil
}

// Seek sets the offset of the next Read and returns it. It makes no request.
func (o *object) Seek(offset int64, whence int) (int64, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch whence {
	case io.SeekCurrent:
		offset += o.at
	case io.SeekEnd:
		offset += o.info.size
	}
	if offset < 0 {
		return 0, errors.New(o.path + ": seek before the beginning")
	}
	o.at = offset
	return offset, nil
}

// Read reads from where the Read or Seek before it has ended, at most to the end of one range.
func (o *object) Read(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.some(p, o.at)
	o.at += int64(n)
	return n, err
}

// ReadAt fills p from an offset, with as many requests as it takes; io.EOF says that the object ends before.
func (o *object) ReadAt(p []byte, at int64) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := 0
	for n < len(p) {
		m, err := o.some(p[n:], at+int64(n))
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// some reads at least one byte from an offset, if p has room for one.
func (o *object) some(p []byte, at int64) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if at >= o.info.size {
		return 0, io.EOF
	}
	for k := len(o.ranges) - 1; k >= 0; k-- {
		if r := o.ranges[k]; r.at <= at && at < r.at+int64(len(r.data)) {
			o.ranges = append(slices.Delete(o.ranges, k, k+1), r) // the one that was used last is at the end
			return copy(p, r.data[at-r.at:]), nil
		}
	}
	r, err := o.request(at, int64(len(p)))
	if err != nil {
		return 0, err
	}
	return copy(p, r.data), nil
}

// request reads a range of at least want bytes from an offset. Ranges that follow one another grow.
func (o *object) request(at, want int64) (span, error) {
	length := max(firstRange, want)
	for _, r := range o.ranges {
		if r.at+int64(len(r.data)) == at {
			length = max(length, min(mostRange, 2*int64(len(r.data))))
		}
	}
	length = min(length, max(mostRange, firstRange), o.info.size-at)
	from, err := o.from.NewRangeReader(o.b.ctx, o.key, at, length, nil)
	if err != nil {
		return span{}, o.b.named(o.path, err)
	}
	data := make([]byte, length)
	_, err = io.ReadFull(from, data)
	if err = cmp.Or(err, from.Close()); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
			err = errors.New("the object is shorter than it was")
		}
		return span{}, o.b.named(o.path, err)
	}
	for o.held += length; o.held > mostHeld && len(o.ranges) > 0; o.ranges = o.ranges[1:] {
		o.held -= int64(len(o.ranges[0].data))
	}
	r := span{at, data}
	o.ranges = append(o.ranges, r)
	return r, nil
}
