package perfstat

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first asked for: every start of the program would pay for
// it.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
