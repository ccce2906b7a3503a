package dataset

import (
	"bufio"
	"fmt"
	"io"

	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/store"
)

// Permutation returns the numbers 0..n−1 in an order that depends on seed alone.
func Permutation(n int, seed uint64) []int {
	return rng.New(rng.Derive(seed, "permutation"), 0).Perm(n)
}

// Sample returns m different numbers of 0..n−1, ascending, drawn uniformly.
func Sample(n, m int, seed uint64) []int { return crossval.Sample(n, m, seed) }

// SplitRows divides the rows of s at random: the test part gets
// round(fraction·n) of them, the training part the others. Both lists ascend.
// If s has classes the split is stratified: each class gives to the test part
// its share, rounded so that the total is right. It panics unless fraction is in [0,1].
func (s *Set) SplitRows(fraction float64, seed uint64) (train, test []int) {
	n, _ := s.Dims()
	split := crossval.Share(n, fraction, s.Labels.Class, strata(seed))
	return split.Train, split.Held
}

// Split is SplitRows with new sets for the two parts.
func (s *Set) Split(fraction float64, seed uint64) (train, test *Set) {
	a, b := s.SplitRows(fraction, seed)
	return s.Select(a), s.Select(b)
}

// Folds divides the rows of s at random into k parts whose sizes differ by at
// most one; so do the numbers of rows of each class, if s has classes. The
// lists ascend. It panics unless 2 ≤ k ≤ n.
func (s *Set) Folds(k int, seed uint64) [][]int {
	if k < 2 {
		panic("dataset: fewer than two folds")
	}
	n, _ := s.Dims()
	return crossval.Parts(n, k, s.Labels.Class, strata(seed))
}

// Fold returns the rows of all folds but number f, ascending, and those of f.
func Fold(folds [][]int, f int) (train, test []int) {
	split := crossval.Leave(folds, f)
	return split.Train, split.Held
}

// strata is the seed of the orders of the rows of each class.
func strata(seed uint64) uint64 { return rng.Derive(seed, "strata") }

// ReadRows reads a list of row numbers, one per line, counted from 0.
func ReadRows(path string) ([]int, error) {
	var rows []int
	err := numberLines(path, func(line int, v []int) string {
		if len(v) != 1 {
			return fmt.Sprintf("%d numbers, want one", len(v))
		}
		rows = append(rows, v[0])
		return ""
	})
	return rows, err
}

// LabeledSplit is one split of a semi-supervised benchmark: the rows that are
// labeled, counted from 0; all others are not.
type LabeledSplit struct {
	Number int
	Rows   []int
}

// ReadSplits reads splits, one per line: how many rows are labeled, the number
// of the split, the rows.
func ReadSplits(path string) ([]LabeledSplit, error) {
	var splits []LabeledSplit
	err := numberLines(path, func(line int, v []int) string {
		if len(v) < 2 || v[0] != len(v)-2 {
			return fmt.Sprintf("%d numbers, want the number of rows, that of the split, and the rows", len(v))
		}
		splits = append(splits, LabeledSplit{Number: v[1], Rows: v[2:]})
		return ""
	})
	return splits, err
}

// numberLines calls body with the numbers, all ≥ 0, of each line that is not blank. A reason that body returns becomes an error
// about that line.
func numberLines(path string, body func(line int, v []int) (reason string)) error {
	f, err := store.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in, err := newInput(bufio.NewReader(f), path)
	if err != nil {
		return err
	}
	l := newLines(in, 64<<20)
	for {
		text, err := l.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		var v []int
		for i := 0; i < len(text); {
			if blank(text[i]) {
				i++
				continue
			}
			start := i
			k, end, large := parseInteger(text, start)
			if i = end; i == start || large || (i < len(text) && !blank(text[i])) {
				return in.fail(l.number, start+1, "%s is not a row number", quote(text[start:]))
			}
			v = append(v, k)
		}
		if len(v) == 0 {
			continue
		}
		if reason := body(l.number, v); reason != "" {
			return in.fail(l.number, 0, "%s", reason)
		}
	}
	if l.number == 0 {
		return in.fail(0, 0, "the file is empty")
	}
	return nil
}
