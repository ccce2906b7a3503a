package training

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/store"
)

// Weigh gives the rows of d weights: if balanced is true those that make all classes count the same, or those in a file, if path is not
// empty, which has one number of at least 0 in a line for every row; empty lines are skipped. Errors of the file name it and the line.
func Weigh(d *dataset.Set, balanced bool, path string) error {
	switch {
	case balanced:
		if d.Weight = d.Balanced(); d.Weight == nil {
			return settings.Refuse("task", d.Task(), "classes, for weights by class")
		}
	case path != "":
		n, _ := d.Dims()
		w, err := readWeights(path)
		if err == nil && len(w) != n {
			err = fmt.Errorf("%s: %d weights for %d rows", path, len(w), n)
		}
		d.Weight = w
		return err
	}
	return nil
}

// readWeights reads a number from every line of a file; empty lines are skipped.
func readWeights(path string) ([]float64, error) {
	f, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var w []float64
	in := bufio.NewScanner(f)
	for line := 1; in.Scan(); line++ {
		text := strings.TrimSpace(in.Text())
		if text == "" {
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v >= 0) || v-v != 0 {
			return nil, &dataset.ParseError{File: path, Line: line, Reason: fmt.Sprintf("%.40q is no weight, a number of at least 0", text)}
		}
		w = append(w, v)
	}
	return w, in.Err()
}
