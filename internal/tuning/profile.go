package tuning

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/safefile"
)

// Version of the file format.
const Version = 1

// A Machine is what a profile is good for.
type Machine struct {
	CPU    string `json:"cpu"` // as the CPU calls itself
	Family int    `json:"family"`
	Model  int    `json:"model"`
	Level  string `json:"level"`
}

// Here returns this machine at the level in force.
func Here() Machine { return at(cpu.Current()) }

func at(l cpu.Level) Machine {
	i := cpu.Describe()
	return Machine{CPU: i.Name, Family: i.Family, Model: i.Model, Level: l.String()}
}

// A Profile is the tuned values of one machine. Parameters that it does not name
// keep their defaults.
type Profile struct {
	Machine
	Threads int            `json:"threads"` // GOMAXPROCS when it was measured
	Go      string         `json:"go"`
	Values  map[string]int `json:"values"`
}

// Named returns v by names.
func (v *Values) Named() map[string]int {
	m := map[string]int{}
	for p, x := range v {
		m[Parameter(p).String()] = x
	}
	return m
}

// resolve returns the profile's values over the defaults.
func (p *Profile) resolve() (Values, error) {
	v := Defaults()
	known := All()
	for name, x := range p.Values {
		i := slices.IndexFunc(known, func(q Parameter) bool { return q.String() == name })
		if i < 0 {
			return v, fmt.Errorf("%q is not a parameter", name)
		}
		v[i] = x
	}
	return v, v.check()
}

// file is the content of a profile file: one profile per machine.
type file struct {
	Version  int       `json:"version"`
	Profiles []Profile `json:"profiles"`
}

// most is the largest file that is read.
const most = 1 << 20

// Read returns the profiles in a file. The error is fs.ErrNotExist if there is
// none; any other error says what is wrong with it.
func Read(path string) ([]Profile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file") // reading a pipe could wait forever
	}
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if len(b) > most {
		return nil, fmt.Errorf("longer than %d bytes", most)
	}
	var all file
	d := json.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("not a profile: %w", err)
	}
	if all.Version != Version {
		return nil, fmt.Errorf("version %d, want %d", all.Version, Version)
	}
	for _, p := range all.Profiles {
		if _, err := p.resolve(); err != nil {
			return nil, err
		}
	}
	return all.Profiles, nil
}

// Writable returns an error if Write could not keep the profiles that are in a
// file.
func Writable(path string) error {
	_, err := Read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is left as it is, because it cannot be read: %w", path, err)
	}
	return nil
}

// Write puts p into a file in place of the profile for the same machine, if there
// is one; the others stay. The file and its folder are made if they do not exist.
func Write(path string, p Profile) error {
	if err := Writable(path); err != nil {
		return err
	}
	profiles, _ := Read(path)
	if i := slices.IndexFunc(profiles, func(q Profile) bool { return q.Machine == p.Machine }); i >= 0 {
		profiles[i] = p
	} else {
		profiles = append(profiles, p)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return safefile.Write(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "\t")
		return e.Encode(file{Version: Version, Profiles: profiles})
	})
}

// Path returns the file that profiles are read from: GRAM_PROFILE, or
// gram/profile.json in the user's configuration folder. It is empty if there is
// no such folder.
func Path() string {
	if p := os.Getenv("GRAM_PROFILE"); p != "" {
		return p
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "gram", "profile.json")
}

// Source says where the values in force came from.
type Source struct {
	Path    string          // the file that was looked for
	Found   map[string]bool // levels that it has values for on this CPU
	Foreign int             // profiles in it for other machines
	Err     error           // why it could not be used; nil also if there is none and none was asked for
}

// Loaded returns where the values in force at the start came from. The file is
// read when the first value is needed.
func Loaded() Source {
	once.Do(load)
	return loaded
}

// load reads the file, once. Whatever is wrong with it, the defaults remain.
func load() {
	var values map[cpu.Level]Values
	loaded, values = lookUp(Path())
	for l := range force {
		v, ok := values[cpu.Level(l)]
		if !ok {
			v = Defaults()
		}
		force[l].Store(&v)
	}
}

// lookUp returns what a file has for this CPU.
func lookUp(path string) (Source, map[cpu.Level]Values) {
	s := Source{Path: path, Found: map[string]bool{}}
	if path == "" {
		return s, nil
	}
	profiles, err := Read(path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) || os.Getenv("GRAM_PROFILE") != "" {
			s.Err = err
		}
		return s, nil
	}
	values := map[cpu.Level]Values{}
	for _, p := range profiles {
		l, err := cpu.ParseLevel(p.Level)
		if err != nil || p.Machine != at(l) {
			s.Foreign++
			continue
		}
		values[l], _ = p.resolve() // Read has looked at the error
		s.Found[p.Level] = true
	}
	return s, values
}
