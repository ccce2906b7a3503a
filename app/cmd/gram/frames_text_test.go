//go:build !parquet

package main

import "testing"

// columnar returns no files: those of Arrow and Parquet are read with the tag parquet.
func (f frame) columnar(*testing.T, string) (files map[string]string, read bool) { return nil, false }
