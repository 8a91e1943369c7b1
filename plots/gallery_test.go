package plots

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/plots/canvas"
)

var galleryDir = flag.String("gallery", "", "write every sample picture in full size into this folder, for people to look at")

func TestGalleryIsWritten(t *testing.T) {
	if *galleryDir == "" {
		t.Skip("no -gallery folder given")
	}
	if err := os.MkdirAll(*galleryDir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, p := range gallery(t) {
		for _, f := range canvas.Formats() {
			if err := p.plot.Save(filepath.Join(*galleryDir, strings.ReplaceAll(p.name, " ", "-")+"."+f), canvas.Size{}); err != nil {
				t.Error(err)
			}
		}
	}
	for name, r := range map[string]*Report{"report": sampleReport(t, 8), "long-report": sampleReport(t, 120), "odd-report": oddReport(t)} {
		for _, f := range canvas.Formats() {
			if _, err := r.Save(filepath.Join(*galleryDir, name+"."+f), canvas.Size{}); err != nil {
				t.Error(err)
			}
		}
	}
}
