package main

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/spf13/cobra"
)

func newConvert() *cobra.Command {
	var (
		data dataFlags
		to   string
	)
	c := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Convert a data file to another format",
		Long: `convert reads a data file and writes it in the format of OUT's extension. It works block
by block, so the file may be larger than memory. The formats are

` + formatTable() + `
An extension .gz after these stands for a compressed file. If convert fails, it leaves no
file OUT.`,
		Example: `  gram convert train.csv train.libsvm.gz --target price --task regression
  gram convert train-images-idx3-ubyte.gz mnist.npy`,
		Args: cobra.ExactArgs(2),
	}
	f := c.Flags()
	data.defineFormat(f)
	data.training(f)
	f.StringVar(&to, "to", "auto", "format of OUT: auto (by the extension), "+formatNames(dataset.Format.Writable))
	c.RunE = action(func(ctx context.Context, c *cobra.Command, args []string) error {
		o, err := data.options()
		if err != nil {
			return err
		}
		format, err := dataset.ParseFormat(to)
		if err != nil {
			return usageError{err}
		}
		b := newBar(c.ErrOrStderr())
		defer b.close()
		info, err := dataset.Convert(ctx, args[0], args[1], o, format, gram.Run{Progress: b.progress()})
		if err != nil {
			return err
		}
		b.close()
		fmt.Fprintf(c.OutOrStdout(), "%s: %d rows, %d columns, %.3g %% of the cells not zero, task %s\n",
			args[1], info.N, info.D, 100*info.Density(), info.Task)
		return nil
	}).runE
	return c
}
