package svm

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
)

var _, _ gram.Compiler = (*Model)(nil), (*Regressor)(nil)

// Program64 returns the program of the functions that Expand returns. It shares the
// memory of the model.
func (m *machine) Program64() (gram.Program[float64], error) {
	return basis.NewProduct(m.product, m.bias), nil
}

// Program32 returns the program of the functions in float32.
func (m *machine) Program32() (gram.Program[float32], error) {
	return basis.NewProduct(newProduct[float32](m, 1), m.bias), nil
}
