// Package typeset sets lines of text in scripts that the compiled-in fonts lack: it finds a font of the system for
// them, orders what runs from right to left, and shapes it (joined letters, marks on letters, conjuncts).
//
// Latin, Greek and Cyrillic text never comes here, so that nothing is searched or read for it. What comes here is taken
// apart (line.go) into runs of one direction (bidi.go), one script and one font (choose.go); HarfBuzz, as ported by
// go-text, shapes each. A character that no font has becomes its code point, written "U+65E5": never a box.
//
// Which font is taken depends only on the text and on the files that are there: not on the language of the system, nor
// on what was drawn before. Fonts are input from outside: their tables are checked before anything is read (sfnt.go),
// and one that cannot be read is passed over.
//
// The package imports nothing of astrolabe and knows nothing of pictures.
package typeset
