package dataset

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
)

func ExampleParseDate() {
	days, is := ParseDate([]byte("2024-01-31 18:00"))
	year, month, weekday := Calendar(days)
	fmt.Println(days, is, year, month, weekday, dateText(days))
	// Output: 19753.75 true 2024 1 3 2024-01-31T18:00:00
}

// Dates are read in one order alone, with times and zones, and are written as they are read.
func TestParseDate(t *testing.T) {
	for text, want := range map[string]string{
		"1970-01-01": "1970-01-01", "1969/12/31": "1969-12-31", "0001-01-01": "0001-01-01", "9999-12-31": "9999-12-31", "2024-02-29": "2024-02-29",
		"2024-01-31T00:00:00Z": "2024-01-31", "2024-01-31 00:00:00.000": "2024-01-31", "2024-01-31T18:30": "2024-01-31T18:30:00",
		"2024-01-31 18:30:05.25": "2024-01-31T18:30:05.25", "2024-01-31T01:30:05+02:00": "2024-01-30T23:30:05", "2024-01-31 01:30:05-0200": "2024-01-31T03:30:05",
		"2024-01-31T18:30:05.123456789Z": "2024-01-31T18:30:05.123456", "1906-01-31 18:30:05.000001": "1906-01-31T18:30:05.000001",
	} {
		v, is := ParseDate([]byte(text))
		if !is || dateText(v) != want {
			t.Errorf("%q is read as %v, %v, %s, want %s", text, v, is, dateText(v), want)
		}
		if again, is := ParseDate([]byte(dateText(v))); !is || again != v {
			t.Errorf("%q is read as %v, and as %v when it was written", text, v, again)
		}
	}
	for _, text := range []string{
		"", "2024", "31.01.2024", "01/31/2024", "2023-02-29", "2024-13-01", "2024-1-31", "2024-01-31T", "2024-01-31T18", "2024-01-31x18:30:00", "2024-01-31 25:00:00", "18:30:00", "2024-01/31",
		"2024-01-31T18:30:05,25", "20240131", "2024-01-31T18:30:05+2", "2024-01-31T18:30:05 Europe/Berlin", "12024-01-31",
	} {
		if v, is := ParseDate([]byte(text)); is {
			t.Errorf("%q is read as %s", text, dateText(v))
		}
	}
	if year, month, weekday := Calendar(-1); year != 1969 || month != 12 || weekday != 3 {
		t.Error(year, month, weekday)
	}
	if _, _, weekday := Calendar(3); weekday != 7 {
		t.Error("a Sunday is day", weekday)
	}
}

// Numbers as spreadsheets show them are read where their form has one meaning.
func TestFormattedNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"1,234": "1234", "-1,234,567.50": "-1234567.50", "$ 3": "3", "-$3.5": "-3.5", "$-3": "-3", "3 €": "3", "12 %": "12e-2", "-0.5%": "-0.5e-2", "(1,234.50)": "-1234.50",
		"1 234": "1234", "1\u202f234,5": "", "1'234.5": "1234.5", "1,23": "", "12,34": "", "1,2345": "", "1,234,56": "", ",123": "", "1.234.567": "", "": "", "abc": "", "1": "", "1.5": "",
		"-3": "", "$": "", "%": "", "--3": "", "(-3)": "", "$3 %": "", "1,234'567": "", "5 kg": "", "1,234.": "", "1e3%": "",
	} {
		if got := formattedNumber(text, false); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"1.234,50": "1234.50", "12,5 %": "12.5e-2", "1.234": "1234", "3,5": "3.5", "1,234.50": "", "1.23": ""} {
		if got := formattedNumber(text, true); got != want {
			t.Errorf("%q with decimal commas is %q, want %q", text, got, want)
		}
	}
	s, err := Read(strings.NewReader("a,b\n\"1,000\",12 %\n2000,0.5\n"), Options{FormattedNumbers: true, Task: NoTarget})
	if err != nil || s.X.At(0, 0) != 1000 || s.X.At(0, 1) != .12 || s.X.At(1, 1) != .5 {
		t.Error(s, err)
	}
}

// A column of dates is found in one pass or by pieces, is stored, and is written as it is read.
func TestDateColumns(t *testing.T) {
	const text = "when,a,y\n2024-01-31,1,2\n,2,3\n2023-12-31 06:00,3,4.5\n"
	s := must.Have(Read(strings.NewReader(text), Options{Table: true, Task: Regression}))(t)
	want := &Schema{Target: "y", Columns: []Column{{Name: "when", Kind: Date, Missing: true, First: 19722.25}, {Name: "a"}}}
	if !reflect.DeepEqual(s.Schema, want) || s.X.At(0, 0) != 19753 || !math.IsNaN(s.X.At(1, 0)) || s.X.At(2, 0) != 19722.25 {
		t.Errorf("%+v %v", s.Schema, s.X)
	}
	var all Survey
	for _, part := range []string{"when,a,y\n2024-01-31,1,2\n", "when,a,y\n,2,3\n2023-12-31 06:00,3,4.5\n"} {
		var numbers []float64
		piece, err := ReadSurvey(t.Context(), strings.NewReader(part), Options{Task: Regression}, func(v []float64) error {
			numbers = append(numbers, v[0])
			return nil
		})
		if err == nil {
			err = all.Merge(piece)
		}
		if err != nil || numbers[len(numbers)-1] != map[bool]float64{true: 19753, false: 19722.25}[len(numbers) == 1] {
			t.Fatal(numbers, err)
		}
	}
	if info, err := all.Info("pieces"); err != nil || !reflect.DeepEqual(info.Schema, want) {
		t.Errorf("%+v, %v", info.Schema, err)
	}
	var b bytes.Buffer
	must.Do(t, modelfile.Write(&b, s.Schema))
	f := must.Have(modelfile.Read(&b))(t)
	if again, err := DecodeSchema(f); err != nil || !reflect.DeepEqual(again, want) {
		t.Errorf("%+v, %v", again, err)
	}
	b.Reset()
	if err := Write(&b, s, CSV); err != nil || b.String() != "when,a,y\n2024-01-31,1,2\n,2,3\n2023-12-31T06:00:00,3,4.5\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
	if _, err := Read(strings.NewReader("2024-01-31,1,2\n2024-01-30,2,3\n"), Options{Table: true}); err == nil || !strings.Contains(err.Error(), "no header") {
		t.Errorf("rows without a header: %v", err)
	}
}

// The first column is left out without being asked where it has the numbers or names of rows, and
// only there.
func TestRowNames(t *testing.T) {
	for _, c := range []struct {
		text    string
		o       Options
		columns int    // 0: an error
		names   string // Schema.RowNames, or in the error
	}{
		{",a,y\n0,5,1\n1,6,2\n", Options{}, 1, "column 1, which has no name,"},
		{",a,y\n17,5,1\n3,6,2\n", Options{}, 1, "column 1, which has no name,"},
		{"\"\",a,y\nred car,5,1\nblue car,6,2\n", Options{}, 1, "column 1, which has no name,"},
		{"Unnamed: 0,a,y\n0,5,1\n1,6,2\n", Options{}, 1, `column "Unnamed: 0"`},
		{",a,y\n.5,5,1\n1,6,2\n", Options{}, 0, ":2:1: column 1 has no name, but is no number of the row"},
		{",a,y\n0,5,1\n1,6,2\n", Options{Ignore: []string{"1"}}, 1, ""},
		{"a,,y\n0,5,1\n1,6,2\n", Options{}, 0, "column 2 has no name"},
		{"y,Unnamed: 0\n0,5\n1,6\n", Options{}, 1, ""},
	} {
		c.o.Table = true
		s, err := Read(strings.NewReader(c.text), c.o)
		if c.columns == 0 {
			if err == nil || !strings.Contains(err.Error(), c.names) {
				t.Errorf("%q: %v, want %s", c.text, err, c.names)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
		} else if _, d := s.Dims(); d != c.columns || s.Schema.RowNames != c.names {
			t.Errorf("%q: %d columns, %q", c.text, d, s.Schema.RowNames)
		}
	}
}
