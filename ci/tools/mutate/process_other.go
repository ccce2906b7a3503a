//go:build !unix

package main

import "os/exec"

// ownGroup does nothing: process groups exist only on Unix.
func ownGroup(*exec.Cmd) {}

// limitMemory does nothing on this system.
func limitMemory(uint64) error { return nil }
