package record

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// assembly is that of a package: the text of its routines, macros and tables of constants by their names, without
// comments and layout. What stands between them has no name.
type assembly map[string]string

var (
	opening = regexp.MustCompile(`^(?:#define (\w+)|#undef (\w+)|(?:DATA|GLOBL) (\w+)|TEXT [^(]*?(\w+)(?:<>)?\()`)
	word    = regexp.MustCompile(`[A-Za-z_]\w*`)
)

// readAssembly reads files of a folder. Which file something stands in, and which files that includes, makes no difference.
func readAssembly(dir string, names []string) (assembly, error) {
	a := assembly{}
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		a.add(b)
	}
	return a, nil
}

// add adds the text of a file. A routine goes on until something else begins, but for macros, which may stand in it.
func (a assembly) add(file []byte) {
	routine, macro := "", ""
	for line := range bytes.Lines(file) {
		line, _, _ = bytes.Cut(line, []byte("//"))
		text := strings.Join(strings.Fields(string(line)), " ")
		if text == "" || strings.HasPrefix(text, "#include") {
			macro = ""
			continue
		}
		to := routine
		if m := opening.FindStringSubmatch(text); macro != "" {
			to = macro
		} else if m != nil {
			to = strings.Join(m[1:], "")
			if !strings.HasPrefix(text, "#") {
				routine = ""
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
