package binding

import (
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// Flag is a command-line flag that the script declared.
type Flag struct {
	Name    string
	Default starlark.Value
	Help    string
}

// Declare remembers flags for the provenance of reports; several files of a run may declare some.
func (e *Env) Declare(list []Flag) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range list {
		at := slices.IndexFunc(e.declared, func(have Flag) bool { return have.Name == f.Name })
		if at < 0 {
			e.declared = append(e.declared, f)
			continue
		}
		e.declared[at] = f
	}
}

// Parameters lists the values of the declared flags that decide what the script does, for the provenance of reports;
// and those of them that were given.
func (e *Env) Parameters() (all, given []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	used := map[string]string{}
	for _, u := range e.used {
		k, v, _ := strings.Cut(u, "=")
		used[k] = v
	}
	for _, f := range e.declared {
		v, ok := used[f.Name]
		if ok {
			given = append(given, f.Name+"="+v)
		} else if f.Default != starlark.None {
			v = f.Default.String()
		} else {
			continue
		}
		all = append(all, f.Name+"="+v)
	}
	return all, given
}

// Given remembers the flags that the command line gave, as name=value.
func (e *Env) Given(flags []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.used = append(e.used, flags...)
}
