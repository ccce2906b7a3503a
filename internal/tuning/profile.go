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

// Version is the version of the file format.
const Version = 1

// A Machine identifies the CPU and level for which a profile holds.
type Machine struct {
	CPU    string `json:"cpu"` // name that the CPU reports
	Family int    `json:"family"`
	Model  int    `json:"model"`
	Level  string `json:"level"`
}

// Here returns this machine at the current level.
func Here() Machine { return at(cpu.Current()) }

func at(l cpu.Level) Machine {
	i := cpu.Describe()
	return Machine{CPU: i.Name, Family: i.Family, Model: i.Model, Level: l.String()}
}

// A Profile holds the tuned values of one machine. Parameters that it does not
// name keep their defaults.
type Profile struct {
	Machine
	Threads int            `json:"threads"` // GOMAXPROCS during the measurement
	Go      string         `json:"go"`
	Values  map[string]int `json:"values"`
}

// Named returns the values by the names of their parameters.
func (v *Values) Named() map[string]int {
	m := map[string]int{}
	for p, x := range v {
		m[Parameter(p).String()] = x
	}
	return m
}

// retired is a parameter of older profiles: pieces of a product for each goroutine.
const retired = "pieces"

// resolve returns the defaults overridden by the values of the profile.
func (p *Profile) resolve() (Values, error) {
	v := Defaults()
	known := All()
	for name, x := range p.Values {
		if name == retired {
			continue
		}
		i := slices.IndexFunc(known, func(q Parameter) bool { return q.String() == name })
		if i < 0 {
			return v, fmt.Errorf("%q is not a parameter", name)
		}
		v[i] = x
	}
	return v, v.check()
}

// file is the content of a profile file, with at most one profile per machine.
type file struct {
	Version  int       `json:"version"`
	Profiles []Profile `json:"profiles"`
}

// most is the size of the largest file that is read, in bytes.
const most = 1 << 20

// Read returns the profiles in a file. The error is fs.ErrNotExist if there is no
// file; any other error says what is wrong with the file.
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

// Writable returns an error if Write would lose profiles in the file because it
// cannot read them.
func Writable(path string) error {
	_, err := Read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is left as it is, because it cannot be read: %w", path, err)
	}
	return nil
}

// Write puts p into a file and replaces the profile of the same machine, if there
// is one; other profiles stay. The file and its directory are made if they do not
// exist.
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
// gram/profile.json in the user's configuration directory. It is empty if there
// is no such directory.
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

// Source says where the values in force come from.
type Source struct {
	Path    string          // file that was looked for
	Found   map[string]bool // levels for which it has values on this CPU
	Foreign int             // number of profiles for other machines
	Err     error           // why the file could not be used; nil also if the default file does not exist
}

// Loaded returns where the values in force at the start came from. The file is
// read when the first value is needed.
func Loaded() Source {
	once.Do(load)
	return fileProfile
}

// load reads the file once. If anything is wrong with it, the defaults stay in
// force.
func load() {
	var values map[cpu.Level]Values
	fileProfile, values = lookUp(Path())
	for l := range force {
		v, ok := values[cpu.Level(l)]
		if !ok {
			v = Defaults()
		}
		force[l].Store(&v)
	}
}

// lookUp returns the values that a file has for this CPU.
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
		values[l], _ = p.resolve() // Read has checked the error
		s.Found[p.Level] = true
	}
	return s, values
}
