//go:build !unix

package main

import "os/exec"

// ownGroup does nothing: process groups exist only on Unix.
func ownGroup(*exec.Cmd) {}

// limitMemory does nothing: the address space is bounded on Unix alone.
func limitMemory(uint64) error { return nil }
