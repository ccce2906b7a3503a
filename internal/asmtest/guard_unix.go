//go:build unix

package asmtest

import (
	"testing"
	"unsafe"

	"github.com/gramworks/gram/num"
	"golang.org/x/sys/unix"
)

// Guarded calls body twice with n writable elements, which start right behind
// a page without access the first time and end right before one the second
// time. An access outside the elements ends the program with a fault that
// names the instruction. If guard pages cannot be made, body gets ordinary
// memory.
func Guarded[F num.Float](t testing.TB, n int, body func(x []F)) {
	t.Helper()
	var f F
	page := unix.Getpagesize()
	bytes := n * int(unsafe.Sizeof(f))
	inner := (bytes + page - 1) / page * page
	if inner == 0 {
		inner = page
	}
	m, err := unix.Mmap(-1, 0, inner+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatalf("asmtest: mmap: %v", err)
	}
	defer func() {
		if err := unix.Munmap(m); err != nil {
			t.Errorf("asmtest: munmap: %v", err)
		}
	}()
	for _, guard := range [][]byte{m[:page], m[page+inner:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatalf("asmtest: mprotect: %v", err)
		}
	}
	at := func(off int) []F {
		return unsafe.Slice((*F)(unsafe.Pointer(&m[off])), n)[:n:n]
	}
	if n == 0 {
		body([]F{})
		return
	}
	body(at(page))
	body(at(page + inner - bytes))
}
