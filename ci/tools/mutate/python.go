package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// pythonKinds lists the faults that Python code gets, with their weights.
var pythonKinds = map[string]float64{
	"compare":    6, // a bound counts or no longer counts; equal becomes different
	"logic":      4, // an and becomes an or
	"negate":     6, // a condition is negated
	"arithmetic": 4, // an operator becomes its opposite
	"constant":   5, // a number is one more, or true becomes false
	"check":      6, // an error is not raised
	"drop":       7, // a statement is missing
	"return":     4, // nothing is returned
	"option":     5, // an argument is not passed
}

// A pythonFolder holds Python code that a test of a package in Go runs. The test takes
// the code from the folder that the variable GRAM_PYTHON names, if it is set.
type pythonFolder struct {
	folder string // what the test needs
	faults string // what gets faults
	pkg    string
	test   string
}

var pythonFolders = []pythonFolder{
	{"app/python", "app/python/gram", "app/capi", "TestPython"},
	{"docs", "docs", "modelfile", "TestNumPy"},
}

// pythonLayer is the layer of all Python code; pythonShare is its share.
const pythonLayer, pythonShare = "python", 4

// pythonOf returns the folder of a Python file.
func pythonOf(file string) (pythonFolder, bool) {
	i := slices.IndexFunc(pythonFolders, func(p pythonFolder) bool { return path.Ext(file) == ".py" && path.Dir(file) == p.faults })
	if i < 0 {
		return pythonFolder{}, false
	}
	return pythonFolders[i], true
}

// loadPython finds the faults of the Python code among the patterns, and returns the
// patterns that are left for the go command.
func loadPython(root string, patterns []string) (units []unit, skipped []string, err error) {
	skipped = slices.Clone(patterns)
	for _, p := range pythonFolders {
		if n := len(skipped); !slices.Contains(skipped, "work") {
			if skipped = slices.DeleteFunc(skipped, func(s string) bool { return path.Clean(s) == p.faults }); len(skipped) == n {
				continue
			}
		}
		u := unit{layer: pythonLayer, share: pythonShare, dir: p.faults}
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(p.faults), "*.py"))
		if err != nil {
			return nil, nil, err
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				return nil, nil, err
			}
			u.mutants = append(u.mutants, pythonMutants(path.Join(p.faults, filepath.Base(f)), text)...)
		}
		for i := range u.mutants {
			u.mutants[i].Layer, u.mutants[i].Package = u.layer, p.pkg
		}
		if len(u.mutants) > 0 {
			units = append(units, u)
		}
	}
	return units, skipped, nil
}

// copyPython writes the code that the test of a mutant needs, with the fault, to dir.
func (b *bench) copyPython(m mutant, p pythonFolder, dir string) error {
	from := filepath.Join(b.root, filepath.FromSlash(p.folder))
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".py" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if name == filepath.Join(b.root, filepath.FromSlash(m.File)) {
			text = m.apply(text)
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(rel)), 0o700); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, rel), text, 0o600)
	})
}

var (
	pyQuoted    = regexp.MustCompile(`(?s)""".*?"""|'''.*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#[^\n]*`)
	pyFunction  = regexp.MustCompile(`^\s*(?:def|class) (\w+)`)
	pyCondition = regexp.MustCompile(`^\s*(?:if|elif|while) (.*):\s*$`)
	pyOperator  = regexp.MustCompile(` (==|!=|<=|>=|<|>|is not|is|not in|and|or|\+|-|\*|//|<<|>>) `)
	pyNumber    = regexp.MustCompile(`(?:^|[\s(\[,=:/*+-])(\d+)(?:$|[\s)\],:/*+-])`)
	pyTruth     = regexp.MustCompile(`\b(True|False)\b`)
	pyReturn    = regexp.MustCompile(`^\s*return (.+?)\s*$`)
	pyOption    = regexp.MustCompile(`, \w+=[^,()\[\]=]+([,)])`)
	pyStatement = regexp.MustCompile(`^\s*([A-Za-z_].*?)\s*$`)
	// These lines are no statements of their own that could be left out.
	pyHead = regexp.MustCompile(`^\s*(?:def|class|import|from|return|if|elif|else|while|for|with|try|except|finally|global|pass|continue|break|@)\b|:\s*$`)
)

var pyOpposite = map[string][2]string{ // the kind and the other operator
	"==": {"compare", "!="}, "!=": {"compare", "=="}, "<": {"compare", "<="}, "<=": {"compare", "<"}, ">": {"compare", ">="}, ">=": {"compare", ">"},
	"is": {"compare", "is not"}, "is not": {"compare", "is"}, "not in": {"compare", "in"}, "and": {"logic", "or"}, "or": {"logic", "and"},
	"+": {"arithmetic", "-"}, "-": {"arithmetic", "+"}, "*": {"arithmetic", "+"}, "//": {"arithmetic", "*"}, "<<": {"arithmetic", ">>"}, ">>": {"arithmetic", "<<"},
}

// pythonMutants returns all faults of a Python file. Texts and comments get none.
func pythonMutants(file string, text []byte) []mutant {
	masked := pyQuoted.ReplaceAllStringFunc(string(text), func(s string) string {
		out := []byte(s) // as many letters, and the same lines
		for i, c := range out {
			if c != '\n' {
				out[i] = '_'
			}
		}
		return string(out)
	})
	var out []mutant
	fn, at, depth, raising := "-", 0, 0, false
	for line := range strings.Lines(masked) {
		start := at
		at += len(line)
		line = strings.TrimRight(line, "\n")
		if m := pyFunction.FindStringSubmatch(line); m != nil {
			fn = m[1]
		}
		before := depth
		depth += strings.Count(line, "(") + strings.Count(line, "[") + strings.Count(line, "{") -
			strings.Count(line, ")") - strings.Count(line, "]") - strings.Count(line, "}")
		statement := before == 0 && depth == 0 && !pyHead.MatchString(line)
		if before == 0 {
			raising = strings.HasPrefix(strings.TrimSpace(line), "raise ")
		}
		add := func(kind string, lo, hi int, replacement string) {
			out = append(out, newMutant(file, text, fn, kind, start+lo, start+hi, replacement))
		}
		if m := pyStatement.FindStringSubmatchIndex(line); m != nil && statement && strings.Trim(line, "_ ") != "" {
			kind := "drop"
			if raising {
				kind = "check"
			}
			add(kind, m[2], m[3], "pass")
		}
		if !raising { // what an error says is for people
			pythonExpressions(line, string(text[start:at]), add)
		}
	}
	return number(out)
}

// pythonExpressions adds the faults within a line, whose texts and comments are masked.
func pythonExpressions(line, plain string, add func(kind string, lo, hi int, replacement string)) {
	if m := pyCondition.FindStringSubmatchIndex(line); m != nil {
		add("negate", m[2], m[3], "not ("+plain[m[2]:m[3]]+")")
	}
	for _, m := range pyOperator.FindAllStringSubmatchIndex(line, -1) {
		o := pyOpposite[line[m[2]:m[3]]]
		add(o[0], m[2], m[3], o[1])
	}
	for _, m := range pyNumber.FindAllStringSubmatchIndex(line, -1) {
		if v, err := strconv.Atoi(line[m[2]:m[3]]); err == nil {
			add("constant", m[2], m[3], strconv.Itoa(v+1))
		}
	}
	for _, m := range pyTruth.FindAllStringSubmatchIndex(line, -1) {
		add("constant", m[2], m[3], map[string]string{"True": "False", "False": "True"}[line[m[2]:m[3]]])
	}
	if m := pyReturn.FindStringSubmatchIndex(line); m != nil && strings.Count(line, "(") == strings.Count(line, ")") && line[m[2]:m[3]] != "None" {
		add("return", m[2], m[3], "None")
	}
	if !pyFunction.MatchString(line) {
		for at := 0; ; { // one argument ends where the next begins
			m := pyOption.FindStringSubmatchIndex(line[at:])
			if m == nil {
				break
			}
			add("option", at+m[0], at+m[2], "")
			at += m[2]
		}
	}
}
