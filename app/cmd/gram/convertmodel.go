package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/onnx"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
)

// The suffixes of model files: libsvmModel is what svm-train gives them.
const (
	libsvmModel = ".model"
	onnxModel   = ".onnx"
)

// isModel reports whether the file is a model of the module or of another program that
// catalog.Load reads. It says no for a pipe, which is read once and may block, and for a
// file that cannot be read, which is then reported as data.
func isModel(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, gbdt.ImportHead)
	n, _ := io.ReadFull(f, head) // a short file has a short head
	head = head[:n]
	return gbdt.Importable(head) || bytes.HasPrefix(head, []byte("svm_type ")) || len(head) > 8 && bytes.HasPrefix(head[8:], []byte(`{"__metadata__"`))
}

// convertModel writes the model in the file in as a model file of the module, of LIBSVM if to
// ends in .model, or of ONNX if to ends in .onnx; out tells what of the model is left out.
func convertModel(out io.Writer, in, to string) error {
	if end := filepath.Ext(to); end != ".gram" && end != libsvmModel && end != onnxModel {
		return usagef("%s is a model: OUT ends in .gram, in %s for LIBSVM or in %s for ONNX", in, libsvmModel, onnxModel)
	}
	if filepath.Ext(to) == onnxModel {
		return convertONNX(out, in, to)
	}
	m, err := catalog.Load(in)
	if err != nil {
		return err
	}
	if filepath.Ext(to) == ".gram" {
		return modelfile.Save(to, m)
	}
	if p, ok := m.(*pipeline.Model); ok {
		if p.Scaling != nil {
			return errors.New("the model is of scaled data, for which LIBSVM's format has no place: fit with --scale none")
		}
		m = p.Model
	}
	w, ok := m.(interface{ WriteLIBSVM(w io.Writer) error })
	if !ok {
		return fmt.Errorf("%s: LIBSVM has models of svm and svr only", in)
	}
	return modelfile.WriteFile(to, w.WriteLIBSVM)
}

// convertONNX writes the model in the file in as a model of ONNX, in float32 if it was compiled
// to that, else in float64.
func convertONNX(out io.Writer, in, to string) error {
	p, err := catalog.LoadFitted(in)
	if err != nil {
		return err
	}
	precision := predict.Float64
	if c, ok := p.Model.(predict.Compiled); ok {
		precision = c.Options().Precision
	}
	var left []string
	if err := modelfile.WriteFile(to, func(w io.Writer) error {
		left, err = onnx.Write(w, p, precision)
		return err
	}); err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	fmt.Fprintf(out, "%s: %s, x with %d columns in %s\n", to, p.Task, p.Dim, precision)
	for _, what := range left {
		fmt.Fprintf(out, "left out: %s\n", what)
	}
	return nil
}
