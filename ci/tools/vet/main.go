// Vet makes the checks of go vet for the platform that GOOS and GOARCH name, and compiles nothing for it: packages, their
// tests and what they import are read from their sources. It is for platforms of which nothing
// else is compiled, where go vet takes four times as long for what the build cache does not have.
// It finds what does not compile, except in assembly files, whose frames and arguments alone are compared with the
// declarations in Go. It takes 3 GB of memory.
//
//	go build -o DIR ./ci/tools/vet && GOARCH=arm64 CGO_ENABLED=0 DIR/vet work
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/suite/vet"
)

func main() { multichecker.Main(vet.Suite...) }
