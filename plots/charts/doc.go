// Package charts turns data into pictures.
//
// A chart (Timeline, Scatter, Heatmap, ...) is plain data until it is drawn. Drawing happens in two steps: layout,
// here, turns the data into a scene of package canvas, which paints it in any form. A document takes charts as Panels,
// which its pages never cut, or each as a Figure between lines of text.
//
// Samples are intervals, so lines are steps over [start, end). The cells of heat maps and clouds of points are the only
// pictures within a picture.
//
// The same data give the same bytes: no clock, no map order and no machine setting reaches the output.
//
// Of astrolabe the package imports only capture and canvas. It knows no Starlark.
package charts
