package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gramworks/gram/app/catalog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Every command has a page with its flags and examples, in which only macros begin with a
// point; the command that writes them is in no help.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	ok(t, "man", dir)
	macro := regexp.MustCompile(`^\.(TH|SH|TP|PP|B|BR|nf|fi)( |$)`)
	pages := 0
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		pages++
		file := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		b, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		for line := range strings.Lines(text) {
			if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, ".") && !macro.MatchString(line) || strings.HasPrefix(line, "'") {
				t.Errorf("%s: %q", file, line)
			}
		}
		if strings.Count(text, ".nf\n")+strings.Count(text, ".nf ") != strings.Count(text, ".fi\n") {
			t.Errorf("%s: lines without breaks do not end", file)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(text, `\fB`+roff("--"+f.Name)+`\fR`) {
				t.Errorf("%s has no --%s", file, f.Name)
			}
		})
		for line := range strings.Lines(c.Example) {
			if !strings.Contains(text, roff(strings.TrimSuffix(line, "\n"))) {
				t.Errorf("%s has no example %q", file, line)
			}
		}
		for _, sub := range documented(c) {
			check(sub)
		}
	}
	root := newRoot(catalog.Find)
	check(root)
	if files, err := os.ReadDir(dir); err != nil || len(files) != pages || pages < 20 {
		t.Errorf("%d files for %d commands, %v", len(files), pages, err)
	}
	if strings.Contains(ok(t), "\n  man ") {
		t.Error("the help shows gram man")
	}
	fails(t, 2, nil, "man")
	fails(t, 1, []string{"no such"}, "man", filepath.Join(dir, "no"))
	for line, want := range map[string]string{".x": `\&.x`, "'x' a-b": `\(aqx\(aq a\-b`, `\n`: `\en`, "x.": "x."} {
		if got := roff(line); got != want {
			t.Errorf("%q is written %q, want %q", line, got, want)
		}
	}
}

// An empty line begins a paragraph, and indented lines stand between .nf and .fi as they are.
func TestProse(t *testing.T) {
	var page strings.Builder
	prose(&page, "one\ntwo\n\n.three:\n  a\n\n    b-c\nfour\n\n  end")
	if want := "one\ntwo\n.PP\n\\&.three:\n.PP\n.nf\n  a\n\n    b\\-c\n.fi\nfour\n.PP\n.PP\n.nf\n  end\n.fi\n"; page.String() != want {
		t.Errorf("%q, want %q", &page, want)
	}
}
