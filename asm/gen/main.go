// Gen writes the dispatch of the families of package asm: for each family, in
// its folder, dispatch_amd64.go, dispatch_arm64.go and dispatch_noasm.go. They
// declare the assembly routines, choose among them by the level in force and
// list the levels for the tests. It also copies the headers that a family shares
// with another one. Run it with
//
//	go generate ./asm/...
//
// # How to add a routine
//
// Write the portable function fooGeneric[F num.Float], which defines the result,
// and the assembly foo64AVX2, foo32AVX2, foo64NEON and so on; call foo, which
// this program makes; and say in the table of the family what foo is. The table
// of family NAME is NAME.go here. In the simplest case a routine is one line,
//
//	{Func: "foo(x, y []F) F", Cases: on(AVX2 | AVX512 | NEON)},
//
// and the assembly has the signature of foo with float64 or float32 for F.
//
// A case says at which levels there is a variant, and how that is called:
//
//   - Stub is the signature of the assembly, if it is another one. The routines
//     are named after it: "foo(x *F, n int)" gives foo64AVX2, and "foo#x4(…)",
//     where # stands for the size, gives foo64x4AVX2.
//   - Args are the arguments of the stub in terms of the parameters of Func. By
//     default they are the parameters of the same names. A slice for which the
//     stub wants a pointer is passed as the address of its first element, and
//     what the types F hold is converted: write "x, stride*128, len(at)".
//   - When is a condition. If it does not hold, the next case is tried, and
//     after the last case of a level the next lower level.
//   - Only is 64 or 32 where only that type has the variant.
//   - Go is a function written by hand that is called instead of assembly, with
//     the arguments of Func. It is for what a level does in Go before or after
//     its assembly: a tail, a buffer, a loop over blocks. It is generic, or one
//     for each size where the name has a # for that.
//
// In When and Args the word size stands for the bytes of an element and lanes
// for the elements of a vector register of the level.
//
// The cases of a level are tried in the order of the table, those of AVX512
// before those of AVX2, and Generic is called where none holds. A level without
// a case takes the next lower one. Generic is fooGeneric with the arguments of
// Func by default; it may be another function or an expression, or "none".
//
// A function written by hand under Go calls its assembly through a routine that
// is Direct: that has, for each of its levels, a function fooAVX2[F], which
// chooses by the type only, and no function foo. A routine whose Func does not
// speak of F is not generic: its assembly is called fooAVX2, and that is all that
// a direct one has.
//
// Nothing here is checked against the assembly: go vet does that, by the stubs.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	dir, err := os.Getwd()
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range families {
		if f.name != filepath.Base(dir) {
			continue
		}
		for name, text := range f.files() {
			if err := os.WriteFile(name, text, 0o644); err != nil {
				log.Fatal(err)
			}
		}
		return
	}
	log.Fatal(fmt.Errorf("no table of a family %s", filepath.Base(dir)))
}
