package dataset

import (
	"strings"
	"testing"
)

// Files that are no data are refused by what they are, whatever their names.
func TestForeignFiles(t *testing.T) {
	for begin, want := range map[string]string{
		"\xff\xfea\x00,\x00y\x00\n\x00":                       "UTF-16",
		"PK\x03\x04\x14\x00":                                  "workbook",
		"\xfd7zXZ\x00\x00":                                    "xz",
		"\x89PNG\r\n\x1a\n\x00":                               "picture",
		"\x40\x00\x00\x00\x00\x00\x00\x00{\"__metadata__\":{": "a model",
		"a,y\n1,2\n\x00,3\n":                                  "not text, as csv files are",
	} {
		for _, name := range []string{"data.csv", "data"} {
			_, err := Read(strings.NewReader(begin), Options{Name: name, Table: true})
			if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), name+": ") {
				t.Errorf("%s %q: %v, want %q", name, begin, err, want)
			}
		}
	}
}
