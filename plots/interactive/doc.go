// Package interactive makes the part of an HTML page that can be zoomed and searched: lanes of counters over time, with
// what happened when, and exact statistics of any stretch.
//
// Data is what the page holds, as columns of buckets (lane.go), and Encode writes it (column.go). Assets are the scripts
// and styles, which no page loads from anywhere: the policy of the page names their hashes, and forbids all else. The
// scripts in assets/ are plain JavaScript; uPlot, a library of others, draws axes and keeps the scales.
//
// The package knows captures and charts, and neither documents nor scripts, so that a page can also be fed while a
// recording goes on: assets/feed.js says with what events.
package interactive
