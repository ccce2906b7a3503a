package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

var (
	loadTime = flag.Duration("serve.load", 0, "how long TestServeLoad loads a server, and holds it to its latency; 0: a moment, answers only")
	loadRate = flag.Int("serve.rate", 2000, "requests a second")
	junkTime = flag.Duration("serve.junk", 0, "how long TestServeJunk goes on; 0: a moment")
)

// columnsOfLoad is the width of a row: that of a small image.
const columnsOfLoad = 256

// loadModel stores a model of many columns and returns its path.
func loadModel(t *testing.T) string {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var text bytes.Buffer
	for i := range 400 {
		fmt.Fprintf(&text, "%d", i%2)
		for j := range columnsOfLoad {
			fmt.Fprintf(&text, " %d:%.3f", j+1, r.Float64()+float64(i%2)*float64(j%3)/10)
		}
		text.WriteByte('\n')
	}
	model := filepath.Join(t.TempDir(), "m.gram")
	ok(t, "fit", "--method", "dcpred", "--data", write(t, "wide.libsvm", text.String()), "-o", model, "--set", "m=32", "--set", "all=true")
	return model
}

// wire is a connection that uses as little of HTTP as possible, so that the client
// costs less than the server.
type wire struct {
	net.Conn
	in *bufio.Reader
}

func dial(url string) (*wire, error) {
	c, err := net.DialTimeout("tcp", strings.TrimPrefix(url, "http://"), time.Minute)
	if err != nil {
		return nil, err
	}
	return &wire{c, bufio.NewReader(c)}, nil
}

// answer reads the status and the body of an answer.
func (w *wire) answer() (status int, body string, err error) {
	line, err := w.in.ReadString('\n')
	if err != nil {
		return 0, "", err
	}
	if _, err := fmt.Sscanf(line, "HTTP/1.1 %d", &status); err != nil {
		return 0, "", fmt.Errorf("%q: %w", line, err)
	}
	length := 0
	for {
		if line, err = w.in.ReadString('\n'); err != nil {
			return 0, "", err
		}
		if line == "\r\n" {
			break
		}
		if v, found := strings.CutPrefix(line, "Content-Length: "); found {
			if length, err = strconv.Atoi(strings.TrimSpace(v)); err != nil {
				return 0, "", err
			}
		}
	}
	text := make([]byte, length)
	_, err = io.ReadFull(w.in, text)
	return status, string(text), err
}

// TestServeLoad sends single rows of 256 columns at a fixed rate over 16
// connections. The time of a request counts from the moment when it was due. With
// -serve.load 99 of 100 requests must be answered within 5 ms.
func TestServeLoad(t *testing.T) {
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	p, url, wait := served(t, "--model", loadModel(t))
	r := rand.New(rand.NewPCG(3, 4))
	body := `{"row":[` + strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%.4f,", r.Float64()), columnsOfLoad), ",") + `]}`
	request := fmt.Appendf(nil, "POST /v1/predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	const clients = 16
	long := max(*loadTime, 200*time.Millisecond)
	gap := clients * time.Second / time.Duration(*loadRate)
	each := int(long / gap)
	times := make([][]time.Duration, clients)
	begin := time.Now().Add(50 * time.Millisecond)
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			w, err := dial(url)
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Close()
			for i := range each {
				due := begin.Add(time.Duration(i)*gap + time.Duration(c)*gap/clients)
				time.Sleep(time.Until(due))
				if _, err := w.Write(request); err != nil {
					t.Error(err)
					return
				}
				status, got, err := w.answer()
				if err != nil || status != 200 || !strings.HasPrefix(got, `{"class":`) {
					t.Errorf("%d %q %v", status, got, err)
					return
				}
				times[c] = append(times[c], time.Since(due))
			}
		})
	}
	wg.Wait()
	took := time.Since(begin)
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := wait(); err != nil {
		t.Error(err)
	}
	all := slices.Concat(times...)
	if t.Failed() || len(all) == 0 {
		return
	}
	slices.Sort(all)
	at := func(q float64) time.Duration { return all[int(q*float64(len(all)-1))] }
	t.Logf("%d requests, %.0f a second: median %v, 99 %% %v, 99.9 %% %v, longest %v",
		len(all), float64(len(all))/took.Seconds(), at(.5), at(.99), at(.999), at(1))
	if *loadTime > 0 && !(at(.99) < 5*time.Millisecond) {
		t.Errorf("99 %% take up to %v", at(.99))
	}
}

// TestServeJunk sends requests that are broken at random, as HTTP, as JSON or as
// rows, cuts them short and leaves without reading. Meanwhile the server must
// answer good requests and answer no row with 5xx, and its memory must not grow.
func TestServeJunk(t *testing.T) {
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	p, url, wait := served(t, "--model", loadModel(t), "--max-body", "64KiB", "--timeout", "1s")
	long := max(*junkTime, 500*time.Millisecond)
	end := time.Now().Add(long)
	var sent, failed atomic.Int64
	var wg sync.WaitGroup
	for c := range 4 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(c), 5))
			for time.Now().Before(end) {
				w, err := dial(url)
				if err != nil {
					t.Error(err)
					return
				}
				_ = w.SetDeadline(time.Now().Add(20 * time.Millisecond))
				_, _ = w.Write(junk(r))
				if r.IntN(4) > 0 {
					status, body, err := w.answer()
					switch {
					case err != nil || status < 500:
					case status == http.StatusNotImplemented || status == http.StatusHTTPVersionNotSupported:
						// What net/http says to a broken Transfer-Encoding or version.
					default:
						t.Errorf("%d %s", status, body)
					}
				}
				w.Close()
				sent.Add(1)
			}
		})
	}
	// Memory is measured after some requests of every kind, and at the end.
	var early int64
	for i := 0; time.Now().Before(end); i++ {
		time.Sleep(long / 20)
		if i == 5 {
			early = resident(p.Pid)
		}
		r, err := http.Post(url+"/v1/predict", "", strings.NewReader(`{"row":{"1":0.5}}`))
		if err != nil {
			t.Errorf("a good request: %v", err)
			break
		}
		r.Body.Close()
		if r.StatusCode != 200 {
			failed.Add(1)
		}
	}
	wg.Wait()
	late := resident(p.Pid)
	t.Logf("%d requests in %v; resident %d MiB, at the end %d MiB", sent.Load(), long, early>>20, late>>20)
	if failed.Load() > 0 {
		t.Errorf("%d good requests were not answered with 200", failed.Load())
	}
	if early > 0 && late > early+early/4+16<<20 {
		t.Errorf("resident memory went from %d to %d bytes", early, late)
	}
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := wait(); err != nil {
		t.Error(err)
	}
}

// resident returns the bytes of a process in memory, 0 where that is not known.
func resident(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	f := strings.Fields(string(text))
	if len(f) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(f[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// junk returns the bytes of a request that is usually broken.
func junk(r *rand.Rand) []byte {
	body := ""
	switch r.IntN(8) {
	case 0:
		body = `{"row":[` + strings.Repeat("1,", r.IntN(2*columnsOfLoad)) + `1]}`
	case 1:
		body = `{"rows":[` + strings.Repeat(`{"1":2},`, r.IntN(3000)) + `{}]}`
	case 2:
		body = strings.Repeat(`{"row":[`, 1+r.IntN(20_000))
	case 3:
		body = fmt.Sprintf(`{"row":{"indices":[%d,%d],"values":[1e%d,%d]},"top":%d}`, r.IntN(300)-5, r.IntN(300), r.IntN(700)-350, r.IntN(9), r.IntN(5)-2)
	case 4:
		body = strings.Repeat("[1,2]\n{\"1\":3}\n\n", r.IntN(2000))
	case 5:
		body = strings.Repeat("x", r.IntN(100_000))
	default:
		body = `{"row":{"7":0.25},"scores":true}`
	}
	kind := []string{"application/json", "application/x-ndjson", "text/plain; charset", "", "\x00"}[r.IntN(5)]
	length := len(body)
	if r.IntN(6) == 0 {
		length = r.IntN(2*length+10) - 5
	}
	header := fmt.Sprintf("POST /v1/predict HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", kind, length)
	if r.IntN(6) == 0 {
		header = fmt.Sprintf("POST /v1/predict?top=%d&scores=%d HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n", r.IntN(9), r.IntN(4), kind, length)
	}
	text := []byte(header + body)
	switch r.IntN(4) {
	case 0: // wrong bytes anywhere
		for range 1 + r.IntN(8) {
			text[r.IntN(len(text))] = byte(r.IntN(256))
		}
	case 1: // wrong bytes in the body
		if len(body) > 0 {
			for range 1 + r.IntN(8) {
				text[len(header)+r.IntN(len(body))] = byte(r.IntN(256))
			}
		}
	case 2:
		text = text[:r.IntN(len(text))]
	}
	return text
}
