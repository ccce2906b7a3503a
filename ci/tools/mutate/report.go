package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// String returns the place of a mutant and the lines that differ, in the form
// of equivalent.txt but with the line number and the kind.
func (m mutant) String() string {
	return fmt.Sprintf("%s:%d %s (%s)\n\t- %s\n\t+ %s\n", m.File, m.Line, m.Func, m.Kind, m.Old, m.New)
}

// A tally counts the results of a layer.
type tally struct {
	layer                                string
	killed, hung, long, survived, failed int
}

func (t *tally) add(r result) {
	switch r.Status {
	case unbuilt:
		t.failed++
		return
	case survived:
		t.survived++
		return
	case hung:
		t.hung++
	}
	t.killed++
	if r.Long {
		t.long++
	}
}

func (t tally) counted() int { return t.killed + t.survived }

// rate returns the killed share in percent, and 100 if there are no results.
func (t tally) rate() float64 {
	if t.counted() == 0 {
		return 100
	}
	return 100 * float64(t.killed) / float64(t.counted())
}

// report prints the survivors by package and the rate of every layer. It
// returns whether the rates are high enough.
func report(w io.Writer, results []result, excluded int, stale []string, s settings) bool {
	slices.SortStableFunc(results, func(a, b result) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.lo, b.lo))
	})
	all := tally{layer: "all"}
	layers := map[string]*tally{}
	var names []string
	pkg := ""
	for _, r := range results {
		if layers[r.Layer] == nil {
			layers[r.Layer] = &tally{layer: r.Layer}
			names = append(names, r.Layer)
		}
		layers[r.Layer].add(r)
		all.add(r)
		if r.Status != survived {
			continue
		}
		if r.Package != pkg {
			pkg = r.Package
			fmt.Fprintf(w, "\nsurvivors in %s\n", pkg)
		}
		fmt.Fprint(w, r.mutant)
	}
	slices.Sort(names)
	good := true
	fmt.Fprintf(w, "\n%-12s %7s %7s %6s  %7s %10s %9s\n", "layer", "counted", "killed", "rate", "hanging", "only long", "not built")
	line := func(t tally, least float64, gated bool) {
		verdict := ""
		if gated && t.rate() < least {
			good = false
			verdict = fmt.Sprintf("  below %g %%", least)
		}
		fmt.Fprintf(w, "%-12s %7d %7d %4.0f %%  %7d %10d %9d%s\n", t.layer, t.counted(), t.killed, t.rate(), t.hung, t.long, t.failed, verdict)
	}
	for _, n := range names {
		line(*layers[n], s.layerRate, layers[n].counted() >= s.minRate)
	}
	line(all, s.rate, true)
	if excluded > 0 {
		fmt.Fprintf(w, "%d equivalent faults were left out of the draw.\n", excluded)
	}
	for _, e := range stale {
		fmt.Fprintf(w, "equivalent.txt names a fault that is no longer possible:\n%s", e)
	}
	return good
}

// equivalents holds the mutants that change no promised result, by file,
// function and text, with the reason.
type equivalents map[key]string

// readEquivalents reads the committed list. A missing file counts as empty.
func readEquivalents(file string) (equivalents, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseEquivalents(text)
}

// parseEquivalents parses the list. An entry is a line "file function", then,
// after tabs, a line "- old", a line "+ new" and a reason. Lines that start
// with # are comments.
func parseEquivalents(text []byte) (equivalents, error) {
	out := equivalents{}
	var k key
	fields := 0 // number of fields of the current entry
	n := 0
	bad := func(want string) error { return fmt.Errorf("equivalent.txt:%d: want %s", n, want) }
	for line := range bytes.Lines(text) {
		n++
		l := strings.TrimRight(string(line), "\n")
		body, indented := strings.CutPrefix(l, "\t")
		switch {
		case l == "" || l[0] == '#':
		case !indented:
			if fields != 0 && fields != 4 {
				return nil, bad("an old line, a new line and a reason before the next entry")
			}
			file, fn, ok := strings.Cut(l, " ")
			if !ok {
				return nil, bad("a file and a function")
			}
			k, fields = key{file: file, fn: fn}, 1
		case fields == 1 && strings.HasPrefix(body, "-"):
			k.old, fields = strings.TrimSpace(body[1:]), 2
		case fields == 2 && strings.HasPrefix(body, "+"):
			k.new, fields = strings.TrimSpace(body[1:]), 3
		case fields >= 3:
			out[k] = strings.TrimSpace(out[k] + " " + body)
			fields = 4
		default:
			return nil, bad("\"- old\", then \"+ new\", then a reason")
		}
	}
	if fields != 0 && fields != 4 {
		return nil, bad("an old line, a new line and a reason")
	}
	return out, nil
}

// plain returns the key of a mutant in the list.
func (m mutant) plain() key { return key{file: m.File, fn: m.Func, old: m.Old, new: m.New} }

// remove removes the equivalent mutants from the units. It returns their
// number, and the entries for packages among the units that match no mutant.
func (e equivalents) remove(units []unit) (excluded int, stale []string) {
	used, loaded := map[key]bool{}, map[string]bool{}
	for i := range units {
		u := &units[i]
		loaded[u.dir] = true
		u.mutants = slices.DeleteFunc(u.mutants, func(m mutant) bool {
			_, ok := e[m.plain()]
			if ok {
				used[m.plain()] = true
				excluded++
			}
			return ok
		})
	}
	for k := range e {
		if known := slices.Contains([]string{".go", ".py"}, path.Ext(k.file)) || runs(path.Base(k.file)); known && !used[k] && loaded[path.Dir(k.file)] {
			stale = append(stale, fmt.Sprintf("%s %s\n\t- %s\n\t+ %s\n", k.file, k.fn, k.old, k.new))
		}
	}
	slices.Sort(stale)
	return excluded, stale
}
