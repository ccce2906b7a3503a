package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/gramworks/gram/modelfile"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newMan returns the command that writes the manual pages of a release. Users do not need
// it, and no help lists it.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages of all commands",
		Long:   `man writes a page for each command, gram.1, gram-fit.1, …, into the directory DIR.`,
		Args:   cobra.ExactArgs(1),
		Hidden: true,
		RunE: action(func(_ context.Context, c *cobra.Command, args []string) error {
			var write func(of *cobra.Command) error
			write = func(of *cobra.Command) error {
				name := strings.ReplaceAll(of.CommandPath(), " ", "-")
				err := modelfile.WriteFile(filepath.Join(args[0], name+".1"), func(w io.Writer) error { return manual(w, of) })
				for _, sub := range documented(of) {
					if err == nil {
						err = write(sub)
					}
				}
				return err
			}
			return write(c.Root())
		}).runE,
	}
}

// documented returns the commands of c that have pages.
func documented(c *cobra.Command) []*cobra.Command {
	var out []*cobra.Command
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "completion" {
			out = append(out, sub)
		}
	}
	return out
}

var escapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "…", "...")

// roff escapes the text of a line of a manual page.
func roff(line string) string {
	line = escapes.Replace(line)
	if strings.HasPrefix(line, ".") {
		return `\&` + line
	}
	return line
}

// manual writes the page of a command in the macros of man(7).
func manual(to io.Writer, c *cobra.Command) error {
	w := bufio.NewWriter(to)
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	fmt.Fprintf(w, ".TH %s 1 \"\" \"gram %s\" \"gram\"\n", strings.ToUpper(roff(name)), roff(thisVersion().Version))
	fmt.Fprintf(w, ".SH NAME\n%s \\- %s\n", roff(name), roff(c.Short))
	fmt.Fprintf(w, ".SH SYNOPSIS\n.B %s\n", roff(c.UseLine()))
	fmt.Fprint(w, ".SH DESCRIPTION\n")
	prose(w, c.Long)
	if subs := documented(c); len(subs) > 0 {
		fmt.Fprint(w, ".SH COMMANDS\n")
		for _, sub := range subs {
			fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(sub.CommandPath()), roff(sub.Short))
		}
	}
	fmt.Fprint(w, ".SH OPTIONS\n")
	for _, flags := range []*pflag.FlagSet{c.NonInheritedFlags(), c.InheritedFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			value, usage := pflag.UnquoteUsage(f)
			text := `\fB` + roff("--"+f.Name) + `\fR`
			if f.Shorthand != "" {
				text = `\fB` + roff("-"+f.Shorthand) + `\fR, ` + text
			}
			if value != "" {
				text += ` \fI` + roff(value) + `\fR`
			}
			if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" && f.DefValue != "0" && !strings.Contains(usage, "(default") {
				usage += " (default: " + f.DefValue + ")"
			}
			fmt.Fprintf(w, ".TP\n%s\n%s\n", text, roff(usage))
		})
	}
	if c.Example != "" {
		fmt.Fprint(w, ".SH EXAMPLES\n")
		prose(w, c.Example)
	}
	fmt.Fprint(w, ".SH EXIT STATUS\n0 for success, 1 for a failure, 2 for a mistake in the command line or in GRAM_LEVEL, and 3 if\n.B gram tune \\-\\-check\ncannot tell.\n")
	if c.HasParent() {
		parent := strings.ReplaceAll(c.Parent().CommandPath(), " ", "-")
		fmt.Fprintf(w, ".SH SEE ALSO\n.BR %s (1)\n", roff(parent))
	}
	return w.Flush()
}

// prose writes paragraphs; lines that are indented keep their breaks.
func prose(w io.Writer, text string) {
	literal := false
	for line := range strings.SplitSeq(text, "\n") {
		if indented := strings.HasPrefix(line, "  "); indented != literal && line != "" {
			fmt.Fprintln(w, map[bool]string{true: ".PP\n.nf", false: ".fi"}[indented])
			literal = indented
		}
		if line == "" && !literal {
			line = "\n.PP"
			fmt.Fprint(w, line[1:]+"\n")
			continue
		}
		fmt.Fprintln(w, roff(line))
	}
	if literal {
		fmt.Fprintln(w, ".fi")
	}
}
