package formats

import (
	"context"
	"fmt"

	"astrolabe/capture"
	"astrolabe/capture/export"
)

// View is what is to be seen of c in a file that Save would write for that path and format name.
func (r *Registry) View(ctx context.Context, path, format string, c *capture.Capture, opt export.Options) (*capture.Capture,
	error) {
	w, err := r.Writer(path, format)
	if err != nil {
		return nil, err
	}
	if s, ok := w.(Summary); ok {
		if opt.Resample > 0 {
			return nil, fmt.Errorf("%s holds totals and no samples: leave out the period, or write another format", s.Name())
		}
		if len(opt.Metrics) > 0 && opt.By == "" {
			opt.By = export.Whole
		}
	}
	return export.View(ctx, c, opt)
}
