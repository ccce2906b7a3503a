//go:build linux

package beam

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/job"
	"github.com/gramworks/gram/dataset"
)

// boot is what Prism starts as a worker: it turns the flags that it is given into those of a
// worker, and leaves its process in a file.
const boot = `#!/bin/sh
for a in "$@"; do
	case $a in --id=*) id=${a#--id=};; --provision_endpoint=*) at=${a#--provision_endpoint=};; esac
done
echo $$ >> '%s'
exec '%s' --worker=true --id="$(echo "$id" | tr -d "'")" --control_endpoint="$at" --logging_endpoint="$at" --options='{}'
`

// build builds a command and returns its path.
func build(t *testing.T, dir, name, path string) string {
	t.Helper()
	bin := filepath.Join(dir, name)
	if out, err := exec.Command("go", "build", "-o", bin, path).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", path, err, out)
	}
	return bin
}

// prism starts Prism as a process of its own and returns its address.
func prism(t *testing.T, bin string) string {
	t.Helper()
	free := func() int {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		return l.Addr().(*net.TCPAddr).Port
	}
	at := free()
	p := exec.Command(bin, "--job_port", strconv.Itoa(at), "--web_port", strconv.Itoa(free()), "--log_level", "error")
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.Process.Kill()
		_ = p.Wait()
	})
	address := fmt.Sprintf("localhost:%d", at)
	for range 3000 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return address
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("Prism does not listen")
	return ""
}

// A Prism of its own, with the program itself or with a process that it starts as the worker,
// gives the model of one process. When the worker is killed the command ends with one line and no
// model, and the next one goes on with what is there.
func TestStandalone(t *testing.T) {
	if testing.Short() {
		t.Skip("builds Prism and the command")
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	command := build(t, dir, "gram-beam", "./app/cmd/gram-beam")
	address := prism(t, build(t, dir, "prism", "github.com/apache/beam/sdks/v2/go/cmd/prism"))
	if err := dataset.Save(context.Background(), at("data.csv"), dataset.Friedman1(60000, 10, .1, 1)); err != nil {
		t.Fatal(err)
	}
	spec := job.Spec{Data: at("data.csv"), Task: "regression", Method: "nystrom", Settings: []string{"m=128", "gamma=0.5"}, Seed: 1, ItemBytes: 200e3, Scale: "auto"}
	j, err := job.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := j.Fit(t.Context(), gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	want := bytesOf(t, m)
	same := func(name string) {
		t.Helper()
		if have, err := os.ReadFile(at(name)); err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is another model, %v", name, err)
		}
	}
	fit := func(name string, more ...string) (*exec.Cmd, *bytes.Buffer) {
		c := exec.Command(command, append([]string{"fit", "--data", at("data.csv"), "--task", "regression", "--method", "nystrom", "--set", "m=128", "--set", "gamma=0.5", "--item-bytes", "200000",
			"--work", at(name + ".work"), "--model", at(name), "--runner=universal", "--endpoint=" + address}, more...)...)
		var stderr bytes.Buffer
		c.Stderr = &stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return c, &stderr
	}
	c, stderr := fit("loopback", "--environment_type=LOOPBACK")
	if err := c.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	same("loopback")

	script := fmt.Sprintf(boot, at("workers"), command)
	if err := os.WriteFile(at("boot.sh"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	// Prism does not always see that a worker is dead: then --stall ends the command.
	process := []string{"--stall=20s", "--environment_type=PROCESS", fmt.Sprintf(`--environment_config={"command":%q}`, at("boot.sh"))}
	for _, pass := range []string{"scan", "normal"} {
		c, stderr := fit("process", process...)
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		killed := false
		for running := true; running; {
			if states, _ := filepath.Glob(at("process.work/" + pass + "-0-*")); !killed && len(states) > 0 {
				text, err := os.ReadFile(at("workers"))
				if err != nil {
					t.Fatal(err)
				}
				all := strings.Fields(string(text))
				pid, err := strconv.Atoi(all[len(all)-1])
				if err != nil {
					t.Fatal(err)
				}
				killed = syscall.Kill(pid, syscall.SIGKILL) == nil
			}
			select {
			case err = <-ended:
				running = false
			case <-time.After(time.Millisecond):
			}
		}
		states, _ := filepath.Glob(at("process.work/" + pass + "-0-*"))
		if !killed || len(states) == len(j.Items) {
			t.Logf("pass %s ended before its worker was killed", pass)
			continue
		}
		if c.ProcessState.ExitCode() != 1 || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), "gram-beam: pass "+pass) {
			t.Errorf("the worker was killed in pass %s after %d of %d states: %v, %q", pass, len(states), len(j.Items), err, stderr)
		}
		if _, err := os.Stat(at("process")); err == nil {
			t.Error("there is a model")
		}
	}
	c, stderr = fit("process", process...)
	if err := c.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	same("process")

	// A worker that dies before it has connected is never missed by Prism.
	if err := os.WriteFile(at("boot.sh"), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	c, stderr = fit("dead", append(process, "--stall=2s")...)
	if err := c.Wait(); c.ProcessState.ExitCode() != 1 || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), "the same command goes on") || time.Since(begun) > time.Minute {
		t.Errorf("%v after %v, %q", err, time.Since(begun), stderr)
	}
}
