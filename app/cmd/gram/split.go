package main

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/dataset"
	"github.com/spf13/cobra"
)

func newSplit() *cobra.Command {
	var (
		data  dataFlags
		share float64
		seed  uint64
	)
	c := &cobra.Command{
		Use:   "split DATA TRAIN TEST",
		Short: "Divide the rows of a data file at random into two files",
		Long: `split writes a random share of the rows of DATA to TEST and the others to TRAIN, each in
the format of its extension. If the rows have classes, each class is divided in that
share. The same seed gives the same rows. If split fails, it leaves no file TEST; DATA may
be - for standard input.`,
		Example: `  gram split data.csv train.csv test.csv --target price --task regression
  gram split all.libsvm.gz train.libsvm.gz test.libsvm.gz --share 0.3 --seed 7`,
		Args: cobra.ExactArgs(3),
	}
	f := c.Flags()
	f.Float64Var(&share, "share", 0.2, "share of the rows that goes to TEST")
	f.Uint64Var(&seed, "seed", 1, "seed of the division")
	data.defineFormat(f)
	data.training(f)
	c.RunE = action(func(ctx context.Context, c *cobra.Command, args []string) error {
		if !(share > 0 && share < 1) {
			return usagef("--share is %g, want a number between 0 and 1", share)
		}
		data.path = args[0]
		for _, out := range args[1:] {
			for _, file := range dataset.Outputs(out, dataset.AutoFormat) {
				if err := writable(file, data.path, data.targetFile); err != nil {
					return err
				}
			}
		}
		if sameFile(args[1], args[2]) {
			return usagef("TRAIN and TEST are both %s", args[1])
		}
		done, err := data.spool(ctx, c.InOrStdin())
		if err != nil {
			return err
		}
		defer done()
		o, err := data.options()
		if err != nil {
			return err
		}
		set, err := open(ctx, data.path, o)
		if err != nil {
			return err
		}
		train, test := set.Split(share, seed)
		for i, part := range []*dataset.Set{train, test} {
			n, d := part.Dims()
			if n == 0 {
				return fmt.Errorf("%s: no row is left for %s", data.shown(), args[i+1])
			}
			if err := dataset.Save(ctx, args[i+1], part); err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "%s: %d rows, %d columns\n", args[i+1], n, d)
		}
		return nil
	}).runE
	return c
}
