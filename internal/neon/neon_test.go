package neon

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

// TestFresh compares the generated files, and the copies of the header in the
// kernel packages, with the current table.
func TestFresh(t *testing.T) {
	asm, _ := Exec()
	same(t, "exec_arm64.s", asm)
	copies := 0
	for _, root := range []string{".", "../../asm"} {
		must.Do(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Name() == "neon_arm64.h" {
				copies++
				same(t, path, Header())
			}
			return err
		}))
	}
	if copies == 0 {
		t.Error("no header found")
	}
}

func same(t *testing.T, path, want string) {
	t.Helper()
	got := must.Have(os.ReadFile(path))(t)
	if string(got) != want {
		t.Errorf("%s is stale: run go generate in its folder", path)
	}
}

// TestEncoding compares every encoding with that of the GNU assembler.
func TestEncoding(t *testing.T) {
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	as, err := exec.LookPath("aarch64-linux-gnu-as")
	if err != nil {
		t.Skip("no aarch64-linux-gnu-as (Debian: binutils-aarch64-linux-gnu)")
	}
	var src strings.Builder
	var want []uint32
	var text []string
	for _, in := range Table {
		for _, imm := range in.immediates() {
			for _, v := range in.variants() {
				line := strings.NewReplacer("{m}", fmt.Sprint(v[0]), "{n}", fmt.Sprint(v[1]), "{d}", fmt.Sprint(v[2]), "{i}", fmt.Sprint(imm)).Replace(in.GNU)
				fmt.Fprintln(&src, line)
				text = append(text, line)
				want = append(want, in.encode(in.operands(imm, v)...))
			}
		}
	}
	dir := t.TempDir()
	obj, bin := filepath.Join(dir, "a.o"), filepath.Join(dir, "a.bin")
	cmd := exec.Command(as, "-o", obj, "-")
	cmd.Stdin = strings.NewReader(src.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command("aarch64-linux-gnu-objcopy", "-O", "binary", "-j", ".text", obj, bin).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	code := must.Have(os.ReadFile(bin))(t)
	if len(code) != 4*len(want) {
		t.Fatalf("%d instructions assembled, want %d", len(code)/4, len(want))
	}
	for i, w := range want {
		if got := binary.LittleEndian.Uint32(code[4*i:]); got != w {
			t.Errorf("%s is %08X, the table gives %08X", text[i], got, w)
		}
	}
}

// encode returns the instruction word for operands in the order of the macro.
func (in Inst) encode(op ...uint32) uint32 {
	switch in.Form {
	case MND:
		return in.Base | op[0]<<16 | op[1]<<5 | op[2]
	case ND:
		return in.Base | op[0]<<5 | op[1]
	case Lane:
		w := in.Base | op[1]<<16 | op[2]<<5 | op[3]
		if strings.HasSuffix(in.Name, "_D2") {
			return w | op[0]<<11
		}
		return w | (op[0]&1)<<21 | (op[0]>>1)<<11
	case Pair:
		return in.Base | op[0]<<15 | op[2]<<10 | op[3]<<5 | op[1]
	default:
		return in.Base - op[0]<<16 + op[1]<<5 + op[2]
	}
}
