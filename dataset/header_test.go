package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
)

// A first line that looks like a row is refused with both remedies: it is a row, or it is a header all the same.
func TestHeaderOfNumbers(t *testing.T) {
	for _, text := range []string{"2019,2020,2021\n2,1,3\n3,4,4\n", "red,2,3\nblue,1,4\nred,4,5\nblue,1,3\n"} {
		lines := strings.Count(text, "\n")
		_, err := Read(strings.NewReader(text), Options{Task: Regression, Format: CSV, Table: true})
		if remedies := Remedies(err); err == nil || !reflect.DeepEqual(remedies, []Options{{NoHeader: true}, {Header: true}}) {
			t.Errorf("%q: %v, remedies %+v", text, err, remedies)
		}
		for _, o := range Remedies(err) {
			header := o.Header
			o.Task, o.Format, o.Table = Regression, CSV, true
			d, err := Read(strings.NewReader(text), o)
			if err != nil {
				t.Errorf("%q with %+v: %v", text, o, err)
				continue
			}
			first, _, _ := strings.Cut(text, ",")
			if n, _ := d.Dims(); header && (n != lines-1 || d.Schema.Columns[0].Name != first) || !header && n != lines {
				t.Errorf("%q with a header %v: %d rows, columns %+v", text, header, n, d.Schema)
			}
		}
	}
	var config *gram.ConfigError
	if _, err := Read(strings.NewReader("a,b\n1,2\n"), Options{Format: CSV, Header: true, NoHeader: true}); !errors.As(err, &config) {
		t.Errorf("with a header and without one: %v", err)
	}
	// The pieces of a file take the same header.
	path := filepath.Join(t.TempDir(), "years.csv")
	must.Do(t, os.WriteFile(path, []byte("1,3,7\n"+strings.Repeat("1,2,3\n4,5,6\n", 50)), 0o666))
	items, _, err := Items(path, 100, Options{Task: Regression, Header: true})
	if err != nil || len(items) < 3 {
		t.Fatalf("%d items, %v", len(items), err)
	}
	rows := 0
	for _, item := range items {
		for block, err := range item.Blocks(t.Context(), Options{Task: Regression, Header: true, Format: CSV, Storage: Dense, Dim: 2}, 10) {
			if err != nil {
				t.Fatal(err)
			}
			n, _ := block.Dims()
			rows += n
		}
	}
	if rows != 100 {
		t.Errorf("the pieces have %d rows of 100", rows)
	}
}
