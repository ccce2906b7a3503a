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
file OUT. IN may be - for standard input, and OUT for standard output, in the format of --to.

IN may also be a model of svm or svr, of this program or of LIBSVM. OUT ends in .gram then,
or in .model for the format of LIBSVM. A model of boosted trees of XGBoost (JSON) or LightGBM
(text) becomes a model of gbdt: IN is its file, and OUT ends in .gram. A model of gbdt becomes one
of XGBoost if OUT ends in .json.

If OUT ends in .onnx, the model is written with its scaling for programs that run ONNX, such
as onnxruntime: kernel machines, linear models on features, and trees. The numbers are
float64, or float32 for a model that gram compile --precision float32 has made.`,
		Example: `  zcat train.csv.gz | gram convert - train.libsvm --format csv
  gram convert train.csv train.libsvm.gz --target price --task regression
  gram convert train-images-idx3-ubyte.gz mnist.npy
  gram convert svm-train.model svm.gram
  gram convert xgboost.json trees.gram
  gram convert trees.gram xgboost.json
  gram convert model.gram model.onnx`,
		Args: cobra.ExactArgs(2),
	}
	f := c.Flags()
	data.defineFormat(f)
	data.training(f)
	f.StringVar(&to, "to", "auto", "format of OUT: auto (by the extension), "+formatNames(dataset.Format.Writable))
	c.RunE = action(func(ctx context.Context, c *cobra.Command, args []string) error {
		return convert(ctx, c, data, args[0], args[1], to)
	}).runE
	return c
}

// convert converts data, or a model, from in to out, in the format to.
func convert(ctx context.Context, c *cobra.Command, data dataFlags, in, out, to string) error {
	data.path = in
	if isModel(in) {
		return convertModel(c.OutOrStdout(), in, out)
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
	format, err := dataset.ParseFormat(to)
	if err != nil {
		return usageError{err}
	}
	for _, file := range dataset.Outputs(out, format) {
		if err := writable(file, in, data.targetFile); err != nil {
			return err
		}
	}
	b := newBar(c.ErrOrStderr())
	defer b.close()
	if out == standardInput {
		if format == dataset.AutoFormat {
			return usagef("--to is missing: the format of standard output")
		}
		return toStandard(c.OutOrStdout(), func(path string) error {
			_, err := dataset.Convert(ctx, data.path, path, o, format, gram.Run{Progress: b.progress()})
			return err
		})
	}
	info, err := dataset.Convert(ctx, data.path, out, o, format, gram.Run{Progress: b.progress()})
	if err != nil {
		return err
	}
	b.close()
	fmt.Fprintf(c.OutOrStdout(), "%s: %d rows, %d columns, %.3g %% of the cells not zero, task %s\n",
		out, info.N, info.D, 100*info.Density(), info.Task)
	return nil
}
