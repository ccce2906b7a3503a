package record

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
)

var renew = flag.Bool("renew", false, "write testdata/data.txt anew")

// The data sets that the tables read have the values that the stored runs were computed from: hashes of a table leave the
// readers out.
func TestData(t *testing.T) {
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	dir, err := dataset.FindDir()
	if err != nil {
		t.Skip("no data: ", err)
	}
	got := map[string]string{}
	for _, name := range setsIn(t, dir) {
		train, test, err := dir.Load(name, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got[name] = hashOf(train, test)
	}
	lists, err := filepath.Glob(filepath.Join(string(dir), "multilabel", "*.test-rows.txt*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range lists {
		rows, err := dataset.ReadRows(path)
		if err != nil {
			t.Fatal(err)
		}
		got[filepath.Base(path)] = fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, rows)))[:16]
	}
	file := filepath.Join("testdata", "data.txt")
	if *renew {
		var lines []string
		for name, sum := range got {
			lines = append(lines, name+" "+sum+"\n")
		}
		slices.Sort(lines)
		if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for line := range strings.Lines(string(text)) {
		name, want, _ := strings.Cut(strings.TrimSpace(line), " ")
		if sum, is := got[name]; is {
			found++
			if sum != want {
				t.Errorf("%s is read with other values: %s, and %s when the runs were stored", name, sum, want)
			}
		}
	}
	if found == 0 {
		t.Skip("no data: ", dir, " has none of the sets")
	}
}

var setFile = regexp.MustCompile(`^(.*?)(\.train|\.test)?\.(libsvm|xml\.txt)(\.gz)?$`)

// setsIn returns the names of the sets in the folders of dir.
func setsIn(t *testing.T, dir dataset.Dir) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(string(dir)), ".", func(path string, e fs.DirEntry, err error) error {
		if m := setFile.FindStringSubmatch(e.Name()); err == nil && m != nil {
			names = append(names, filepath.ToSlash(filepath.Join(filepath.Dir(path), m[1])))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Find("mnist"); err == nil {
		names = append(names, "mnist")
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// hashOf is a hash of all values of sets, which does not depend on their storage.
func hashOf(sets ...*dataset.Set) string {
	h := sha256.New()
	w := bufio.NewWriterSize(h, 1<<16)
	for _, s := range sets {
		if s == nil {
			continue
		}
		n, d := s.Dims()
		fmt.Fprintln(w, n, d, s.Task())
		x, row := gram.Of(s.X), make([]float64, d)
		var b [12]byte
		for i := range n {
			for j, v := range x.Row(row, i) {
				if v != 0 {
					binary.LittleEndian.PutUint32(b[:], uint32(j))
					binary.LittleEndian.PutUint64(b[4:], math.Float64bits(v))
					w.Write(b[:])
				}
			}
		}
		fmt.Fprintln(w, s.Labels, s.Value, s.Tags)
	}
	w.Flush()
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}
