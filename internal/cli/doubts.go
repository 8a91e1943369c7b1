package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// doubts are the warnings of the captures of one command, each told once with the captures that it is about.
type doubts struct {
	texts    []string
	of       map[string][]string // paths
	captures []string
}

func (d *doubts) add(path string, warnings []string) {
	if d.of == nil {
		d.of = map[string][]string{}
	}
	if !slices.Contains(d.captures, path) {
		d.captures = append(d.captures, path)
	}
	for _, text := range warnings {
		if _, known := d.of[text]; !known {
			d.texts = append(d.texts, text)
		}
		if !slices.Contains(d.of[text], path) {
			d.of[text] = append(d.of[text], path)
		}
	}
}

// tell shows them.
func (d *doubts) tell(a *app) {
	for _, text := range d.texts {
		in := d.of[text]
		switch {
		case len(d.captures) == 1 || len(in) == 1 &&
			(strings.HasPrefix(text, in[0]) || strings.HasPrefix(text, filepath.Base(in[0]))):
			// It is clear which capture is meant.
		case len(in) == len(d.captures) && len(in) == 2:
			text = "both captures: " + text
		case len(in) == len(d.captures):
			text = fmt.Sprintf("all %d captures: %s", len(in), text)
		default:
			text = listed(in, 4) + ": " + text
		}
		a.warn(text)
	}
	*d = doubts{}
}
