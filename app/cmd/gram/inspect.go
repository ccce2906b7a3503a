package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"

	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num"
	"github.com/spf13/cobra"
)

// inspection is the output of gram inspect --json.
type inspection struct {
	File  string              `json:"file"`
	Bytes int64               `json:"bytes"` // of all arrays
	Parts []modelfile.Content `json:"parts"`
}

func newInspect() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "inspect MODEL",
		Short: "Show the methods, settings and arrays of a model file",
		Long: `inspect lists the model in a file and the models inside it: for each the prefix of its
arrays, the method, the version, the settings that it was trained with and the name, type,
shape and size of its arrays. Settings that are one of several are named as in gram fit
--list where this program knows the method. All checksums of the file are verified.

docs/models.md says what the arrays of each method hold, and docs/gram_model.py reads them
with NumPy.`,
		Example: `  gram inspect model.gram
  gram inspect model.gram --json`,
		Args: cobra.ExactArgs(1),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write one JSON object")
	c.RunE = action(func(_ context.Context, c *cobra.Command, args []string) error {
		f, err := modelfile.ReadFile(args[0])
		if err != nil {
			return err
		}
		r := inspection{File: args[0], Parts: f.Contents()}
		for _, p := range r.Parts {
			for _, a := range p.Arrays {
				r.Bytes += a.Bytes
			}
		}
		nameSettings(r.Parts, args[0])
		if asJSON {
			return json.NewEncoder(c.OutOrStdout()).Encode(r)
		}
		return r.write(c.OutOrStdout())
	}).runE
	return c
}

// nameSettings replaces the settings of the fitted model, in which an enumeration is a
// number, by those of the decoded model with its names. A file that does not decode
// keeps what it says.
func nameSettings(parts []modelfile.Content, path string) {
	m, err := catalog.Load(path)
	if err != nil {
		return
	}
	prefix := ""
	if p, ok := m.(*pipeline.Model); ok {
		m, prefix = p.Model, "model/"
	}
	get := reflect.ValueOf(m).MethodByName("Config")
	if !get.IsValid() || get.Type().NumIn() != 0 || get.Type().NumOut() != 1 {
		return
	}
	for i := range parts {
		var stored map[string]json.RawMessage
		if parts[i].Prefix != prefix || json.Unmarshal(parts[i].Config, &stored) != nil {
			continue
		}
		renameChoices(stored, get.Call(nil)[0])
		if text, err := json.Marshal(stored); err == nil {
			parts[i].Config = text
		}
	}
}

// renameChoices replaces the numbers of enumerations by their names, in a struct and in
// those inside it.
func renameChoices(stored map[string]json.RawMessage, config reflect.Value) {
	if config.Kind() != reflect.Struct {
		return
	}
	for i := range config.NumField() {
		field, v := config.Type().Field(i), config.Field(i)
		text, ok := stored[field.Name]
		if !ok || !field.IsExported() {
			continue
		}
		if name, is := v.Interface().(fmt.Stringer); is && v.Kind() == reflect.Uint8 {
			stored[field.Name], _ = json.Marshal(name.String()) // a string is always valid
			continue
		}
		var inner map[string]json.RawMessage
		if v.Kind() == reflect.Struct && json.Unmarshal(text, &inner) == nil {
			renameChoices(inner, v)
			if text, err := json.Marshal(inner); err == nil {
				stored[field.Name] = text
			}
		}
	}
}

func (r inspection) write(out io.Writer) error {
	fmt.Fprintf(out, "%s: %s in arrays\n", r.File, num.FormatBytes(r.Bytes))
	for _, p := range r.Parts {
		name := strings.TrimSuffix(p.Prefix, "/")
		if name == "" {
			name = "the model"
		}
		fmt.Fprintf(out, "\n%s: %s, version %d\n", name, p.Method, p.Version)
		var settings map[string]json.RawMessage
		if json.Unmarshal(p.Config, &settings) == nil && len(settings) > 0 {
			var compact bytes.Buffer
			if err := json.Compact(&compact, p.Config); err != nil {
				return err
			}
			fmt.Fprintf(out, "  settings %s\n", compact.Bytes())
		}
		w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
		for _, a := range p.Arrays {
			var shape []string
			for _, n := range a.Shape {
				shape = append(shape, fmt.Sprint(n))
			}
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", a.Name, a.Type, strings.Join(shape, "×"), num.FormatBytes(a.Bytes))
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
}
