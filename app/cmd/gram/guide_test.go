package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gramworks/gram/app/internal/repo"
	"github.com/gramworks/gram/dataset"
)

// The fenced sh commands of the README and the guide run, page by page, each in
// a directory of its own with few rows.
func TestPages(t *testing.T) {
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	for _, tool := range []string{"sh", "awk", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("a program of the guide is not installed: ", err)
		}
	}
	root := repo.Path(t, "")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The command gram runs this test program: see TestMain.
	bin := t.TempDir()
	gram := "#!/bin/sh\nIFS='\n'\nGRAM_TEST_COMMAND=\"$*\" exec '" + self + "'\n"
	if err := os.WriteFile(filepath.Join(bin, "gram"), []byte(gram), 0o755); err != nil {
		t.Fatal(err)
	}
	fence := regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
	for _, page := range []string{"README.md", "docs/guide.md", "docs/choosing.md", "docs/trouble.md", "docs/distributed.md"} {
		t.Run(page, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, page))
			if err != nil {
				t.Fatal(err)
			}
			blocks := fence.FindAllSubmatch(text, -1)
			if len(blocks) == 0 {
				t.Fatal("there are no commands")
			}
			dir := t.TempDir()
			for name, seed := range map[string]uint64{"train.libsvm.gz": 1, "test.libsvm.gz": 2} {
				if err := dataset.Save(t.Context(), filepath.Join(dir, name), dataset.Rings(200, 3, .1, seed)); err != nil {
					t.Fatal(err)
				}
			}
			if err := dataset.Save(t.Context(), filepath.Join(dir, "house.csv"), dataset.Friedman1(200, 5, .1, 1)); err != nil {
				t.Fatal(err)
			}
			for _, b := range blocks {
				address := free(t)
				listens := "until curl -s http://" + address + "/healthz; do kill -0 $!; sleep 0.1; done"
				script := strings.NewReplacer("i < 4000", "i < 400", "--m 32,128,512", "--m 32,128", "--budget 10m", "--budget 1s", "127.0.0.1:8080", address, "sleep 1\n", listens+"\n").Replace(string(b[1]))
				c := exec.CommandContext(t.Context(), "sh", "-e")
				c.Dir, c.Stdin = dir, strings.NewReader("trap '[ -z \"$!\" ] || kill $! 2>/dev/null || :' EXIT\n"+script)
				c.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
				if out, err := c.CombinedOutput(); err != nil || strings.Contains(string(out), `"error"`) {
					t.Errorf("%s%s%v", script, out, err)
				}
			}
		})
	}
}

// free returns an address that nobody listens on.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
