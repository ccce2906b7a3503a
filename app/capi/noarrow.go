//go:build cgo && !parquet

package main

import "unsafe"

// importArrow returns the error that this library was built without Arrow.
func importArrow(unsafe.Pointer) (arrowRows, int, error) {
	return nil, 0, invalid("this library was built without Arrow: build it with go build -tags parquet -buildmode=c-shared")
}
