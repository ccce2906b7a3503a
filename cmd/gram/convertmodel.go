package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/catalog"
	"github.com/gramworks/gram/internal/safefile"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/pipeline"
)

// libsvmModel is the suffix of model files of LIBSVM, which svm-train gives them.
const libsvmModel = ".model"

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

// convertModel writes the model in the file in as a model file of the module, or of
// LIBSVM if out ends in .model.
func convertModel(in, out string) error {
	if filepath.Ext(out) != ".gram" && filepath.Ext(out) != libsvmModel {
		return usagef("%s is a model: OUT ends in .gram, or in %s for LIBSVM", in, libsvmModel)
	}
	m, err := catalog.Load(in)
	if err != nil {
		return err
	}
	if filepath.Ext(out) == ".gram" {
		return modelfile.Save(out, m)
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
	return safefile.Write(out, w.WriteLIBSVM)
}
