# The scripts of this directory source this file. step NAME COMMAND… runs a
# command, prints how long it took and ends the script if it fails. The output of
# a command that succeeds does not matter.
cd "$(dirname "${BASH_SOURCE[0]}")/.."

step() {
	local name=$1 start=$SECONDS log
	shift
	log=$(mktemp)
	if "$@" >"$log" 2>&1; then
		printf 'ok    %-58s %4d s\n' "$name" $((SECONDS - start))
		rm -f "$log"
	else
		printf 'FAIL  %-58s %4d s\n' "$name" $((SECONDS - start))
		cat "$log"
		rm -f "$log"
		exit 1
	fi
}

# patterns DIR… prints the directories that exist as package patterns.
patterns() {
	local d
	for d in "$@"; do [ -d "$d" ] && printf './%s/... ' "$d"; done
}

engine() { patterns asm fwht haar structured vec blas kernel cholupdate eig; }

# modules prints the folders of the modules of the repository.
modules() { git ls-files -co --exclude-standard 'go.mod' '*/go.mod' | xargs -n1 dirname; }
