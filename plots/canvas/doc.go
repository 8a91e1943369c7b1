// Package canvas is what charts and pages are drawn on: themes, faces and lines of text, and scenes, flat lists of
// rectangles, polygons, traces and measured texts in logical pixels. A painter puts a scene onto an image (raster.go),
// an SVG or a PDF (vector.go), so that every form shows the same picture and a test can look at the boxes of all texts
// without pixels.
//
// A series of any length is reduced to one first, minimum, maximum and last value per device column before anything is
// drawn (columns.go): the cost of drawing depends on the width of the picture, and a spike of a single sample always
// leaves ink. Clouds of points (cloud.go) are reduced to device pixels.
//
// The same scene gives the same bytes: no clock, no map order and no machine setting reaches the output. The package
// draws on gonum/plot's vg canvases; it knows no chart, no report and no counter.
package canvas
