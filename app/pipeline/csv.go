package pipeline

import (
	"fmt"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// Columns names what Record returns: class, with score for two classes or score_NAME for each
// class, probability_NAME and in_set_NAME, if there are any; or value, with low and high if there
// is an interval; or label_1, score_1, … of the best labels, as many as top. names are the
// classes of the model.
func (p Predictions) Columns(names []string, top int) (columns []string) {
	each := func(prefix string) {
		for _, name := range names {
			columns = append(columns, prefix+name)
		}
	}
	switch {
	case p.Class != nil:
		columns = append(columns, "class")
		if p.Scores != nil {
			if _, k := p.Scores.Dims(); k == len(names) {
				each("score_")
			} else {
				columns = append(columns, "score")
			}
		}
		if p.Probability != nil {
			each("probability_")
		}
		if p.Set != nil {
			each("in_set_")
		}
	case p.Value != nil:
		columns = append(columns, "value")
		if p.Low != nil {
			columns = append(columns, "low", "high")
		}
	default:
		for k := range top {
			columns = append(columns, fmt.Sprintf("label_%d", k+1), fmt.Sprintf("score_%d", k+1))
		}
	}
	return columns
}

// Record appends the cells of row i to dst, one for each of Columns(names, top). A row without a
// class, and a label that a row does not have, is an empty cell; whether a class is in the set is
// 1 or 0. Numbers have as many digits as it takes to read the same float64 again.
func (p Predictions) Record(dst []string, i int, names []string, top int) []string {
	number := func(v float64) { dst = append(dst, strconv.FormatFloat(v, 'g', -1, 64)) }
	switch {
	case p.Class != nil:
		name := ""
		if c := p.Class[i]; c >= 0 {
			name = names[c]
		}
		dst = append(dst, name)
		for _, numbers := range []*mat.Dense{p.Scores, p.Probability} {
			if numbers != nil {
				for _, v := range numbers.RawRowView(i) {
					number(v)
				}
			}
		}
		if p.Set != nil {
			in := make([]float64, len(names))
			for _, c := range p.Set[i] {
				in[c] = 1
			}
			for _, v := range in {
				number(v)
			}
		}
	case p.Value != nil:
		number(p.Value[i])
		if p.Low != nil {
			number(p.Low[i])
			number(p.High[i])
		}
	default:
		for k := range top {
			if k >= len(p.Top[i]) {
				dst = append(dst, "", "")
				continue
			}
			dst = append(dst, strconv.Itoa(p.Top[i][k].Label))
			number(p.Top[i][k].Score)
		}
	}
	return dst
}
