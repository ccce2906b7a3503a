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

engine() { patterns asm fwht haar structured vec blas kernel cholupdate eig; }

# modules prints the folders of the modules of the repository.
modules() { git ls-files -co --exclude-standard 'go.mod' '*/go.mod' | xargs -n1 dirname; }
