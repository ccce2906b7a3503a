package pipeline

import (
	"encoding/json"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// JSONNames returns the classes as JSON strings, for AppendJSON.
func (p *Model) JSONNames() [][]byte {
	names := make([][]byte, len(p.Names))
	for i, name := range p.Names {
		text, err := json.Marshal(name)
		if err != nil {
			panic(err) // a string
		}
		names[i] = text
	}
	return names
}

// AppendJSON appends the prediction for row i to dst as a JSON object: {"class": NAME},
// with "scores", "probabilities" and "set", the names of classes, if there are any, {"value":
// v}, with "low" and "high" if there is an interval, or {"labels": [{"label": l, "score": s},
// …]}, with "unknown", the numbers of columns from 1, if they were asked for. Numbers have as many digits as it takes to read the same float64 again. What is
// not finite is null, and makes ok false, as does a row without a class.
func (p Predictions) AppendJSON(dst []byte, i int, names [][]byte) (text []byte, ok bool) {
	ok = true
	number := func(v float64) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			ok = false
			dst = append(dst, "null"...)
			return
		}
		dst = strconv.AppendFloat(dst, v, 'g', -1, 64)
	}
	switch {
	case p.Class != nil:
		dst = append(dst, `{"class":`...)
		if p.Class[i] < 0 {
			ok = false
			dst = append(dst, "null"...)
		} else {
			dst = append(dst, names[p.Class[i]]...)
		}
		numbers := func(name string, x *mat.Dense) {
			if x == nil {
				return
			}
			dst = append(append(append(dst, `,"`...), name...), `":[`...)
			for c, v := range x.RawRowView(i) {
				if c > 0 {
					dst = append(dst, ',')
				}
				number(v)
			}
			dst = append(dst, ']')
		}
		numbers("scores", p.Scores)
		numbers("probabilities", p.Probability)
		if p.Set != nil {
			dst = append(dst, `,"set":[`...)
			for k, c := range p.Set[i] {
				if k > 0 {
					dst = append(dst, ',')
				}
				dst = append(dst, names[c]...)
			}
			dst = append(dst, ']')
		}
	case p.Value != nil:
		dst = append(dst, `{"value":`...)
		number(p.Value[i])
		if p.Low != nil {
			dst = append(dst, `,"low":`...)
			number(p.Low[i])
			dst = append(dst, `,"high":`...)
			number(p.High[i])
		}
	default:
		dst = append(dst, `{"labels":[`...)
		for k, t := range p.Top[i] {
			if k > 0 {
				dst = append(dst, ',')
			}
			dst = strconv.AppendInt(append(dst, `{"label":`...), int64(t.Label), 10)
			dst = append(dst, `,"score":`...)
			number(t.Score)
			dst = append(dst, '}')
		}
		dst = append(dst, ']')
	}
	if p.Unknown != nil {
		dst = append(dst, `,"unknown":[`...)
		for k, j := range p.Unknown[i] {
			if k > 0 {
				dst = append(dst, ',')
			}
			dst = strconv.AppendInt(dst, int64(j+1), 10)
		}
		dst = append(dst, ']')
	}
	return append(dst, '}'), ok
}
