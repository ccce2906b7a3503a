package serve

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/explain"
	"github.com/gramworks/gram/app/pipeline"
)

// The Open Inference Protocol, version 2, over REST (kserve.github.io, docs/concepts/architecture/data-plane/v2-protocol),
// with the extension of binary tensor data. A model whose columns have names takes a tensor of n cells for each column, by
// name; a model of numbers alone also one tensor of n×columns of any name, and a model without names only that.

const modelsPath, inferPath, namePart = "/v2/models/", "/infer", "{name}"

// inferring returns the model of a request for predictions without a version, nil if it is another request. It is
// what the mux would find, without what the mux takes.
func (s *Server) inferring(r *http.Request) *served {
	name, ofModel := strings.CutPrefix(r.URL.Path, modelsPath)
	name, infers := strings.CutSuffix(name, inferPath)
	if !ofModel || !infers || r.Method != http.MethodPost || r.URL.RawPath != "" || strings.Contains(name, "/") || name == "." || name == ".." {
		return nil
	}
	for _, m := range (*s.models.Load())[1:] {
		if m.name == name {
			r.Pattern = modelsPath + namePart + inferPath
			return m
		}
	}
	return nil
}

// protocolPaths adds the paths of the protocol to those of s.
func (s *Server) protocolPaths() {
	s.handle(http.MethodGet, "/v2", func(w http.ResponseWriter, _ *http.Request) {
		s.answer(w, http.StatusOK, struct {
			Name       string   `json:"name"`
			Version    string   `json:"version"`
			Extensions []string `json:"extensions"`
		}{"gram", s.program, []string{"binary_tensor_data"}})
	})
	for _, path := range []string{modelsPath + namePart, modelsPath + namePart + "/versions/{version}"} {
		s.handle(http.MethodGet, path, s.named(func(m *served, w http.ResponseWriter, _ *http.Request) { m.metadata(w) }))
		s.handle(http.MethodGet, path+"/ready", s.named(func(m *served, w http.ResponseWriter, r *http.Request) { m.ready(w, r) }))
		s.handle(http.MethodPost, path+inferPath, s.named((*served).infer))
	}
}

// tensorInfo describes a tensor in the metadata of a model; −1 stands for the number of rows.
type tensorInfo struct {
	Name     string `json:"name"`
	Datatype string `json:"datatype"`
	Shape    []int  `json:"shape"`
}

// metadata answers GET /v2/models/NAME with the names, types and shapes of the model's inputs and outputs.
func (m *served) metadata(w http.ResponseWriter) {
	var inputs []tensorInfo
	if m.columns.named() {
		for j, c := range m.model.Schema.Columns {
			datatype := "FP64"
			if m.columns.texts(j) {
				datatype = "BYTES"
			}
			inputs = append(inputs, tensorInfo{c.Name, datatype, []int{-1, 1}})
		}
	} else {
		inputs = []tensorInfo{{"rows", "FP64", []int{-1, m.model.Dim}}}
	}
	outputs := []tensorInfo{}
	for _, o := range m.outputs(true, m.explainer != nil) {
		outputs = append(outputs, tensorInfo{o.name, o.datatype, append([]int{-1}, o.shape...)})
	}
	m.answer(w, http.StatusOK, struct {
		Name     string       `json:"name"`
		Versions []string     `json:"versions"`
		Platform string       `json:"platform"`
		Inputs   []tensorInfo `json:"inputs"`
		Outputs  []tensorInfo `json:"outputs"`
	}{m.name, []string{m.version}, "gram_" + m.model.Method, inputs, outputs})
}

// output is a tensor that the answer may hold, with how its cells are computed.
type output struct {
	name, datatype string
	shape          []int // without the rows; −1: a number that the request chooses
	binary         bool
	use            bool // without being asked for
	enable         func(*answerOptions)
	cells          func(o *output, p *pipeline.Predictions, i int) // appends those of row i
	begin          []byte                                          // of the JSON, up to the number of rows
	text           []byte
	m              *served
	bad            bool // a number is not finite, or a row has no class

	explanation *explain.Explanation // of the row at hand, if the request wants one
}

// outputs returns the tensors that the model can give, with intervals or sets or without, and with explanations or without.
func (m *served) outputs(level, explained bool) []*output {
	var all []*output
	add := func(name, datatype string, use bool, enable func(*answerOptions), cells func(o *output, p *pipeline.Predictions, i int), shape ...int) {
		begin := fmt.Appendf(nil, `{"name":%q,"datatype":%q,"shape":[`, name, datatype)
		all = append(all, &output{name: name, datatype: datatype, shape: shape, use: use, enable: enable, cells: cells, begin: begin, m: m})
	}
	level = level && m.model.Intervals()
	switch m.model.Model.(type) {
	case gram.Classifier:
		k := len(m.model.Names)
		scores := k
		if k == 2 {
			scores = 1
		}
		add("class", "BYTES", true, nil, func(o *output, p *pipeline.Predictions, i int) { o.class(p.Class[i]) })
		add("scores", "FP64", false, func(w *answerOptions) { w.Scores = true }, func(o *output, p *pipeline.Predictions, i int) { o.numbers(p.Scores.RawRowView(i)...) }, scores)
		if m.model.Probabilities() != nil {
			add("probabilities", "FP64", true, func(w *answerOptions) { w.Probability = true }, func(o *output, p *pipeline.Predictions, i int) { o.numbers(p.Probability.RawRowView(i)...) }, k)
		}
		if level {
			add("set", "BOOL", true, nil, func(o *output, p *pipeline.Predictions, i int) {
				for c := range k {
					o.bool(slices.Contains(p.Set[i], c))
				}
			}, k)
		}
	case gram.Regressor:
		add("value", "FP64", true, nil, func(o *output, p *pipeline.Predictions, i int) { o.numbers(p.Value[i]) })
		if level {
			add("low", "FP64", true, nil, func(o *output, p *pipeline.Predictions, i int) { o.numbers(p.Low[i]) })
			add("high", "FP64", true, nil, func(o *output, p *pipeline.Predictions, i int) { o.numbers(p.High[i]) })
		}
	case gram.Ranker:
		add("labels", "INT64", true, nil, func(o *output, p *pipeline.Predictions, i int) {
			for k := range o.shape[0] {
				if k < len(p.Top[i]) {
					o.int(int64(p.Top[i][k].Label))
				} else {
					o.int(-1)
				}
			}
		}, -1)
		add("scores", "FP64", true, nil, func(o *output, p *pipeline.Predictions, i int) {
			for k := range o.shape[0] {
				if k < len(p.Top[i]) {
					o.numbers(p.Top[i][k].Score)
				} else {
					o.numbers(0)
				}
			}
		}, -1)
	}
	if explained {
		add("mean", "FP64", true, nil, func(o *output, _ *pipeline.Predictions, _ int) { o.numbers(o.explanation.Mean) })
		add("contributions", "FP64", true, nil, func(o *output, _ *pipeline.Predictions, _ int) { o.numbers(o.explanation.Contributions...) }, m.model.Dim)
	}
	return all
}

// separate writes a comma before all cells of JSON but the first.
func (o *output) separate() {
	if !o.binary && len(o.text) > 0 {
		o.text = append(o.text, ',')
	}
}

func (o *output) numbers(v ...float64) {
	for _, v := range v {
		o.separate()
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			o.bad = true
		case o.binary:
			o.text = binary.LittleEndian.AppendUint64(o.text, math.Float64bits(v))
		default:
			o.text = strconv.AppendFloat(o.text, v, 'g', -1, 64)
		}
	}
}

func (o *output) int(v int64) {
	o.separate()
	if o.binary {
		o.text = binary.LittleEndian.AppendUint64(o.text, uint64(v))
	} else {
		o.text = strconv.AppendInt(o.text, v, 10)
	}
}

func (o *output) bool(v bool) {
	o.separate()
	switch {
	case !o.binary:
		o.text = strconv.AppendBool(o.text, v)
	case v:
		o.text = append(o.text, 1)
	default:
		o.text = append(o.text, 0)
	}
}

func (o *output) class(c int) {
	o.separate()
	switch {
	case c < 0:
		o.bad = true
	case o.binary:
		name := o.m.model.Names[c]
		o.text = append(binary.LittleEndian.AppendUint32(o.text, uint32(len(name))), name...)
	default:
		o.text = append(o.text, o.m.names[c]...)
	}
}

// infer answers POST /v2/models/NAME/infer: the request has the rows in tensors, the answer the predictions.
func (m *served) infer(w http.ResponseWriter, r *http.Request) {
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		m.fail(w, problemf(http.StatusUnsupportedMediaType, "the body is encoded as %.40q: send it plain", e))
		return
	}
	begin := time.Now()
	s := m.scratch()
	defer m.give(s)
	text, done, p := m.body(w, r, s.body)
	if p != nil {
		m.fail(w, p)
		return
	}
	defer done()
	s.body = text
	m.phase(reading, begin)
	q, length := &s.plain, r.Header.Get(headLength)
	if length != "" || !q.scan(text, m) {
		q, p = m.parseInference(text, length)
	}
	if p == nil {
		p = m.inferRows(r, q, s.batch)
	}
	if p != nil {
		m.fail(w, p)
		return
	}
	begin = time.Now()
	m.writeInference(w, q, s)
	m.phase(sending, begin)
}

// inferRows predicts the rows of q, as many together as a batch has.
func (m *served) inferRows(r *http.Request, q *inference, b *batch) *problem {
	begin := time.Now()
	late := begin.Add(m.limits.Timeout)
	now, p := m.enter(r.Context(), begin, late)
	if p != nil {
		return p
	}
	defer m.leave()
	defer m.phase(predicting, now)
	ctx := r.Context()
	if q.Explain {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, late)
		defer cancel()
	}
	for i := 0; i < q.n; {
		for b.reset(); b.n < m.block && i < q.n; i++ {
			if err := b.addCells(q.cell); err != nil {
				p := m.badRow(err)
				p.at(i + 1)
				return p
			}
		}
		if time.Now().After(late) {
			return problemf(http.StatusServiceUnavailable, "prediction took more than %v, at row %d", m.limits.Timeout, i)
		}
		if p := m.inferBatch(ctx, q, b, i-b.n); p != nil {
			return p
		}
	}
	return q.rest()
}

// inferBatch predicts the rows of b, before which q has others, and writes down what they give.
func (m *served) inferBatch(ctx context.Context, q *inference, b *batch, before int) *problem {
	m.rows.Add(float64(b.n))
	var err error
	if q.predictions, err = m.model.Answer(b.matrix(), q.Want); err != nil {
		return problemf(http.StatusInternalServerError, "%v", err)
	}
	for k := range b.n {
		var about *explain.Explanation
		if q.Explain {
			if about, err = m.explainRow(ctx, b, q.predictions, k); err != nil {
				return m.failed(ctx, err)
			}
		}
		for _, o := range q.outputs {
			o.explanation = about
			if o.cells(o, &q.predictions, k); o.bad {
				p := m.badRow(errOverflow)
				p.at(before + k + 1)
				return p
			}
		}
	}
	return nil
}

// writeInference writes the answer: the tensors as JSON and, behind that, the bytes of binary tensors.
func (m *served) writeInference(w http.ResponseWriter, q *inference, s *scratch) {
	out := append(s.out[:0], m.begin...)
	if q.id != nil {
		out = append(append(out, `,"id":`...), q.id...)
	}
	out = append(out, `,"outputs":[`...)
	var raw []byte
	for k, o := range q.outputs {
		if k > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendInt(append(out, o.begin...), int64(q.n), 10)
		for _, d := range o.shape {
			out = strconv.AppendInt(append(out, ','), int64(d), 10)
		}
		if o.binary {
			out = fmt.Appendf(out, `],"parameters":{"binary_data_size":%d}}`, len(o.text))
			raw = append(raw, o.text...)
			continue
		}
		out = append(append(append(out, `],"data":[`...), o.text...), ']', '}')
	}
	out = append(out, ']', '}')
	if raw != nil {
		w.Header().Set(headLength, strconv.Itoa(len(out)))
		m.send(w, http.StatusOK, kindBytes, append(out, raw...))
		return
	}
	s.out = append(out, '\n')
	m.write(w, http.StatusOK, s.out)
}
