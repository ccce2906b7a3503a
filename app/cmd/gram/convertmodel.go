package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/onnx"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
)

// The suffixes of model files: libsvmModel is what svm-train gives them.
const (
	libsvmModel  = ".model"
	onnxModel    = ".onnx"
	xgboostModel = ".json"
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
// ends in .model, of XGBoost if in .json, or of ONNX if in .onnx; out tells what of the model is left out.
func convertModel(out io.Writer, in, to string) error {
	switch end := filepath.Ext(to); end {
	case ".gram", libsvmModel:
	case onnxModel:
		return convertONNX(out, in, to)
	case xgboostModel:
		return convertXGBoost(out, in, to)
	default:
		return usagef("%s is a model: OUT ends in .gram, in %s for LIBSVM, in %s for XGBoost or in %s for ONNX", in, libsvmModel, xgboostModel, onnxModel)
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

// convertXGBoost writes the model of boosted trees in the file in as one of XGBoost.
func convertXGBoost(out io.Writer, in, to string) error {
	p, err := catalog.LoadFitted(in)
	if err != nil {
		return err
	}
	w, ok := p.Model.(interface{ WriteXGBoost(w io.Writer) error })
	switch {
	case !ok:
		return fmt.Errorf("%s: a model of %s has no place in XGBoost's format, which is for gbdt", in, p.Method)
	case p.Scaling != nil || p.Encoding != nil:
		return fmt.Errorf("%s: the model changes its columns before the trees see them, for which XGBoost's format has no place: fit with --scale none", in)
	}
	if err := modelfile.WriteFile(to, w.WriteXGBoost); err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	fmt.Fprintf(out, "%s: %s, %d columns\n", to, p.Task, p.Dim)
	for c, name := range p.Names {
		if name != strconv.Itoa(c) {
			fmt.Fprintf(out, "left out: names of classes, whose numbers are their places in %q\n", p.Names)
			break
		}
	}
	if p.Schema.Named() {
		fmt.Fprintln(out, "left out: names of columns and of levels, whose numbers are their places in the schema of the model")
	}
	if p.Conformal != nil || p.Calibration != nil {
		fmt.Fprintln(out, "left out: intervals and calibrated probabilities")
	}
	return nil
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
