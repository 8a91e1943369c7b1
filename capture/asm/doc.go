// Package asm holds the programs that write the assembly of capture, capture/decode/oa, capture/metrics/formula and
// capture/formats/internal/delimited, by github.com/mmcloughlin/avo: go generate ./... in this folder. It is a module of
// its own, so that nothing of what they need is a dependency of astrolabe.
package asm
