package main

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/bench"
	"github.com/spf13/cobra"
)

func newSignature() *cobra.Command {
	c := &cobra.Command{
		Use:   "signature",
		Short: "Show sums that are equal on every machine",
		Long: `signature computes what every family of exact routines returns for fixed inputs, and prints a sum
over all bits for each. The sums are those of every level, backend, system and architecture: two
machines that print the same lines give the same transforms and draw the same numbers, and one that prints
another line than the release notes has a defective program or processor. gram info compares
all kernels of this machine with those in pure Go.`,
		Example: `  gram signature
  GRAM_LEVEL=generic gram signature`,
		Args: cobra.NoArgs,
	}
	c.RunE = action(func(_ context.Context, c *cobra.Command, _ []string) error {
		for _, s := range bench.Signatures() {
			fmt.Fprintln(c.OutOrStdout(), s)
		}
		return nil
	}).runE
	return c
}
