package record

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// assembly holds the text of the routines, macros and tables of constants of a package by their names, without comments and
// layout. What else stands in a header, which is a body that routines include, has the name of the header; in other files it has
// the name "".
type assembly map[string]string

var (
	opening = regexp.MustCompile(`^(?:#define (\w+)|#undef (\w+)|(?:DATA|GLOBL) (\w+)|TEXT [^(]*?(\w+)(?:<>)?\()`)
	word    = regexp.MustCompile(`[A-Za-z_]\w*`)
)

// readAssembly reads the named files of a folder into one assembly.
func readAssembly(dir string, names []string) (assembly, error) {
	a := assembly{}
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		own := ""
		if strings.HasSuffix(name, ".h") {
			own = header(name)
		}
		a.add(own, b)
	}
	return a, nil
}

// header is the name of a header as a word.
func header(file string) string { return strings.ReplaceAll(file, ".", "_") }

// add adds the text of a file, where headerName is the name of what stands between routines, macros and tables. A routine goes on
// until something else begins, but for macros, which may stand in it.
func (a assembly) add(headerName string, file []byte) {
	routine, macro := headerName, ""
	for line := range bytes.Lines(file) {
		line, _, _ = bytes.Cut(line, []byte("//"))
		text := strings.Join(strings.Fields(string(line)), " ")
		if text == "" {
			macro = ""
			continue
		}
		to := routine
		if strings.HasPrefix(text, "#include") {
			if to == "" {
				continue // macros and tables have names of their own
			}
			text = header(text)
		}
		if m := opening.FindStringSubmatch(text); macro != "" {
			to = macro
		} else if m != nil {
			to = strings.Join(m[1:], "")
			if !strings.HasPrefix(text, "#") {
				routine = headerName
			}
			if strings.HasPrefix(text, "TEXT") {
				routine = to
			}
		}
		a[to] += text + "\n"
		macro = ""
		if strings.HasSuffix(text, `\`) {
			macro = to
		}
	}
}

// reach adds what the routine consists of to parts, each under the name of the package.
func (a assembly) reach(parts map[string]bool, path, routine string) {
	seen := map[string]bool{}
	work := []string{"", routine}
	for len(work) > 0 {
		name := work[len(work)-1]
		work = work[:len(work)-1]
		if text, is := a[name]; is && !seen[name] {
			seen[name] = true
			parts[path+" "+name+"\n"+text] = true
			work = append(work, word.FindAllString(text, -1)...)
		}
	}
}
