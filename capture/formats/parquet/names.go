package parquet

import (
	"fmt"
	"strings"
)

// names gives columns names that engines accept.
type names struct{ taken map[string]bool }

// newNames reserves names that other columns will have, such as those of partitions.
func newNames(reserved []string) *names {
	n := &names{taken: map[string]bool{}}
	for _, r := range reserved {
		n.taken[strings.ToLower(r)] = true
	}
	return n
}

// take returns a name for a column called name. Spark does not tell names apart that differ in case only.
func (n *names) take(name string) string {
	base := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(" ,;{}()=", r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "\uFFFD"))
	if base == "" {
		base = "_"
	}
	unique := base
	for i := 2; n.taken[strings.ToLower(unique)]; i++ {
		unique = fmt.Sprintf("%s_%d", base, i)
	}
	n.taken[strings.ToLower(unique)] = true
	return unique
}
