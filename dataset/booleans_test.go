package dataset

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
)

// truthValues returns a table of 12 rows whose columns ripe, and sold in the end, are truth values.
func truthValues(spell func(v bool) string, row func(ripe, color, sold string) string) string {
	var b strings.Builder
	for i := range 12 {
		ripe := spell(i%3 == 0)
		if i == 5 {
			ripe = ""
		}
		b.WriteString(row(ripe, []string{"red", "green"}[i%2], spell(i%4 == 0)) + "\n")
	}
	return b.String()
}

func spelled(no, yes string) func(bool) string {
	return func(v bool) string {
		if v {
			return yes
		}
		return no
	}
}

// tablesOfTruth are the same table as other programs write it.
func tablesOfTruth() map[string]string {
	csv := func(ripe, color, sold string) string { return ripe + "," + color + "," + sold }
	json := func(ripe, color, sold string) string {
		if ripe == "" {
			ripe = "null"
		}
		return fmt.Sprintf(`{"ripe":%s,"color":%q,"sold":%s}`, ripe, color, sold)
	}
	head := "ripe,color,sold\n"
	return map[string]string{
		"pandas.csv":  head + truthValues(spelled("False", "True"), csv),
		"r.csv":       head + truthValues(spelled("FALSE", "TRUE"), csv),
		"plain.csv":   head + truthValues(spelled("false", "true"), csv),
		"plain.jsonl": truthValues(spelled("false", "true"), json),
		"text.jsonl":  truthValues(spelled(`"False"`, `"True"`), json),
	}
}

// A truth value is the same level, and the same class, in every format and spelling.
func TestTruthValues(t *testing.T) {
	want := &Schema{Target: "sold", Columns: []Column{
		{Name: "ripe", Kind: Category, Levels: []string{"false", "true"}, Missing: true},
		{Name: "color", Kind: Category, Levels: []string{"green", "red"}},
	}}
	var first *Set
	for name, text := range tablesOfTruth() {
		s, err := Read(strings.NewReader(text), Options{Table: true})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(s.Schema, want) || !slices.Equal(s.Labels.Names, []string{"false", "true"}) {
			t.Errorf("%s: %+v, classes %q", name, s.Schema, s.Labels.Names)
		}
		if first == nil {
			first = s
		}
		if !sameCells(s.X, first.X) || !slices.Equal(s.Labels.Class, first.Labels.Class) {
			t.Errorf("%s: other cells or classes", name)
		}
		survey := must.Have(ReadSurvey(t.Context(), strings.NewReader(text), Options{Task: Classes}, nil))(t)
		if info, err := survey.Info(name); err != nil || !reflect.DeepEqual(info.Schema, want) || !slices.Equal(info.Names, first.Labels.Names) {
			t.Errorf("%s: a survey finds %+v, %v", name, info, err)
		}
	}
}

// A schema that was stored with another spelling, or with several, finds its levels and classes.
func TestTruthValuesStored(t *testing.T) {
	for _, levels := range [][]string{{"False", "True"}, {"FALSE", "TRUE"}, {"false", "true"}} {
		s := &Schema{Target: "sold", Columns: []Column{{Name: "ripe", Kind: Category, Levels: levels, Missing: true}, {Name: "color", Kind: Category, Levels: []string{"green", "red"}}}}
		var b bytes.Buffer
		must.Do(t, modelfile.Write(&b, s))
		f := must.Have(modelfile.Read(&b))(t)
		s = must.Have(DecodeSchema(f))(t)
		for name, text := range tablesOfTruth() {
			got, err := Read(strings.NewReader(text), Options{Schema: s, Names: levels, Task: Classes})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got.X.At(0, 0) != 1 || got.X.At(1, 0) != 0 || got.Labels.Class[0] != 1 || got.Labels.Class[1] != 0 || got.Unknown != nil || !slices.Equal(got.Labels.Names, levels) {
				t.Errorf("%s with %q: rows %v and %v, classes %v, unknown %v", name, levels, got.X.At(0, 0), got.X.At(1, 0), got.Labels, got.Unknown)
			}
		}
	}
	places := Column{Levels: []string{"TRUE", "True", "other", "true"}}.Places()
	if want := map[string]int{"TRUE": 0, "True": 1, "other": 2, "true": 3}; !reflect.DeepEqual(places, want) {
		t.Errorf("levels that differ in their spelling are at %v", places)
	}
}

// Texts that are no levels are counted, in each block those of its rows.
func TestUnknown(t *testing.T) {
	s := &Schema{Columns: []Column{{Name: "a", Kind: Category, Levels: []string{"x", "y"}}, {Name: "b"}, {Name: "c", Kind: Category, Levels: []string{"true"}, Missing: true}}}
	text := "a,b,c\nx,1,true\nz,2,false\ny,3,True\nu,4,NA\nx,5,maybe\n"
	set, err := Read(strings.NewReader(text), Options{Schema: s, Task: NoTarget})
	if want := []Unknown{{0, 2, "z"}, {2, 2, "false"}}; err != nil || !slices.Equal(set.Unknown, want) {
		t.Errorf("%v, %v, want %v", set.Unknown, err, want)
	}
	var got [][]Unknown
	o := Options{Schema: s, Task: NoTarget, Format: CSV, Storage: Dense, Dim: 3}
	for block, err := range ReadBlocks(context.Background(), strings.NewReader(text), o, 2) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, block.Unknown)
	}
	if want := [][]Unknown{{{0, 1, "z"}, {2, 1, "false"}}, {{0, 1, "u"}}, {{2, 1, "maybe"}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
