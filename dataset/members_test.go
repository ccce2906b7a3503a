package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

// compressors are the writers of each level, which are used again: a new one takes a megabyte.
var compressors = map[int]*gzip.Writer{}

// compressor returns a writer of the level that writes to b.
func compressor(t testing.TB, b *bytes.Buffer, level int) *gzip.Writer {
	t.Helper()
	if compressors[level] == nil {
		compressors[level] = must.Have(gzip.NewWriterLevel(nil, level))(t)
	}
	compressors[level].Reset(b)
	return compressors[level]
}

// member is one member of gzip with the given text.
func member(t testing.TB, text string, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := compressor(t, &b, level)
	must.Have(z.Write([]byte(text)))(t)
	must.Do(t, z.Close())
	return b.Bytes()
}

// block is a block of BGZF with the given text. Its field BC stands behind another one.
func block(t testing.TB, text string, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := compressor(t, &b, level)
	z.Extra = []byte("XY\x03\x00abcBC\x02\x00\x00\x00")
	must.Have(z.Write([]byte(text)))(t)
	must.Do(t, z.Close())
	p := b.Bytes()
	binary.LittleEndian.PutUint16(p[12+11:], uint16(len(p)-1))
	return p
}

// pieces cuts text at random places into parts of at most n bytes.
func pieces(r *rand.Rand, text string, n int) (parts []string) {
	for len(text) > 0 {
		k := min(len(text), 1+r.IntN(n))
		parts, text = append(parts, text[:k]), text[k:]
	}
	return parts
}

// packed joins members with the parts of a text.
func packed(parts []string, pack func(text string) []byte) (b []byte) {
	for _, p := range parts {
		b = append(b, pack(p)...)
	}
	return b
}

// counting is a file that counts the bytes that are read.
type counting struct {
	*bytes.Reader
	read int
}

func (c *counting) ReadAt(b []byte, at int64) (int, error) {
	n, err := c.Reader.ReadAt(b, at)
	c.read += n
	return n, err
}

// Blocks of BGZF are found in a part of the file, and begin where an item does.
func TestBlocksAreFoundInPlace(t *testing.T) {
	var data []byte
	var starts []int64
	for range 20 {
		starts = append(starts, int64(len(data)))
		data = append(data, block(t, strings.Repeat("1,2,3\n", 10_000), gzip.NoCompression)...)
	}
	f := &counting{Reader: bytes.NewReader(data)}
	cuts := must.Have(cutMembers(f, f.Size(), f.Size()/3))(t)
	if len(cuts) < 3 || f.read > len(data)/2 {
		t.Errorf("%d cuts after %d of %d bytes", len(cuts), f.read, len(data))
	}
	for _, c := range cuts {
		if !slices.Contains(starts, c) {
			t.Errorf("%d is no block's", c)
		}
	}
}

// However members lie in a text, the items between them have all its rows once, and an error of a row has its line.
func TestMembers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	text := "a,b,c\n"
	var lines []string
	for i := range 1000 {
		lines = append(lines, fmt.Sprintf("%d,%d,%g\n", i, r.Uint64()>>32, r.NormFloat64()))
	}
	text += strings.Join(lines, "")
	few := "a,b,c\n" + strings.Join(lines[:300], "")
	small := func(p string) []byte { return member(t, p, 6) }
	blocks := func(p string) []byte { return block(t, p, 6) }
	stored := func(p string) []byte { return block(t, p, gzip.NoCompression) }
	byLines := append([]string{"a,b,c\n"}, slices.Collect(func(yield func(string) bool) {
		for k := range slices.Chunk(lines, 100) {
			if !yield(strings.Join(k, "")) {
				return
			}
		}
	})...)
	end := block(t, "", 6)
	nested := "x\n" + string(packed(pieces(r, text, 3000), stored)) // in a member that holds it as it is
	cases := map[string]struct {
		data []byte
		few  bool // one item is right
	}{
		"one member":        {member(t, text, 6), true},
		"a member of lines": {packed(byLines, small), false},
		"small members":     {packed(pieces(r, few, 90), small), false},
		"large members":     {packed(pieces(r, text, 9000), small), false},
		"empty members":     {packed([]string{"", text[:900], "", "", text[900:9000], "", text[9000:], ""}, small), false},
		"blocks":            {append(packed(pieces(r, text, 3000), blocks), end...), false},
		"small blocks":      {append(packed(pieces(r, few, 50), blocks), end...), false},
		"stored blocks":     {append(packed(pieces(r, text, 60000), stored), end...), false},
		"blocks, members":   {append(append(packed(pieces(r, text[:10000], 3000), blocks), end...), packed(pieces(r, text[10000:], 3000), small)...), false},
		"no end":            {packed(pieces(r, strings.TrimSpace(text), 3000), blocks), false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.csv.gz")
			must.Do(t, os.WriteFile(path, c.data, 0o666))
			want := textOf(must.Have(Open(path, Options{}))(t))
			for _, size := range []int64{300, 2000, 9000, 30000, 1 << 30} {
				items, f := must.Have2(Items(path, size, Options{}))(t)
				if one := int64(len(c.data)) <= size; c.few != (len(items) == 1) && !one || one && len(items) != 1 {
					t.Errorf("items of %d bytes: %d of %d bytes", size, len(items), len(c.data))
				}
				if uncut := items[0].Uncut; (uncut != "") != (len(items) == 1 && int64(len(c.data)) > size) {
					t.Errorf("items of %d bytes: %q", size, uncut)
				}
				if _, got := rowsOf(t, items, Options{Format: f}, 512); !slices.Equal(got, want) {
					t.Fatalf("items of %d bytes: %d rows, want %d", size, len(got), len(want))
				}
			}
		})
	}
	t.Run("error", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "a.csv.gz")
		for _, at := range []int{1, 700, 999} {
			bad := strings.Split(text, "\n")
			bad[at] = "1,x,2"
			for _, pack := range []func(string) []byte{small, blocks} {
				must.Do(t, os.WriteFile(path, packed(pieces(r, strings.Join(bad, "\n"), 2000), pack), 0o666))
				items, f := must.Have2(Items(path, 3000, Options{}))(t)
				var found []string
				for _, it := range items {
					_, err := it.Scan(context.Background(), Options{Format: f}, 0, nil)
					if parse := (*ParseError)(nil); errors.As(err, &parse) {
						found = append(found, fmt.Sprintf("%s:%d:%d", filepath.Base(parse.File), parse.Line, parse.Col))
					} else if err != nil {
						t.Error(err)
					}
				}
				if want := fmt.Sprintf("a.csv.gz:%d:3", at+1); len(found) != 1 || found[0] != want {
					t.Errorf("line %d of %d items: %q, want %q", at+1, len(items), found, want)
				}
			}
		}
	})
	t.Run("not members", func(t *testing.T) {
		// What looks like members within one is text, and what is damaged is one item whose reading fails.
		path := filepath.Join(t.TempDir(), "a.csv.gz")
		whole := packed(pieces(r, text, 3000), small)
		for name, data := range map[string][]byte{
			"nested":       member(t, nested, gzip.NoCompression),
			"nested twice": append(packed(pieces(r, nested, 60000), stored), end...),
			"cut off":      whole[:len(whole)-20],
			"damaged":      slices.Concat(whole[:4000], []byte("damaged"), whole[4007:]),
		} {
			must.Do(t, os.WriteFile(path, data, 0o666))
			cuts := must.Have(cutMembers(bytes.NewReader(data), int64(len(data)), 4000))(t)
			if name == "nested twice" {
				for _, at := range cuts {
					if n, is := blockSize(data[at:]); !is || n < 50000 && at+n < int64(len(data))-60000 {
						t.Errorf("%s: a cut at %d, within a block", name, at)
					}
				}
			} else if len(cuts) > 1 {
				t.Errorf("%s: cuts at %d", name, cuts)
			}
			if name == "cut off" || name == "damaged" {
				items, f := must.Have2(Items(path, 4000, Options{}))(t)
				if _, err := items[0].Scan(context.Background(), Options{Format: f}, 0, nil); err == nil || name == "cut off" && !strings.Contains(err.Error(), "compressed data end too early") {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	})
}

// textOf is text, where a variable has that name.
func textOf(s *Set) []string { return text(s) }
