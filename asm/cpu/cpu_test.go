package cpu

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

func TestLower(t *testing.T) {
	start := Current()
	for _, l := range Levels() {
		if l > start {
			if _, err := Lower(l); err == nil {
				t.Errorf("Lower raised the level from %s to %s", start, l)
			}
			continue
		}
		restore := must.Have(Lower(l))(t)
		if Current() != l {
			t.Errorf("level %s after Lower(%s)", Current(), l)
		}
		restore()
		if Current() != start {
			t.Errorf("level %s after restore, want %s", Current(), start)
		}
	}
	if Detected() != NEON {
		if _, err := Lower(NEON); err == nil {
			t.Error("NEON accepted where it cannot run")
		}
	}
}

func TestNames(t *testing.T) {
	for l := Generic; l <= NEON; l++ {
		if got, err := ParseLevel(l.String()); err != nil || got != l {
			t.Errorf("ParseLevel(%q) = %v, %v", l.String(), got, err)
		}
	}
	if _, err := ParseLevel("sse"); err == nil {
		t.Error("ParseLevel accepts sse")
	}
}

// TestEnvironment starts this test again with GRAM_LEVEL set and checks the
// level that is then in force.
func TestEnvironment(t *testing.T) {
	if os.Getenv("GRAM_TEST_PRINT_LEVEL") != "" {
		println("level", Current().String(), "error", EnvError() != nil)
		return
	}
	for _, set := range []string{"", "generic", "avx2", "avx512", "neon", "sse"} {
		want, bad := Detected(), true
		if l, err := ParseLevel(set); err == nil && slices.Contains(Levels(), l) {
			want, bad = l, false
		}
		bad = bad && set != ""
		cmd := exec.Command(os.Args[0], "-test.run=^TestEnvironment$")
		cmd.Env = append(os.Environ(), "GRAM_TEST_PRINT_LEVEL=1", "GRAM_LEVEL="+set)
		out, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("the test cannot start itself under an emulator: ", err)
		}
		if err != nil {
			t.Fatalf("GRAM_LEVEL=%s: %v\n%s", set, err, out)
		}
		line := "level " + want.String() + " error " + map[bool]string{true: "true", false: "false"}[bad]
		if !strings.Contains(string(out), line) {
			t.Errorf("GRAM_LEVEL=%q: want %q in\n%s", set, line, out)
		}
	}
}
