package papers

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/dataset"
)

// TestJain1: where one column is noise and a thousand times as large as those that
// tell the classes, scaling decides, and it is chosen by the training part.
func TestJain1(t *testing.T) {
	dir := t.TempDir()
	var b bytes.Buffer
	x, y := dataset.Blobs(48, 3, 3, 6, 1)
	noise := dataset.Normal(48, 1, 2)
	for i := range 48 {
		fmt.Fprintf(&b, "%d 1:%g", y.Class[i], 1000*noise.At(i, 0))
		for j, v := range x.RawRowView(i) {
			fmt.Fprintf(&b, " %d:%g", j+2, v)
		}
		fmt.Fprintln(&b)
	}
	if err := os.WriteFile(filepath.Join(dir, "wine.libsvm"), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, r := range rowsOf(t, "jain-1", Env{Data: protocol.At(dataset.Dir(dir)), Quick: true, Repeats: 1, Set: map[string]string{"only": "wine", "pairs": "40"}}) {
		got[r.Dataset+" "+r.Method] = *r.Got
		if strings.HasSuffix(r.Dataset, "scaling chosen") && r.Method == "ITML" && !strings.Contains(r.Note, "standardised 2×") {
			t.Errorf("scaling of ITML: %s", r.Note)
		}
	}
	if want := 4 * len(jainMethods); len(got) != want {
		t.Errorf("%d rows, want %d", len(got), want)
	}
	for _, m := range []string{"Gaussian", "Frob", "ITML", "Trace-SSIKDR"} {
		raw, scaled, chosen := got["wine, as it is "+m], got["wine, standardised "+m], got["wine, scaling chosen "+m]
		if !(scaled >= 0.85 && scaled > raw && chosen >= 0.85) {
			t.Errorf("%s: as it is %.3f, standardised %.3f, chosen %.3f", m, raw, scaled, chosen)
		}
	}
	for _, r := range rowsOf(t, "jain-1", Env{Data: protocol.At(dataset.Dir(dir)), Quick: true, Repeats: 1, Set: map[string]string{"only": "wine", "pairs": "40", "all-rows": "true"}}) {
		name := r.Dataset + " " + r.Method
		switch v := got[name]; {
		case r.Method == "Gaussian" && *r.Got != v:
			t.Errorf("%s: %v with constraints on all rows, which it does not look at, %v without", name, *r.Got, v)
		case name == "wine, as it is ITML" && !(*r.Got > v):
			t.Errorf("%s: %v with constraints on the test part, too, %v without", name, *r.Got, v)
		}
		if r.Seen != "constraints on the rows of both parts" {
			t.Errorf("seen %q", r.Seen)
		}
	}
}
