package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
)

// stream.json is what go test -json printed for seven packages: tests that pass, fail and
// are skipped, a package that does not compile, a panic, and a test that hangs.
func recorded(t *testing.T) (result, string) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "stream.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out bytes.Buffer
	r, err := read(f, &out)
	if err != nil {
		t.Fatal(err)
	}
	return r, out.String()
}

func TestCounts(t *testing.T) {
	r, _ := recorded(t)
	want := "counts: 6 packages (0 cached), 8 tests, 4 subtests, 3 skipped, 3 failed in 4 packages"
	if r.String() != want {
		t.Errorf("got  %s\nwant %s", r, want)
	}
	skips := []skip{
		{"good", "TestOne/b", "no program: not found"},
		{"skips", "TestSkipped", "takes seconds"},
		{"skips", "TestSilent", ""},
	}
	if !reflect.DeepEqual(r.skips, skips) {
		t.Errorf("skips %q, want %q", r.skips, skips)
	}
}

// The output is that of what failed: of tests that fail, panic or never end, of the
// compiler, and of no other test.
func TestOutput(t *testing.T) {
	_, out := recorded(t)
	for _, want := range []string{
		"broken/a_test.go:3:32: undefined: undefinedName\n", "[build failed]\n",
		"    a_test.go:4: wrong sum\n", "--- FAIL: TestFails/sub", "--- FAIL: TestFails ",
		"    a_test.go:3: before it\n", "panic: out of range here", "/src/panics/a_test.go:3",
		"panic: test timed out after 3s\n", "TestHangs (3s)",
		"FAIL\tgithub.com/gramworks/gram/bad\t", "FAIL\tgithub.com/gramworks/gram/slow\t",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output has no %q:\n%s", want, out)
		}
	}
	for _, not := range []string{"not to be seen", "hidden", "=== RUN", "PASS", "SKIP", "gram/good", "gram/none"} {
		if strings.Contains(out, not) {
			t.Errorf("the output has %q:\n%s", not, out)
		}
	}
}

// Results from the cache are counted, and lines that are no events are shown.
func TestCachedAndForeignLines(t *testing.T) {
	var out bytes.Buffer
	r, err := read(strings.NewReader(`warning of a linker
{"Action":"output","Package":"p","Output":"ok  \tp\t(cached)\n"}
{"Action":"pass","Package":"p"}
`), &out)
	if err != nil || r.packages != 1 || r.cached != 1 || out.String() != "warning of a linker\n" {
		t.Errorf("got %v, %v and output %q", r, err, out.String())
	}
}

func TestUnlisted(t *testing.T) {
	list := []entry{
		{[]string{"*"}, skip{"*", "*", "no program: "}},
		{[]string{"race", "noasm"}, skip{"fwht", "TestBits", ""}},
	}
	for _, c := range []struct {
		step string
		skip skip
		want bool // whether it is expected
	}{
		{"race", skip{"eig", "TestAny", "no program: not found"}, true},
		{"race", skip{"eig", "TestAny", "there is no program: not found"}, false},
		{"race", skip{"fwht", "TestBits", "any reason"}, true},
		{"noasm", skip{"fwht", "TestBits", ""}, true},
		{"arm64", skip{"fwht", "TestBits", ""}, false},
		{"race", skip{"fwht", "TestBits/sub", ""}, false},
		{"race", skip{"haar", "TestBits", ""}, false},
	} {
		if got := len(unlisted(list, c.step, []skip{c.skip})) == 0; got != c.want {
			t.Errorf("step %s, %q: expected %v, want %v", c.step, c.skip, got, c.want)
		}
	}
}

// Lines that would expect everything or lack a field are errors.
func TestReadListRefuses(t *testing.T) {
	for _, text := range []string{"race\thaar\tTestX\n", "*\t*\t*\t\n"} {
		name := filepath.Join(t.TempDir(), "list")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if list, err := readList(name); err == nil {
			t.Errorf("%q is read as %q", text, list)
		}
	}
}

func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		available []cpu.Level
		end       string
	}{
		{[]cpu.Level{cpu.Generic, cpu.AVX2, cpu.AVX512}, "is avx512; no level of its processor family was left out."},
		{[]cpu.Level{cpu.Generic, cpu.AVX2}, "is avx2; NOT RUN: avx512."},
		{[]cpu.Level{cpu.Generic}, "is generic; NOT RUN: avx2 avx512."},
		{[]cpu.Level{cpu.Generic, cpu.NEON}, "is neon; no level of its processor family was left out."},
	} {
		if got := describe(c.available[len(c.available)-1], c.available); !strings.HasSuffix(got, c.end) {
			t.Errorf("%v: %q, want the end %q", c.available, got, c.end)
		}
	}
}
