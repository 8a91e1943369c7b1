package main

import (
	_ "embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// What metrics of sets are of, whatever a generation calls them.

//go:embed roles.txt
var rolesText string

// cast gives symbols their roles. A line of the text is "KIND NAME SYMBOLS", of which one may be a pattern.
func (t *table) cast(text string) error {
	roles := map[string][]string{} // by symbol
	n := 0
	for line := range strings.Lines(text) {
		n++
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if len(words) < 3 {
			return fmt.Errorf("roles.txt line %d: want KIND NAME SYMBOLS", n)
		}
		for _, pattern := range words[2:] {
			found := false
			for _, symbol := range t.symbols {
				if ok, err := path.Match(pattern, symbol); err != nil {
					return fmt.Errorf("roles.txt line %d: %s: %w", n, pattern, err)
				} else if ok {
					roles[symbol] = append(roles[symbol], words[0]+" "+words[1]+"\n")
					found = true
				}
			}
			if !found {
				return fmt.Errorf("roles.txt line %d: no platform has %s", n, pattern)
			}
		}
	}
	for _, symbol := range slices.Sorted(maps.Keys(roles)) {
		for c, v := range t.value {
			if c.symbol == symbol {
				v["role"] = strings.Join(roles[symbol], "")
			}
		}
	}
	return nil
}
