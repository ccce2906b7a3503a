package algotest

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/gramworks/gram"
)

// numbers makes every fit of s fail the test whose statistics hold a NaN, be it the fit of few or equal
// rows, one that does not converge or one that is cancelled.
func (s Subject) numbers(t *testing.T) Subject {
	type fitting = func(ctx context.Context, d Data, run gram.Run) (*Model, error)
	checked := func(fit fitting) fitting {
		if fit == nil {
			return nil
		}
		return func(ctx context.Context, d Data, run gram.Run) (*Model, error) {
			m, err := fit(ctx, d, run)
			if m != nil {
				for _, field := range NaNs(m.Public) {
					t.Errorf("%s is not a number (the error of the fit: %v)", field, err)
				}
			}
			return m, err
		}
	}
	s.Fit, s.Exact, s.Halved = checked(s.Fit), checked(s.Exact), checked(s.Halved)
	return s
}

// NaNs returns the names of the fields of the result of m's method Stats that hold NaN, also in
// slices and in structures of structures.
func NaNs(m any) (fields []string) {
	if m == nil {
		return nil
	}
	stats := reflect.ValueOf(m).MethodByName("Stats")
	if !stats.IsValid() {
		return nil
	}
	var look func(name string, v reflect.Value)
	look = func(name string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Float64, reflect.Float32:
			if x := v.Float(); x != x {
				fields = append(fields, name)
			}
		case reflect.Struct:
			for i := range v.NumField() {
				look(name+"."+v.Type().Field(i).Name, v.Field(i))
			}
		case reflect.Slice, reflect.Array:
			for i := range v.Len() {
				look(fmt.Sprintf("%s[%d]", name, i), v.Index(i))
			}
		case reflect.Pointer, reflect.Interface:
			if !v.IsNil() {
				look(name, v.Elem())
			}
		}
	}
	for _, v := range stats.Call(nil) {
		look("Stats", v)
	}
	return fields
}
