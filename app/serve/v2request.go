package serve

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/gramworks/gram/app/pipeline"
)

// headLength is the header with the length of the JSON in a body that goes on with binary tensors.
const headLength = "Inference-Header-Content-Length"

// inference is a request of the Open Inference Protocol.
type inference struct {
	id          []byte // JSON, nil if there is none
	n           int    // number of rows of the input tensors
	cell        func(j int) (float64, error)
	numbers     []float64            // all cells, of a request that scan has read
	values      []float64            // the cells of numbers that cell has not returned yet
	predictions pipeline.Predictions // predictions for the block of rows at hand
	inputs      []*tensor
	outputs     []*output
	answerOptions
	binary bool // whether outputs are binary unless they say otherwise
}

// parseInference reads the body of a request. The rest of it, after the JSON, are the binary tensors.
func (m *served) parseInference(body []byte, length string) (*inference, *problem) {
	q := &inference{answerOptions: m.defaultOptions()}
	head, rest := body, []byte(nil)
	if length != "" {
		n, err := strconv.Atoi(length)
		if err != nil || n < 0 || n > len(body) {
			return nil, problemf(http.StatusBadRequest, "%s is %.40q, want at most the %d bytes of the body", headLength, length, len(body))
		}
		head, rest = body[:n], body[n:]
	}
	if head = bytes.TrimLeft(head, space); !json.Valid(head) {
		var raw json.RawMessage
		return nil, problemf(http.StatusBadRequest, "the body is not JSON: %v", json.Unmarshal(head, &raw))
	} else if kindOf(head) != "an object" {
		return nil, problemf(http.StatusBadRequest, "the body is %s, want an object", kindOf(head))
	}
	var outputs []byte
	err := distinct(head, func(key string, value []byte) error {
		switch key {
		case "id":
			if kindOf(value) != "a string" {
				return fmt.Errorf("id is %s, want a string", kindOf(value))
			}
			q.id = value
		case "parameters":
			return q.parameters(value)
		case "inputs":
			return arrayOf(key, value, func(raw []byte) error {
				t, err := newTensor(raw)
				q.inputs = append(q.inputs, t)
				return err
			})
		case "outputs":
			outputs = value
		default:
			return fmt.Errorf("unknown field %.40q: there are id, parameters, inputs, outputs", key)
		}
		return nil
	})
	for _, step := range []func() error{
		func() error { return q.take(rest) },
		func() error { return q.shape(m) },
		func() error { return q.choose(m, outputs) },
	} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		return nil, problemf(http.StatusBadRequest, "%v", err)
	}
	if q.n > m.limits.Rows {
		return nil, problemf(http.StatusRequestEntityTooLarge, "%d rows in a request, the limit is %d", q.n, m.limits.Rows)
	}
	if q.Explain && q.n > m.limits.Explain {
		return nil, problemf(http.StatusRequestEntityTooLarge, "%d rows to explain in a request, the limit is %d", q.n, m.limits.Explain)
	}
	if p := m.check(q.answerOptions); p != nil {
		return nil, p
	}
	return q, nil
}

// distinct calls use for the members of an object, whose keys must differ.
func distinct(raw []byte, use func(key string, value []byte) error) error {
	var few [8]string
	seen := few[:0]
	return members(raw, func(key string, value []byte) error {
		if slices.Contains(seen, key) {
			return fmt.Errorf("%.40s is there twice", key)
		}
		if len(seen) == 64 {
			return errors.New("more than 64 members of an object")
		}
		seen = append(seen, key)
		return use(key, value)
	})
}

// text returns the JSON string raw without quotes and escapes; the error names key if raw is no string.
func text(key string, raw []byte) (string, error) {
	if kindOf(raw) != "a string" {
		return "", fmt.Errorf("%s is %s, want a string", key, kindOf(raw))
	}
	return unquote(raw), nil
}

// wholeNumber reads a JSON number that is an integer.
func wholeNumber(key string, raw []byte) (int, error) {
	n, err := strconv.Atoi(string(raw))
	if err != nil {
		return 0, fmt.Errorf("%s is %.40s, want a whole number", key, raw)
	}
	return n, nil
}

// arrayOf calls use for the objects of an array.
func arrayOf(key string, raw []byte, use func(element []byte) error) error {
	if kindOf(raw) != "an array" {
		return fmt.Errorf("%s is %s, want an array of tensors", key, kindOf(raw))
	}
	return elements(raw, func(i int, element []byte) error {
		if kindOf(element) != "an object" {
			return fmt.Errorf("%s %d is %s, want an object", key, i+1, kindOf(element))
		}
		if err := use(element); err != nil {
			return fmt.Errorf("%s %d: %w", key, i+1, err)
		}
		return nil
	})
}

// parameters reads what the answer to a request is to hold. As the protocol says, those that a server does not know are left alone.
func (q *inference) parameters(raw []byte) error {
	if kindOf(raw) != "an object" {
		return fmt.Errorf("parameters is %s, want an object", kindOf(raw))
	}
	return distinct(raw, func(key string, value []byte) error {
		var err error
		switch key {
		case "interval":
			err = json.Unmarshal(value, &q.Level)
		case "top":
			err = json.Unmarshal(value, &q.Top)
		case "explain":
			err = json.Unmarshal(value, &q.Explain)
		case "binary_data_output":
			err = json.Unmarshal(value, &q.binary)
		}
		if err != nil {
			return fmt.Errorf("parameter %s is %.40s", key, value)
		}
		return nil
	})
}

// take gives each binary tensor its bytes of rest, which follows the JSON, in the order of the inputs. Missing and superfluous
// bytes are errors.
func (q *inference) take(rest []byte) error {
	for _, t := range q.inputs {
		if t.size < 0 {
			continue
		}
		if t.size > len(rest) {
			return fmt.Errorf("input %.80q: binary_data_size is %d, %d bytes are left of the body", t.name, t.size, len(rest))
		}
		t.data, rest = rest[:t.size], rest[t.size:]
		if t.width > 0 && t.size/t.width != t.cells() || t.width > 0 && t.size%t.width != 0 {
			return fmt.Errorf("input %.80q: %d bytes for %d cells of %s", t.name, t.size, t.cells(), t.datatype)
		}
	}
	if len(rest) > 0 {
		return fmt.Errorf("%d bytes of the body belong to no tensor", len(rest))
	}
	return nil
}

// shape finds the number of rows, and the tensor of each column.
func (q *inference) shape(m *served) error {
	c, d := m.columns, m.model.Dim
	if len(q.inputs) == 0 {
		return errors.New("there are no inputs")
	}
	one := q.inputs[0]
	if len(q.inputs) == 1 && one.columns() == d && (!c.named() || d > 1 || c.place[one.name] == 0) {
		if q.n = one.shape[0]; c.named() && c.schema.Mixed() && d > 1 {
			return errors.New("the model has categories or missing cells: send a tensor for each column, by name")
		}
		q.cell = func(j int) (float64, error) { return one.next(c, j) }
		return nil
	}
	if !c.named() {
		return fmt.Errorf("want one input of shape [rows,%d], as the model has %[1]d columns without names", d)
	}
	by := make([]*tensor, d)
	for _, t := range q.inputs {
		j, known := c.place[t.name]
		switch {
		case !known && c.ignored(t.name):
			t.skip = true
			continue
		case !known:
			return c.unknown(t.name)
		case by[j] != nil:
			return fmt.Errorf("input %.80q is there twice", t.name)
		case t.columns() != 1:
			return fmt.Errorf("input %.80q has the shape %v, want [rows] or [rows,1] for a column", t.name, t.shape)
		case slices.ContainsFunc(by, func(o *tensor) bool { return o != nil && o.shape[0] != t.shape[0] }):
			return fmt.Errorf("input %.80q has %d rows, others have another number", t.name, t.shape[0])
		}
		by[j], q.n = t, t.shape[0]
	}
	if j := slices.Index(by, nil); j >= 0 {
		return c.bad(j, errors.New("is not there; null stands for a missing cell"))
	}
	q.cell = func(j int) (float64, error) { return by[j].next(c, j) }
	return nil
}

// choose finds the outputs that are asked for, or those that come without being asked for.
func (q *inference) choose(m *served, raw []byte) error {
	all := m.outputs(q.Level != 0, q.Explain)
	var names []string
	for _, o := range all {
		names = append(names, o.name)
		if o.binary = q.binary; raw == nil && o.use {
			q.outputs = append(q.outputs, o)
		}
	}
	if raw != nil {
		err := arrayOf("outputs", raw, func(raw []byte) error {
			name, tail := "", q.binary
			err := distinct(raw, func(key string, value []byte) (err error) {
				switch {
				case key == "name":
					name, err = text(key, value)
				case key == "parameters" && kindOf(value) == "an object":
					err = distinct(value, func(key string, value []byte) error {
						if key != "binary_data" {
							return nil
						}
						return json.Unmarshal(value, &tail)
					})
				}
				return err
			})
			k := slices.Index(names, name)
			switch {
			case err != nil:
				return err
			case k < 0 || slices.Contains(q.outputs, all[k]):
				return fmt.Errorf("%.80q is none that is left of %q (set, low and high need the parameter interval, mean and contributions the parameter explain)", name, names)
			}
			all[k].binary = tail
			q.outputs = append(q.outputs, all[k])
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, o := range q.outputs {
		if o.enable != nil {
			o.enable(&q.answerOptions)
		}
		if len(o.shape) > 0 && o.shape[0] < 0 {
			o.shape[0] = min(q.Top, m.labels())
		}
	}
	return nil
}

// rest refuses tensors that hold more cells than their shape says.
func (q *inference) rest() *problem {
	for _, t := range q.inputs {
		if !t.skip && (t.more() || t.ragged) {
			return problemf(http.StatusBadRequest, "input %.80q has more than the %d cells of its shape", t.name, t.cells())
		}
	}
	return nil
}

// tensor is an input, whose cells are read one after the other.
type tensor struct {
	name, datatype string
	shape          []int // one or two numbers
	width          int   // bytes of a binary cell, 0: text
	size           int   // bytes of the binary data; −1: the data are JSON
	data           []byte
	open, row      int  // brackets that are open in JSON, and cells read since a row began
	ragged         bool // a row in JSON has another number of cells than the shape says
	skip           bool
}

// widths are the bytes of a binary cell.
var widths = map[string]int{"BOOL": 1, "INT8": 1, "UINT8": 1, "INT16": 2, "UINT16": 2, "INT32": 4, "UINT32": 4, "INT64": 8, "UINT64": 8, "FP32": 4, "FP64": 8, "BYTES": 0}

func newTensor(raw []byte) (*tensor, error) {
	t := &tensor{size: -1}
	err := distinct(raw, func(key string, value []byte) (err error) {
		switch {
		case key == "name":
			t.name, err = text(key, value)
		case key == "datatype":
			t.datatype, err = text(key, value)
		case key == "shape" && kindOf(value) == "an array":
			err = elements(value, func(_ int, element []byte) error {
				n, err := wholeNumber(key, element)
				if t.shape = append(t.shape, n); err == nil && len(t.shape) > 2 {
					err = errors.New("the shape has more than two dimensions, want [rows] or [rows,columns]")
				}
				return err
			})
		case key == "data":
			t.data = value
		case key == "parameters" && kindOf(value) == "an object":
			err = distinct(value, func(key string, value []byte) (err error) {
				if key == "binary_data_size" {
					if t.size, err = wholeNumber(key, value); t.size < 0 && err == nil {
						err = fmt.Errorf("binary_data_size is %d", t.size)
					}
				}
				return err
			})
		default:
			err = fmt.Errorf("%.40q: there are name, datatype, shape (an array), parameters (an object), data", key)
		}
		return err
	})
	width, known := widths[t.datatype]
	t.width = width
	switch {
	case err != nil:
	case !known:
		err = fmt.Errorf("the datatype is %.40q, want BOOL, INT8 to INT64, UINT8 to UINT64, FP32, FP64 or BYTES", t.datatype)
	case len(t.shape) < 1 || len(t.shape) > 2 || slices.ContainsFunc(t.shape, func(n int) bool { return n < 1 || n > math.MaxInt32 }):
		err = fmt.Errorf("the shape is %v, want [rows] or [rows,columns]", t.shape)
	case (t.size < 0) == (t.data == nil):
		err = errors.New("want data, or the parameter binary_data_size")
	case t.size < 0 && kindOf(t.data) != "an array":
		err = fmt.Errorf("data is %s, want an array", kindOf(t.data))
	}
	return t, err
}

func (t *tensor) columns() int {
	if len(t.shape) == 1 {
		return 1
	}
	return t.shape[1]
}

func (t *tensor) cells() int { return t.shape[0] * t.columns() }

// next returns the next cell, which is one of column j.
func (t *tensor) next(c *columns, j int) (float64, error) {
	if t.size >= 0 {
		return t.nextBinary(c, j)
	}
	there := t.more()
	switch {
	case t.ragged || t.open == 2 && t.row == t.columns():
		return 0, fmt.Errorf("the rows of input %.80q do not all have %d cells", t.name, t.columns())
	case !there:
		return 0, fmt.Errorf("input %.80q has fewer than the %d cells of its shape", t.name, t.cells())
	}
	end := valueEnd(t.data)
	raw := t.data[:end]
	t.data = t.data[end:]
	t.row++
	switch kind := kindOf(raw); {
	case t.datatype == "BYTES" && kind != "a string" && kind != "null", t.datatype != "BYTES" && kind == "a string", (t.datatype == "BOOL") != (kind == "a boolean") && kind != "null":
		return 0, fmt.Errorf("the datatype is %s, and the cell is %s", t.datatype, kind)
	case kind == "a boolean" && !c.texts(j):
		return map[string]float64{"true": 1}[string(raw)], nil
	}
	return c.value(j, raw)
}

// more goes to the next cell of JSON and reports whether there is one.
func (t *tensor) more() bool {
	if t.size >= 0 {
		return len(t.data) > 0
	}
	for len(t.data) > 0 {
		switch t.data[0] {
		case '[':
			if t.open++; t.open > 2 {
				return true // an array is no cell
			}
			t.row = 0
		case ']':
			t.open--
			t.ragged = t.ragged || t.open == 1 && t.row != t.columns()
		case ' ', '\t', '\r', '\n', ',':
		default:
			return true
		}
		t.data = t.data[1:]
	}
	return false
}

// nextBinary returns the next cell of binary data.
func (t *tensor) nextBinary(c *columns, j int) (float64, error) {
	b := t.data
	if t.width > len(b) {
		return 0, fmt.Errorf("input %.80q has fewer than the %d cells of its shape", t.name, t.cells())
	}
	var v float64
	switch t.datatype {
	case "BYTES":
		if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
			return 0, fmt.Errorf("input %.80q ends within a text", t.name)
		}
		n := 4 + int(binary.LittleEndian.Uint32(b))
		t.data = b[n:]
		if !c.texts(j) {
			return 0, errors.New("want a number, not a text")
		}
		return c.level(j, string(b[4:n]))
	case "BOOL":
		if v = float64(b[0]); b[0] > 1 {
			return 0, fmt.Errorf("a BOOL is %d, want 0 or 1", b[0])
		}
	case "INT8":
		v = float64(int8(b[0]))
	case "UINT8":
		v = float64(b[0])
	case "INT16":
		v = float64(int16(binary.LittleEndian.Uint16(b)))
	case "UINT16":
		v = float64(binary.LittleEndian.Uint16(b))
	case "INT32":
		v = float64(int32(binary.LittleEndian.Uint32(b)))
	case "UINT32":
		v = float64(binary.LittleEndian.Uint32(b))
	case "INT64":
		v = float64(int64(binary.LittleEndian.Uint64(b)))
	case "UINT64":
		v = float64(binary.LittleEndian.Uint64(b))
	case "FP32":
		v = float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case "FP64":
		v = math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	t.data = b[t.width:]
	switch {
	case math.IsNaN(v):
		return c.missing(j)
	case math.IsInf(v, 0):
		return 0, errors.New("infinity is beyond the range of numbers")
	case c.texts(j) && t.datatype == "BOOL":
		return c.level(j, strconv.FormatBool(v == 1))
	case c.texts(j):
		return c.level(j, strconv.FormatFloat(v, 'f', -1, 64))
	}
	return v, nil
}
