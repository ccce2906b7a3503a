//go:build cgo

package main

/*
#define GRAM_TYPES_ONLY
#include "gram.h"
#include <stdlib.h>
*/
import "C"

import (
	"bytes"
	"math"
	"slices"
	"unsafe"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// widenedRows is the number of rows of float32 that are widened together.
const widenedRows = 4096

// answer calls use with the rows of x and their predictions by a model of the task, in order:
// all of them, or those of float32 in blocks that start at row lo.
func answer(h C.gram_model, task dataset.Task, x *C.gram_matrix, w pipeline.Want, use func(lo int, p pipeline.Predictions)) error {
	m, err := at[*pipeline.Model](h, "model that predicts")
	if err != nil {
		return err
	}
	if m.Task != task {
		return invalid("the model is one of %s, not of %s", m.Task, task)
	}
	if err := m.Check(w); err != nil {
		return invalid("%v", err)
	}
	return eachBlock(x, m.Dim, func(lo int, rows mat.Matrix) error {
		p, err := m.Answer(rows, w)
		if err == nil {
			use(lo, p)
		}
		return err
	})
}

// eachBlock calls use with the rows of x, which have d columns: all of them, or those of
// float32 in blocks that start at row lo.
func eachBlock(x *C.gram_matrix, d int, use func(lo int, rows mat.Matrix) error) error {
	if x != nil && x.d != C.int64_t(d) {
		return invalid("x has %d columns, the model takes %d", int64(x.d), d)
	}
	if single(x) {
		rows, err := dense[float32]("x", x)
		for lo := 0; lo < rows.N && err == nil; lo += widenedRows {
			err = use(lo, widened(rows.Slice(lo, min(lo+widenedRows, rows.N))))
		}
		return err
	}
	rows, err := matrix("x", x)
	if err != nil {
		return err
	}
	if n, _ := rows.Dims(); n == 0 {
		return nil
	}
	return use(0, rows)
}

// rowsOf returns the number of rows of x.
func rowsOf(x *C.gram_matrix) (int, error) {
	n, _, err := shape("x", x)
	return n, err
}

//export gram_gains
func gram_gains(h C.gram_model, gains *C.double, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		m, err := at[*pipeline.Model](h, "model that predicts")
		if err != nil {
			return err
		}
		trees, ok := m.Model.(interface{ Stats() gbdt.Stats })
		if !ok {
			return invalid("a model of %s has no gains of splits", m.Method)
		}
		from := trees.Stats().Gain
		if len(from) != m.Dim || slices.ContainsFunc(from, math.IsNaN) {
			return invalid("the file of the trees does not say what their splits gained")
		}
		to, err := array[float64]("gains", unsafe.Pointer(gains), m.Dim)
		copy(to, from)
		return err
	})
}

//export gram_classify
func gram_classify(h C.gram_model, x *C.gram_matrix, classes *C.int64_t, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		n, err := rowsOf(x)
		if err != nil {
			return err
		}
		to, err := outputs[int64]("classes", unsafe.Pointer(classes), n, 1)
		if err != nil {
			return err
		}
		return answer(h, dataset.Classes, x, pipeline.Want{}, func(lo int, p pipeline.Predictions) {
			for i, c := range p.Class {
				to[lo+i] = int64(c)
			}
		})
	})
}

//export gram_values
func gram_values(h C.gram_model, x *C.gram_matrix, values *C.double, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		n, err := rowsOf(x)
		if err != nil {
			return err
		}
		to, err := outputs[float64]("values", unsafe.Pointer(values), n, 1)
		if err != nil {
			return err
		}
		return answer(h, dataset.Regression, x, pipeline.Want{}, func(lo int, p pipeline.Predictions) { copy(to[lo:], p.Value) })
	})
}

//export gram_intervals
func gram_intervals(h C.gram_model, x *C.gram_matrix, level C.double, low, high *C.double, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		n, err := rowsOf(x)
		if err != nil {
			return err
		}
		to, err := outputs[float64]("low", unsafe.Pointer(low), n, 1)
		if err != nil {
			return err
		}
		above, err := outputs[float64]("high", unsafe.Pointer(high), n, 1)
		if err != nil {
			return err
		}
		return answer(h, dataset.Regression, x, pipeline.Want{Level: asked(level)}, func(lo int, p pipeline.Predictions) {
			copy(to[lo:], p.Low)
			copy(above[lo:], p.High)
		})
	})
}

//export gram_sets
func gram_sets(h C.gram_model, x *C.gram_matrix, level C.double, member *C.int8_t, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		m, err := at[*pipeline.Model](h, "model that predicts")
		if err != nil {
			return err
		}
		n, err := rowsOf(x)
		if err != nil {
			return err
		}
		k := len(m.Names)
		to, err := outputs[int8]("member", unsafe.Pointer(member), n, k)
		if err != nil {
			return err
		}
		return answer(h, dataset.Classes, x, pipeline.Want{Level: asked(level)}, func(lo int, p pipeline.Predictions) {
			for i, set := range p.Set {
				row := to[(lo+i)*k:][:k]
				clear(row)
				for _, c := range set {
					row[c] = 1
				}
			}
		})
	})
}

// asked is a level as it is asked for: 0, which asks for no interval, is no level.
func asked(level C.double) float64 {
	if level == 0 {
		return -1
	}
	return float64(level)
}

//export gram_scores
func gram_scores(h C.gram_model, x *C.gram_matrix, scores *C.double, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		return classNumbers(h, x, scores, pipeline.Want{Scores: true}, scoresOf, func(_ *pipeline.Model, c gram.Classifier, x mat.Matrix) *mat.Dense {
			return c.Scores(nil, x)
		})
	})
}

//export gram_probabilities
func gram_probabilities(h C.gram_model, x *C.gram_matrix, probabilities *C.double, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		all := func(classes int) int { return classes }
		return classNumbers(h, x, probabilities, pipeline.Want{Probability: true}, all, func(m *pipeline.Model, c gram.Classifier, x mat.Matrix) *mat.Dense {
			return m.Probabilities().Probabilities(nil, calibration.Scores(c, x))
		})
	})
}

// classNumbers writes the numbers of the classes that of returns for scaled rows to dst. There
// are width(classes) of them for a row. The classes themselves are not computed.
func classNumbers(h C.gram_model, x *C.gram_matrix, dst *C.double, w pipeline.Want, width func(classes int) int, of func(*pipeline.Model, gram.Classifier, mat.Matrix) *mat.Dense) error {
	m, err := at[*pipeline.Model](h, "model that predicts")
	if err != nil {
		return err
	}
	if err := m.Check(w); err != nil {
		return invalid("%v", err)
	}
	n, err := rowsOf(x)
	if err != nil {
		return err
	}
	k := width(len(m.Names))
	to, err := outputs[float64]("the output", unsafe.Pointer(dst), n, k)
	if err != nil {
		return err
	}
	return eachBlock(x, m.Dim, func(lo int, rows mat.Matrix) error {
		rows, err := m.Scaled(rows)
		if err != nil {
			return err
		}
		from := of(m, m.Model.(gram.Classifier), rows) // Check has seen that it is one
		count, _ := from.Dims()
		for i := range count {
			copy(to[(lo+i)*k:(lo+i+1)*k], from.RawRowView(i))
		}
		return nil
	})
}

// scoresOf returns the number of scores of a row for that many classes.
func scoresOf(classes int) int {
	if classes == 2 {
		return 1
	}
	return classes
}

//export gram_top
func gram_top(h C.gram_model, x *C.gram_matrix, most C.int64_t, labels *C.int64_t, scores *C.double, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		n, err := rowsOf(x)
		if err != nil {
			return err
		}
		k, err := number("k", most)
		if err != nil {
			return err
		}
		label, err := outputs[int64]("labels", unsafe.Pointer(labels), n, k)
		if err != nil {
			return err
		}
		score, err := outputs[float64]("scores", unsafe.Pointer(scores), n, k)
		if err != nil {
			return err
		}
		return answer(h, dataset.MultiLabel, x, pipeline.Want{Top: k}, func(lo int, p pipeline.Predictions) {
			for i, top := range p.Top {
				at := (lo + i) * k
				for q := range k {
					best := gram.Scored{Label: -1}
					if q < len(top) {
						best = top[q]
					}
					label[at+q], score[at+q] = int64(best.Label), best.Score
				}
			}
		})
	})
}

// mapOf returns the feature map of a handle, and the model whose map it is, if it is not bare.
func mapOf(h C.gram_model) (gram.FeatureMap, *pipeline.Model, error) {
	v, err := at[any](h, "model or feature map")
	if err != nil {
		return nil, nil, err
	}
	switch v := v.(type) {
	case basis.Basis:
		return v, nil, nil
	case *pipeline.Model:
		if m, ok := v.Model.(interface{ FeatureMap() pipeline.Map }); ok {
			if f := m.FeatureMap(); f != nil {
				return f, v, nil
			}
		}
		return nil, v, nil
	}
	return nil, nil, invalid("%d is no model", uint64(h))
}

//export gram_features
func gram_features(h C.gram_model, x *C.gram_matrix, features *C.double, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		f, p, err := mapOf(h)
		if err != nil {
			return err
		}
		if f == nil {
			return invalid("the model has no feature map")
		}
		n, err := rowsOf(x)
		if err != nil {
			return err
		}
		d, m := f.Dims()
		if p != nil {
			d = p.Dim
		}
		to, err := outputs[float64]("features", unsafe.Pointer(features), n, m)
		if err != nil {
			return err
		}
		return eachBlock(x, d, func(lo int, rows mat.Matrix) error {
			if p != nil {
				if rows, err = p.Scaled(rows); err != nil {
					return err
				}
			}
			count, _ := rows.Dims()
			f.Map(mat.NewDense(count, m, to[lo*m:(lo+count)*m]), rows)
			return nil
		})
	})
}

//export gram_model_info
func gram_model_info(h C.gram_model, info *C.gram_info, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		if info == nil {
			return invalid("info is NULL")
		}
		f, p, err := mapOf(h)
		if err != nil {
			return err
		}
		out := C.gram_info{task: C.GRAM_FEATURES}
		if f != nil {
			d, m := f.Dims()
			out.columns, out.features = C.int64_t(d), C.int64_t(m)
		}
		if p != nil {
			out.columns = C.int64_t(p.Dim)
			switch p.Task {
			case dataset.Classes:
				out.task = C.GRAM_CLASSES
				out.classes, out.scores = C.int64_t(len(p.Names)), C.int64_t(scoresOf(len(p.Names)))
				if p.Probabilities() != nil {
					out.probabilities = 1
				}
			case dataset.MultiLabel:
				out.task = C.GRAM_LABEL_SETS
			default:
				out.task = C.GRAM_VALUES
			}
		}
		*info = out
		return nil
	})
}

//export gram_class_name
func gram_class_name(h C.gram_model, class C.int64_t, name *C.char, size C.int64_t, length *C.int64_t, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		m, err := at[*pipeline.Model](h, "model that predicts")
		if err != nil {
			return err
		}
		if class < 0 || class >= C.int64_t(len(m.Names)) {
			return invalid("there is no class %d of %d", int64(class), len(m.Names))
		}
		return writeName(m.Names[class], name, size, length)
	})
}

//export gram_method_name
func gram_method_name(h C.gram_model, name *C.char, size C.int64_t, length *C.int64_t, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		m, err := at[*pipeline.Model](h, "model that predicts")
		if err != nil {
			return err
		}
		return writeName(m.Method, name, size, length)
	})
}

// writeName writes a name into the caller's room.
func writeName(text string, name *C.char, size C.int64_t, length *C.int64_t) error {
	n, err := number("size", size)
	if err != nil {
		return err
	}
	room, err := array[byte]("name", unsafe.Pointer(name), n)
	if err != nil {
		return err
	}
	if n > 0 {
		room[copyText(room[:n-1], text)] = 0
	}
	if length != nil {
		*length = C.int64_t(len(text))
	}
	return nil
}

//export gram_release
func gram_release(h C.gram_model) {
	if _, err := at[*cancelSwitch](h, ""); err != nil {
		release(h)
	}
}

// storable returns the model of a handle in the form in which it is stored.
func storable(h C.gram_model) (modelfile.Model, error) {
	v, err := at[modelfile.Model](h, "model or feature map")
	if b, bare := v.(basis.Basis); bare {
		return stored{b}, nil
	}
	return v, err
}

// stored is a bare feature map as a modelfile.Model, so that a model file can hold it.
type stored struct{ basis.Basis }

// Encode writes the map, if it can be read again.
func (s stored) Encode(w *modelfile.Writer) error {
	return basis.Encode(w.With(catalog.Registry()), s.Basis)
}

// decoded returns the handle of a model that was stored.
func decoded(f *modelfile.File) (C.gram_model, error) {
	if pipeline.Is(f) {
		p, err := pipeline.Decode(f, catalog.Registry())
		if err != nil {
			return 0, err
		}
		return newHandle(p), nil
	}
	b, err := basis.Decode(f.With(catalog.Registry()))
	if err != nil {
		return 0, err
	}
	return newHandle(b), nil
}

//export gram_save
func gram_save(h C.gram_model, path *C.char, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		m, err := storable(h)
		if err != nil {
			return err
		}
		if path == nil {
			return invalid("path is NULL")
		}
		return modelfile.Save(C.GoString(path), m)
	})
}

//export gram_load
func gram_load(path *C.char, model *C.gram_model, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		if path == nil || model == nil {
			return invalid("path or the place of the model is NULL")
		}
		*model = 0
		f, err := modelfile.ReadFile(C.GoString(path))
		if err != nil { // a model of another program, or none
			p, err := catalog.LoadFitted(C.GoString(path))
			if err != nil {
				return err
			}
			*model = newHandle(p)
			return nil
		}
		*model, err = decoded(f)
		return err
	})
}

//export gram_encode
func gram_encode(h C.gram_model, data *unsafe.Pointer, size *C.int64_t, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		if data == nil || size == nil {
			return invalid("the place of the bytes or of their number is NULL")
		}
		*data, *size = nil, 0
		m, err := storable(h)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := modelfile.Write(&b, m); err != nil {
			return err
		}
		*data, *size = C.CBytes(b.Bytes()), C.int64_t(b.Len())
		return nil
	})
}

//export gram_decode
func gram_decode(data unsafe.Pointer, size C.int64_t, model *C.gram_model, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		if model == nil {
			return invalid("the place of the model is NULL")
		}
		*model = 0
		n, err := number("size", size)
		if err != nil {
			return err
		}
		b, err := array[byte]("data", data, n)
		if err != nil {
			return err
		}
		f, err := modelfile.Read(bytes.NewReader(b))
		if err != nil {
			return err
		}
		*model, err = decoded(f)
		return err
	})
}

//export gram_free
func gram_free(data unsafe.Pointer) { C.free(data) }
