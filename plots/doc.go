// Package plots draws charts and report pages as PNG, SVG and PDF, writes reports as Markdown, HTML and JSON, and encodes
// pictures for terminals (inline.go).
//
// A chart (Timeline, Scatter, Heatmap, ...) and a Report are plain data until they are drawn. Drawing happens in
// two steps: layout turns the data into a scene, a flat list of rectangles, polygons, traces and measured texts
// in logical pixels; a painter then puts the scene onto an image (raster.go), an SVG or a PDF (vector.go).
// Every backend therefore shows the same picture, and a test can look at the boxes of all texts without pixels.
//
// Samples are intervals, so lines are steps over [start, end). A series of any length is reduced to one first,
// minimum, maximum and last value per device column before anything is drawn (columns.go): the cost of drawing
// depends on the width of the picture, and a spike of a single sample always leaves ink. Clouds of points (cloud.go) and the
// cells of heat maps are reduced to device pixels, and are the only pictures within a picture.
//
// The same data give the same bytes: no clock, no map order and no machine setting reaches the output.
//
// The package draws on gonum/plot's vg canvases and imports of astrolabe only capture. It knows no Starlark.
package plots
