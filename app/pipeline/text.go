package pipeline

import (
	"io"
	"strconv"
	"strings"
	"unicode"

	"gonum.org/v1/gonum/mat"
)

// WriteText writes one line per row: the class, its scores and probabilities if there are
// any, and the classes of the set in braces; or the value with the bounds of its interval;
// or the best labels as label:score. A row without a class is NaN. names are the classes of
// the model.
func (p Predictions) WriteText(w io.Writer, names []string) error {
	var line []byte
	for i, c := range p.Class {
		line = line[:0]
		if c < 0 {
			line = append(line, "NaN"...)
		} else {
			line = appendName(line, names[c])
		}
		for _, numbers := range []*mat.Dense{p.Scores, p.Probability} {
			if numbers != nil {
				for _, v := range numbers.RawRowView(i) {
					line = strconv.AppendFloat(append(line, ' '), v, 'g', -1, 64)
				}
			}
		}
		if p.Set != nil {
			line = append(line, " {"...)
			for k, c := range p.Set[i] {
				if k > 0 {
					line = append(line, ',')
				}
				line = appendName(line, names[c])
			}
			line = append(line, '}')
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	for i, v := range p.Value {
		line = strconv.AppendFloat(line[:0], v, 'g', -1, 64)
		if p.Low != nil {
			line = strconv.AppendFloat(append(line, ' '), p.Low[i], 'g', -1, 64)
			line = strconv.AppendFloat(append(line, ' '), p.High[i], 'g', -1, 64)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	for _, top := range p.Top {
		line = line[:0]
		for k, t := range top {
			if k > 0 {
				line = append(line, ' ')
			}
			line = strconv.AppendInt(line, int64(t.Label), 10)
			line = strconv.AppendFloat(append(line, ':'), t.Score, 'g', -1, 64)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// appendName appends the name of a class. A name with an end of a line or another control
// character is quoted as in Go, and so is one that begins with a quote.
func appendName(line []byte, name string) []byte {
	if strings.HasPrefix(name, `"`) || strings.ContainsFunc(name, unicode.IsControl) {
		return strconv.AppendQuote(line, name)
	}
	return append(line, name...)
}
