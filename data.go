package gram

import (
	"slices"
	"strconv"

	"github.com/gramworks/gram/num"
	"gonum.org/v1/gonum/mat"
)

// Float is the constraint of the number types that the engine works on:
// float32 and float64.
type Float = num.Float

// Rows is a row-major view of an N×D matrix: row i is
// Data[i*Stride : i*Stride+D]. See [num.Rows] for its fields and methods.
type Rows[F Float] = num.Rows[F]

// MakeRows returns a zeroed n×d matrix without gaps between the rows.
func MakeRows[F Float](n, d int) Rows[F] { return num.MakeRows[F](n, d) }

// View returns the rows of x, which share its memory.
func View(x *mat.Dense) Rows[float64] {
	r := x.RawMatrix()
	return Rows[float64]{Data: r.Data, N: r.Rows, D: r.Cols, Stride: max(1, r.Stride)}
}

// Labels holds the classes of the rows of a data set: the class of row i is
// called Names[Class[i]].
type Labels struct {
	Class []int
	Names []string
}

// NewLabels turns one class name per row into Labels. Names are sorted by
// value if all of them parse as numbers, else in byte order. Numeric names of
// equal value ("1", "+1", "1.0") are one class, which bears the first
// spelling in rows. With two classes a positive score means class 1, so in a
// file labeled −1/+1 a positive score means +1.
func NewLabels(rows []string) Labels {
	type name struct {
		text  string
		value float64
	}
	numeric := true
	first := map[string]int{}
	var names []name
	for _, s := range rows {
		if _, seen := first[s]; seen {
			continue
		}
		first[s] = len(names)
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || v != v {
			numeric = false
		}
		names = append(names, name{s, v})
	}
	if numeric {
		byValue := map[float64]string{}
		for _, n := range names {
			if _, seen := byValue[n.value]; !seen {
				byValue[n.value] = n.text
			}
		}
		order := make([]float64, 0, len(byValue))
		for v := range byValue {
			order = append(order, v)
		}
		slices.Sort(order)
		index := make(map[float64]int, len(order))
		l := Labels{Class: make([]int, len(rows)), Names: make([]string, len(order))}
		for c, v := range order {
			index[v] = c
			l.Names[c] = byValue[v]
		}
		for i, s := range rows {
			l.Class[i] = index[names[first[s]].value]
		}
		return l
	}
	l := Labels{Class: make([]int, len(rows)), Names: make([]string, 0, len(names))}
	for _, n := range names {
		l.Names = append(l.Names, n.text)
	}
	slices.Sort(l.Names)
	for i, s := range rows {
		l.Class[i], _ = slices.BinarySearch(l.Names, s)
	}
	return l
}

// Rename returns the labels with classes numbered by names instead of
// l.Names. Names that are equal as numbers match. A row whose class is not in
// names gets −1; the second result is the first such row, or −1 if there is
// none.
func (l Labels) Rename(names []string) (Labels, int) {
	to := make([]int, len(l.Names))
	for c, n := range l.Names {
		to[c] = slices.IndexFunc(names, func(m string) bool { return sameName(m, n) })
	}
	out := Labels{Class: make([]int, len(l.Class)), Names: names}
	bad := -1
	for i, c := range l.Class {
		out.Class[i] = to[c]
		if to[c] < 0 && bad < 0 {
			bad = i
		}
	}
	return out, bad
}

func sameName(a, b string) bool {
	if a == b {
		return true
	}
	x, errx := strconv.ParseFloat(a, 64)
	y, erry := strconv.ParseFloat(b, 64)
	return errx == nil && erry == nil && x == y
}
