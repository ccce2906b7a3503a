//go:build linux || darwin

package machine

import "golang.org/x/sys/unix"

// Free returns the bytes that are free for this process on the disk that holds the folder, 0 where
// that cannot be found out.
func Free(folder string) int64 {
	var s unix.Statfs_t
	if unix.Statfs(folder, &s) != nil {
		return 0
	}
	return int64(s.Bavail) * int64(s.Bsize)
}
