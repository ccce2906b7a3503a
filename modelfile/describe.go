package modelfile

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Content describes a model in a file: the model itself or one inside it.
type Content struct {
	Prefix  string          `json:"prefix"` // of its arrays, with a slash at its end; empty for the outermost model
	Method  string          `json:"method"`
	Version int             `json:"version"`
	Config  json.RawMessage `json:"config"` // the settings
	Arrays  []Array         `json:"arrays"`
}

// Array describes an array of a model file.
type Array struct {
	Name  string `json:"name"` // without the prefix
	Type  string `json:"type"` // F64, F32, I64, I32 or U8
	Shape []int  `json:"shape"`
	Bytes int64  `json:"bytes"`
}

// Contents describes what f holds, the outermost model first and the models inside it in the
// order of their prefixes. It decodes nothing, so that it describes models of methods
// that the program does not know.
func (f *File) Contents() []Content {
	var parts []Content
	for _, prefix := range slices.Sorted(maps.Keys(f.c.methods())) {
		if !strings.HasPrefix(prefix, f.prefix) {
			continue
		}
		p := Content{Prefix: prefix[len(f.prefix):], Method: f.c.meta[prefix+"method"], Config: json.RawMessage(f.c.meta[prefix+"config"]), Arrays: []Array{}}
		p.Version, _ = strconv.Atoi(f.c.meta[prefix+"version"])
		if !json.Valid(p.Config) {
			p.Config = json.RawMessage("null")
		}
		for _, a := range f.c.ownArrays[prefix] {
			p.Arrays = append(p.Arrays, Array{a.name[len(prefix):], a.dtype, slices.Clone(a.shape), a.hi - a.lo})
		}
		slices.SortFunc(p.Arrays, func(a, b Array) int { return cmp.Compare(a.Name, b.Name) })
		parts = append(parts, p)
	}
	return parts
}

// methods returns the prefixes of all models of the file.
func (c *loaded) methods() map[string]bool {
	all := map[string]bool{"": true}
	for key := range c.meta {
		if n := len(key) - len("method"); n >= 0 && key[n:] == "method" && !strings.HasPrefix(key, "checksum:") && (n == 0 || key[n-1] == '/') {
			all[key[:n]] = true
		}
	}
	return all
}
