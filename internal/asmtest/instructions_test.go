//go:build linux && amd64 && !noasm && !race

package asmtest

import (
	"bufio"
	"bytes"
	"debug/elf"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

// most is how many times as many instructions as AVX2 NEON may take: its vectors have half the numbers, and its
// arithmetic has no operands in memory.
const most = 2.5

// beyond lists the calls that take more, and how many times as many.
var beyond = map[string]float64{
	"trees Add small": 5, // AVX2 loads four or eight values by one instruction, which is many inside the CPU
	"trees Add large": 5,
}

// side is one of the two machines that TestInstructions compares.
type side struct{ goarch, level, emulator string }

// TestInstructions counts the instructions of every family's calls of Dispatch at AVX2 and at NEON, in their routines
// alone, as emulators execute them one by one. A load or store of up to four vectors is one instruction of NEON.
// With -v it prints the counts and what NEON takes for each instruction of AVX2.
func TestInstructions(t *testing.T) {
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	sides := [2]side{{"amd64", "avx2", "qemu-x86_64-static"}, {"arm64", "neon", "qemu-aarch64-static"}}
	for _, s := range sides {
		if _, err := exec.LookPath(s.emulator); err != nil {
			t.Skipf("no emulator %s (Debian: qemu-user-static)", s.emulator)
		}
	}
	files := must.Have(filepath.Glob("../../asm/*/dispatch_arm64.go"))(t)
	if len(files) == 0 {
		t.Fatal("no families")
	}
	known, ran := maps.Clone(beyond), 0
	for _, file := range files {
		folder := filepath.Dir(file)
		family := filepath.Base(folder)
		t.Run(family, func(t *testing.T) {
			ran++
			avx2, neon := instructions(t, sides[0], folder), instructions(t, sides[1], folder)
			compared := 0
			for _, name := range slices.Sorted(maps.Keys(neon)) {
				if _, both := avx2[name]; !both {
					continue
				}
				compared++
				times, bound := float64(neon[name])/float64(avx2[name]), most
				if b, is := known[family+" "+name]; is {
					bound = b
					delete(known, family+" "+name)
				}
				t.Logf("%-60s %7d %7d %5.2f", name, avx2[name], neon[name], times)
				if !(times > 0 && times <= bound) {
					t.Errorf("%s takes %d instructions at NEON, %.2f times those of AVX2; it may be %g", name, neon[name], times, bound)
				}
			}
			if compared == 0 {
				t.Error("nothing is compared")
			}
		})
	}
	if ran == len(files) && len(known) > 0 {
		t.Errorf("%v are no calls", slices.Sorted(maps.Keys(known)))
	}
}

// ofLevel matches the names of routines of a level.
var ofLevel = regexp.MustCompile(`/gram/asm/.*(AVX2|NEON)(\[.*\])?(\.abi0)?$`)

// instructions returns the number of instructions of each call of TestDispatch of a family, which runs under an emulator
// that prints the address of every instruction of the routines.
func instructions(t *testing.T, s side, folder string) map[string]int {
	t.Helper()
	program := filepath.Join(t.TempDir(), "test")
	build := exec.Command("go", "test", "-c", "-o", program, ".")
	build.Dir, build.Env = folder, append(os.Environ(), "CGO_ENABLED=0", "GOARCH="+s.goarch)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ranges, mark := routineRanges(t, program)
	run := exec.Command(s.emulator, "-singlestep", "-d", "exec,nochain", "-dfilter", ranges, program, "-test.run", "^TestDispatch$")
	run.Dir, run.Env = folder, append(os.Environ(), "GRAM_LEVEL="+s.level, countLevel+"="+s.level)
	var out strings.Builder
	run.Stdout = &out
	trace := must.Have(run.StderrPipe())(t)
	must.Do(t, run.Start())
	var counts []int
	last := uint64(0)
	for lines := bufio.NewScanner(trace); lines.Scan(); {
		pc := address(lines.Bytes())
		if pc == 0 || pc == last { // a signal came before the instruction, which is printed again
			continue
		}
		switch {
		case pc == mark:
			counts = append(counts, 0)
		case len(counts) > 0:
			counts[len(counts)-1]++
		}
		last = pc
	}
	must.Do(t, run.Wait())
	sums, calls := map[string]int{}, 0
	for line := range strings.Lines(out.String()) {
		if name, is := strings.CutPrefix(line, countLevel+" "); is && calls < len(counts) {
			sums[strings.TrimSpace(name)] += counts[calls]
			calls++
		}
	}
	if calls == 0 || calls != len(counts) {
		t.Fatalf("%d calls and %d marks\n%s", calls, len(counts), out.String())
	}
	return sums
}

// address returns the address in a line such as "Trace 0: 0x7f01 [0009331/0173770/0201] name", or 0.
func address(line []byte) uint64 {
	if !bytes.HasPrefix(line, []byte("Trace ")) {
		return 0
	}
	_, rest, _ := bytes.Cut(line, []byte("/"))
	hex, _, _ := bytes.Cut(rest, []byte("/"))
	pc, err := strconv.ParseUint(string(hex), 16, 64)
	if err != nil {
		return 0
	}
	return pc
}

// routineRanges returns the addresses of the routines of a program as the emulators take them, and that of mark.
func routineRanges(t *testing.T, program string) (ranges string, mark uint64) {
	t.Helper()
	f := must.Have(elf.Open(program))(t)
	defer f.Close()
	var all []string
	for _, s := range must.Have(f.Symbols())(t) {
		switch {
		case strings.HasSuffix(s.Name, "internal/asmtest.mark"):
			mark = s.Value
			all = append(all, fmt.Sprintf("%#x+1", mark))
		case ofLevel.MatchString(s.Name) && s.Size > 0:
			all = append(all, fmt.Sprintf("%#x+%d", s.Value, s.Size))
		}
	}
	if mark == 0 || len(all) < 2 {
		t.Fatalf("%s has no routines", program)
	}
	slices.Sort(all)
	return strings.Join(all, ","), mark
}
