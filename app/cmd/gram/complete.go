package main

import (
	"strings"

	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/spf13/cobra"
)

// completeFit makes the shell complete the flags of a command that fits: names of methods, the
// settings of the method named before with the choices of each, and the words of other flags.
func completeFit(c *cobra.Command) {
	words := func(flag string, list func() []string) {
		err := c.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return list(), cobra.ShellCompDirectiveNoFileComp
		})
		if err != nil {
			panic(err) // the command has no such flag
		}
	}
	words("method", func() (list []string) {
		for _, m := range catalog.Methods() {
			list = append(list, cobra.CompletionWithDesc(m.Name, m.Summary))
		}
		return list
	})
	words("format", func() []string { return strings.Split("auto, "+formatNames(nil), ", ") })
	words("task", func() (list []string) {
		for t := dataset.AutoTask; t <= dataset.NoTarget; t++ {
			list = append(list, t.String())
		}
		return list
	})
	words("scale", training.ScaleNames)
	err := c.RegisterFlagCompletionFunc("set", func(c *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
		name, _ := c.Flags().GetString("method")
		return settingsOf(name, prefix), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
	if err != nil {
		panic(err)
	}
}

// settingsOf returns NAME= for each setting of a method, or NAME=VALUE for each choice of the one
// whose name has been typed.
func settingsOf(method, prefix string) (list []string) {
	m, err := catalog.Find(method)
	if err != nil {
		return nil
	}
	name, _, named := strings.Cut(prefix, "=")
	for _, s := range m.New().Settings().Settings {
		if !named {
			list = append(list, cobra.CompletionWithDesc(s.Name+"=", s.Help))
			continue
		}
		choices := s.Choices
		if s.Kind == "bool" {
			choices = []string{"true", "false"}
		}
		for _, choice := range choices {
			if s.Name == name {
				list = append(list, s.Name+"="+choice)
			}
		}
	}
	return list
}
