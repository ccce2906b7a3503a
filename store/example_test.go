package store_test

import (
	"fmt"

	"github.com/gramworks/gram/store"
)

// A file lies in a folder of the disk or below a prefix of a bucket, as its path says.
func ExampleJoin() {
	for _, dir := range []string{"models", "s3://bucket/models/"} {
		path := store.Join(dir, "m.gram")
		fmt.Println(path, store.Remote(path))
	}
	// Output:
	// models/m.gram false
	// s3://bucket/models/m.gram true
}
