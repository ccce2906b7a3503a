package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An edit replaces the text between two positions of a file.
type edit struct {
	kind     string
	from, to token.Pos
	text     string
}

// goKinds lists the faults that Go code gets. A kind is drawn by its weight,
// then one of its places, so that frequent kinds do not hide rare ones.
var goKinds = []struct {
	name   string
	weight float64
	find   func(f *goFile, n ast.Node) []edit
}{
	{"compare", 10, compare},       // a bound counts or no longer counts; equal becomes different
	{"arithmetic", 12, arithmetic}, // an operator becomes its opposite
	{"logic", 4, logic},            // an and becomes an or
	{"negate", 5, negate},          // a condition is negated
	{"skip", 6, skip},              // a branch that leaves a block is never taken
	{"check", 9, removedCheck},     // a check that returns an error or panics is removed
	{"context", 4, removedContext}, // a check of the context is removed
	{"error", 6, lostError},        // an error is ignored or not returned
	{"bound", 8, bound},            // a loop or a slice is shorter by one
	{"index", 4, index},            // a neighboring element is taken
	{"constant", 7, constant},      // a number changes
	{"assign", 9, lostAssignment},  // a value is not stored
	{"call", 7, lostCall},          // a call is not made
	{"defer", 2, lostDefer},        // a deferred call is not made
	{"return", 1, earlyReturn},     // a function does nothing
	{"sort", 4, lostSort},          // an order is not established
	{"option", 6, lostOption},      // a field of a literal is left at its zero
	{"flag", 2, boolean},           // true becomes false
	{"seed", 4, seed},              // another stream is drawn, or all draw the same stream
	{"weight", 3, lostWeights},     // row weights are not passed on
	{"function", 5, function},      // max becomes min, abs is left out
}

// A goFile is a source file that gets faults, with the state of the walk
// through it.
type goFile struct {
	text  []byte
	set   *token.FileSet
	name  string // of the function that is walked
	stack []ast.Node
}

// offset returns the index of p in the text.
func (f *goFile) offset(p token.Pos) int { return f.set.PositionFor(p, false).Offset }

// src returns the source text of a node.
func (f *goFile) src(n ast.Node) string {
	return string(f.text[f.offset(n.Pos()):f.offset(n.End())])
}

// replace returns the edit that puts text in the place of n.
func replace(kind string, n ast.Node, text string) []edit {
	return []edit{{kind, n.Pos(), n.End(), text}}
}

// goMutants returns all faults of all kinds in a file.
func goMutants(path string, text []byte) ([]mutant, error) {
	f := &goFile{text: text, set: token.NewFileSet()}
	file, err := parser.ParseFile(f.set, path, text, 0)
	if err != nil {
		return nil, err
	}
	var out []mutant
	for _, d := range file.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok || d.Body == nil || d.Name.Name == "init" || d.Name.Name == "String" {
			continue
		}
		f.name, f.stack = d.Name.Name, []ast.Node{d}
		ast.Inspect(d.Body, func(n ast.Node) bool {
			if n == nil {
				f.stack = f.stack[:len(f.stack)-1]
				return true
			}
			if f.unseen(n) {
				return false
			}
			f.stack = append(f.stack, n)
			for _, k := range goKinds {
				for _, e := range k.find(f, n) {
					out = append(out, newMutant(path, text, f.name, e.kind, f.offset(e.from), f.offset(e.to), e.text))
				}
			}
			return true
		})
	}
	return number(out), nil
}

// unseenArgs lists the arguments of calls that change no result: texts of
// messages, capacities, values that only give a type, how work is divided, and
// what the race detector is told.
var unseenArgs = map[string][]int{
	"fmt.Errorf": {0, 1, 2, 3, 4, 5}, "errors.New": {0}, "panic": {0},
	"race.Read": {0}, "race.Write": {0}, "race.ReadRows": {0, 1, 2, 3}, "race.WriteRows": {0, 1, 2, 3},
	"make": {2}, "bufio.NewWriterSize": {1}, "bufio.NewReaderSize": {1}, "unsafe.Sizeof": {0}, "par.For": {1, 3}, "par.Each": {1}, "par.Sum": {1, 3},
}

// zeros lists values that a field also has if it is left out.
var zeros = []string{"0", "0.0", "false", "nil", `""`}

// unseenFields lists the fields of literals that hold text for people.
var unseenFields = []string{"Want", "Description"}

// unseen reports whether a fault in n need not be noticed by a test.
func (f *goFile) unseen(n ast.Node) bool {
	switch p := f.stack[len(f.stack)-1].(type) {
	case *ast.CallExpr:
		i := slices.IndexFunc(p.Args, func(a ast.Expr) bool { return a == n })
		return i >= 0 && slices.Contains(unseenArgs[f.src(p.Fun)], i)
	case *ast.IfStmt:
		return n != p.Init && f.impossible(p)
	case *ast.IndexExpr:
		return n == p.Index && f.src(p.X) == "tune" // measured sizes and cut-offs
	case *ast.ReturnStmt: // values returned beside an error
		last := p.Results[len(p.Results)-1]
		_, number := n.(*ast.BasicLit)
		return number && n != last && f.failing() && f.src(last) != "nil"
	}
	return false
}

// impossible reports whether the code says that a branch is for what cannot happen.
func (f *goFile) impossible(s *ast.IfStmt) bool {
	return s.Else == nil && strings.Contains(f.src(s.Body), "// cannot happen")
}

// failing reports whether the last result of the function around the walk is
// an error.
func (f *goFile) failing() bool {
	for _, n := range slices.Backward(f.stack) {
		var t *ast.FuncType
		switch n := n.(type) {
		case *ast.FuncLit:
			t = n.Type
		case *ast.FuncDecl:
			t = n.Type
		default:
			continue
		}
		if t.Results == nil {
			return false
		}
		id, ok := t.Results.List[len(t.Results.List)-1].Type.(*ast.Ident)
		return ok && id.Name == "error"
	}
	return false
}

// binary returns the edit that changes the operator of a binary expression, if
// there is another operator.
func binary(f *goFile, n ast.Node, kind string, replacement map[token.Token]string) []edit {
	b, ok := n.(*ast.BinaryExpr)
	if !ok || replacement[b.Op] == "" || f.src(b.Y) == "nil" || isString(b.X) || isString(b.Y) {
		return nil
	}
	return []edit{{kind, b.OpPos, b.OpPos + token.Pos(len(b.Op.String())), replacement[b.Op]}}
}

func isString(e ast.Expr) bool {
	l, ok := e.(*ast.BasicLit)
	return ok && l.Kind == token.STRING && l.Value != `""`
}

func compare(f *goFile, n ast.Node) []edit {
	return binary(f, n, "compare", map[token.Token]string{token.LSS: "<=", token.LEQ: "<", token.GTR: ">=",
		token.GEQ: ">", token.EQL: "!=", token.NEQ: "=="})
}

func logic(f *goFile, n ast.Node) []edit {
	return binary(f, n, "logic", map[token.Token]string{token.LAND: "||", token.LOR: "&&"})
}

func arithmetic(f *goFile, n ast.Node) []edit {
	if a, ok := n.(*ast.AssignStmt); ok {
		other := map[token.Token]string{token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+=", token.MUL_ASSIGN: "/=", token.QUO_ASSIGN: "*="}
		if op := other[a.Tok]; op != "" && !isString(a.Rhs[0]) {
			return []edit{{"arithmetic", a.TokPos, a.TokPos + token.Pos(len(a.Tok.String())), op}}
		}
	}
	return binary(f, n, "arithmetic", map[token.Token]string{token.ADD: "-", token.SUB: "+", token.MUL: "/",
		token.QUO: "*", token.SHL: ">>", token.SHR: "<<", token.AND: "|", token.OR: "&"})
}

// branch returns the purpose of an if statement: "context" or "error" if it
// returns one of those, "check" if it ends in another error or a panic, "skip"
// if it only leaves a block, otherwise "choose".
func (f *goFile) branch(s *ast.IfStmt) string {
	if len(s.Body.List) == 0 {
		return "choose"
	}
	switch last := s.Body.List[len(s.Body.List)-1].(type) {
	case *ast.ExprStmt:
		if strings.HasPrefix(f.src(last), "panic(") {
			return "check"
		}
	case *ast.ReturnStmt:
		if k := len(last.Results); f.failing() && k > 0 && f.src(last.Results[k-1]) != "nil" {
			head := string(f.text[f.offset(s.Pos()):f.offset(s.Body.Lbrace)])
			switch {
			case strings.Contains(strings.ToLower(head+f.src(last)), "ctx.err"):
				return "context"
			case f.src(s.Cond) == "err != nil":
				return "error"
			}
			return "check"
		}
		if len(s.Body.List) == 1 && s.Else == nil {
			return "skip"
		}
	case *ast.BranchStmt:
		if len(s.Body.List) == 1 && s.Else == nil {
			return "skip"
		}
	}
	return "choose"
}

// never returns the edit that disables if statements of the given purpose.
func never(f *goFile, n ast.Node, kind string) []edit {
	s, ok := n.(*ast.IfStmt)
	if !ok || f.branch(s) != kind || f.impossible(s) {
		return nil
	}
	return replace(kind, s.Cond, "false && ("+f.src(s.Cond)+")")
}

func skip(f *goFile, n ast.Node) []edit           { return never(f, n, "skip") }
func removedCheck(f *goFile, n ast.Node) []edit   { return never(f, n, "check") }
func removedContext(f *goFile, n ast.Node) []edit { return never(f, n, "context") }

func lostError(f *goFile, n ast.Node) []edit {
	r, ok := n.(*ast.ReturnStmt)
	if !ok || !f.failing() || len(r.Results) == 0 {
		return never(f, n, "error")
	}
	last := r.Results[len(r.Results)-1]
	if s := f.src(last); s == "err" || strings.HasPrefix(s, "fmt.Errorf(") || strings.HasPrefix(s, "errors.New(") || strings.HasPrefix(s, "&") {
		return replace("error", last, "nil")
	}
	return nil
}

func negate(f *goFile, n ast.Node) []edit {
	s, ok := n.(*ast.IfStmt)
	if k := ""; ok {
		if k = f.branch(s); k == "choose" || k == "skip" {
			return replace("negate", s.Cond, "!("+f.src(s.Cond)+")")
		}
	}
	return nil
}

func bound(f *goFile, n ast.Node) (out []edit) {
	switch n := n.(type) {
	case *ast.SliceExpr:
		if n.High != nil {
			out = replace("bound", n.High, f.src(n.High)+"-1")
		}
		if n.Low != nil {
			out = append(out, replace("bound", n.Low, f.src(n.Low)+"+1")...)
		}
	case *ast.RangeStmt:
		if n.Value == nil && n.Key != nil {
			out = replace("bound", n.X, f.src(n.X)+"-1")
		}
	case *ast.ForStmt:
		if c, ok := n.Cond.(*ast.BinaryExpr); ok && f.src(c.Y) != "nil" {
			out = replace("bound", c.Y, f.src(c.Y)+"-1")
		}
	}
	return out
}

func index(f *goFile, n ast.Node) []edit {
	x, ok := n.(*ast.IndexExpr)
	if !ok || isString(x.Index) {
		return nil
	}
	switch i := f.src(x.Index); i {
	case "int", "float32", "float64", "F", "T", "string":
		return nil // a type
	default:
		return append(replace("index", x.Index, i+"+1"), replace("index", x.Index, i+"-1")...)
	}
}

func constant(f *goFile, n ast.Node) []edit {
	l, ok := n.(*ast.BasicLit)
	if !ok {
		return nil
	}
	switch l.Kind {
	case token.INT:
		if v, err := strconv.ParseInt(l.Value, 0, 62); err == nil {
			return replace("constant", l, strconv.FormatInt(v+1, 10))
		}
	case token.FLOAT:
		return replace("constant", l, "(2*"+l.Value+")")
	}
	return nil
}

func lostAssignment(f *goFile, n ast.Node) []edit {
	if p, ok := f.stack[len(f.stack)-2].(*ast.ForStmt); ok && p.Post == n {
		return nil // a loop without end
	}
	switch n := n.(type) {
	case *ast.IncDecStmt:
		return replace("assign", n, "{}")
	case *ast.AssignStmt:
		if len(n.Lhs) == 1 && len(n.Rhs) == 1 && n.Tok != token.DEFINE && f.src(n.Lhs[0]) != "_" {
			return replace("assign", n, "_ = "+f.src(n.Rhs[0]))
		}
	}
	return nil
}

// ordering finds calls that only establish an order. silent finds calls that
// no test of results can notice: locks, reports to the race detector, pools.
var (
	ordering = regexp.MustCompile(`^(sort\.|slices\.(Sort|Reverse))`)
	silent   = regexp.MustCompile(`^(panic\(|race\.|runtime\.|[\w.]*\.(R?Lock|R?Unlock|Put|Grow)\()`)
)

// statement returns the text of a call that is a statement.
func (f *goFile) statement(n ast.Node) string {
	if s, ok := n.(*ast.ExprStmt); ok {
		return f.src(s)
	}
	return ""
}

func lostCall(f *goFile, n ast.Node) []edit {
	if s := f.statement(n); s != "" && !ordering.MatchString(s) && !silent.MatchString(s) {
		return replace("call", n, "{}")
	}
	return nil
}

func lostSort(f *goFile, n ast.Node) []edit {
	if s := f.statement(n); ordering.MatchString(s) {
		return replace("sort", n, "{}")
	}
	return nil
}

func lostDefer(f *goFile, n ast.Node) []edit {
	if d, ok := n.(*ast.DeferStmt); ok && !silent.MatchString(f.src(d.Call)) {
		return replace("defer", n, "{}")
	}
	return nil
}

func earlyReturn(f *goFile, n ast.Node) []edit {
	b, ok := n.(*ast.BlockStmt)
	if d, is := f.stack[0].(*ast.FuncDecl); ok && is && d.Body == b && d.Type.Results == nil && len(b.List) > 1 {
		return []edit{{"return", b.Lbrace + 1, b.Lbrace + 1, " return;"}}
	}
	return nil
}

func lostOption(f *goFile, n ast.Node) []edit {
	l, ok := n.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	var out []edit
	for i, e := range l.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return out
		}
		id, ok := kv.Key.(*ast.Ident)
		if !ok {
			return out
		}
		if slices.Contains(unseenFields, id.Name) || slices.Contains(zeros, f.src(kv.Value)) {
			continue
		}
		from, to := e.Pos(), l.Rbrace
		if i+1 < len(l.Elts) {
			to = l.Elts[i+1].Pos()
		} else if i > 0 {
			from, to = l.Elts[i-1].End(), e.End()
		}
		out = append(out, edit{"option", from, to, ""})
	}
	return out
}

func boolean(f *goFile, n ast.Node) []edit {
	id, ok := n.(*ast.Ident)
	switch {
	case ok && id.Name == "true":
		return replace("flag", n, "false")
	case ok && id.Name == "false":
		return replace("flag", n, "true")
	}
	return nil
}

func seed(f *goFile, n ast.Node) []edit {
	c, ok := n.(*ast.CallExpr)
	if !ok || len(c.Args) < 2 {
		return nil
	}
	switch f.src(c.Fun) {
	case "rng.New":
		return append(replace("seed", c.Args[0], "1"), replace("seed", c.Args[1], "0")...)
	case "rng.Derive":
		return replace("seed", c, f.src(c.Args[0]))
	}
	return nil
}

// otherW matches functions whose argument w is a writer or a width.
var otherW = regexp.MustCompile(`^(fmt|modelfile|io|binary)\.|\.Dge|^copy$`)

func lostWeights(f *goFile, n ast.Node) (out []edit) {
	c, ok := n.(*ast.CallExpr)
	if !ok || f.src(c.Fun) == "len" || otherW.MatchString(f.src(c.Fun)) {
		return nil
	}
	for _, a := range c.Args {
		if s := f.src(a); s == "w" || s == "weights" {
			out = append(out, replace("weight", a, "nil")...)
		}
	}
	return out
}

func function(f *goFile, n ast.Node) []edit {
	c, ok := n.(*ast.CallExpr)
	if !ok {
		return nil
	}
	other := map[string]string{"min": "max", "max": "min", "math.Abs": "", "math.Sqrt": "", "math.Floor": "math.Ceil",
		"math.Ceil": "math.Floor", "math.Max": "math.Min", "math.Min": "math.Max", "slices.Min": "slices.Max", "slices.Max": "slices.Min"}
	if o, ok := other[f.src(c.Fun)]; ok && (o != "min" && o != "max" || len(c.Args) > 1) {
		return replace("function", c.Fun, o)
	}
	return nil
}
