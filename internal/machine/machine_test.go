package machine

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

// The least of the machine's memory and the limits of the groups above the process counts.
func TestMemory(t *testing.T) {
	const gib = 1 << 30
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"nothing": {nil, 0},
		"machine": {map[string]string{"proc/meminfo": "MemFree: 1 kB\nMemTotal:       8388608 kB\n"}, 8 * gib},
		"version 2": {map[string]string{"proc/meminfo": "MemTotal: 8388608 kB\n", "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "2147483648\n"}, 2 * gib},
		"version 1": {map[string]string{"proc/meminfo": "MemTotal: 8388608 kB\n", "proc/self/cgroup": "4:cpu,memory:/x\n2:devices:/y\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": "3221225472\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 3 * gib},
		"a container":        {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1073741824\n"}, gib},
		"more than there is": {map[string]string{"proc/meminfo": "MemTotal: 1048576 kB\n", "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "9073741824\n"}, gib},
		"no limit":           {map[string]string{"proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 0},
		"rubbish":            {map[string]string{"proc/meminfo": "MemTotal: much\n", "proc/self/cgroup": "0\n::\n", "sys/fs/cgroup/memory.max": "-1"}, 0},
	} {
		root := t.TempDir()
		for path, text := range c.files {
			path = filepath.Join(root, path)
			must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
			must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		}
		if got := installedMemory(root); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if runtime.GOOS == "linux" && Memory() < 1<<26 {
		t.Errorf("%d bytes on this machine", Memory())
	}
}
