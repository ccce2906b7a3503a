package main

// families are the tables, one file each.
var families = []family{
	chol,
	gemm,
	haar,
	hadamard,
	level2,
	panel,
	peak,
	secular,
	smo,
	structured,
	vec,
}

// copies are the headers that a family has from another one, in whose folder the
// build cache would not see them change.
var copies = map[string][]string{
	"panel": {"vec/exp_avx2_amd64.h", "vec/exp_avx512_amd64.h", "vec/exp_neon_arm64.h"},
}

// A family is a package below asm.
type family struct {
	name     string
	routines []routine
}

// A routine is a function that runs a variant of its own at each level.
type routine struct {
	Func    string // signature
	Doc     string // what it does; by default that it is Generic
	Cases   []variant
	Generic string // function, call or expression; "" is NAMEGeneric
	Direct  bool
}

// A variant is what some levels run.
type variant struct {
	Levels level
	Only   int    // 64, 32 or 0 for both
	When   string // "" is always
	Stub   string // signature; "" is that of the routine
	Args   string // of the stub
	Go     string // function written by hand, instead of a stub
}

// on is the case of routines whose assembly has their signature.
func on(l level) []variant { return []variant{{Levels: l}} }

// A level is a set of the levels of package cpu.
type level int

const (
	AVX2 level = 1 << iota
	AVX512
	NEON
)

// An arch is an architecture.
type arch struct {
	file, build string
	levels      []level // highest first
}

var arches = []arch{
	{"dispatch_amd64.go", "!noasm", []level{AVX512, AVX2}},
	{"dispatch_arm64.go", "!noasm", []level{NEON}},
	{"dispatch_noasm.go", "noasm || (!amd64 && !arm64)", nil},
}

var levelNames = map[level]string{AVX2: "AVX2", AVX512: "AVX512", NEON: "NEON"}

// registerBytes are the sizes of a vector register.
var registerBytes = map[level]int{AVX2: 32, AVX512: 64, NEON: 16}
