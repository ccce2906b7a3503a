//go:build !unix

package main

import "os/exec"

// ownGroup does nothing: process groups are a matter of Unix.
func ownGroup(*exec.Cmd) {}

// limitMemory does nothing on this system.
func limitMemory(uint64) error { return nil }
