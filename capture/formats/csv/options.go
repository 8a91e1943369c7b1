package csv

import (
	"fmt"
	"strings"

	"astrolabe/capture/formats/internal/table"
)

// options are the format's own options, checked.
type options struct {
	table.Options
	delim, decimal byte
}

func parseOptions(extra map[string]any) (*options, error) {
	o := &options{}
	err := o.Parse(Format{}.Name(), extra, map[string]table.Setter{
		"delimiter": func(v any) error {
			s, err := table.AsText(v)
			if s == `\t` || s == "tab" {
				s = "\t"
			}
			if err == nil && (len(s) != 1 || strings.ContainsAny(s, "\"\r\n #.0123456789+-")) {
				err = fmt.Errorf("%q cannot delimit cells: use one of , ; | or a tab", s)
			}
			if err == nil {
				o.delim = s[0]
			}
			return err
		},
		"decimal": func(v any) error {
			s, err := table.AsText(v)
			if err == nil && s != "." && s != "," {
				err = fmt.Errorf("%q is no decimal mark: use \".\" or \",\"", s)
			}
			if err == nil {
				o.decimal = s[0]
			}
			return err
		},
	})
	if err == nil && o.delim != 0 && o.delim == o.decimal {
		err = fmt.Errorf("options delimiter and decimal are both %q", o.delim)
	}
	return o, err
}
