// Command gen writes neon_arm64.h into the current directory. With -exec it
// also writes the functions that the tests of internal/neon run.
package main

import (
	"flag"
	"go/format"
	"log"
	"os"

	"github.com/gramworks/gram/internal/neon"
)

func main() {
	log.SetFlags(0)
	exec := flag.Bool("exec", false, "write exec_arm64.s and exec_arm64.go too")
	flag.Parse()
	write("neon_arm64.h", neon.Header())
	if *exec {
		asm, stubs := neon.Exec()
		write("exec_arm64.s", asm)
		src, err := format.Source([]byte(stubs))
		if err != nil {
			log.Fatal(err)
		}
		write("exec_arm64.go", string(src))
	}
}

func write(name, text string) {
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		log.Fatal(err)
	}
}
