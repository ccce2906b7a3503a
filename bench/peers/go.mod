module github.com/gramworks/gram/bench/peers

go 1.26.0

require gonum.org/v1/gonum v0.17.0

require (
	github.com/gramworks/gram v0.1.0
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/gramworks/gram => ../..
