package repl

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"astrolabe/builtins/notation"
	"astrolabe/capture/spelling"
)

// Setting is something that :set changes for the rest of the session.
type Setting struct {
	Name   string
	Doc    string
	Values []string // those it takes, for help and completion; empty if it takes a number
	Get    func() string
	Set    func(value string) error
}

// settings lists the session's own settings and those of its surroundings.
func (s *Session) settings() []Setting {
	own := []Setting{
		{
			Name: "items", Doc: "how many items of a list are shown at a terminal",
			Get: func() string { return strconv.Itoa(s.printer.items) },
			Set: func(v string) (err error) { return setCount(&s.printer.items, v, 1) },
		},
		{
			Name: "steps", Doc: "how many steps a statement may take; 0 is no limit",
			Get: func() string { return strconv.FormatUint(s.cfg.MaxSteps, 10) },
			Set: func(v string) error {
				n, err := strconv.ParseUint(v, 10, 64)
				if err != nil {
					return fmt.Errorf("%q is no number of steps", v)
				}
				s.cfg.MaxSteps = n
				return nil
			},
		},
		{
			Name: "width", Doc: "how many cells a line of a table may take; 0 follows the terminal",
			Get: func() string { return strconv.Itoa(s.width) },
			Set: func(v string) error { return setCount(&s.width, v, 0) },
		},
	}
	if s.console != nil {
		own = append(own, switchSetting("colors", "what is typed and errors in colours", &s.look.colors),
			switchSetting("suggestions", "what the history would go on with, in grey: Right takes it", &s.look.suggestions))
	}
	all := append(own, s.cfg.Settings...)
	slices.SortFunc(all, func(a, b Setting) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// switchSetting is a setting that is on or off.
func switchSetting(name, doc string, to *atomic.Bool) Setting {
	return Setting{Name: name, Doc: doc, Values: []string{"on", "off"},
		Get: func() string {
			if to.Load() {
				return "on"
			}
			return "off"
		},
		Set: func(v string) error {
			to.Store(v == "on")
			return nil
		}}
}

// themeCommand is :set theme.
func (s *Session) themeCommand(ctx context.Context, arg string) error {
	return s.setCommand(ctx, strings.TrimSpace("theme "+arg))
}

func setCount(to *int, text string, least int) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < least {
		return fmt.Errorf("%q is no whole number from %d", text, least)
	}
	*to = n
	return nil
}

// setCommand shows all settings or one, or changes one: :set NAME VALUE.
func (s *Session) setCommand(_ context.Context, arg string) error {
	name, value, _ := strings.Cut(strings.Replace(arg, "=", " ", 1), " ")
	value = strings.TrimSpace(value)
	var names []string
	for _, set := range s.settings() {
		names = append(names, set.Name)
		if name != "" && set.Name != name {
			continue
		}
		if value == "" {
			doc := set.Doc
			if len(set.Values) > 0 {
				doc += ": " + strings.Join(set.Values, ", ")
			}
			if _, err := fmt.Fprintf(s.cfg.Out, "  %-10s %s %s\n", set.Name, notation.Pad(set.Get(), 8),
				doc); err != nil {
				return err
			}
			continue
		}
		if len(set.Values) > 0 && !slices.Contains(set.Values, value) {
			return fmt.Errorf(":set %s takes %s, not %q", name, strings.Join(set.Values, ", "), value)
		}
		if err := set.Set(value); err != nil {
			return fmt.Errorf(":set %s: %w", name, err)
		}
		_, err := io.WriteString(s.cfg.Talk, set.Name+" = "+set.Get()+"\n")
		return err
	}
	if name == "" || slices.Contains(names, name) {
		return nil
	}
	if near := spelling.Nearest(name, names); near != "" {
		return fmt.Errorf("no setting %q (did you mean %s?); :set lists them", name, near)
	}
	return fmt.Errorf("no setting %q; :set lists them", name)
}
