package record

import (
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/app/internal/repo"
	"github.com/gramworks/gram/app/papers"
)

// The hash of a table is that of its method's packages and of no other's.
func TestSources(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	s, err := ReadSources(repo.Path(t, "."))
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/gramworks/gram/"
	for id, c := range map[string]struct{ with, without []string }{
		"3.7":    {[]string{"algos/lowrank/meka", "app/papers/protocol", "kernel", "asm/hadamard"}, []string{"algos/kernels/itml", "algos/labels/gimc"}},
		"jain-1": {[]string{"algos/kernels/itml", "metric"}, []string{"algos/lowrank/meka", "algos/labels/gbml"}},
		"6.3":    {[]string{"algos/labels/gbml", "algos/labels/leml"}, []string{"algos/kernels/itml"}},
	} {
		_, packages := s.of(id)
		for _, p := range c.with {
			if !slices.Contains(packages, module+p) {
				t.Errorf("%s without %s", id, p)
			}
		}
		for _, p := range c.without {
			if slices.Contains(packages, module+p) {
				t.Errorf("%s needs %s", id, p)
			}
		}
	}
	hashes := map[string]string{}
	for _, table := range papers.All() {
		h, err := s.Hash(table.ID)
		if err != nil || len(h) != 16 {
			t.Fatalf("%s: %q, %v", table.ID, h, err)
		}
		if hashes[h] != "" {
			t.Errorf("%s and %s have one hash", table.ID, hashes[h])
		}
		hashes[h] = table.ID
		if again, _ := s.Hash(table.ID); again != h {
			t.Errorf("%s: %s, then %s", table.ID, h, again)
		}
	}
	// Code changes the hash of the tables that reach it, a comment none.
	for name, b := range s.text {
		s.text[name] = append(b[:len(b):len(b)], "// more"...)
	}
	was := s.text["jain_1.go"]
	s.text["jain_1.go"] = []byte(strings.Replace(string(was), "{.1, 1}", "{.2, 1}", 1))
	for _, table := range papers.All() {
		h, err := s.Hash(table.ID)
		if err != nil {
			t.Fatal(err)
		}
		if same := hashes[h] == table.ID; same == (table.ID == "jain-1") {
			t.Errorf("%s: the same hash: %v", table.ID, same)
		}
	}
}
