package main

// families lists the tables; each has a file of its own.
var families = []family{
	chol,
	codes,
	gemm,
	haar,
	hadamard,
	hist,
	lanes,
	level2,
	panel,
	peak,
	secular,
	smo,
	structured,
	trees,
	vec,
}

// copies lists the headers that a family copies from another one. The build
// cache would not notice changes of headers in another directory.
var copies = map[string][]string{
	"panel": {"vec/exp_avx2_amd64.h", "vec/exp_avx512_amd64.h", "vec/exp_neon_arm64.h"},
}

// assemblies lists the families whose assembly is entered by generated files. Those of other families have their
// entries by hand.
var assemblies = map[string]assembly{
	"chol":       cholAssembly,
	"codes":      codesAssembly,
	"gemm":       gemmAssembly,
	"haar":       haarAssembly,
	"hist":       histAssembly,
	"lanes":      lanesAssembly,
	"level2":     level2Assembly,
	"panel":      panelAssembly,
	"peak":       peakAssembly,
	"smo":        smoAssembly,
	"structured": structuredAssembly,
	"trees":      treesAssembly,
	"vec":        vecAssembly,
}

// A family is a package below asm with the routines that have variants in assembly.
type family struct {
	name     string
	routines []routine
}

// A routine is a function with a variant for each level.
type routine struct {
	Func    string // signature
	Doc     string // what it does; by default that it runs a variant of Generic
	Cases   []variant
	Generic string // function, call or expression; "" is NAMEGeneric
	Direct  bool
}

// A variant is what some levels run for a routine.
type variant struct {
	Levels level
	Only   int    // 64, 32, or 0 for both
	When   string // "" means always
	Stub   string // signature; "" means that of the routine
	Args   string // arguments of the stub
	Go     string // function written by hand that is called instead of a stub
}

// on returns the case of a routine whose assembly has its signature.
func on(l level) []variant { return []variant{{Levels: l}} }

// A level is a set of the levels of package cpu.
type level int

const (
	AVX2 level = 1 << iota
	AVX512
	NEON
)

// An arch is an architecture for which a dispatch file is written, with its build constraint and its levels.
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

// registerBytes holds the sizes of vector registers in bytes.
var registerBytes = map[level]int{AVX2: 32, AVX512: 64, NEON: 16}
