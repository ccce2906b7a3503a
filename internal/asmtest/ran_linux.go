//go:build !noasm && (amd64 || arm64)

package asmtest

import (
	"debug/elf"
	"debug/gosym"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The first 16 bytes of a watched routine are replaced by a jump to landed,
// which records that the routine ran, restores the bytes and continues with the
// routine.

// landed is where the entry of a routine jumps to, with the routine in a
// register.
//
//lint:ignore U1000 assembly refers to it
func landed()

// landing returns the address of landed, to which the watched routines jump.
func landing() uint64

// poke writes 16 bytes of machine code at an address, which must be writable.
func poke(addr uint64, text [2]uint64)

// peekText returns the 16 bytes of machine code at an address.
func peekText(addr uint64) [2]uint64

var routines = sync.OnceValues(findRoutines)

// findRoutines lists the routines in assembly of the kernel families that are
// linked into this program.
func findRoutines() ([]*routine, error) {
	const module = "github.com/gramworks/gram/"
	f, err := elf.Open("/proc/self/exe")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	section, text := f.Section(".gopclntab"), f.Section(".text")
	if section == nil || text == nil {
		return nil, fmt.Errorf("asmtest: the program has no table of functions")
	}
	data, err := section.Data()
	if err != nil {
		return nil, err
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(data, text.Addr))
	if err != nil {
		return nil, err
	}
	pc, _, _, _ := runtime.Caller(0)
	self := runtime.FuncForPC(pc)
	known := table.LookupFunc(self.Name())
	if known == nil {
		return nil, fmt.Errorf("asmtest: the table of functions lacks %s", self.Name())
	}
	slide := uint64(self.Entry()) - known.Entry // the program may be loaded at another address
	var all []*routine
	for i := range table.Funcs {
		fn := &table.Funcs[i]
		if !strings.HasPrefix(fn.Name, module+"asm/") {
			continue
		}
		if file, _, _ := table.PCToLine(fn.Entry); !strings.HasSuffix(file, ".s") && !strings.HasSuffix(file, ".h") {
			continue
		}
		level, ok := levelOf(fn.Name)
		if !ok {
			return nil, fmt.Errorf("asmtest: the name of %s does not end with a level", fn.Name)
		}
		entry := fn.Entry + slide
		all = append(all, &routine{entry: entry, text: peekText(entry), name: fn.Name, level: level})
	}
	return all, nil
}

// watch records which of the selected routines run until stop is called, which
// returns them. Other goroutines must not run them meanwhile. If the system
// does not let a program change its machine code, nothing is watched.
func watch(t testing.TB, selected func(*routine) bool) (stop func() []*routine) {
	t.Helper()
	all, err := routines()
	if err != nil {
		t.Fatal(err)
	}
	var mine []*routine
	for _, r := range all {
		if !r.armed && selected(r) {
			mine = append(mine, r)
		}
	}
	if len(mine) == 0 {
		return func() []*routine { return nil }
	}
	if err := protect(all, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC); err != nil {
		t.Log("routines are not watched: ", err)
		return func() []*routine { return nil }
	}
	for _, r := range mine {
		r.armed = true
		atomic.StoreUint64(&r.ran, 0)
		poke(r.entry, jump(r.entry, landing(), uint64(uintptr(unsafe.Pointer(r)))))
	}
	return func() (ran []*routine) {
		for _, r := range mine {
			poke(r.entry, r.text)
			r.armed = false
			if atomic.LoadUint64(&r.ran) != 0 {
				ran = append(ran, r)
			}
		}
		if !slices.ContainsFunc(all, func(r *routine) bool { return r.armed }) {
			if err := protect(all, unix.PROT_READ|unix.PROT_EXEC); err != nil {
				t.Error(err)
			}
		}
		return ran
	}
}

// protect sets the access to the pages that contain the entries of all
// routines.
func protect(all []*routine, access uintptr) error {
	page := uint64(unix.Getpagesize())
	lo, hi := all[0].entry, all[0].entry
	for _, r := range all {
		lo, hi = min(lo, r.entry), max(hi, r.entry)
	}
	lo, hi = lo&^(page-1), (hi+16+page-1)&^(page-1)
	if _, _, errno := unix.Syscall(unix.SYS_MPROTECT, uintptr(lo), uintptr(hi-lo), access); errno != 0 {
		return errno
	}
	return nil
}
