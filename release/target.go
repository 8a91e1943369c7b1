package main

import (
	"fmt"
	"slices"
	"strings"
)

// target is a system and a processor that programs are built for.
type target struct {
	os, arch string
	variant  []string // what of the processor is taken for granted, so that no setting of the builder's counts
	packages string   // what nfpm calls the processor; empty: no packages
	recorder bool     // only the program that records on other machines (record --ssh, --adb)
}

var targets = []target{
	{"linux", "amd64", []string{"GOAMD64=v1"}, "amd64", false},
	{"linux", "arm64", []string{"GOARM64=v8.0"}, "arm64", false},
	{"linux", "arm", []string{"GOARM=6"}, "", true},
	{"linux", "386", []string{"GO386=sse2"}, "", true},
	{"darwin", "arm64", []string{"GOARM64=v8.0"}, "", false},
	{"darwin", "amd64", []string{"GOAMD64=v1"}, "", false},
	{"windows", "amd64", []string{"GOAMD64=v1"}, "", false},
	{"windows", "arm64", []string{"GOARM64=v8.0"}, "", false},
}

func (t target) String() string { return t.os + "/" + t.arch }

// choose finds targets by a list of their names.
func choose(list string) ([]target, error) {
	if list == "all" {
		return targets, nil
	}
	var names []string
	for _, t := range targets {
		names = append(names, t.String())
	}
	wanted := strings.Split(list, ",")
	for _, w := range wanted {
		if !slices.Contains(names, w) {
			return nil, fmt.Errorf("no releases are made for %q; there are %s", w, strings.Join(names, ", "))
		}
	}
	var out []target
	for _, t := range targets { // in this order, whatever was said
		if slices.Contains(wanted, t.String()) {
			out = append(out, t)
		}
	}
	return out, nil
}

// name is that of a program's file there.
func (t target) name(program string) string {
	if t.os == "windows" {
		return program + ".exe"
	}
	return program
}
