package diagnosis

import (
	"astrolabe/plots/canvas"
	"astrolabe/plots/charts"
)

// Picture draws the confusion matrix of a script.
func (x *Matrix) Picture(scriptName string) (*charts.Plot, canvas.Size, error) {
	p, err := charts.Confusion(charts.ConfusionOptions{
		Title: "What was planted (rows) and what " + scriptName + ".star named first (columns)",
		Label: x.Summary(),
	}, x.Classes, x.Counts)
	return p, canvas.Size{Width: 1600, Height: 200 + 40*max(6, len(x.Classes))}, err
}

// PictureName is the name of that picture in the documentation.
func PictureName(scriptName string) string { return "confusion-" + scriptName + ".png" }
