package settings_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

type color uint8

const (
	red color = iota
	blue
)

func (c color) String() string { return [...]string{"red", "blue"}[min(c, blue)] }

type shape interface{ sides() int }

type square struct{}

func (square) sides() int { return 4 }

type triangle struct{}

func (triangle) sides() int { return 3 }

type inner struct {
	Depth int
	Share float64
}

func (c *inner) Settings(s *settings.Fields) {
	s.Int(&c.Depth, "depth", "levels").Default(4).AtLeast(1)
	s.Float(&c.Share, "share", "share of the rows").Default(0.5).Above(0).AtMost(1)
}

type outer struct {
	M       int
	Rank    int
	Power   gram.Opt[int]
	Lambda  gram.Opt[float64]
	Cache   int64
	Off     bool
	Color   color
	Shape   shape
	Weights []float64
	Width   float64
	Part    inner
	inner
	gram.Run
}

func (c *outer) Settings(s *settings.Fields) {
	s.Int(&c.M, "m", "landmarks").DefaultRule(min(256, s.Shape.N), "256, or the number of rows").AtLeast(1).AtMostRule(s.Shape.N, "the number of rows")
	s.Int(&c.Rank, "rank", "features").DefaultRule(c.M, "m").AtLeast(1).AtMostRule(c.M, "m")
	s.OptInt(&c.Power, "power", "power steps; 0: none").Default(2).AtLeast(0)
	s.OptFloat(&c.Lambda, "lambda", "penalty").Default(1e-3).AtLeast(0)
	s.MiB(&c.Cache, "cache", "memory for rows").Default(256 << 20).AtLeast(1 << 20)
	s.Bool(&c.Off, "off", "nothing is done")
	settings.Choice(s, &c.Color, "color", "color", red, blue)
	settings.OneOf[shape](s, &c.Shape, "shape", "shape", settings.Option[shape]{Name: "square", Value: square{}}, settings.Option[shape]{Name: "triangle", Value: triangle{}})
	s.Floats(&c.Weights, "weights", "weights of the classes", "ones", func(v float64) bool { return v >= 0 }, "numbers at least 0")
	s.Float(&c.Width, "width", "width; 0: none").AtLeast(0)
	s.Embedded(&c.inner, "share")
	s.Prefixed("part-", &c.Part)
	s.Require(c.Power.Value() == 0 || c.Color == blue || c.Off, &c.Power, "0 for %v", c.Color)
	s.Late(func(x mat.Matrix, seed uint64) error {
		if x != nil {
			_, d := x.Dims()
			c.Width = float64(d) + float64(seed)
		}
		return nil
	})
}

func TestDefaults(t *testing.T) {
	c, err := settings.Resolved(outer{Off: true}, gram.Shape{N: 100})
	if err != nil {
		t.Fatal(err)
	}
	want := outer{M: 100, Rank: 100, Power: gram.Set(2), Lambda: gram.Set(1e-3), Cache: 256 << 20, Off: true, Shape: square{}, inner: inner{4, 0.5}}
	if fmt.Sprintf("%+v", c) != fmt.Sprintf("%+v", want) {
		t.Errorf("resolved %+v, want %+v", c, want)
	}
	c, err = settings.Resolved(outer{M: 7, Power: gram.Set(0), Lambda: gram.Set(0.0), Shape: triangle{}}, gram.Shape{N: 100})
	if err != nil || c.M != 7 || c.Rank != 7 || c.Power.Value() != 0 || c.Lambda.Value() != 0 || c.Shape.sides() != 3 {
		t.Errorf("resolved %+v, %v", c, err)
	}
}

func TestRanges(t *testing.T) {
	good := outer{Off: true}
	for name, change := range map[string]func(*outer){
		"M 101":       func(c *outer) { c.M = 101 },
		"M -1":        func(c *outer) { c.M = -1 },
		"Rank 9":      func(c *outer) { c.M, c.Rank = 8, 9 },
		"Power -1":    func(c *outer) { c.Power = gram.Set(-1) },
		"Power 2":     func(c *outer) { c.Off = false },
		"Lambda NaN":  func(c *outer) { c.Lambda = gram.Set(math.NaN()) },
		"Lambda +Inf": func(c *outer) { c.Lambda = gram.Set(math.Inf(1)) },
		"Cache 5":     func(c *outer) { c.Cache = 5 },
		"Color 2":     func(c *outer) { c.Color = 2 },
		"Weights -1":  func(c *outer) { c.Weights = []float64{1, -1} },
		"Width -3":    func(c *outer) { c.Width = -3 },
		"Depth -1":    func(c *outer) { c.Depth = -1 },
		"Share 2":     func(c *outer) { c.Share = 2 },
	} {
		c := good
		change(&c)
		_, err := settings.Resolved(c, gram.Shape{N: 100})
		var ce *gram.ConfigError
		field, value, _ := strings.Cut(name, " ")
		if !errors.As(err, &ce) || ce.Field != field || ce.Want == "" || name != "Color 2" && fmt.Sprint(ce.Value) != value {
			t.Errorf("%s: error %+v", name, err)
		}
	}
	c := good
	c.Part.Depth = -1 // its own fit refuses it
	if _, err := settings.Resolved(c, gram.Shape{N: 100}); err != nil {
		t.Error(err)
	}
}

// The first mistake counts, and a default that follows from it is not filled in.
func TestFirst(t *testing.T) {
	c, err := settings.Resolved(outer{M: -1, Color: 7}, gram.Shape{N: 100})
	var ce *gram.ConfigError
	if !errors.As(err, &ce) || ce.Field != "M" || c.Rank != 0 {
		t.Errorf("%+v: %v", c, err)
	}
}

// An error about a field names the setting: that of the whole field, also where a part names its own field
// alone. Other errors, and those about fields without a setting, stay.
func TestNamed(t *testing.T) {
	b := settings.Bind(&outer{})
	other := errors.New("other")
	for _, c := range []struct{ err, want error }{
		{&gram.ConfigError{Field: "Lambda", Value: -1, Want: "a number"}, &gram.ConfigError{Field: "lambda", Value: -1, Want: "a number"}},
		{fmt.Errorf("fit: %w", &gram.ConfigError{Field: "Share", Value: 2, Want: "at most 1"}), &gram.ConfigError{Field: "part-share", Value: 2, Want: "at most 1"}},
		{&gram.ConfigError{Field: "Seed", Value: 3, Want: "4"}, &gram.ConfigError{Field: "Seed", Value: 3, Want: "4"}},
		{other, other},
		{nil, nil},
	} {
		if got := b.Named(c.err); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%v: got %v, want %v", c.err, got, c.want)
		}
	}
}

func TestBind(t *testing.T) {
	var c outer
	b := settings.Bind(&c)
	var names, fields []string
	for _, s := range b.Settings {
		names = append(names, s.Name)
		fields = append(fields, s.Field)
		if s.Ambiguous() {
			t.Errorf("%s is ambiguous", s.Name)
		}
	}
	if want := "m rank power lambda cache off color shape weights width depth part-depth part-share"; strings.Join(names, " ") != want {
		t.Errorf("settings %v, want %s", names, want)
	}
	if want := "M Rank Power Lambda Cache Off Color Shape Weights Width Depth Part.Depth Part.Share"; strings.Join(fields, " ") != want {
		t.Errorf("fields %v, want %s", fields, want)
	}
	if fmt.Sprintf("%+v", c) != fmt.Sprintf("%+v", outer{}) {
		t.Errorf("binding changed the configuration: %+v", c)
	}
	must.Do(t, b.Set("m=5", "power=0", "lambda=0", "cache=3", "off=true", "color=blue", "shape=triangle", "weights=1, 2.5", "part-depth=3"))
	if c.M != 5 || !c.Power.Given() || !c.Lambda.Given() || c.Cache != 3<<20 || !c.Off || c.Color != blue || c.Shape.sides() != 3 ||
		!slices.Equal(c.Weights, []float64{1, 2.5}) || c.Part.Depth != 3 {
		t.Errorf("%+v", c)
	}
	for setting, want := range map[string]string{"m": "5", "power": "0", "cache": "3", "off": "true", "color": "blue", "shape": "triangle", "weights": "1,2.5", "rank": ""} {
		if got := b.Lookup(setting).String(); got != want {
			t.Errorf("%s is %q, want %q", setting, got, want)
		}
	}
	if err := b.Set("cache=8589934592"); err != nil || c.Cache != 1<<53 {
		t.Errorf("the largest integer, of MiB: %v, %v", c.Cache, err)
	}
	if err := b.Set("off=false"); err != nil || c.Off {
		t.Errorf("off=false: %v, %v", c.Off, err)
	}
	if err := b.Complete(mat.NewDense(1, 2, nil), 40); err != nil || c.Width != 42 {
		t.Errorf("completed to %v, %v", c.Width, err)
	}
}

func TestBadText(t *testing.T) {
	for text, want := range map[string]string{
		"m=0":                "at least 1",
		"m=2.5":              "an integer",
		"m=1e300":            "an integer",
		"m=9007199254740994": "an integer", // float64 has not every integer here
		"lambda=x":           "a number",
		"lambda=NaN":         "a number",
		"lambda=inf":         "a number",
		"lambda=-1":          "at least 0",
		"part-share=2":       "above 0, at most 1",
		"cache=0":            "at least 1",
		"off=maybe":          "true or false",
		"color=green":        "red, blue",
		"shape=line":         "square, triangle",
		"weights=1,,2":       "commas",
		"weights=-1":         "at least 0",
		"nope=1":             "there are m, rank",
		"nope":               "name=value",
	} {
		var c outer
		err := settings.Bind(&c).Set(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
		if fmt.Sprintf("%+v", c) != fmt.Sprintf("%+v", outer{}) {
			t.Errorf("%s changed the configuration", text)
		}
	}
}

type hidden struct{ Power int }

func (c *hidden) Settings(s *settings.Fields) {
	s.Int(&c.Power, "power", "power steps").Default(2).AtLeast(0)
}

func TestAmbiguous(t *testing.T) {
	if !settings.List(&hidden{})[0].Ambiguous() {
		t.Error("zero would silently be 2")
	}
}

type either struct {
	A inner
	B other
}

type other struct {
	Depth int
	Share float64
	Bins  int
}

func (c *other) Settings(s *settings.Fields) {
	s.Int(&c.Depth, "depth", "levels").Default(9).AtLeast(1)
	s.Float(&c.Share, "share", "share of the columns").Default(0.5).Above(0).AtMost(1)
	s.Int(&c.Bins, "bins", "bins").Default(255).AtLeast(2)
}

func (c *either) Settings(s *settings.Fields) {
	s.Alternatives(settings.Alternative{Name: "a", Described: &c.A}, settings.Alternative{Name: "b", Described: &c.B})
}

func TestAlternatives(t *testing.T) {
	var c either
	b := settings.Bind(&c)
	var lines []string
	for _, s := range b.Settings {
		lines = append(lines, fmt.Sprintf("%s (%s) %s", s.Name, s.Default, s.Help))
	}
	want := []string{"depth (a: 4; b: 9) levels", "share (0.5) a: share of the rows; b: share of the columns", "bins (255) b: bins"}
	if !slices.Equal(lines, want) {
		t.Errorf("%q, want %q", lines, want)
	}
	if err := b.Set("depth=2", "bins=7"); err != nil || c.A.Depth != 2 || c.B.Depth != 2 || c.B.Bins != 7 {
		t.Errorf("%+v, %v", c, err)
	}
	if err := b.Set("depth=0"); err == nil {
		t.Error("depth=0 is accepted")
	}
}

func Example() {
	type config = inner // its method Settings describes Depth and Share
	c, err := settings.Resolved(config{Depth: 7}, gram.Shape{})
	fmt.Println(c.Depth, c.Share, err)

	_, err = settings.Resolved(config{Share: 2}, gram.Shape{})
	fmt.Println(err)

	for _, s := range settings.List(&config{}) {
		fmt.Printf("%-6s %-4s %-18s %s\n", s.Name, s.Default, s.Range, s.Help)
	}
	// Output:
	// 7 0.5 <nil>
	// Share is 2, want above 0, at most 1
	// depth  4    at least 1         levels
	// share  0.5  above 0, at most 1 share of the rows
}

// whole has a part that is fitted to its own data, with another default for one setting.
type whole struct {
	N    int
	Part inner
	On   bool
}

func (c *whole) Settings(s *settings.Fields) {
	s.Int(&c.N, "n", "rows").Required().AtLeast(1)
	s.Float(&c.Part.Share, "share", "share of the rows").Default(0.25).Above(0)
	s.EmbeddedAs("part-", &c.Part, "share")
	s.Bool(&c.On, "on", "something is done")
}

// A part under a prefix is resolved with the whole, whose errors name its fields; a
// switch may be on from the start, and a setting without a default has none in words.
func TestEmbeddedAs(t *testing.T) {
	c := &whole{On: true}
	var have []string
	for _, s := range settings.List(c) {
		have = append(have, s.Name+"="+s.Default+" "+s.Field)
	}
	if want := []string{"n= N", "share=0.25 Part.Share", "part-depth=4 Part.Depth", "on=true On"}; !slices.Equal(have, want) {
		t.Errorf("listed %q, want %q", have, want)
	}
	if err := settings.Bind(c).Set("on=false", "part-depth=7"); err != nil || c.On || c.Part.Depth != 7 {
		t.Errorf("%+v, %v", c, err)
	}
	r, err := settings.Resolved(whole{N: 3}, gram.Shape{})
	if want := (whole{N: 3, Part: inner{4, 0.25}}); err != nil || r != want {
		t.Errorf("resolved %+v, %v", r, err)
	}
	for field, c := range map[string]whole{"N": {}, "Part.Depth": {N: 1, Part: inner{Depth: -1}}, "Part.Share": {N: 1, Part: inner{Share: 2}}} {
		var ce *gram.ConfigError
		if _, err := settings.Resolved(c, gram.Shape{}); !errors.As(err, &ce) || ce.Field != field {
			t.Errorf("%s: error %v", field, err)
		}
	}
}

// A setting of a part that is not chosen is refused, but for one that the chosen part has.
func TestUnused(t *testing.T) {
	var c either
	c.A.Depth, c.B.Depth = 2, 2
	parts := []settings.Alternative{{Name: "a", Described: &c.A}, {Name: "b", Described: &c.B}}
	for _, chosen := range []string{"a", "b"} {
		if err := settings.Unused(chosen, parts...); err != nil {
			t.Errorf("%s: %v", chosen, err)
		}
	}
	c.B.Bins = 7
	var ce *gram.ConfigError
	if err := settings.Unused("a", parts...); !errors.As(err, &ce) || ce.Field != "Bins" || ce.Value != "7" {
		t.Errorf("%v, want an error about Bins", err)
	}
	if err := settings.Unused("b", parts...); err != nil {
		t.Error(err)
	}
}

// polygon is a shape with a setting of its own.
type polygon struct{ Corners int }

func (p polygon) sides() int { return p.Corners }

func (p *polygon) Settings(s *settings.Fields) {
	s.Int(&p.Corners, "corners", "corners").Default(5).AtLeast(3)
}

type drawn struct{ Shape shape }

func (c *drawn) Settings(s *settings.Fields) {
	settings.OneOf(s, &c.Shape, "shape", "what is drawn",
		settings.Option[shape]{Name: "square", Value: square{}},
		settings.Option[shape]{Name: "polygon", Value: polygon{}})
}

// The settings of a value follow its name.
func TestOneOfWithSettings(t *testing.T) {
	for text, want := range map[string]any{"square": square{}, "polygon": polygon{}, "polygon:corners=7": polygon{7}} {
		var c drawn
		b := settings.Bind(&c)
		if err := b.Set("shape=" + text); err != nil || c.Shape != want || b.Lookup("shape").String() != text {
			t.Errorf("%s: %+v, %q, %v", text, c.Shape, b.Lookup("shape"), err)
		}
	}
	for text, want := range map[string]string{"square:corners=7": "no settings of its own", "polygon:sides=4": "corners", "polygon:corners=2": "at least 3", "circle:r=1": "square, polygon"} {
		var c drawn
		if err := settings.Bind(&c).Set("shape=" + text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", text, err, want)
		}
	}
	if r := settings.List(&drawn{})[0].Range; r != "settings of their own: polygon:corners" {
		t.Errorf("range %q", r)
	}
}

// A share of a range is a value in it: the shares from 0 to 1 are its values from the lowest to the
// highest, each whole number and each item of a list for as long.
func TestRangeAt(t *testing.T) {
	for _, c := range []struct {
		r    settings.Range
		want string // at 0, 1/4, 1/2, 3/4 and just below 1
	}{
		{settings.Range{Low: 2, High: 5, Integer: true}, "2 3 4 5 5"},
		{settings.Range{Low: 2, High: 4, Unit: "x"}, "2x 2.5x 3x 3.5x 4x"},
		{settings.Range{Low: 1e-4, High: 1, Log: true}, "0.0001 0.001 0.01 0.1 1"},
		{settings.Range{Low: 1, High: 16, Log: true, Integer: true}, "1 2 4 8 16"},
		{settings.Range{List: []string{"a", "b", "c", "d"}}, "a b c d d"},
	} {
		var got []string
		for _, u := range []float64{0, .25, .5, .75, math.Nextafter(1, 0)} {
			got = append(got, c.r.At(u))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v: %v, want %s", c.r, got, c.want)
		}
	}
}

// colored has a color, of which it takes one away.
type colored struct{ Color color }

func (c *colored) Settings(s *settings.Fields) {
	settings.Choice(s, &c.Color, "color", "what it looks like", red, blue)
	s.Without("color", "blue")
}

// A choice that is taken away is refused as one that never was, and the others stay.
func TestWithout(t *testing.T) {
	var c colored
	b := settings.Bind(&c)
	if err := b.Set("color=red"); err != nil || !slices.Equal(b.Lookup("color").Choices, []string{"red"}) {
		t.Errorf("%v of %v", err, b.Lookup("color").Choices)
	}
	if err := b.Set("color=blue"); err == nil || c.Color != red || strings.Contains(err.Error(), "red or blue") {
		t.Errorf("%v, and the color is %v", err, c.Color)
	}
}
