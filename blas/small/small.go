package small

import (
	"errors"

	"github.com/gramworks/gram"
)

// ErrSingular says that a matrix has no inverse: a pivot of its elimination is zero.
var ErrSingular = errors.New("small: the matrix is singular")

// maxOrder is the order of the matrices in which all functions work.
const maxOrder = 4

// square is a matrix of up to four rows and columns.
type square [maxOrder][maxOrder]float64

func of2(a [2][2]float64) (s square) {
	for i, row := range a {
		copy(s[i][:], row[:])
	}
	return s
}

func of3(a [3][3]float64) (s square) {
	for i, row := range a {
		copy(s[i][:], row[:])
	}
	return s
}

func (s *square) to2() (a [2][2]float64) {
	for i := range a {
		copy(a[i][:], s[i][:])
	}
	return a
}

func (s *square) to3() (a [3][3]float64) {
	for i := range a {
		copy(a[i][:], s[i][:])
	}
	return a
}

// finite returns an error for the first of the leading n rows and columns of a that is NaN or infinite.
func (s *square) finite(n int) error {
	for i := range n {
		for j, v := range s[i][:n] {
			if v-v != 0 {
				return &gram.DataError{Row: i, Col: j, Value: v, Argument: "a"}
			}
		}
	}
	return nil
}
