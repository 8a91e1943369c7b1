// Package notices holds the copyright notices and licences of what is in the programs and was made by others: modules,
// Go itself, fonts and data of vendors. Their licences ask that the notices travel with the binaries.
package notices

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the notices
	"io"
)

// compressed are the notices, which go generate writes from the module cache and from data.txt; a test checks that they
// are current. They are a quarter of a megabyte that hardly anybody reads.
//
//go:embed notices.txt.gz
var compressed []byte

// Text are the notices as plain text.
func Text() (string, error) {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
}
