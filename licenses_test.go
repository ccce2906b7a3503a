package gram_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

// licenses are texts that are in a license and in no other of the list.
var licenses = []struct{ name, text string }{
	{"Apache-2.0", "apache license version 2.0"},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy of this software"},
	{"BSD-3-Clause", "may be used to endorse or promote products derived from this software"},
	{"FTL or GPL-2.0-or-later", "the freetype license"},
	{"CC-BY-4.0", "creative commons attribution 4.0"},
	{"BSD-2-Clause", "redistributions in binary form must reproduce"},
	{"OFL-1.1", "sil open font license, version 1.1"},
}

// docs/licenses.md has every module that programs and tests of the root and of the application link, with the
// license that is in its files.
func TestLicenses(t *testing.T) {
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	if testing.Short() {
		t.Skip("runs the go command")
	}
	if _, err := os.Stat("go.work"); err != nil {
		t.Skip("there is no workspace: ", err)
	}
	var lines string
	for _, system := range []string{"linux", "windows"} {
		list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-test", "-tags", "openblas parquet", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}", "./...", "./app/...", "./app/columnar")
		list.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=1")
		out, err := list.Output()
		if err != nil {
			t.Skip("there is no go command that lists the modules: ", err)
		}
		lines += string(out)
	}
	blanks := regexp.MustCompile(`\s+`)
	var want []string
	for line := range strings.Lines(lines) {
		path, dir, found := strings.Cut(strings.TrimSpace(line), "\t")
		if !found {
			continue
		}
		files := must.Have(filepath.Glob(filepath.Join(dir, "LICENSE*")))(t)
		var names []string
		for _, file := range files {
			text := must.Have(os.ReadFile(file))(t)
			plain := blanks.ReplaceAllString(strings.ToLower(string(text)), " ")
			for _, l := range licenses {
				longer := l.name == "BSD-2-Clause" && slices.Contains(names, "BSD-3-Clause") // has its text, too
				if strings.Contains(plain, l.text) && !slices.Contains(names, l.name) && !longer {
					names = append(names, l.name)
				}
			}
		}
		want = append(want, fmt.Sprintf("| %s | %s |", path, strings.Join(names, ", ")))
	}
	slices.Sort(want)
	want = slices.Compact(want)
	text := must.Have(os.ReadFile("docs/licenses.md"))(t)
	var got []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "| ") && strings.Contains(line, "/") {
			got = append(got, line)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/licenses.md should list\n%s", strings.Join(want, "\n"))
	}
}

// Workflows take actions by their commit, have no more permissions than they say, and put
// no text of a user into a command.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob(".github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	uses := regexp.MustCompile(`(?m)^\s*-?\s*uses:\s*(.*)$`)
	pinned := regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v[\d.]+$`)
	commands := regexp.MustCompile(`(?m)^\s*-?\s*run:.*\$\{\{.*$`)
	for _, file := range files {
		text := must.Have(os.ReadFile(file))(t)
		for _, use := range uses.FindAllSubmatch(text, -1) {
			if !pinned.Match(use[1]) {
				t.Errorf("%s: %q is no commit with its version", file, use[1])
			}
		}
		if !strings.Contains(string(text), "\npermissions:\n  contents: read\n") {
			t.Errorf("%s has no permissions", file)
		}
		for _, line := range commands.FindAllString(string(text), -1) {
			t.Errorf("%s: an expression in a command: %s", file, line)
		}
	}
}
