package capture

import (
	"fmt"
	"path/filepath"
	"strings"
)

// shared are texts about some of several captures, each told once.
type shared struct {
	texts []string
	of    map[string][]int // positions of the captures
}

func (s *shared) add(text string, k int) {
	if s.of == nil {
		s.of = map[string][]int{}
	}
	list, known := s.of[text]
	if !known {
		s.texts = append(s.texts, text)
	}
	if len(list) == 0 || list[len(list)-1] != k {
		s.of[text] = append(list, k)
	}
}

// someCaptures is how many captures are named where a text is about many.
const someCaptures = 4

// sentences name the captures that each text is about.
func (s *shared) sentences(caps []*Capture) []string {
	var out []string
	for _, text := range s.texts {
		var names []string
		list := s.of[text]
		for _, k := range list {
			if len(names) < someCaptures {
				names = append(names, nameOf(caps[k]))
			}
		}
		switch {
		case len(caps) == 1:
		case len(list) == 1:
			text = names[0] + ": " + text
		case len(list) == len(caps):
			text = fmt.Sprintf("all %d captures: %s", len(list), text)
		case len(list) > len(names):
			text = fmt.Sprintf("%d captures (%s, …): %s", len(list), strings.Join(names, ", "), text)
		default:
			text = fmt.Sprintf("%s: %s", strings.Join(names, ", "), text)
		}
		out = append(out, text)
	}
	return out
}

// nameOf is the name of a capture, or that of its file.
func nameOf(c *Capture) string {
	if c.Name != "" {
		return c.Name
	}
	return filepath.Base(c.Path)
}
