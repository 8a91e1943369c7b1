package charts

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"regexp"
	"testing"

	"astrolabe/plots/canvas"
)

func TestPicturesInSVGAreOfTheKindThatTheySay(t *testing.T) {
	p, err := Heatmap(HeatmapOptions{}, series("a", "%", 1e6, []float64{1, 2, 3}))
	var buf bytes.Buffer
	if err := must(t, p, err).WriteTo(&buf, "svg", canvas.Size{}); err != nil {
		t.Fatal(err)
	}
	images := regexp.MustCompile(`<image [^>]*xlink:href="data:image/(\w+);base64,([^"]*)"`).FindAllSubmatch(
		buf.Bytes(), -1)
	if len(images) == 0 {
		t.Fatal("the heat map has no picture")
	}
	for _, m := range images {
		data, err := base64.StdEncoding.DecodeString(string(m[2]))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(bytes.NewReader(data)); err != nil || string(m[1]) != "png" {
			t.Errorf("a picture that says it is %s: %v", m[1], err)
		}
	}
}
