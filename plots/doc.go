// Package plots draws charts and report pages as PNG, SVG and PDF, and writes reports as Markdown, HTML and JSON.
//
// A chart (Timeline, Scatter, Heatmap, ...) and a Report are plain data until they are drawn. Drawing happens in
// two steps: layout, here, turns the data into a scene of package canvas, which paints it in any form. Package terminal encodes
// pictures for terminals.
//
// Samples are intervals, so lines are steps over [start, end). The cells of heat maps and clouds of points are the only pictures within a
// picture.
//
// The same data give the same bytes: no clock, no map order and no machine setting reaches the output.
//
// Of astrolabe the package imports only capture and the rooms below it. It knows no Starlark.
package plots
