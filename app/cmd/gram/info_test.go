package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/gramworks/gram/bench"
)

// The report looks at this machine, and every kernel that it tests agrees.
func TestReport(t *testing.T) {
	r, err := newReport(t.Context(), time.Millisecond)
	if err != nil || r.Go == "" || r.Level == "" || r.Backend == "" || r.Features == nil || r.SelfTest == nil || !r.OK {
		t.Errorf("%+v, %v", r, err)
	}
	if err := r.verdict(); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newReport(ctx, time.Hour); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	if _, stderr, code := cliContext(t, ctx, "info"); code != 1 || stderr != "gram info: interrupted\n" {
		t.Errorf("cancelled: %d, %q", code, stderr)
	}
}

// A kernel that disagrees is reported in the text, in the JSON object and by
// the verdict.
func TestReportText(t *testing.T) {
	r := report{
		Machine:  bench.Machine{Level: "avx2", Detected: "avx512", L1D: 32 << 10, L3: 8 << 20, Cores: 4, GOMAXPROCS: 8, Go: "go9", OS: "plan9", Arch: "z80", Backend: "openblas 9", Advice: "set this"},
		Features: []string{"one", "two"}, Profile: bench.ProfileState{File: "p.json", InForce: true},
		SelfTest: []bench.Agreement{
			{Kernel: "a", Level: "generic", OK: true},
			{Kernel: "a", Level: "avx2", Worst: .25, Allowed: .1},
			{Kernel: "b", Level: "avx2", Worst: 3e-16, Allowed: 1e-15, OK: true},
		},
	}
	var out bytes.Buffer
	if err := r.write(&out, false); err != nil {
		t.Fatal(err)
	}
	want := `cpu         unknown
features    one two
level       avx2 (lowered from avx512)
caches      L1d 32.0 KiB, L2 unknown, L3 8.0 MiB
threads     GOMAXPROCS 8, physical cores 4
go          go9 plan9/z80
backend     openblas 9
            set this
profile     p.json
self-test   a                       generic ok          avx2    WRONG, off by 0.25
            b                       avx2    3e-16       ` + "\n"
	if got := out.String(); got != want {
		t.Errorf("the report is\n%s\nwant\n%s", got, want)
	}
	if err := r.verdict(); err == nil || err.Error() != "self-test failed: a at avx2 is off by 0.25, allowed is 0.1" {
		t.Errorf("verdict %v", err)
	}
	r.SelfTest = []bench.Agreement{}
	r.Level, r.CPU = "avx512", "Z80"
	if err := r.verdict(); err != nil {
		t.Errorf("verdict %v", err)
	}
	out.Reset()
	if err := r.write(&out, false); err != nil || !strings.Contains(out.String(), "Z80\n") || !strings.Contains(out.String(), "level       avx512\n") || !strings.HasSuffix(out.String(), "only the generic level\n") {
		t.Errorf("%q, %v", out.String(), err)
	}
	out.Reset()
	if err := r.write(&out, true); err != nil || !strings.Contains(out.String(), `"self_test":[]`) || !json.Valid(out.Bytes()) {
		t.Errorf("%q, %v", out.String(), err)
	}
	if err := r.write(full{}, true); err == nil {
		t.Error("no error from a full output")
	}
}
