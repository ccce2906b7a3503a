// Package browser shows pages in a browser, for the tests of those that this module writes.
package browser

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Show opens a page in Chromium, with the given flags for it, and returns the page as it is after its scripts have run, and what
// they write on the console. A machine without a browser that starts skips the test.
func Show(t *testing.T, file string, flags ...string) (dom, console string) {
	t.Helper()
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		// Helpers of the browser may write a little longer than it runs, so that the folder
		// is no t.TempDir, whose removal must not fail.
		profile, err := os.MkdirTemp("", "page")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(profile)
		args := []string{
			"--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
			"--disable-sync", "--disable-extensions", "--user-data-dir=" + profile, "--enable-logging=stderr", "--dump-dom",
		}
		c := exec.CommandContext(ctx, path, append(append(args, flags...), "file://"+filepath.ToSlash(file))...)
		var out, errs bytes.Buffer
		c.Stdout, c.Stderr, c.WaitDelay = &out, &errs, 30*time.Second
		if err := c.Run(); err != nil || !strings.Contains(out.String(), "</html>") {
			t.Skipf("the browser does not run here: %s: %v", name, err)
		}
		return out.String(), errs.String()
	}
	t.Skip("there is no chromium")
	return "", ""
}
