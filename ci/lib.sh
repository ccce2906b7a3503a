# The scripts of this directory source this file. step NAME COMMAND… runs a
# command, prints how long it took and ends the script if it fails. Of the output of
# a command that succeeds it prints the counts of tests alone.
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The sum of the tree is an input of tests that read what the go command's cache does not see: see
# TestInputsThatTheCacheMisses.
GRAM_TREE=$(git ls-files -co --exclude-standard -z | xargs -0 sha256sum 2>/dev/null | sha256sum | cut -c 1-16) || GRAM_TREE=$RANDOM
export GRAM_TREE

step() {
	local name=$1 start=$SECONDS log
	shift
	log=$(mktemp)
	if "$@" >"$log" 2>&1; then
		printf 'ok    %-58s %4d s%s\n' "$name" $((SECONDS - start)) "$(sed -n 's/^counts: /  /p' "$log" | paste -sd ';')"
		rm -f "$log"
	else
		printf 'FAIL  %-58s %4d s\n' "$name" $((SECONDS - start))
		cat "$log"
		rm -f "$log"
		exit 1
	fi
}

# tests NAME [VARIABLE=VALUE…] ARGUMENT… is a step that runs go test with the arguments,
# counts, and fails if a test is skipped that ci/skips does not expect: see
# ci/tools/tally.
tests() {
	local name=$1
	shift
	step "$name" go run ./ci/tools/tally -step "$name" -- "$@"
}

# counted NAME [VARIABLE=VALUE…] ARGUMENT… is the same, and any test may be skipped.
counted() {
	local name=$1
	shift
	step "$name" go run ./ci/tools/tally -- "$@"
}

# patterns DIR… prints the directories that exist as package patterns.
patterns() {
	local d
	for d in "$@"; do [ -d "$d" ] && printf './%s/... ' "$d"; done
}

engine() { patterns asm $(leveled); }

# leveled prints the folders of the engine whose tests compute at the level in force. Those of asm lower it themselves: the
# default tests run each routine at every level.
leveled() { echo fwht haar structured vec blas kernel cholupdate eig; }

# tested prints the packages with tests whose line matches the pattern: the path of the package and, with
# a space before each, those of the packages that it imports, not in its tests. Further arguments are those of go list.
tested() {
	local pattern=$1
	shift
	go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{join .Imports " "}}{{end}}' "$@" |
		grep -E -- "$pattern" | cut -d' ' -f1
}

# apart prints the packages that no pattern matches, not even work, because their go.mod ignores them.
apart() { echo ./app/columnar ./ci/tools/vet; }

# contracts prints the packages of methods whose tests check the contract of estimators, or parts of it.
contracts() { git grep -lE 'algotest\.(Check|Looks)\(' -- 'algos/*_test.go' | xargs -n1 dirname | sort -u | sed 's|^|./|'; }

# long prints the tests that do more with GRAM_LONG, as a pattern, or with -packages their packages.
long() {
	local files
	files=$(git grep -l 'Getenv("GRAM_LONG")' -- '*_test.go')
	if [ "${1:-}" = -packages ]; then
		xargs -n1 dirname <<<"$files" | sort -u | sed 's|^|./|'
	else
		xargs awk '/^func Test/ { name = $2; sub(/\(.*/, "", name) } /Getenv\("GRAM_LONG"\)/ { print name }' <<<"$files" | sort -u | paste -sd '|' | sed 's/.*/^(&)$/'
	fi
}

# kernels prints the packages that have other files with the tag noasm. The packages that call them compute with the tag
# what they compute at the level generic.
kernels() {
	local files='{{.ImportPath}} {{.GoFiles}} {{.TestGoFiles}} {{.XTestGoFiles}}'
	comm -13 <(go list -f "$files" ./... | sort) <(go list -tags noasm -f "$files" ./... | sort) | cut -d' ' -f1
}

# concurrent prints the packages whose tests can show a race of their own: those that start goroutines, by internal/par or by
# themselves, and those with state that goroutines share, if their tests start some. Values that are made once by package sync,
# and the tools of ci, are left out, and so are packages that only call others that are tested.
concurrent() {
	{
		tested ' github\.com/gramworks/gram/(app/)?internal/par( |$)' work
		git grep -lE '(^\s*go (func\(|[a-zA-Z.]+\()|\.Go\()' -- '*.go' ':!*_test.go' ':!beam' ':!bucket' ':!bench/peers' ':!ci' ':!blas/openblas' | xargs -n1 dirname | sort -u | sed 's|^|./|' |
			xargs go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}'
		comm -12 <(git grep -lE 'sync\.(Mutex|RWMutex|Pool|Map|Cond)|atomic\.' -- '*.go' ':!*_test.go' ':!beam' ':!bucket' ':!bench/peers' ':!ci' ':!blas/openblas' | xargs -n1 dirname | sort -u) \
			<(git grep -lE '\bgo (func\(|[a-zA-Z.]+\()|\.Go\(|Parallel\(|Workers:|algotest\.Check\(' -- '*_test.go' | xargs -n1 dirname | sort -u) |
			sed 's|^|./|' | xargs go list
	} | sort -u
}

# modules prints the folders of the modules of the repository.
modules() { git ls-files -co --exclude-standard 'go.mod' '*/go.mod' | xargs -n1 dirname; }
