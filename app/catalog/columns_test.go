package catalog_test

import (
	"strings"
	"testing"

	"github.com/gramworks/gram/app/catalog"
)

// Names of columns become their numbers; a name that no column has is an error that knows a similar one.
func TestNumberColumns(t *testing.T) {
	names := []string{"age", "a:b", "size"}
	for text, want := range map[string]string{"age:1,size:-1": "1:1,3:-1", "2:1": "2:1", "a:b:-1,1:1": "1:1,2:-1", "agee:1": "", "other:1": ""} {
		b := catalog.Must("gbdt").New().Settings()
		if err := b.Set("monotone=" + text); err != nil {
			t.Fatal(err)
		}
		err := catalog.NumberColumns(b, names)
		if have := b.Lookup("monotone").String(); want != "" && (err != nil || have != want) {
			t.Errorf("%s is %s, want %s: %v", text, have, want, err)
		}
		name, _, _ := strings.Cut(text, ":")
		if want == "" && (err == nil || !strings.Contains(err.Error(), "monotone is "+name) || strings.Contains(err.Error(), "age?") != (text == "agee:1")) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
