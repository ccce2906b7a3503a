package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gramworks/gram/bench"
)

// The page of the measurements has a chart for each kernel and type, up to the highest ceiling.
func TestBenchPage(t *testing.T) {
	rows := []bench.Row{
		{Kernel: "fwht", Type: "float64", N: 64, Shape: "64", Level: "generic", Threads: 1, NS: 400, GFlops: 1, GBs: 2, VsGeneric: 1, PctCeiling: 20, Ceiling: "add 5 GFLOP/s"},
		{Kernel: "fwht", Type: "float64", N: 64, Shape: "64", Level: "avx2", Threads: 1, NS: 40, GFlops: 10, GBs: 20, VsGeneric: 10, PctCeiling: 50, Ceiling: "add 20 GFLOP/s"},
		{Kernel: "exp", Type: "float32", N: 64, Shape: "64", Level: "generic", Threads: 1, NS: 4e7, GBs: 2, VsGeneric: 1, PctCeiling: 20, Ceiling: "copy 10 GB/s"},
	}
	var b bytes.Buffer
	if err := writeBench(&b, bench.Here(), rows); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "<figure>"); n != 2 {
		t.Errorf("%d plots, want 2", n)
	}
	if !strings.Contains(b.String(), "20 GFLOP/s") {
		t.Error("the ceiling is missing")
	}
	if top := plotBench("fwht", "float64", 1, rows[:2]).Top; top != 20 {
		t.Errorf("the axis ends at %v, want 20, the highest ceiling", top)
	}
}
