package main

import (
	"errors"
	"fmt"

	"github.com/gramworks/gram/settings"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// sayMistakes lets c and the commands below it say what is wrong with a command line in
// terms of its user: the form of the command, the nearest name, what a flag wants.
func sayMistakes(c *cobra.Command) {
	c.SetFlagErrorFunc(flagMistake)
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			err := check(c, args)
			if err == nil {
				return nil
			}
			if !c.HasAvailableSubCommands() {
				if len(args) == 0 {
					return fmt.Errorf("arguments are missing, the form is: %s", c.UseLine())
				}
				return fmt.Errorf("the arguments %q do not fit the form: %s", args, c.UseLine())
			}
			var names []string
			for _, sub := range c.Commands() {
				names = append(names, sub.Name())
			}
			return fmt.Errorf("%w%s", err, settings.Hint(args[0], names))
		}
	}
	for _, sub := range c.Commands() {
		sayMistakes(sub)
	}
}

// requirements says what the flags of a type take, where the type's own error speaks of Go.
var requirements = map[string]string{
	"bool":         "true or false",
	"duration":     "a time with its unit, such as 90s or 10m",
	"float64":      "a number",
	"float64Slice": "numbers with commas between",
	"int":          "an integer",
	"intSlice":     "integers with commas between",
	"uint64":       "an integer of at least 0",
}

// flagMistake is the error of a flag of c that cannot be read.
func flagMistake(c *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		if want, plain := requirements[f.Value.Type()]; plain {
			return fmt.Errorf("--%s is %q, want %s", f.Name, invalid.GetValue(), want)
		}
		return fmt.Errorf("--%s is %q: %w", f.Name, invalid.GetValue(), errors.Unwrap(invalid))
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		if fit, _, _ := c.Root().Find([]string{"fit"}); c.Flags().Lookup("model") != nil && fit.Flags().Lookup(name) != nil {
			return fmt.Errorf("--%s is a flag of gram fit; a stored model remembers what it needs of it", name)
		}
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		return fmt.Errorf("%w%s", err, settings.Hint("--"+name, names))
	}
	return err
}
