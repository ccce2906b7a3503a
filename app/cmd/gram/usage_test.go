package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gramworks/gram/app/catalog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The flags of all commands, with their defaults and help, are compared with
// testdata/flags.txt, so that none changes unnoticed.
func TestFlagsList(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // --max-active is twice as many
	var b strings.Builder
	var list func(c *cobra.Command)
	list = func(c *cobra.Command) {
		fmt.Fprintf(&b, "%s: %s\n", c.CommandPath(), c.Short)
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			name, usage := pflag.UnquoteUsage(f)
			fmt.Fprintf(&b, "\t--%s -%s %s, %s = %s: %s\n", f.Name, f.Shorthand, name, f.Value.Type(), f.DefValue, usage)
			if f.Value.String() != f.DefValue {
				t.Errorf("%s --%s is %s before it is set, its default is %s", c.CommandPath(), f.Name, f.Value, f.DefValue)
			}
		})
		for _, sub := range c.Commands() {
			list(sub)
		}
	}
	list(newRoot(catalog.Find))
	path := filepath.Join("testdata", "flags.txt")
	if flag.Lookup("renew").Value.String() == "true" {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the flags are no longer those of %s; go test -run %s -renew writes\n%s", path, t.Name(), &b)
	}
}
