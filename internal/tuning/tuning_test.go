package tuning

import (
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/must"
)

// other is a profile of another CPU.
func other() Profile {
	p := Profile{Machine: Here(), Values: map[string]int{"lines": 960}}
	p.CPU += " II"
	return p
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "profile.json")
	must.Do(t, Write(path, other()))
	want := Defaults()
	for p := range want {
		lo, hi := Parameter(p).Limits()
		want[p] = lo + (hi-lo)/(p+2)
	}
	mine := Profile{Machine: Here(), Threads: 2, Go: "go1", Values: want.Named()}
	for range 2 { // the second time in place of the first
		must.Do(t, Write(path, mine))
	}
	all, err := Read(path)
	if err != nil || len(all) != 2 {
		t.Fatalf("%d profiles, %v; want 2", len(all), err)
	}
	if !maps.Equal(all[0].Values, other().Values) || all[0].Machine != other().Machine {
		t.Errorf("the other machine's profile is %+v", all[0])
	}
	if !maps.Equal(all[1].Values, mine.Values) || all[1].Machine != mine.Machine || all[1].Threads != 2 {
		t.Errorf("the profile is %+v, want %+v", all[1], mine)
	}
	s, values := lookUp(path)
	if s.Err != nil || s.Foreign != 1 || !s.Found[mine.Level] || values[cpu.Current()] != want {
		t.Errorf("loaded %+v, %v, want %v", s, values, want)
	}
}

func TestForeign(t *testing.T) {
	for what, change := range map[string]func(p *Profile){
		"name":   func(p *Profile) { p.CPU += "x" },
		"family": func(p *Profile) { p.Family++ },
		"model":  func(p *Profile) { p.Model++ },
		"level":  func(p *Profile) { p.Level = "avx9000" },
	} {
		path := filepath.Join(t.TempDir(), "p")
		p := Profile{Machine: Here(), Values: map[string]int{"lines": 960}}
		change(&p)
		must.Do(t, Write(path, p))
		if s, values := lookUp(path); len(values) != 0 || s.Err != nil || s.Foreign != 1 {
			t.Errorf("other %s: %+v %v", what, s, values)
		}
	}
}

// TestSome checks that parameters that a profile does not name keep their defaults.
func TestSome(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	must.Do(t, Write(path, Profile{Machine: Here(), Values: map[string]int{"lines": 960}}))
	want := Defaults()
	want[Lines] = 960
	if _, values := lookUp(path); values[cpu.Current()] != want {
		t.Errorf("%v, want %v", values[cpu.Current()], want)
	}
}

func TestBroken(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p")
	head := `{"version": 1, "profiles": [{"cpu": "", "level": "avx2", "values": {`
	for text, want := range map[string]string{
		"":                                     "not a profile",
		"\x00\x01":                             "not a profile",
		`[]`:                                   "not a profile",
		`{"version": 2}`:                       "version 2, want 1",
		`{}`:                                   "version 0, want 1",
		head + `"lines": 960`:                  "not a profile",
		head + `"lines": "x"}}]}`:              "not a profile",
		head + `"lines": 1e30}}]}`:             "not a profile",
		head + `"lines": 0}}]}`:                "lines is 0, want 48 to",
		head + `"panels_float64": 1000000}}]}`: "panels_float64 is 1000000",
		head + `"k": 128}}]}`:                  `"k" is not a parameter`,
		`{"version": 1` + strings.Repeat(" ", most): "longer than",
	} {
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
		s, values := lookUp(path)
		if s.Err == nil || !strings.Contains(s.Err.Error(), want) || len(values) != 0 {
			t.Errorf("%.60q: %v, want %s", text, s.Err, want)
		}
		if err := Write(path, other()); err == nil {
			t.Errorf("%.60q: overwritten", text)
		}
	}
	if s, _ := lookUp(dir); s.Err == nil {
		t.Error("a folder was read")
	}
}

// A profile file is closed after reading, also if it is broken.
func TestFileIsClosed(t *testing.T) {
	open := func() (n int) {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("open files cannot be counted here")
		}
		return len(files)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it closes what is forgotten
	path := filepath.Join(t.TempDir(), "p")
	must.Do(t, Write(path, other()))
	before := open()
	for _, p := range []string{path, filepath.Dir(path)} {
		_, _ = Read(p)
	}
	must.Do(t, os.WriteFile(path, []byte("x"), 0o600))
	_, _ = Read(path)
	if after := open(); after != before {
		t.Errorf("%d files are open, before there were %d", after, before)
	}
}

func TestMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	if s, values := lookUp(path); s.Err != nil || len(values) != 0 {
		t.Errorf("%+v, %v", s, values)
	}
	t.Setenv("GRAM_PROFILE", path) // then it was asked for
	if s, _ := lookUp(Path()); !errors.Is(s.Err, fs.ErrNotExist) {
		t.Errorf("%+v", s)
	}
	if s, _ := lookUp(""); s.Err != nil {
		t.Errorf("%+v", s)
	}
}

func TestParameters(t *testing.T) {
	var names []string
	v := Defaults()
	for _, p := range All() {
		if p.String() == "" || slices.Contains(names, p.String()) {
			t.Errorf("parameter %d is called %q", p, p)
		}
		names = append(names, p.String())
	}
	if err := v.check(); err != nil {
		t.Error("defaults:", err)
	}
}

func TestType(t *testing.T) {
	if Type[float64](Small64, Small32) != Small64 || Type[float32](Small64, Small32) != Small32 {
		t.Error("a type has the parameter of the other one")
	}
}

func TestSet(t *testing.T) {
	before := *Current()
	v := before
	v[Lines] = 48
	restore := Set(v)
	if *Current() != v {
		t.Error("not in force")
	}
	if l, err := cpu.Lower(cpu.Generic); err == nil {
		if cpu.Detected() != cpu.Generic && *Current() == v {
			t.Error("in force at another level, too")
		}
		l()
	}
	restore()
	if *Current() != before {
		t.Error("not restored")
	}
	defer func() {
		if recover() == nil || *Current() != before {
			t.Error("a value out of range was accepted")
		}
	}()
	v[Lines] = 0
	Set(v)
}

// Profiles are read from the file that GRAM_PROFILE names, else from the user's
// configuration directory, else not at all.
func TestPath(t *testing.T) {
	t.Setenv("HOME", "/home/of/nobody")
	t.Setenv("XDG_CONFIG_HOME", "/x")
	t.Setenv("GRAM_PROFILE", "/y/p.json")
	if p := Path(); p != "/y/p.json" {
		t.Errorf("named: %q", p)
	}
	t.Setenv("GRAM_PROFILE", "")
	dir := must.Have(os.UserConfigDir())(t)
	if p := Path(); p != filepath.Join(dir, "gram", "profile.json") {
		t.Errorf("in the user's folder: %q", p)
	}
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "AppData", "home"} {
		t.Setenv(name, "")
	}
	if p := Path(); p != "" {
		t.Errorf("nowhere: %q", p)
	}
}

// The limits and the defaults of each parameter are part of the meaning of a profile.
func TestLimits(t *testing.T) {
	want := map[string][2]int{
		"product_threads": {1 << 10, 1 << 30}, "vector_threads": {1 << 10, 1 << 30}, "small_shared": {1, 1 << 30}, "small_float64": {1, 1 << 30},
		"small_float32": {1, 1 << 30}, "panels_float64": {1, 4096}, "panels_float32": {1, 4096}, "lines": {48, 1 << 20}, "packed": {1 << 14, 1 << 26},
		"hadamard_leaf": {8 << 10, 1 << 18}, "hadamard_near": {1, 4}, "hadamard_last": {1 << 20, 1 << 30}, "kernel_rows": {1 << 10, 1 << 24}, "kernel_columns": {1 << 10, 1 << 24},
		"kernel_stream": {1 << 16, min(1<<40, math.MaxInt)},
	}
	v := Defaults()
	for _, p := range All() {
		lo, hi := p.Limits()
		if got := [2]int{lo, hi}; got != want[p.String()] {
			t.Errorf("%s goes from %d to %d, want %d", p, lo, hi, want[p.String()])
		}
		for x, ok := range map[int]bool{lo - 1: false, lo: true, hi: true, hi + 1: false} {
			w := v
			w[p] = x
			if err := w.check(); (err == nil) != ok || !ok && !strings.Contains(err.Error(), p.String()) {
				t.Errorf("%s of %d: %v", p, x, err)
			}
		}
		if named := v.Named(); len(named) != len(want) || named[p.String()] != v[p] {
			t.Errorf("%s is %d by name, %d by number", p, named[p.String()], v[p])
		}
	}
}

// The defaults follow from the size of the second-level cache, within bounds.
func TestDefaults(t *testing.T) {
	const k = 1 << 10
	for l2, want := range map[int][2]int{ // panels, bytes of the columns
		0: {5, 128 * k}, 64 * k: {2, 64 * k}, 256 * k: {2, 64 * k}, 512 * k: {5, 128 * k}, 1024 * k: {10, 256 * k}, 2048 * k: {21, 448 * k}, 64 * k * k: {24, 448 * k},
	} {
		got := defaultValues(l2)
		if err := got.check(); err != nil {
			t.Errorf("a cache of %d bytes: %v", l2, err)
		}
		if want := (Values{
			ProductThreads: k * k, VectorThreads: k * k, Small64: 2 * k * k, Small32: 2 * k * k, SmallShared: 320 * 320 * 320, HadamardLeaf: 16 * k, HadamardNear: 3, HadamardLast: 8 * k * k, Panels64: want[0], Panels32: want[0],
			Lines: 4080, Packed: 4 * k * k, KernelRows: 256 * k, KernelColumns: want[1], KernelStream: 32 * k * k,
		}); got != want {
			t.Errorf("a cache of %d bytes: %v, want %v", l2, got, want)
		}
	}
}
