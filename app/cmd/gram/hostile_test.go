package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Small files that stand for much memory end with one line, in a process that may not
// have that memory.
func TestHostileFiles(t *testing.T) {
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("starts processes with a limit of the system")
	}
	dir := t.TempDir()
	zipped := func(name string, text []byte) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(text)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	commas := zipped("commas.csv.gz", append(bytes.Repeat([]byte{','}, 30<<20), '\n'))
	var header strings.Builder
	for j := range 999 {
		fmt.Fprintf(&header, "x%d,", j)
	}
	cells := zipped("cells.csv.gz", append([]byte(header.String()+"y\n"), bytes.Repeat([]byte("1"+strings.Repeat(",1", 999)+"\n"), 3000)...))
	index := write(t, "index.libsvm", "1 2147483647:1\n0 1:1\n")
	for _, c := range []struct {
		method, file, limit, want string
	}{
		{"linear", commas, "100MB", "commas.csv.gz:1: the line is longer than the limit"},
		{"linear", cells, "18MB", "classes is 1"}, // it is read as a stream
		{"krr", cells, "18MB", "the limit is"},
		{"linear", index, "100MB", "want at most 1048576 for sums over the rows"}, {"krr", index, "100MB", "the limit is"},
		{"nystrom", index, "100MB", "the limit is"}, {"gbdt", index, "100MB", "the limit is"},
	} {
		line := []string{"fit", "--method", c.method, "--data", c.file, "--target", "", "-o", filepath.Join(dir, "m.gram"), "--memory-limit", above(c.limit)}
		if c.file == index {
			line = append(line[:5], line[7:]...)
		}
		p := exec.CommandContext(t.Context(), "sh", "-c", fmt.Sprintf("ulimit -v %d; exec %q", 4<<20, os.Args[0])) // 4 GiB of addresses, which Go does not give back
		p.Env = append(os.Environ(), "GRAM_TEST_COMMAND="+strings.Join(line, "\n"))
		var stderr bytes.Buffer
		p.Stderr = &stderr
		err := p.Run()
		if text := stderr.String(); err == nil || p.ProcessState.ExitCode() != 1 || strings.Count(text, "\n") != 1 || !strings.Contains(text, c.want) {
			t.Errorf("%s on %s: %v, %.300q, want %q", c.method, filepath.Base(c.file), err, text, c.want)
		}
	}
}
