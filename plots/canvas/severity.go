package canvas

import (
	"fmt"
	"image/color"
	"strings"
)

// Severity says how much a finding matters. The zero value is None.
type Severity uint8

const (
	None     Severity = iota // no judgement
	Good                     // checked, and fine
	Info                     // worth knowing
	Warning                  // costs something
	Critical                 // the first thing to look at
)

var severityNames = [...]string{"", "good", "info", "warning", "critical"}

func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return fmt.Sprintf("severity(%d)", uint8(s))
}

// ParseSeverity is the inverse of Severity.String, whatever the case.
func ParseSeverity(s string) (Severity, error) {
	low := strings.ToLower(strings.TrimSpace(s))
	for i, n := range severityNames {
		if n == low {
			return Severity(i), nil
		}
	}
	return None, fmt.Errorf("unknown severity %q: choose critical, warning, info or good", s)
}

// Severity is the colour of s, Muted for None.
func (t *Theme) Severity(s Severity) color.NRGBA {
	switch s {
	case Good:
		return t.Good
	case Info:
		return t.Info
	case Warning:
		return t.Warning
	case Critical:
		return t.Critical
	}
	return t.Muted
}
