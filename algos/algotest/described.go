package algotest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/gramworks/gram/settings"
)

// Described checks the descriptions of settings. Names are words in lower case with
// hyphens and occur once; help is a phrase; a field whose zero stands for a default does
// not allow zero; and the default in the comment of the field, "default …", is that of
// the description. The comment need not state a default of "0", "false" or a rule in
// words, but a number that it states must be the default. Call it in the package of the
// configuration, whose source is read.
func Described(t *testing.T, configs ...settings.Described) {
	t.Helper()
	comments := fieldComments(t)
	for _, c := range configs {
		typ := reflect.TypeOf(c).Elem().Name()
		seen, settingsOf := map[string]bool{}, map[string]int{}
		for _, s := range settings.List(c) {
			settingsOf[s.Field]++
		}
		for _, s := range settings.List(c) {
			switch {
			case !settingName.MatchString(s.Name):
				t.Errorf("%s: the name of setting %q is not words in lower case", typ, s.Name)
			case seen[s.Name]:
				t.Errorf("%s: there are two settings %s", typ, s.Name)
			case s.Help == "" || strings.HasSuffix(s.Help, "."):
				t.Errorf("%s: the help of %s is not a phrase: %q", typ, s.Name, s.Help)
			case s.Ambiguous():
				t.Errorf("%s: zero is a value of %s, and stands for its default, %s", typ, s.Name, s.Default)
			case s.Field == "" && s.Kind != "choice":
				t.Errorf("%s: %s is no field", typ, s.Name)
			}
			seen[s.Name] = true
			comment, ok := comments[typ+"."+s.Field]
			if !ok || s.Kind == "bool" || settingsOf[s.Field] > 1 {
				continue // a field of a type that is tested elsewhere, or a kernel
			}
			stated := statedDefault.FindStringSubmatch(comment)
			number := stated != nil && unicode.IsDigit(rune(strings.TrimPrefix(stated[1], ".")[0]))
			switch is := isNumber.MatchString(s.Default); {
			case is && s.Default != "0" && (stated == nil || !sameNumber(stated[1], s.Default)):
				t.Errorf("%s.%s: the comment does not say default %s: %q", typ, s.Field, s.Default, comment)
			case number && s.Default == "0" && stated[1] != "0":
				t.Errorf("%s.%s: the comment says default %s, the description 0", typ, s.Field, stated[1])
			case stated == nil && s.Default != "" && !is && s.Kind != "choice":
				t.Errorf("%s.%s: the comment does not say the default, %s: %q", typ, s.Field, s.Default, comment)
			}
		}
	}
}

var (
	settingName   = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	statedDefault = regexp.MustCompile(`(?i)default (\S+?)[.,;:)]*(?:\s|$)`)
	isNumber      = regexp.MustCompile(`^[0-9.]+(e[-+]?[0-9]+)?$`)
)

func sameNumber(comment, described string) bool {
	a, err := strconv.ParseFloat(comment, 64)
	b, _ := strconv.ParseFloat(described, 64)
	return err == nil && a == b
}

// fieldComments returns the comments of the fields of all structs of the package in the
// working directory, by type and field.
func fieldComments(t *testing.T) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if st, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range st.Fields.List {
					for _, name := range field.Names {
						all[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(field.Doc.Text()+" "+field.Comment.Text()), " ")
					}
				}
			}
			return true
		})
	}
	return all
}
