// Package canvastest has what tests of charts and of documents share: data, fonts, and checks of pages and pictures.
// Only tests import it.
package canvastest
