package bench

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/tuning"
)

// ProfilePath returns the file from which a program reads its tuned values when it starts:
// GRAM_PROFILE, or gram/profile.json in the user's configuration folder. It is empty if
// there is no such folder.
func ProfilePath() string { return tuning.Path() }

// CheckProfile returns an error if WriteProfile would lose what a file holds because it
// cannot be read. A file that does not exist is fine.
func CheckProfile(path string) error { return tuning.Writable(path) }

// WriteProfile stores the values, which Tune found, as the profile of this machine at the
// current level. Profiles of other machines in the file stay.
func WriteProfile(path string, values map[string]int) error {
	return tuning.Write(path, tuning.Profile{Machine: tuning.Here(), Threads: runtime.GOMAXPROCS(0), Go: runtime.Version(), Values: values})
}

// ProfileState says which tuned values are in force.
type ProfileState struct {
	File    string `json:"file"`              // where it was looked for; empty: there is no configuration folder
	InForce bool   `json:"in_force"`          // whether it has values for this CPU and level
	Warning string `json:"warning,omitempty"` // why it cannot be used
}

// LoadedProfile returns the state of the profile of this process.
func LoadedProfile() ProfileState { return stateOf(tuning.Loaded(), cpu.Current().String()) }

// stateOf returns the state of the loaded profile at a level.
func stateOf(s tuning.Source, level string) ProfileState {
	p := ProfileState{File: s.Path, InForce: s.Found[level]}
	switch {
	case s.Err != nil:
		p.Warning = strings.ReplaceAll(s.Err.Error(), "\n", "; ")
	case !p.InForce && s.Foreign > 0:
		p.Warning = "it is for other CPUs"
	case !p.InForce && len(s.Found) > 0:
		p.Warning = "it is for other levels of this CPU"
	}
	return p
}

// String returns the state in one line: the file of the profile in force, or that the defaults are in force, and why.
func (p ProfileState) String() string {
	switch {
	case p.InForce:
		return p.File
	case p.Warning != "":
		return fmt.Sprintf("defaults; WARNING: %s is not used: %s", p.File, p.Warning)
	case p.File == "":
		return "defaults (there is no configuration folder)"
	}
	return fmt.Sprintf("defaults (there is no %s; gram tune makes it)", p.File)
}
