package algotest

import (
	"bytes"
	"math"
	"reflect"
	"testing"
	"unsafe"

	"github.com/gramworks/gram/modelfile"
)

// written tests that no number that a model has makes a file that cannot be read: whatever number of
// the model becomes infinite, either writing it is an error, or the file is read.
func (s Subject) written(t *testing.T) {
	m := s.fit(t, Problem(31, 50, 4, 3), run)
	var p places
	p.walk("", reflect.ValueOf(m.Public))
	refused := 0
	for i, name := range p.names {
		old := p.numbers[i].Float()
		p.numbers[i].SetFloat(math.Inf(1))
		var b bytes.Buffer
		err := modelfile.Write(&b, encoder(m.Encode))
		p.numbers[i].SetFloat(old)
		if err != nil {
			refused++
			continue
		}
		f, err := modelfile.Read(&b)
		if err == nil {
			_, err = s.Decode(f)
		}
		if err != nil {
			t.Errorf("%s is infinite: it is written, and then %v", name, err)
		}
	}
	t.Logf("%d of %d numbers are refused", refused, len(p.names))
}

// places are numbers of a model: each field, and the last element of each slice.
type places struct {
	names   []string
	numbers []reflect.Value
	seen    map[unsafe.Pointer]bool
}

// walk adds the numbers in v, and in what v holds, under the given name.
func (p *places) walk(name string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if p.seen == nil {
			p.seen = map[unsafe.Pointer]bool{}
		}
		if at := v.UnsafePointer(); at != nil && !p.seen[at] {
			p.seen[at] = true
			p.walk(name, v.Elem())
		}
	case reflect.Interface:
		if e := v.Elem(); e.Kind() == reflect.Pointer {
			p.walk(name, e)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanAddr() {
				p.walk(name+"."+v.Type().Field(i).Name, reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem())
			}
		}
	case reflect.Slice:
		if n := v.Len(); n > 0 {
			p.walk(name+"[last]", v.Index(n-1))
		}
	case reflect.Float32, reflect.Float64:
		p.names, p.numbers = append(p.names, name), append(p.numbers, v)
	}
}
