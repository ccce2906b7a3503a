package bench

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/blas/openblas"
	"github.com/gramworks/gram/num"
)

// Machine describes the machine and the build that a measurement was made with.
type Machine struct {
	CPU        string `json:"cpu"`
	Cores      int    `json:"cores"` // physical; 0: not known
	Level      string `json:"level"`
	Detected   string `json:"detected"`
	L1D        int    `json:"l1d"` // bytes; 0: not known
	L2         int    `json:"l2"`
	L3         int    `json:"l3"`
	OS         string `json:"os"`
	Arch       string `json:"arch"`
	Go         string `json:"go"`
	GOMAXPROCS int    `json:"gomaxprocs"`
	Backend    string `json:"backend"`          // of the linear algebra, with its version where it has one
	Advice     string `json:"advice,omitempty"` // what would make the backend faster
}

// Here describes the machine that this program runs on, its build, and the level and backend in force.
func Here() Machine {
	i := cpu.Describe()
	name, advice := backend()
	return Machine{
		CPU: i.Name, Cores: i.Cores, Level: cpu.Current().String(), Detected: cpu.Detected().String(),
		L1D: i.L1D, L2: i.L2, L3: i.L3, OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(),
		GOMAXPROCS: runtime.GOMAXPROCS(0), Backend: name, Advice: advice,
	}
}

// backend names the backend in use and says what would make it faster.
func backend() (name, advice string) {
	name = blas.Current().Name()
	switch name {
	case blas.Gonum.Name():
		return name + " " + gonumVersion(), ""
	case "openblas":
		if i, err := openblas.Describe(); err == nil {
			return fmt.Sprintf("%s %s, core %s, threads %d", name, i.Version, i.Core, i.Threads), i.Advice
		}
	}
	return name, ""
}

// gonumVersion is the version of gonum in this program.
func gonumVersion() string {
	info, _ := debug.ReadBuildInfo()
	if info != nil {
		for _, m := range info.Deps {
			if m.Path == "gonum.org/v1/gonum" {
				return m.Version
			}
		}
	}
	return ""
}

// String returns the machine in one line, as reports begin with it.
func (m Machine) String() string {
	name := m.CPU
	if name == "" {
		name = "unknown CPU"
	}
	return fmt.Sprintf("%s, level %s, %s, %s %s/%s, GOMAXPROCS %d, backend %s",
		name, m.Level, m.Caches(), m.Go, m.OS, m.Arch, m.GOMAXPROCS, m.Backend)
}

// Caches are the sizes of the caches in words.
func (m Machine) Caches() string {
	caches := make([]string, 3)
	for i, c := range []int{m.L1D, m.L2, m.L3} {
		caches[i] = "?"
		if c > 0 {
			caches[i] = num.FormatBytes(int64(c))
		}
	}
	return "caches " + strings.Join(caches, " ")
}
