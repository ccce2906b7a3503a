// Gen writes the dispatch of the families of package asm. For each family it
// writes dispatch_amd64.go, dispatch_arm64.go and dispatch_noasm.go to the
// family's directory. These files declare the assembly routines, choose among
// them by the level in force, and list the levels for the tests. For a family with
// an [assembly] it writes the entries of the routines, too. Gen also copies
// the headers that a family shares with another one. Run it with
//
//	go generate ./asm/...
//
// # How to add a routine
//
// Write the portable function fooGeneric[F num.Float], which defines the result,
// and the assembly foo64AVX2, foo32AVX2, foo64NEON and so on. Call foo, which
// this program makes, and describe foo in the table of its family. The table of
// family NAME is NAME.go in this directory. In the simplest case a routine is one
// line,
//
//	{Func: "foo(x, y []F) F", Cases: on(AVX2 | AVX512 | NEON)},
//
// and the assembly has the signature of foo with float64 or float32 for F.
//
// A case says at which levels there is a variant, and how the variant is called:
//
//   - Stub is the signature of the assembly, if it differs from that of foo. The routines
//     are named after it: "foo(x *F, n int)" gives foo64AVX2, and "foo#x4(…)",
//     where # stands for the size, gives foo64x4AVX2.
//   - Args are the arguments of the stub in terms of the parameters of Func. By
//     default they are the parameters of the same names. If the stub takes a pointer
//     where Args has a slice, it gets the address of the first element, and values
//     whose types contain F are converted: write "x, stride*128, len(at)".
//   - When is a condition. If it does not hold, the next case is tried, and
//     after the last case of a level the next lower level.
//   - Only is 64 or 32 if only that type has the variant.
//   - Go is a function written by hand that is called instead of assembly, with
//     the arguments of Func. It does what a level does in Go before or after
//     its assembly: a tail, a buffer, a loop over blocks. It is generic, or there is
//     one for each size if its name contains # for the size.
//
// In When and Args the word size stands for the bytes of an element and lanes
// for the elements of a vector register of the level.
//
// The cases of a level are tried in the order of the table, those of AVX512
// before those of AVX2, and Generic is called if none holds. A level without a
// case takes the next lower level. By default Generic is fooGeneric with the
// arguments of Func; it may be another function, an expression, or "none".
//
// A function written by hand under Go calls its assembly through a routine that
// is Direct. Such a routine has, for each of its levels, a function fooAVX2[F],
// which only chooses by the type, and no function foo. A routine whose Func does
// not mention F is not generic: its assembly is called fooAVX2, and if it is
// Direct, no other function is generated.
//
// # How assembly is entered
//
// The assembly of a routine may be a file written by hand, or a body that is written
// once for all types, and where possible for all levels of an architecture, in a header.
// The generated files entry_avx2_amd64.s, entry_avx512_amd64.s and entry_neon_arm64.s
// then hold what follows from the tables: the names by which the bodies call
// registers and instructions, constants, and for each routine the TEXT line, the loads of
// its arguments, the inclusion of the body and the return. Each of them includes
// a header FAMILY_LEVEL_ARCH.h with the macros of the level. The type [entry] says how to describe
// this; routines without an entry are not written. For example,
//
//	{"foo", AVX2 | AVX512, "x=SI,CX; y=DI; #foo; ret=X0"},
//
// loads the slices x and y to SI and DI and the length of x to CX, includes foo_amd64.h, and
// returns the number in X0.
//
// A family whose assembly is a file written by hand becomes one of these when its macros and bodies move to headers and its
// [assembly] to the list of assemblies. Equal machine code before and after shows that nothing else changed: compare
// what go tool objdump prints of the objects that go tool asm makes.
//
// Gen does not check the stubs against the assembly; go vet does, for generated
// files as for those written by hand.
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
