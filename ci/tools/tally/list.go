package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// An entry is a line of the list of expected skips.
type entry struct {
	steps []string
	skip  // the reason is the beginning of one; a star stands for every package or test
}

// readList reads a list. Empty lines and lines that begin with # are comments.
func readList(name string) ([]entry, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var list []entry
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 4 {
			return nil, fmt.Errorf("%s:%d: %d fields, want 4 separated by tabs", name, i+1, len(f))
		}
		if f[2] == "*" && f[3] == "" {
			return nil, fmt.Errorf("%s:%d: any test for any reason", name, i+1)
		}
		list = append(list, entry{strings.Split(f[0], ","), skip{f[1], f[2], f[3]}})
	}
	return list, nil
}

func (e entry) covers(step string, s skip) bool {
	return (slices.Contains(e.steps, "*") || slices.Contains(e.steps, step)) &&
		(e.pkg == "*" || e.pkg == s.pkg) && (e.test == "*" || e.test == s.test) && strings.HasPrefix(s.reason, e.reason)
}

// unlisted returns the skips of a step that no entry covers.
func unlisted(list []entry, step string, skips []skip) []skip {
	return slices.DeleteFunc(slices.Clone(skips), func(s skip) bool {
		return slices.ContainsFunc(list, func(e entry) bool { return e.covers(step, s) })
	})
}
