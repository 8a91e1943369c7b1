// Package memory knows how much memory the program takes and may take.
//
// There is one limit for everything, counted while memory is taken: whoever makes something whose size the input
// decides, such as the values of a page that is unpacked, asks Room first and ends with its error. A ratio of unpacked
// to packed would be wrong, because a constant column packs to almost nothing. Pages of mapped files do not count: the
// system takes them back when it needs them.
package memory
