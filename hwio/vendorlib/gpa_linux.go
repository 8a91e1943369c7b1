//go:build amd64 || arm64

package main

import "astrolabe/hwio/internal/vendorproc"

func listGPA(q *vendorproc.GPAQuery) (*vendorproc.GPAInfo, error) { return nil, nil }
