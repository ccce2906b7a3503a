package algotest

import (
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
)

// Refused checks that fit, which is called with one field of good changed, returns
// a *gram.ConfigError that names the field: for NaN and −1 in every number, −1 in
// every integer, 255 in every enumeration, and the values that more adds. A field
// with an empty list in more is left out. Fields of nested structs are tried as
// well, except those of gram.Run. Only the part of a name after the last point is
// compared.
func Refused[C any](t *testing.T, good C, more map[string][]any, fit func(c C) error) {
	t.Helper()
	if err := fit(good); err != nil {
		t.Fatalf("the settings that are good: %v", err)
	}
	left := maps.Clone(more)
	var try func(path []int, typ reflect.Type)
	try = func(path []int, typ reflect.Type) {
		for i := range typ.NumField() {
			f, at := typ.Field(i), append(slices.Clip(path), i)
			if !f.IsExported() || f.Type == reflect.TypeFor[gram.Run]() {
				continue
			}
			values, given := more[f.Name]
			delete(left, f.Name)
			switch kind := f.Type.Kind(); {
			case given && len(values) == 0:
			case f.Type == reflect.TypeFor[gram.Opt[int]]():
				values = append(slices.Clip(values), -1)
			case f.Type == reflect.TypeFor[gram.Opt[float64]]():
				values = append(slices.Clip(values), math.NaN(), math.Inf(1), -1.0)
			case kind == reflect.Struct:
				try(at, f.Type)
			case kind == reflect.Float64:
				values = append(slices.Clip(values), math.NaN(), -1.0)
			case kind == reflect.Int, kind == reflect.Int64:
				values = append(slices.Clip(values), -1)
			case kind == reflect.Uint8:
				values = append(slices.Clip(values), 255)
			}
			for _, v := range values {
				c := good
				field := reflect.ValueOf(&c).Elem().FieldByIndex(at)
				switch to := field.Addr().Interface().(type) {
				case *gram.Opt[int]:
					*to = gram.Set(v.(int))
				case *gram.Opt[float64]:
					*to = gram.Set(v.(float64))
				default:
					switch value := reflect.ValueOf(v); {
					case v == nil:
						field.SetZero()
					case !value.CanConvert(f.Type): // a value for another field of that name
						continue
					default:
						field.Set(value.Convert(f.Type))
					}
				}
				t.Helper()
				Names(t, f.Name, v, fit(c))
			}
		}
	}
	try(nil, reflect.TypeFor[C]())
	for name := range left {
		t.Errorf("there is no field %s", name)
	}
}

// Names checks that err, the error for a value, is a *gram.ConfigError that names
// field.
func Names(t *testing.T, field string, value any, err error) {
	t.Helper()
	var ce *gram.ConfigError
	switch {
	case !errors.As(err, &ce):
		t.Errorf("%s %v: error %v, want a *gram.ConfigError", field, value, err)
	case ce.Field[strings.LastIndex(ce.Field, ".")+1:] != field:
		t.Errorf("%s %v: the error names %s", field, value, ce.Field)
	case ce.Value == nil && value != nil:
		t.Errorf("%s %v: the error does not name the value", field, value)
	case ce.Want == "":
		t.Errorf("%s %v: the error does not say what is wanted", field, value)
	}
}
