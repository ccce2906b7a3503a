package papers_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/app/papers"
)

// A data set that is not at hand gives rows that say so.
func ExampleFind() {
	t, err := papers.Find("3.7")
	if err != nil {
		panic(err)
	}
	notes := map[string]bool{}
	if err := t.Run(context.Background(), papers.Env{}, func(r papers.Row) { notes[r.Note] = true }); err != nil {
		panic(err)
	}
	fmt.Println(notes)
	// Output: map[no data:true]
}
