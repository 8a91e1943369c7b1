package documents

import (
	"io"
	"path/filepath"
	"testing"

	"astrolabe/capture/progress"
	"astrolabe/plots/canvas"
)

func TestDrawingSaysHowFarItIs(t *testing.T) {
	for _, format := range []string{"png", "svg", "pdf", "html", "md"} {
		r := documentReport(t)
		r.Progress = &progress.Meter{}
		if _, err := r.Save(filepath.Join(t.TempDir(), "x."+format), canvas.Size{}); err != nil {
			t.Fatal(err)
		}
		if s := r.Progress.State(); s.Total == 0 || s.Done != s.Total {
			t.Errorf("%s: %d of %d %s were told of", format, s.Done, s.Total, s.Unit)
		}
		if format == "html" || format == "md" {
			continue
		}
		var m progress.Meter
		for _, it := range r.Items {
			if p, ok := it.(Chart); ok && p.Drawable() {
				if err := p.Telling(&m).WriteTo(io.Discard, format, canvas.Size{}); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		if s := m.State(); s.Total == 0 || s.Done != s.Total {
			t.Errorf("a chart as %s: %d of %d %s were told of", format, s.Done, s.Total, s.Unit)
		}
	}
}
