package constraint

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Statement is what is said of a pair of rows: that they belong together or do not, and,
// if Bound is given, how far apart they are to be at most or at least, as a squared
// distance.
type Statement struct {
	Pair
	Bound gram.Opt[float64]
}

const (
	together = "same"
	apart    = "different"
)

// ReadFile reads statements on n rows from a text file, see Read.
func ReadFile(path string, n int) ([]Statement, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path, n)
}

// Read reads statements on n rows, which are numbered from 0, one a line:
//
//	i,j,same
//	i,j,different
//	i,j,same,bound
//
// where bound is a squared distance in the kernel that is learned. Spaces around the
// fields, empty lines, lines that begin with # and a first line i,j,… are skipped. Errors
// of the text are *gram.ParseError with the given name of the file, the line and the
// column; text without statements is such an error, too.
func Read(r io.Reader, name string, n int) ([]Statement, error) {
	var out []Statement
	in := bufio.NewScanner(r)
	line := 0
	for in.Scan() {
		line++
		text := in.Bytes()
		if line == 1 {
			text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
		}
		if rest := bytes.TrimSpace(text); len(rest) == 0 || rest[0] == '#' || line == 1 && bytes.HasPrefix(rest, []byte("i,j,")) {
			continue
		}
		s, col, err := parse(string(text), n)
		if err != nil {
			return nil, &gram.ParseError{File: name, Line: line, Col: col, Reason: err.Error()}
		}
		out = append(out, s)
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(out) == 0 {
		return nil, &gram.ParseError{File: name, Reason: "there are no pairs"}
	}
	return out, nil
}

// parse reads a line; col is the column, from 1, of what is wrong.
func parse(line string, n int) (s Statement, col int, err error) {
	fields := strings.Split(line, ",")
	col = 1
	if len(fields) < 3 || len(fields) > 4 {
		return s, col, fmt.Errorf("%d fields, want i,j,%s|%s or i,j,%s|%s,bound", len(fields), together, apart, together, apart)
	}
	for k, field := range fields {
		start := col + len(field) - len(strings.TrimLeft(field, " \t"))
		field := strings.TrimSpace(field)
		switch k {
		case 0, 1:
			row, err := strconv.Atoi(field)
			if err != nil || row < 0 || row >= n {
				return s, start, fmt.Errorf("%q is not a row, want a number from 0 to %d", field, n-1)
			}
			if k == 0 {
				s.I = row
			} else if s.J = row; s.I == s.J {
				return s, start, fmt.Errorf("row %d is paired with itself", row)
			}
		case 2:
			if field != together && field != apart {
				return s, start, fmt.Errorf("%q, want %s or %s", field, together, apart)
			}
			s.Same = field == together
		case 3:
			b, err := strconv.ParseFloat(field, 64)
			if err != nil || !(b > 0) || math.IsInf(b, 1) {
				return s, start, fmt.Errorf("%q is not a bound, want a squared distance above 0", field)
			}
			s.Bound = gram.Set(b)
		}
		col += len(fields[k]) + 1
	}
	return s, 0, nil
}

// Unbounded returns the pairs of statements. The error is a *gram.ConfigError if one of them
// has a bound.
func Unbounded(statements []Statement) ([]Pair, error) {
	for at, s := range statements {
		if s.Bound.Given() {
			return nil, settings.Refuse(fmt.Sprintf("pairs[%d].Bound", at), s.Bound.Value(), "none: the method knows same and different alone")
		}
	}
	return pairsOf(statements), nil
}

func pairsOf(statements []Statement) []Pair {
	out := make([]Pair, len(statements))
	for i, s := range statements {
		out[i] = s.Pair
	}
	return out
}

// bounded returns the constraint of a statement for the bounds b, or for the statement's own bound if it has one.
func (s Statement) bounded(b Bounds) Linear {
	if s.Bound.Given() {
		b = Bounds{s.Bound.Value(), s.Bound.Value()}
	}
	return b.distance(s.Pair)
}

// FromStatements returns the constraints of statements on rows of x. What has no bound gets
// the percentiles of FromLabels, of all rows; of those, pairs that coincide are left out,
// as nothing can be learned from them, and pairs that belong together if the low
// percentile is 0.
func (p Pairs) FromStatements(ctx context.Context, k kernel.Kernel, x mat.Matrix, statements []Statement, seed uint64) ([]Linear, error) {
	n, _ := x.Dims()
	pairs := pairsOf(statements)
	if err := CheckPairs(pairs, n); err != nil {
		return nil, err
	}
	p, err := settings.Resolved(p, gram.Shape{})
	if err != nil {
		return nil, err
	}
	b, err := Percentiles(ctx, k, x, p.Low.Value(), p.High, seed)
	if err != nil {
		return nil, err
	}
	d, err := squaredDistances(ctx, k, gram.Of(x), pairs)
	if err != nil {
		return nil, err
	}
	var out []Linear
	for i, s := range statements {
		if s.Bound.Given() || d[i] > 1e-12*b.High && !(s.Same && b.Low == 0) {
			out = append(out, s.bounded(b))
		}
	}
	if len(out) == 0 {
		return nil, &gram.DataError{Row: pairs[0].I, Col: -1, Reason: "the rows of all pairs coincide"}
	}
	return out, nil
}

// FromMargin returns the constraints of statements on the rows of g0. What has no bound gets
// that of FromLabels: (1−margin)·d or (1+margin)·d for the squared distance d in the kernel
// g0·g0ᵀ, and nothing where d is 0.
func FromMargin(g0 *mat.Dense, statements []Statement, margin float64) ([]Linear, error) {
	n, _ := g0.Dims()
	if !(margin >= 0 && margin < 1) {
		return nil, settings.Refuse("margin", margin, "at least 0 and less than 1")
	}
	if err := CheckPairs(pairsOf(statements), n); err != nil {
		return nil, err
	}
	var out []Linear
	for _, s := range statements {
		var d float64
		b := g0.RawRowView(s.J)
		for k, v := range g0.RawRowView(s.I) {
			d += (v - b[k]) * (v - b[k])
		}
		if s.Bound.Given() || d != 0 {
			out = append(out, s.bounded(Bounds{(1 - margin) * d, (1 + margin) * d}))
		}
	}
	if len(out) == 0 {
		return nil, &gram.DataError{Row: 0, Col: -1, Reason: "the rows of all pairs coincide"}
	}
	return out, nil
}
