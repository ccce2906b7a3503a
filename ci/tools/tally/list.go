package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// An entry is a line of a list of expected skips.
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

// renewed returns the list with the skips of a step in the place of what the list had
// for it. Lines for every step stay.
func renewed(list []entry, step string, skips []skip) []entry {
	steps := map[skip]map[string]bool{}
	put := func(s skip, step string) {
		if steps[s] == nil {
			steps[s] = map[string]bool{}
		}
		steps[s][step] = true
	}
	for _, e := range list {
		for _, other := range e.steps {
			if other != step {
				put(e.skip, other)
			}
		}
	}
	var kept []entry
	for s := range steps {
		if steps[s]["*"] {
			kept = append(kept, entry{[]string{"*"}, s})
		}
	}
	for _, s := range unlisted(kept, step, skips) {
		s.reason = beginning(s.reason)
		put(s, step)
	}
	var out []entry
	for s, names := range steps {
		out = append(out, entry{slices.Sorted(maps.Keys(names)), s})
	}
	slices.SortFunc(out, func(a, b entry) int { return strings.Compare(line(a), line(b)) })
	return out
}

// beginning returns the part of a reason that other machines have, too: what stands
// before a colon.
func beginning(reason string) string {
	before, _, found := strings.Cut(reason, ": ")
	if found {
		before += ": "
	}
	return strings.ReplaceAll(before, "\t", " ")
}

// line returns an entry in the order in which entries are sorted.
func line(e entry) string {
	return e.pkg + "\t" + e.test + "\t" + e.reason + "\t" + strings.Join(e.steps, ",")
}

// format returns the text of a list.
func format(list []entry) string {
	var b strings.Builder
	b.WriteString("# Skips that this platform is expected to have: steps, package, test, beginning of the\n# reason. ci/tools/tally -renew writes these lines.\n")
	for _, e := range list {
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s\n", strings.Join(e.steps, ","), e.pkg, e.test, e.reason)
	}
	return b.String()
}
