package sparse

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Triplet is one entry of a matrix, with its row and column counted from 0.
type Triplet struct {
	Row, Col int
	Val      float64
}

// Duplicates says what FromTriplets does with several entries in the same
// place.
type Duplicates uint8

const (
	Sum    Duplicates = iota // add them in the order of the list
	Last                     // keep the last one of the list
	Reject                   // return an error
)

// FromTriplets returns the n×d matrix with the given entries, which may be in
// any order; the list is not changed. Entries of value 0 are stored. It
// returns an error that names the entry if one lies outside the matrix or,
// with Reject, in a place that is taken. It panics if n or d is negative or d
// exceeds the largest int32. Cost: O(k log k) for k entries.
func FromTriplets(n, d int, list []Triplet, dup Duplicates) (*CSR, error) {
	if n < 0 || d < 0 || d > math.MaxInt32 {
		panic("sparse: impossible dimensions")
	}
	for k, t := range list {
		if t.Row < 0 || t.Row >= n || t.Col < 0 || t.Col >= d {
			return nil, fmt.Errorf("sparse: entry %d is at row %d, column %d of a %d×%d matrix", k, t.Row, t.Col, n, d)
		}
	}
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b Triplet) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Col, b.Col))
	})
	a := &CSR{N: n, D: d, Ptr: make([]int, n+1), Col: make([]int32, 0, len(list)), Val: make([]float64, 0, len(list))}
	for k, t := range sorted {
		if k > 0 && sorted[k-1].Row == t.Row && sorted[k-1].Col == t.Col {
			last := len(a.Val) - 1
			switch dup {
			case Sum:
				a.Val[last] += t.Val
			case Last:
				a.Val[last] = t.Val
			default:
				return nil, fmt.Errorf("sparse: there are several entries at row %d, column %d", t.Row, t.Col)
			}
			continue
		}
		a.Col = append(a.Col, int32(t.Col))
		a.Val = append(a.Val, t.Val)
		a.Ptr[t.Row+1]++
	}
	for i := range n {
		a.Ptr[i+1] += a.Ptr[i]
	}
	return a, nil
}
