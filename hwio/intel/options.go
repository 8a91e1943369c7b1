package intel

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"astrolabe/hwio"
)

// KnownOptions refuses an option that a source does not have.
func KnownOptions(known []hwio.Option, options map[string]string) error {
	var names []string
	for _, o := range known {
		names = append(names, o.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if !slices.Contains(names, name) {
			return fmt.Errorf("there is no option %q; there are %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}

// YesNo reads an option that is yes or no; it is no where it is not given.
func YesNo(options map[string]string, name string) (bool, error) {
	switch strings.ToLower(options[name]) {
	case "", "no", "false":
		return false, nil
	case "yes", "true":
		return true, nil
	}
	return false, fmt.Errorf("%s is %q: want yes or no", name, options[name])
}
