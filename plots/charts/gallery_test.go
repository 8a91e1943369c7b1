package charts

import (
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
)

func TestGalleryIsWritten(t *testing.T) {
	dir := canvastest.Gallery(t)
	if dir == "" {
		t.Skip("no -gallery folder given")
	}
	for _, p := range gallery(t) {
		for _, f := range canvas.Formats() {
			if err := p.plot.Save(filepath.Join(dir, strings.ReplaceAll(p.name, " ", "-")+"."+f),
				canvas.Size{}); err != nil {
				t.Error(err)
			}
		}
	}
}
