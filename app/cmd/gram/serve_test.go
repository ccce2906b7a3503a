package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets a test run the command as a process of its own, which shows no progress,
// however long it waits for the machine.
func TestMain(m *testing.M) {
	if line := os.Getenv("GRAM_TEST_COMMAND"); line != "" {
		os.Args = append(os.Args[:1], strings.Split(line, "\n")...)
		if limit, err := time.ParseDuration(os.Getenv("GRAM_TEST_TIMEOUT")); err == nil {
			ctx, stop := context.WithTimeout(context.Background(), limit)
			defer stop()
			os.Exit(run(ctx, os.Args[1:], os.Stdout, noProgress{os.Stderr}))
		}
		code := process(noProgress{os.Stderr})
		if path := os.Getenv("GRAM_TEST_STATUS"); path != "" {
			status, _ := os.ReadFile("/proc/self/status")
			_ = os.WriteFile(path, status, 0o600)
		}
		os.Exit(code)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // commands allocate much and keep little
	}
	os.Exit(m.Run())
}

// served starts gram serve as a process and returns its address and a function
// that waits for its end.
func served(t *testing.T, args ...string) (p *os.Process, url string, wait func() error) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), "GRAM_TEST_COMMAND="+strings.Join(append([]string{"serve", "--addr", "127.0.0.1:0"}, args...), "\n"))
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	found := regexp.MustCompile(`http://\S+`).FindString(line)
	if err != nil || found == "" {
		_ = c.Wait()
		t.Fatalf("gram serve prints %q, %v, %q", line, err, stderr.String())
	}
	return c.Process, found, func() error {
		err := c.Wait()
		if stderr.Len() > 0 {
			err = fmt.Errorf("%v, standard error %q", err, stderr.String())
		}
		return err
	}
}

func TestServe(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	dir := small(t)
	data, model := filepath.Join(dir, "rings.libsvm"), filepath.Join(dir, "m.gram")
	ok(t, "fit", "--method", "nystrom", "--data", data, "-o", model, "--set", "m=20", "--scale", "minmax")
	p, url, wait := served(t, "--model", model)
	r, err := http.Post(url+"/v1/predict", "", strings.NewReader(`{"row":[0.5,0.1],"scores":true}`))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(r.Body)
	r.Body.Close()
	want := strings.Fields(ok(t, "predict", "--model", model, "--data", write(t, "x.libsvm", "0 1:0.5 2:0.1\n"), "--scores", "-o", "-"))
	if got := string(text); got != fmt.Sprintf("{\"class\":%q,\"scores\":[%s]}\n", want[0], strings.Join(want[1:], ",")) {
		t.Errorf("%s, gram predict says %v", got, want)
	}

	// A request whose body is on its way when SIGTERM comes is answered; after
	// that nobody listens.
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	body := `{"row":[0.5,0.1]}`
	fmt.Fprintf(c, "POST /v1/predict HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(body), body[:5])
	time.Sleep(100 * time.Millisecond) // until the handler has it
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if other, err := net.Dial("tcp", strings.TrimPrefix(url, "http://")); err != nil {
			break
		} else {
			other.Close()
			time.Sleep(10 * time.Millisecond)
		}
	}
	fmt.Fprint(c, body[5:])
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err = io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != 200 || string(text) != fmt.Sprintf("{\"class\":%q}\n", want[0]) {
		t.Errorf("in flight: %d %q %v", answer.StatusCode, text, err)
	}
	if err := wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
}

// TestServeGrace: a request that does not come to an end does not keep the
// server for longer than told.
func TestServeGrace(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	dir := small(t)
	model := filepath.Join(dir, "m.gram")
	ok(t, "fit", "--method", "linear", "--data", filepath.Join(dir, "rings.libsvm"), "-o", model)
	p, url, wait := served(t, "--model", model, "--grace", "100ms")
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "POST /v1/predict HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
	time.Sleep(100 * time.Millisecond)
	begin := time.Now()
	if err := p.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := wait(); err == nil || !strings.Contains(err.Error(), "still in flight") {
		t.Errorf("%v", err)
	}
	if d := time.Since(begin); d > 5*time.Second {
		t.Errorf("it took %v", d)
	}
}

func TestServeUsage(t *testing.T) {
	dir := small(t)
	model := filepath.Join(dir, "m.gram")
	ok(t, "fit", "--method", "linear", "--data", filepath.Join(dir, "rings.libsvm"), "-o", model)
	fails(t, 2, []string{"--model"}, "serve")
	fails(t, 2, []string{"--max-rows"}, "serve", "--model", model, "--max-rows", "0")
	fails(t, 2, []string{"--max-body"}, "serve", "--model", model, "--max-body", "x")
	fails(t, 2, []string{"--timeout"}, "serve", "--model", model, "--timeout", "0s")
	fails(t, 2, []string{"--max-connections"}, "serve", "--model", model, "--max-connections", "0")
	fails(t, 2, []string{"--max-top"}, "serve", "--model", model, "--max-top", "0")
	fails(t, 2, []string{"--grace"}, "serve", "--model", model, "--grace", "-1ns")
	for want, args := range map[string][]string{
		"--max-active": {"--max-active", "0"}, "--max-queue": {"--max-queue", "-1"}, "--drain": {"--drain", "-1s"}, "--watch": {"--watch", "-1s"},
		"--tls-cert and --tls-key": {"--tls-cert", "c"}, "a name of its own": {"--model", "=m"},
	} {
		fails(t, 2, []string{want}, append([]string{"serve", "--model", model}, args...)...)
	}
	fails(t, 2, []string{"--max-explain"}, "serve", "--model", model, "--max-explain", "0")
	fails(t, 2, []string{"--explain b=rows.csv", `no --model of the name "b"`}, "serve", "--model", model, "--explain", "b=rows.csv")
	fails(t, 2, []string{"has rows already"}, "serve", "--model", model, "--explain", "a.csv", "--explain", "m=b.csv")
	fails(t, 1, []string{"nope.csv"}, "serve", "--model", model, "--explain", "nope.csv")
	fails(t, 2, []string{"--model-memory"}, "serve", "--model", model, "--model-memory", "x")
	fails(t, 1, []string{"m.gram", "the limit is 1000 B"}, "serve", "--model", model, "--model-memory", "1kB")
	// The least values are settings.
	fails(t, 1, []string{"nope.gram"}, "serve", "--model", filepath.Join(dir, "nope.gram"),
		"--max-rows", "1", "--max-top", "1", "--max-connections", "1", "--timeout", "1ns", "--grace", "0s", "--max-body", "1")
	fails(t, 1, []string{"listen"}, "serve", "--model", model, "--addr", "127.0.0.1:99999")
}

// Several models under their names, replaced without a lost request; a token; a listener
// for probes. A file that cannot be read leaves the model that there was.
func TestServeModels(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	dir := small(t)
	first, second, token := filepath.Join(dir, "first.gram"), filepath.Join(dir, "second.gram"), filepath.Join(dir, "token")
	values := write(t, "values.csv", "a,y\n0,1\n1,3\n2,5\n3,7\n")
	fit := func(path string, more ...string) {
		t.Helper()
		ok(t, append([]string{"fit", "--method", "linear", "-o", path}, more...)...)
	}
	fit(first, "--data", filepath.Join(dir, "rings.libsvm"))
	fit(second, "--data", values, "--target", "y", "--task", "regression")
	if err := os.WriteFile(token, []byte("open sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, url, _ := served(t, "--model", first, "--model", "b="+second, "--explain", "b="+values, "--token-file", token, "--watch", "20ms")
	ask := func(path, bearer, body string) (int, string) {
		t.Helper()
		r, err := http.NewRequest(http.MethodPost, url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if body == "" {
			r.Method = http.MethodGet
		}
		r.Header.Set("Authorization", "Bearer "+bearer)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	if status, text := ask("/v1/model", "wrong", ""); status != 401 {
		t.Errorf("a wrong token: %d %s", status, text)
	}
	if _, text := ask("/v1/models", "open sesame", ""); !strings.HasPrefix(text, `{"models":["first","b"],"versions":{"b":"`) {
		t.Errorf("the models are %s", text)
	}
	value := func() string {
		t.Helper()
		status, text := ask("/v1/models/b/predict", "open sesame", `{"row":[10]}`)
		if status != 200 {
			t.Fatalf("%d %s", status, text)
		}
		return text
	}
	explained := func(want string) {
		t.Helper()
		if status, text := ask("/v1/models/b/predict?explain=1", "open sesame", `{"row":[10]}`); status != 200 || !strings.Contains(text, want) {
			t.Errorf("an explanation is %d %s", status, text)
		}
	}
	explained(`"explanation":{"output":"","unit":"value","mean":`)
	if status, _ := ask("/v1/predict?explain=1", "open sesame", `{"row":[1,1]}`); status != 400 {
		t.Errorf("a model without rows is explained: %d", status)
	}
	before := value()
	until := func(what string, done func() bool) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal(what)
			}
		}
	}
	fit(second, "--data", write(t, "other.csv", "a,y\n0,-1\n1,-3\n2,-5\n3,-7\n"), "--target", "y", "--task", "regression")
	until("the model is never read again", func() bool { return value() != before })
	after := value()
	explained(`"contributions":[-`)
	if err := os.WriteFile(second+".new", []byte("rubbish"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(second+".new", second); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	if value() != after {
		t.Error("a file of rubbish changes the model")
	}
	fit(second, "--data", values, "--target", "y", "--task", "regression")
	if err := p.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	until("the model is not read at SIGHUP", func() bool { return value() == before })
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}
