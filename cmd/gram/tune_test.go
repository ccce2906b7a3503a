package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gramworks/gram/internal/tuning"
)

// TestProfile starts gram info with a profile that is named, one in the
// configuration folder and a broken one: it says which is in force or why none
// is, and does not fail for it.
func TestProfile(t *testing.T) {
	if os.Getenv("GRAM_TEST_RUN_INFO") != "" {
		os.Exit(run(context.Background(), []string{"info", "--json"}, os.Stdout, os.Stderr))
	}
	if testing.Short() {
		t.Skip("starts gram info three times")
	}
	dir := t.TempDir()
	good, v := filepath.Join(dir, "gram", "profile.json"), tuning.Defaults()
	if err := tuning.Write(good, tuning.Profile{Machine: tuning.Here(), Values: v.Named()}); err != nil {
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
	if !r.OK || len(r.Parameters) != len(tuning.All()) || len(r.Values) != len(r.Parameters) || r.Written != path {
		t.Errorf("%+v", r)
	}
	profiles, err := tuning.Read(path)
	if err != nil || len(profiles) != 1 || profiles[0].Machine != tuning.Here() {
		t.Errorf("%+v, %v", profiles, err)
	}
	onlyFiles(t, dir, "p.json")
}
