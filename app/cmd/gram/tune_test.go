package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gramworks/gram/bench"
)

// TestProfile starts gram info with a profile that is named, one in the
// configuration directory and a broken one. gram info says which is in force
// or why none is, and does not fail.
func TestProfile(t *testing.T) {
	if os.Getenv("GRAM_TEST_RUN_INFO") != "" {
		os.Exit(run(context.Background(), []string{"info", "--json"}, os.Stdout, os.Stderr))
	}
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	dir := t.TempDir()
	good, v := filepath.Join(dir, "gram", "profile.json"), map[string]int{}
	if err := bench.WriteProfile(good, v); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "broken")
	if err := os.WriteFile(broken, []byte("{\"version\": 1"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file, config string
		inForce      bool
		warning      string
	}{
		{good, "", true, ""},
		{"", dir, true, ""},
		{broken, dir, false, "not a profile"},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestProfile$")
		cmd.Env = append(os.Environ(), "GRAM_TEST_RUN_INFO=1", "GRAM_PROFILE="+c.file, "XDG_CONFIG_HOME="+c.config)
		out, err := cmd.Output()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("the test cannot start itself under an emulator: ", err)
		}
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		var r report
		if err := json.Unmarshal(out, &r); err != nil {
			t.Fatalf("%+v: %v in %s", c, err, out)
		}
		if c.file == "" && r.Profile.File != filepath.Join(c.config, "gram", "profile.json") {
			t.Skip("the configuration folder is not where XDG_CONFIG_HOME says")
		}
		if p := r.Profile; !r.OK || p.InForce != c.inForce || !strings.Contains(p.Warning, c.warning) || (p.Warning == "") != (c.warning == "") {
			t.Errorf("%+v: %+v", c, r.Profile)
		}
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		distance, noise, threshold float64
		ok, cannotTell             bool
	}{
		{0, 1, 5, true, false},
		{3, 1, 5, true, false},
		{4.5, 1, 5, false, true},
		{5.5, 1, 5, false, true},
		{0, 6, 5, false, true},
		{38, 40, 5, false, true},
		{10, 2, 5, false, false},
	} {
		if ok, cannotTell := verdict(c.distance, c.noise, c.threshold); ok != c.ok || cannotTell != c.cannotTell {
			t.Errorf("%+v: %v, %v", c, ok, cannotTell)
		}
	}
}

func TestTune(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p.json")
	fails(t, 2, []string{"--threshold"}, "tune", "--threshold", "3")
	fails(t, 2, []string{"--threshold", "-1"}, "tune", "--check", "--threshold", "-1")
	fails(t, 2, []string{"--time", "1s"}, "tune", "--time", "1ms")
	if err := os.WriteFile(path, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	fails(t, 1, []string{path, "left as it is"}, "tune", "--out", path)
	fails(t, 2, []string{path, "profile"}, "tune", "--out", path, "--html", path)
	if testing.Short() {
		return
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	var r tuneReport
	out := ok(t, "tune", "--check", "--threshold", "1e9", "--time", "1s", "--json", "--out", path)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if !r.OK || r.CannotTell || !(r.Noise >= 0) || len(r.Parameters) < 10 || len(r.Values) != len(r.Parameters) || r.Written != path {
		t.Errorf("%+v", r)
	}
	if os.Getenv("GRAM_LONG") != "" {
		// No machine is that quiet, unless a value is better beyond all noise.
		none := filepath.Join(dir, "none.json")
		if _, stderr, code := cli(t, "tune", "--check", "--threshold", "0", "--time", "1s", "--out", none); code == 1 && strings.Contains(stderr, "% from the best") {
			if err := os.Remove(none); err != nil {
				t.Fatal(err)
			}
		} else if code != 3 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "cannot tell") {
			t.Errorf("exit code %d, standard error %q", code, stderr)
		}
	}
	profiles, err := profilesIn(path)
	if err != nil || len(profiles) != 1 || profiles[0].Level != bench.Here().Level || profiles[0].CPU != bench.Here().CPU {
		t.Errorf("%+v, %v", profiles, err)
	}
	onlyFiles(t, dir, "p.json")
}

// profilesIn reads the profiles of a file.
func profilesIn(path string) ([]struct {
	CPU, Level string
	Values     map[string]int
}, error) {
	var file struct {
		Profiles []struct {
			CPU, Level string
			Values     map[string]int
		}
	}
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	return file.Profiles, err
}

// The best values are stored, shown and, with --check, compared with the
// threshold.
func TestTuned(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p.json")
	best := map[string]int{"lines": 960}
	found := []bench.Tuned{
		{Parameter: "pieces", InForce: 8, Best: 8, Runs: 1},
		{Parameter: "lines", InForce: 4080, Best: 960, Gain: 7.5, Noise: 0.5, Runs: 5},
		{Parameter: "packed", InForce: 3, Best: 2, Gain: 2.5, Runs: 5},
		{Parameter: "small64", InForce: 1, Best: 1},
	}
	loaded := bench.ProfileState{File: "old.json", InForce: true}
	for _, c := range []struct {
		o    tuneFlags
		path string
		fail bool
	}{
		{tuneFlags{threshold: 5}, path, false},
		{tuneFlags{threshold: 5, check: true}, "", true},
		{tuneFlags{threshold: 8, check: true}, "", false},
		{tuneFlags{threshold: 6.9, check: true}, path, true},
	} {
		os.Remove(path)
		c.o.asJSON = true
		var out bytes.Buffer
		err := c.o.finish(&out, loaded, c.path, best, found)
		if (err != nil) != c.fail || c.fail && !strings.Contains(err.Error(), "7.5 % from the best: lines is 4080, best is 960; the threshold is") {
			t.Errorf("%+v: %v", c.o, err)
		}
		var r tuneReport
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if r.OK == c.fail || r.Distance != 7.5 || r.Threshold != c.o.threshold || r.Values["lines"] != 960 || r.Written != c.path || len(r.Parameters) != 4 || r.Loaded != loaded {
			t.Errorf("%+v: %+v", c.o, r)
		}
		profiles, err := profilesIn(path)
		if c.path == "" {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%+v: a profile was written: %v", c.o, err)
			}
		} else if err != nil || len(profiles) != 1 || profiles[0].Values["lines"] != 960 {
			t.Errorf("%+v: %+v, %v", c.o, profiles, err)
		}
	}
	os.Remove(path)
	var out bytes.Buffer
	var open *undecided
	if err := (&tuneFlags{threshold: 7.5, check: true}).finish(&out, loaded, path, best, found); !errors.As(err, &open) {
		t.Errorf("a threshold within the noise: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a profile was written although nothing can be told: %v", err)
	}
	out.Reset()
	if err := (&tuneFlags{}).finish(&out, loaded, path, best, found); err != nil {
		t.Fatal(err)
	}
	want := `profile: old.json
parameter  in force  best  faster        noise
pieces     8         8     -             0 %
lines      4080      960   7.5 %         0.5 %
packed     3         2     2.5 %         0 %
small64    1         1     not measured  -
written to ` + path + "\n"
	if _, text, _ := strings.Cut(out.String(), "\n"); text != want {
		t.Errorf("the report is\n%s\nwant\n%s", text, want)
	}
	out.Reset()
	if err := (&tuneFlags{}).finish(&out, loaded, "", best, found); err != nil || strings.Contains(out.String(), "written") {
		t.Errorf("%q, %v", out.String(), err)
	}
	page := filepath.Join(t.TempDir(), "t.html")
	if err := (&tuneFlags{html: page}).finish(&out, loaded, "", best, found); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"old.json", `data-name="gain"`, "lines", `<td data-sort="7.5">7.5 %</td>`, "not measured"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in the page", want)
		}
	}
	if strings.Contains(string(text), ">small64</text>") {
		t.Error("a parameter that was not measured is in the plot")
	}
	if err := (&tuneFlags{}).finish(&out, loaded, filepath.Join(path, "x"), best, found); err == nil {
		t.Error("a profile in a file")
	}
	if err := (&tuneFlags{asJSON: true}).finish(full{}, loaded, "", best, found); err == nil {
		t.Error("no error from a full output")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, stderr, code := cliContext(t, ctx, "tune", "--check"); code != 1 || stderr != "gram tune: interrupted\n" {
		t.Errorf("cancelled: %d, %q", code, stderr)
	}
	onlyFiles(t, dir, "p.json")
}

// A value is said to be better only where it gains more than the noise.
func TestTuneHeadline(t *testing.T) {
	r := tuneReport{Parameters: []bench.Tuned{{Parameter: "a", InForce: 1, Best: 2, Gain: 3, Noise: 1, Runs: 5}, {Parameter: "b", Gain: 9}, {Parameter: "c", Runs: 5}}}
	if got, want := r.headline(), "Of 2 parameters that were measured, a gains most: 2 instead of 1 is 3 % faster (noise 1 %)."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.Parameters[0].Noise = 4
	if got, want := r.headline(), "Of 2 parameters that were measured, none gains more than the noise by another value."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
