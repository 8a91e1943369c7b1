package table

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"astrolabe/capture"
)

// ErrNoCounter is a table without counters.
var ErrNoCounter = errors.New("it holds no numeric column besides the time: nothing to make a counter of")

// Typed makes counters and labels of the columns of a file whose format gives them types, and adds them to the
// configuration. leftOut names the columns of which neither can be made.
func Typed(ctx context.Context, path string, cols []Column, leftOut []string, v Values, o *Options,
	warn func(format string, args ...any), cfg *capture.Config) (*Layout, error) {
	named := strings.Join(leftOut, ", ")
	if named != "" {
		warn("%s: no type of counters or labels, and left out: %s", filepath.Base(path), named)
	}
	o.CountRows = true
	l, err := NewLayout(path, cols, o, fmt.Errorf)
	if err != nil {
		return nil, err
	}
	if err := l.Fill(ctx, v, cfg); err != nil {
		return nil, err
	}
	if len(cfg.Counters) > 0 {
		return l, nil
	}
	if named != "" {
		named = "; lists, structures and the like are not read: " + named
	}
	return nil, fmt.Errorf("%w%s", ErrNoCounter, named)
}
