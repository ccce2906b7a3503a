package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// An event is a line of go test -json. The output of the compiler has ImportPath where
// that of tests has Package.
type event struct {
	Action, Package, ImportPath, Test, Output, FailedBuild string
}

// A skip is a skipped test or subtest.
type skip struct {
	pkg    string // below the module; . for the module itself
	test   string
	reason string // empty: not known
}

// A result is what a run of go test did.
type result struct {
	packages, cached, failedPackages int
	tests, subtests, failed          int
	skips                            []skip
}

// String returns the line of counts, which ci/lib.sh finds by its first word.
func (r result) String() string {
	s := fmt.Sprintf("counts: %d packages (%d cached), %d tests, %d subtests, %d skipped", r.packages, r.cached, r.tests, r.subtests, len(r.skips))
	if r.failed+r.failedPackages > 0 {
		s += fmt.Sprintf(", %d failed in %d packages", r.failed, r.failedPackages)
	}
	return s
}

// A chunk is output of a package, and the test that it is of.
type chunk struct{ test, text string }

var (
	// progress lines are printed with -v only, which -json implies.
	progress = regexp.MustCompile(`^=== (RUN|PAUSE|CONT|NAME) `)
	// verdict lines of tests that did not fail.
	verdict = regexp.MustCompile(`^ *--- (PASS|SKIP): `)
	// place is what package testing puts in front of the message of a log line.
	place = regexp.MustCompile(`^ *[^ :]+\.go:\d+: `)
)

const module = "github.com/gramworks/gram"

// read reads the events of go test -json, writes the output of packages that fail to w,
// and counts. Lines that are no events are copied.
func read(events io.Reader, w io.Writer) (result, error) {
	var r result
	output := map[string][]chunk{} // of packages that have not ended
	ended := map[string]map[string]string{}
	in := bufio.NewReader(events)
	for {
		line, err := in.ReadString('\n')
		if line != "" {
			var e event
			if json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
				fmt.Fprint(w, line)
			} else {
				r.take(e, output, ended, w)
			}
		}
		if err == io.EOF {
			return r, nil
		}
		if err != nil {
			return r, err
		}
	}
}

// take counts an event. The outcomes of the tests of a package are in ended.
func (r *result) take(e event, output map[string][]chunk, ended map[string]map[string]string, w io.Writer) {
	pkg := e.Package
	switch e.Action {
	case "build-output":
		fmt.Fprint(w, e.Output)
		return
	case "output":
		output[pkg] = append(output[pkg], chunk{e.Test, e.Output})
		return
	case "pass", "fail", "skip":
	default:
		return
	}
	if e.Test != "" {
		if ended[pkg] == nil {
			ended[pkg] = map[string]string{}
		}
		ended[pkg][e.Test] = e.Action
		if strings.Contains(e.Test, "/") {
			r.subtests++
		} else {
			r.tests++
		}
		switch e.Action {
		case "fail":
			r.failed++
		case "skip":
			below := "."
			if pkg != module {
				below = strings.TrimPrefix(pkg, module+"/")
			}
			r.skips = append(r.skips, skip{below, e.Test, reason(output[pkg], e.Test)})
		}
		return
	}
	if e.Action != "skip" { // a package without test files is skipped
		r.packages++
	}
	if e.Action == "fail" {
		r.failedPackages++
		for _, c := range output[pkg] {
			if o := ended[pkg][c.test]; c.test != "" && o != "fail" && o != "" || progress.MatchString(c.text) || verdict.MatchString(c.text) {
				continue
			}
			fmt.Fprint(w, c.text)
		}
	}
	for _, c := range output[pkg] {
		if c.test == "" && strings.HasPrefix(c.text, "ok ") && strings.Contains(c.text, "(cached)") {
			r.cached++
		}
	}
	delete(output, pkg)
	delete(ended, pkg)
}

// reason returns the last message that a skipped test logged.
func reason(output []chunk, test string) string {
	text := ""
	for _, c := range output {
		if c.test != test || progress.MatchString(c.text) || verdict.MatchString(c.text) {
			continue
		}
		if at := place.FindString(c.text); at != "" {
			text = strings.TrimSpace(c.text[len(at):])
		}
	}
	return text
}
