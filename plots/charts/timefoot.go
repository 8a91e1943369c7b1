package charts

import "astrolabe/plots/canvas"

// timeFoot is what stands once below frames that share a time axis: its labels, its title, and what the shades mean.
type timeFoot struct {
	ax    timeAxis
	bands bandLegend
}

// newTimeFoot makes the foot of lanes whose frames have a width in panels of another, on the axis from t0 to t1.
func newTimeFoot(t *canvas.Theme, lanes []*lane, t0, t1 int64, g laneGeometry, width float64) timeFoot {
	return timeFoot{newTimeAxis(t0, t1, canvas.Regular.Of(t.Text), g.frameW(width)),
		newBandLegend(t, mergeKeys(lanes, t, t0, t1), width-g.gutter)}
}

func (f timeFoot) height(t *canvas.Theme) float64 { return timeAxisHeight(t) + f.bands.height(t) }

func (f timeFoot) draw(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect) {
	drawTimeAxis(sc, t, frame, f.ax)
	f.bands.draw(sc, t, frame.X, frame.Bottom()+timeAxisHeight(t))
}
