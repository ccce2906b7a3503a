// Package figures keeps what was measured on machines: kernels beside their ceilings, other
// libraries, whole fits and the defaults of methods. A file of the folder results holds the
// runs of one machine. The pages docs/figures/MACHINE.md and the tables of docs/choosing.md
// are written from these files, and each table is of one run.
package figures

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/modelfile"
)

// Dir is the folder of the stored runs in a checkout.
const Dir = "app/figures/results"

// Machine is what is stored of a machine.
type Machine struct {
	Name     string    `json:"-"` // of the file and of the page
	Kernels  *Kernels  `json:"kernels,omitempty"`
	Peers    []Peers   `json:"peers,omitempty"`   // one run of each library, level and number of threads
	Methods  []Methods `json:"methods,omitempty"` // one run of each data set
	Defaults *Defaults `json:"defaults,omitempty"`
}

// Run is a run that can be stored: *Kernels, Peers, Methods or *Defaults. It takes the place of
// the earlier run of the same kind.
type Run interface {
	stamp() bench.Stamp
	put(*Machine)
}

// Kernels is a run of gram bench: the speeds of kernels.
type Kernels struct {
	bench.Stamp
	Quick bool        `json:"quick"`
	Rows  []bench.Row `json:"rows"`
}

// Peers is a run of bench/peers: comparisons with one library, at one level and with one number of threads.
type Peers struct{ bench.Peers }

// Methods is a run of the fits of a study to the data set Data.
type Methods struct {
	bench.Stamp
	Data string `json:"data"`
	Rows []Fit  `json:"rows"`
}

// Defaults are scores of the defaults of methods.
type Defaults struct {
	bench.Stamp
	Quick bool      `json:"quick"`
	Rows  []Default `json:"rows"`
}

func (k *Kernels) stamp() bench.Stamp  { return k.Stamp }
func (p Peers) stamp() bench.Stamp     { return p.Stamp }
func (s Methods) stamp() bench.Stamp   { return s.Stamp }
func (d *Defaults) stamp() bench.Stamp { return d.Stamp }

func (k *Kernels) put(m *Machine)  { m.Kernels = k }
func (d *Defaults) put(m *Machine) { m.Defaults = d }

func (p Peers) put(m *Machine) {
	m.Peers = replace(m.Peers, p, func(o Peers) bool { return o.Peer == p.Peer && o.Level == p.Level && o.Threads == p.Threads })
}

func (s Methods) put(m *Machine) {
	m.Methods = replace(m.Methods, s, func(o Methods) bool { return o.Data == s.Data })
}

// replace puts v in the place of the element that is the same, or else behind the last.
func replace[T any](list []T, v T, same func(T) bool) []T {
	if i := slices.IndexFunc(list, same); i >= 0 {
		list[i] = v
		return list
	}
	return append(list, v)
}

// ReadPeers reads what bench/peers -json has written, one object a library.
func ReadPeers(r io.Reader) ([]Run, error) {
	var out []Run
	for d := json.NewDecoder(r); ; {
		d.DisallowUnknownFields()
		var p Peers
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("comparison %d: %w", len(out)+1, err)
		}
		out = append(out, p)
	}
}

var names = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// CheckName says which names a machine may have.
func CheckName(name string) error {
	if !names.MatchString(name) {
		return fmt.Errorf("the machine is called %q, want small letters, digits and single hyphens, such as epyc-zen3", name)
	}
	return nil
}

// Record stores runs under the name of a machine in the checkout with that root. All must be of
// a program of that revision and of the machine that has the name already.
func Record(root, name, revision string, runs ...Run) error {
	if err := CheckName(name); err != nil {
		return err
	}
	path := filepath.Join(root, filepath.FromSlash(Dir), name+".json")
	m := Machine{Name: name}
	b, err := os.ReadFile(path)
	if err == nil {
		m, err = decode(name, b)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return err
	}
	for _, r := range runs {
		s := r.stamp()
		if s.Revision != revision {
			return fmt.Errorf("a run is of revision %q, and this program and the checkout are of %q", s.Revision, revision)
		}
		if known := m.hardware(); known != "" && hardware(s) != known {
			return fmt.Errorf("%s is the machine %s, and a run is of %s: give this one another name", name, known, hardware(s))
		}
		r.put(&m)
	}
	return modelfile.WriteFile(path, m.write)
}

// hardware describes what stays the same from run to run.
func hardware(s bench.Stamp) string {
	return fmt.Sprintf("%s, %d cores, %s, %s/%s", s.CPU, s.Cores, s.Caches(), s.OS, s.Arch)
}

// hardware describes the machine, "" if it has no runs.
func (m Machine) hardware() string {
	for _, r := range m.runs() {
		return hardware(r.stamp())
	}
	return ""
}

// runs returns the runs that are stored of the machine: kernels, peers, methods, defaults.
func (m Machine) runs() (out []Run) {
	if m.Kernels != nil {
		out = append(out, m.Kernels)
	}
	for _, p := range m.Peers {
		out = append(out, p)
	}
	for _, s := range m.Methods {
		out = append(out, s)
	}
	if m.Defaults != nil {
		out = append(out, m.Defaults)
	}
	return out
}

func decode(name string, b []byte) (Machine, error) {
	m := Machine{}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return m, fmt.Errorf("%s/%s.json: %w", Dir, name, err)
	}
	m.Name = name
	return m, nil
}

// write writes the machine as JSON, each element of a list of objects on its own line.
func (m Machine) write(w io.Writer) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	quoted, escaped := false, false
	for i, c := range b {
		if c == '"' && !escaped {
			quoted = !quoted
		}
		escaped = c == '\\' && !escaped
		out.WriteByte(c)
		if !quoted && i > 0 && i+1 < len(b) && b[i+1] == '{' && (c == '[' || c == ',' && b[i-1] == '}') {
			out.WriteByte('\n')
		}
	}
	out.WriteByte('\n')
	_, err = out.WriteTo(w)
	return err
}

//go:embed results
var stored embed.FS

// Machines returns what is stored of each machine, in the order of the files in Dir.
func Machines() ([]Machine, error) {
	files, err := stored.ReadDir("results")
	if err != nil {
		return nil, err
	}
	var out []Machine
	for _, f := range files {
		if filepath.Ext(f.Name()) != ".json" {
			continue
		}
		b, err := stored.ReadFile("results/" + f.Name())
		if err != nil {
			return nil, err
		}
		m, err := decode(strings.TrimSuffix(f.Name(), ".json"), b)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}
