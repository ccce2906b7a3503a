package main

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// asmKinds lists the faults that amd64 assembly gets, with their weights.
var asmKinds = map[string]float64{
	"drop":         6, // an instruction is missing
	"swap":         5, // an instruction becomes its opposite
	"immediate":    4, // a constant of an instruction is one more
	"displacement": 4, // an address is one float64 further
	"jump":         5, // a condition takes the other side of equality, or its opposite
	"table":        2, // a bit of a constant in RODATA flips
}

// opposites lists opposite instructions and conditions. A vector instruction is
// looked up without its V and its element type.
var (
	opposite = map[string]string{"ADD": "SUB", "SUB": "ADD", "PADD": "PSUB", "PSUB": "PADD", "MUL": "ADD", "MAX": "MIN", "MIN": "MAX", "FMADD231": "FNMADD231",
		"FNMADD231": "FMADD231", "FMADD213": "FNMADD213", "FMSUB231": "FMADD231", "INC": "DEC", "DEC": "INC", "SHL": "SHR", "SHR": "SHL",
		"AND": "OR", "UNPCKL": "UNPCKH", "UNPCKH": "UNPCKL"}
	otherJump = map[string]string{"JL": "JLE", "JLT": "JLE", "JLE": "JLT", "JG": "JGE", "JGT": "JGE", "JGE": "JGT", "JE": "JNE", "JEQ": "JNE",
		"JZ": "JNZ", "JNE": "JEQ", "JNZ": "JZ", "JB": "JLS", "JCS": "JLS", "JLS": "JCS", "JAE": "JHI", "JCC": "JHI", "JHI": "JCC", "JBE": "JCS"}
)

var (
	symbol       = regexp.MustCompile(`^(?:TEXT|#define)\s+·?(\w+)`)
	data         = regexp.MustCompile(`^DATA\s.*/([48]),\s*\$(0x[0-9a-fA-F]+)\b`)
	instruction  = regexp.MustCompile(`^\s*([A-Z][A-Z0-9]*)((?:\.\w+)*)(?:\s+(.*?))?\s*$`)
	macroCall    = regexp.MustCompile(`^\s*([A-Z]\w*\(.*\))\s*$`)
	vector       = regexp.MustCompile(`^(V?)([A-Z]+?(?:231|213|132)?)(P[SD]|S[SD]|Q|L|D)$`)
	immediate    = regexp.MustCompile(`\$(-?\d+|0x[0-9a-fA-F]+)(?:,|$)`)
	displacement = regexp.MustCompile(`(?:^|[\s,])(-?\d+)\([A-Z]`)
	// These instructions change no result: hints, and what ci/asmlint checks.
	idle = regexp.MustCompile(`^(PREFETCH\w+|VZEROUPPER|PCALIGN|NOP\w*|RET|SFENCE)$`)
)

// asmMutants returns all faults of an assembly file or header.
func asmMutants(path string, text []byte) []mutant {
	var out []mutant
	fn, at, comment := "-", 0, false
	for line := range strings.Lines(string(text)) {
		start := at
		at += len(line)
		line = strings.TrimRight(line, "\n")
		add := func(kind string, lo, hi int, replacement string) {
			out = append(out, newMutant(path, text, fn, kind, lo, hi, replacement))
		}
		if m := symbol.FindStringSubmatch(line); m != nil {
			fn = m[1]
		}
		if m := data.FindStringSubmatchIndex(line); m != nil {
			bit := 16
			if line[m[2]:m[3]] == "8" {
				bit = 45
			}
			if v, err := strconv.ParseUint(line[m[4]:m[5]], 0, 64); err == nil {
				add("table", start+m[4], start+m[5], "0x"+strconv.FormatUint(v^1<<bit, 16))
			}
			continue
		}
		if i := strings.Index(line, "//"); i >= 0 {
			line = line[:i]
		}
		if i := strings.Index(line, "/*"); i >= 0 {
			line, comment = line[:i], true
		}
		if comment {
			comment = !strings.Contains(string(text[start:at]), "*/")
			continue
		}
		line = strings.TrimRight(strings.TrimRight(line, " \t"), "\\")
		body := 0 // of a macro on the line of its #define
		switch {
		case strings.HasPrefix(line, "#define"):
			m := macroHead.FindStringIndex(line)
			if m == nil {
				continue
			}
			body = m[1]
			if !strings.ContainsAny(strings.TrimSpace(line[body:]), " (\t") { // another name for one word, which must have a meaning
				swap := add
				add = func(kind string, lo, hi int, replacement string) {
					if kind == "swap" {
						swap(kind, lo, hi, replacement)
					}
				}
			}
		case strings.HasPrefix(line, "#"), strings.HasPrefix(line, "TEXT"), strings.HasPrefix(line, "GLOBL"), strings.HasPrefix(line, "DATA"):
			continue
		}
		for part := range strings.SplitAfterSeq(line[body:], ";") {
			lo := start + body
			body += len(part)
			asmInstruction(strings.TrimRight(part, "; \t"), lo, add)
		}
	}
	return number(out)
}

var macroHead = regexp.MustCompile(`^#define\s+\w+(\([^)]*\))?\s*`)

// asmInstruction adds the faults of one instruction that starts at offset lo.
func asmInstruction(s string, lo int, add func(kind string, lo, hi int, replacement string)) {
	if m := macroCall.FindStringSubmatchIndex(s); m != nil {
		add("drop", lo+m[2], lo+m[3], "")
		return
	}
	m := instruction.FindStringSubmatchIndex(s)
	if m == nil {
		return
	}
	op := s[m[2]:m[3]]
	if idle.MatchString(op) || op == "JMP" {
		return
	}
	opAt := lo + m[2]
	if other := otherJump[op]; other != "" {
		add("jump", opAt, lo+m[3], other)
		return
	}
	add("drop", opAt, lo+len(s), "")
	if v := vector.FindStringSubmatch(op); v != nil && opposite[v[2]] != "" {
		add("swap", opAt, lo+m[3], v[1]+opposite[v[2]]+v[3])
	}
	if m[6] < 0 {
		return
	}
	args := s[m[6]:m[7]]
	for _, i := range immediate.FindAllStringSubmatchIndex(args, -1) {
		if v, err := strconv.ParseInt(args[i[2]:i[3]], 0, 64); err == nil {
			add("immediate", lo+m[6]+i[2], lo+m[6]+i[3], strconv.FormatInt(v+1, 10))
		}
	}
	for _, i := range displacement.FindAllStringSubmatchIndex(args, -1) {
		if v, err := strconv.ParseInt(args[i[2]:i[3]], 10, 64); err == nil {
			add("displacement", lo+m[6]+i[2], lo+m[6]+i[3], strconv.FormatInt(v+8, 10))
		}
	}
}

var include = regexp.MustCompile(`(?m)^#include "([^"]+)"[^\n]*\n`)

// inline returns the text of an assembly file in which a header's text replaces
// its inclusion, directly or in another header, and whether the header is
// included. This is necessary because the overlay of the go command covers the
// files that it builds, but not those that the assembler opens itself.
func inline(dir, text, header, changed string, read func(path string) (string, error)) (string, bool) {
	found := false
	out := include.ReplaceAllStringFunc(text, func(line string) string {
		name := include.FindStringSubmatch(line)[1]
		if name == header {
			found = true
			return changed
		}
		sub, err := read(filepath.Join(dir, name))
		if err != nil {
			return line // a header of Go itself
		}
		sub, has := inline(dir, sub, header, changed, read)
		if !has {
			return line
		}
		found = true
		return sub
	})
	return out, found
}
