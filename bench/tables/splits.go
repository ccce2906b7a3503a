package tables

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gramworks/gram/dataset"
)

// loadSplit reads a multi-label data set, train followed by test, and divides it
// by the rows that a file beside it names, numbered from 0: the test part. ok is
// false if the set or the file is not at hand.
func (e Env) loadSplit(name, file string) (train, test *dataset.Set, ok bool, err error) {
	all, rest, ok, err := e.load(name, dataset.Options{})
	if !ok {
		return nil, nil, false, err
	}
	if rest != nil {
		if all, err = all.Append(rest); err != nil {
			return nil, nil, false, err
		}
	}
	path := filepath.Join(string(e.Dir), "multilabel", file)
	rows, err := readRows(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, false, nil
	}
	if err != nil {
		return nil, nil, false, fmt.Errorf("%s: %w", path, err)
	}
	n, _ := all.Dims()
	if len(rows) == 0 || rows[0] < 0 || rows[len(rows)-1] >= n {
		return nil, nil, false, fmt.Errorf("%s: rows outside of 0 to %d", path, n-1)
	}
	var others []int
	for i := range n {
		if _, in := slices.BinarySearch(rows, i); !in {
			others = append(others, i)
		}
	}
	return all.Select(others), all.Select(rows), true, nil
}

// readRows reads numbers, one per line, gzipped if the name says so, and sorts
// them.
func readRows(path string) ([]int, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, err
		}
		defer z.Close()
		r = z
	}
	var rows []int
	in := bufio.NewScanner(r)
	for line := 1; in.Scan(); line++ {
		v, err := strconv.Atoi(strings.TrimSpace(in.Text()))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		rows = append(rows, v)
	}
	slices.Sort(rows)
	return slices.Compact(rows), in.Err()
}
