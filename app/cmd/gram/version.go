package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/blas"
	"github.com/spf13/cobra"
)

// version is the output of gram version --json.
type version struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the sources, if the build knows it
	Modified bool   `json:"modified,omitempty"` // the sources differ from the revision
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Level    string `json:"level"`
	Backend  string `json:"backend"`
}

func newVersion() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Show the version of the program, of Go, the level and the backend",
		Long: `version shows the version of the program and the revision of its sources, the version of
Go that built it, the platform, and the level and the backend that it runs with, in one
line. gram info shows the machine.`,
		Example: `  gram version
  gram version --json`,
		Args: cobra.NoArgs,
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write one JSON object")
	c.RunE = action(func(_ context.Context, c *cobra.Command, _ []string) error {
		v := thisVersion()
		if asJSON {
			return json.NewEncoder(c.OutOrStdout()).Encode(v)
		}
		fmt.Fprintln(c.OutOrStdout(), v)
		return nil
	}).runE
	return c
}

func thisVersion() version {
	v := version{
		Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Level: cpu.Current().String(), Backend: blas.Current().Name(),
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// String returns the version in one line.
func (v version) String() string {
	text := "gram " + v.Version
	if v.Revision != "" {
		text += ", revision " + v.Revision
		if v.Modified {
			text += " (modified)"
		}
	}
	return fmt.Sprintf("%s, %s %s, level %s, backend %s", text, v.Go, v.Platform, v.Level, v.Backend)
}
