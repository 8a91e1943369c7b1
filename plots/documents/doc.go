// Package documents makes reports: pages as PNG, SVG and PDF, and the same as Markdown, HTML and JSON.
//
// A Report is plain data until it is written. Pages are chunks that are never cut (lines of text, rows of tables,
// panels of charts), put onto sheets by the pager. The written forms are in a file each; document.go has what they
// share.
//
// The same report gives the same bytes: no clock, no map order and no machine setting reaches the output.
package documents
