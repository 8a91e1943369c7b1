package fleet

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Shard is one of several parts of the captures, of about the same size.
type Shard struct{ Part, Of int } // Part counts from 1; Of is 0 where all captures are meant

// ParseShard reads "2/8".
func ParseShard(text string) (Shard, error) {
	part, of, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(part)
	n, err2 := strconv.Atoi(of)
	if !ok || err1 != nil || err2 != nil || n < 1 || i < 1 || i > n {
		return Shard{}, fmt.Errorf("%q is no part: write I/N, such as 2/8, where I counts from 1 to N", text)
	}
	return Shard{i, n}, nil
}

// Keep lists those of paths that are in the part. It goes by the hash of the path as it is written: a capture stays in
// its part when others come and go, so that a journal stays true, and whatever the order in which they are listed.
func (s Shard) Keep(paths []string) []string {
	if s.Of == 0 {
		return paths
	}
	var out []string
	for _, p := range paths {
		sum := sha256.Sum256([]byte(filepath.ToSlash(p)))
		if int(binary.BigEndian.Uint64(sum[:])%uint64(s.Of))+1 == s.Part {
			out = append(out, p)
		}
	}
	return out
}
