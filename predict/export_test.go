package predict

import "github.com/gramworks/gram/algos/basis"

// FunctionOf returns the function that a compiled model computes.
func FunctionOf(c Compiled) *basis.Function { return c.compiled().function }
