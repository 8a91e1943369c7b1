// Package kernels makes the labels that say what a dispatch ran, for all formats whose samples are dispatches.
package kernels

import (
	"astrolabe/capture"
	"astrolabe/capture/symbols"
)

// Names of the labels.
const (
	Name   = "kernel"        // demangled, in full
	Symbol = "kernel_symbol" // as the file has it, where it is mangled there
	Shape  = "kernel_shape"  // the name with the sizes of the grid and of its workgroups: what does the same work
)

// Names are kernels by their symbols, each demangled once.
type Names map[string]string

// Of is the name of a kernel.
func (n Names) Of(symbol string) string {
	name, ok := n[symbol]
	if !ok {
		name = symbols.Demangle(symbol)
		n[symbol] = name
	}
	return name
}

// Labels are the labels of dispatches with these names, as a file has them, and sizes; a text that is not known is
// empty. Labels without a value are left out.
func Labels(names, grids, workgroups []string) []*capture.Label {
	full := make([]string, len(names))
	known := Names{}
	mangled := false
	for i, name := range names {
		full[i] = known.Of(name)
		mangled = mangled || symbols.Mangled(name) && !symbols.Mangled(full[i])
	}
	var out []*capture.Label
	add := func(label string, texts []string) {
		l := capture.NewLabel(label, texts, nil)
		if len(l.Dict) > 0 {
			out = append(out, l)
		}
	}
	add(Name, full)
	if mangled {
		add(Symbol, names)
	}
	shapes := make([]string, len(names))
	type launch struct{ kernel, grid, workgroup string }
	texts := map[launch]string{}
	for i := range shapes {
		l := launch{full[i], grids[i], workgroups[i]}
		if l.kernel == "" || l.grid == "" && l.workgroup == "" {
			continue
		}
		if texts[l] == "" {
			texts[l] = l.kernel
			if l.grid != "" {
				texts[l] += " grid " + l.grid
			}
			if l.workgroup != "" {
				texts[l] += " workgroup " + l.workgroup
			}
		}
		shapes[i] = texts[l]
	}
	add(Shape, shapes)
	return out
}
