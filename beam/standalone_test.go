//go:build linux

package beam

import (
	"bytes"
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
// model, and the next one goes on with what is there. This holds for sums, for products and for trees.
func TestStandalone(t *testing.T) {
	if testing.Short() {
		t.Skip("builds Prism and the command")
	}
	dir := t.TempDir()
	c := &cluster{dir: dir, command: build(t, dir, "gram-beam", "./cmd/gram-beam")}
	c.address = prism(t, build(t, dir, "prism", "github.com/apache/beam/sdks/v2/go/cmd/prism"))
	if err := dataset.Save(t.Context(), c.at("data.csv"), dataset.Friedman1(60000, 10, .1, 1)); err != nil {
		t.Fatal(err)
	}
	t.Run("nystrom", func(t *testing.T) { c.fits(t, "nystrom", []string{"m=128", "gamma=0.5"}, []string{"scan", "normal"}) })
	t.Run("falkon", func(t *testing.T) {
		c.fits(t, "falkon", []string{"m=64", "gamma=0.5", "lambda=0.1", "tol=0.01"}, []string{"products-000", "products-002"})
	})
	t.Run("gbdt", func(t *testing.T) {
		c.fits(t, "gbdt", []string{"rounds=2", "leaves=4"}, []string{"bins", "trees-000000-001", "trees-000001-000"})
	})

	for _, wrong := range []struct{ args, want string }{
		{"fit --model m", "--work is missing"},
		{"fit --work " + dir + " --model m", "is no folder of a job"},
		{"fit --data " + c.at("data.csv"), "not defined: -data"},
	} {
		if out, err := exec.Command(c.command, strings.Fields(wrong.args)...).CombinedOutput(); err == nil || !strings.Contains(string(out), wrong.want) {
			t.Errorf("%s: %v, %q", wrong.args, err, out)
		}
	}

	// A worker that dies before it has connected is never missed by Prism.
	if err := os.WriteFile(c.at("boot.sh"), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	dead, stderr := c.fit(t, "dead", "nystrom", []string{"m=128"}, append(c.process(), "--stall=2s")...)
	if err := dead.Wait(); dead.ProcessState.ExitCode() != 1 || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), "the same command goes on") || time.Since(begun) > time.Minute {
		t.Errorf("%v after %v, %q", err, time.Since(begun), stderr)
	}
}

// cluster is a Prism with the command, and a folder for data.csv, models and work.
type cluster struct{ dir, command, address string }

func (c *cluster) at(name string) string { return filepath.Join(c.dir, name) }

// process returns the flags with which Prism starts boot.sh as a worker. Prism does not always see that it is
// dead: then --stall ends the command.
func (c *cluster) process() []string {
	return []string{"--stall=20s", "--environment_type=PROCESS", fmt.Sprintf(`--environment_config={"command":%q}`, c.at("boot.sh"))}
}

// fit starts a fit that writes the model name.
func (c *cluster) fit(t *testing.T, name, method string, settings []string, more ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	if _, err := job.Create(c.at(name+".work"), c.job(t, method, settings)); err != nil {
		t.Fatal(err)
	}
	args := []string{"fit", "--work", c.at(name + ".work"), "--model", c.at(name), "--runner=universal", "--endpoint=" + c.address}
	run := exec.Command(c.command, append(args, more...)...)
	var stderr bytes.Buffer
	run.Stderr = &stderr
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	return run, &stderr
}

// job is what is fitted to data.csv.
func (c *cluster) job(t *testing.T, method string, settings []string) *job.Job {
	t.Helper()
	j, err := job.New(job.Spec{Data: c.at("data.csv"), Task: "regression", Method: method, Settings: settings, Seed: 1, ItemBytes: 200e3, Scale: "auto"})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// fits compares the models of all ways, and kills the worker in each of the passes.
func (c *cluster) fits(t *testing.T, method string, settings, passes []string) {
	j := c.job(t, method, settings)
	w, err := job.Create(filepath.Join(t.TempDir(), "work"), j)
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := w.Fit(t.Context(), gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	want := bytesOf(t, m)
	same := func(name string) {
		t.Helper()
		if have, err := os.ReadFile(c.at(name)); err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is another model, %v", name, err)
		}
	}
	loopback, process := method+"-loopback", method+"-process"
	run, stderr := c.fit(t, loopback, method, settings, "--environment_type=LOOPBACK")
	if err := run.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	same(loopback)

	if err := os.WriteFile(c.at("boot.sh"), fmt.Appendf(nil, boot, c.at("workers"), c.command), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, pass := range passes {
		run, stderr := c.fit(t, process, method, settings, c.process()...)
		made := c.at(process + ".work/" + pass + "-0-*")
		if !c.kill(t, run, made) {
			t.Logf("pass %s ended before its worker was killed", pass)
			continue
		}
		states, _ := filepath.Glob(made)
		if run.ProcessState.ExitCode() != 1 || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), "gram-beam: pass "+pass) {
			t.Errorf("the worker was killed in pass %s after %d of %d states: %v, %q", pass, len(states), len(j.Items), run.ProcessState, stderr)
		}
		if _, err := os.Stat(c.at(process)); err == nil {
			t.Error("there is a model")
		}
	}
	run, stderr = c.fit(t, process, method, settings, c.process()...)
	if err := run.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	same(process)
}

// kill kills the worker that was started last once there is a file of the pattern made, and waits for the end of the command. It
// reports whether the command failed, which it does unless the pass was made in the meantime.
func (c *cluster) kill(t *testing.T, run *exec.Cmd, made string) bool {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	killed := false
	for {
		if states, _ := filepath.Glob(made); !killed && len(states) > 0 {
			text, err := os.ReadFile(c.at("workers"))
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
		case err := <-ended:
			return killed && err != nil
		case <-time.After(time.Millisecond):
		}
	}
}
