package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// bills writes what each program of a target contains, as CycloneDX. The modules are those that the program itself tells
// (go version -m), and the licences those that it prints.
func (r *release) bills(p product) error {
	var notices []notice
	for _, d := range r.common.docs {
		if d.name == "LICENCES-OF-OTHERS.txt" {
			notices = readNotices(string(d.data))
		}
	}
	for _, f := range append(p.files[:len(p.files):len(p.files)], p.recorder) {
		if f.data == nil {
			continue // of no other system than Linux
		}
		info, err := buildinfo.Read(bytes.NewReader(f.data))
		if err != nil {
			return err
		}
		program := strings.TrimSuffix(strings.TrimSuffix(f.name, ".exe"), "-"+p.arch)
		var out bytes.Buffer
		enc := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false)
		if err := enc.EncodeVersion(r.bill(program, f.data, info, notices), cdx.SpecVersion1_6); err != nil {
			return err
		}
		if err := r.write(fmt.Sprintf("%s-%s-%s-%s.cdx.json", program, r.version, p.os, p.arch), out.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) bill(program string, data []byte, info *debug.BuildInfo, notices []notice) *cdx.BOM {
	sum := sha256.Sum256(data)
	self := cdx.Component{BOMRef: program, Type: cdx.ComponentTypeApplication, Name: program, Version: r.version.String(),
		Description: summary, Licenses: licences([]string{"Apache-2.0"}),
		Hashes:     &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hexSum(data)}},
		Properties: &[]cdx.Property{}}
	for _, s := range info.Settings {
		*self.Properties = append(*self.Properties, cdx.Property{Name: "go:build:" + s.Key, Value: s.Value})
	}
	parts := []cdx.Component{module("std", strings.TrimPrefix(info.GoVersion, "go"), licencesOf(notices, "Go, its library and runtime"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, module(m.Path, m.Version, licencesOf(notices, m.Path)))
	}
	for _, n := range notices {
		if n.data {
			parts = append(parts, cdx.Component{BOMRef: "data:" + n.owners[0], Type: cdx.ComponentTypeData, Name: n.owners[0], Licenses: licences(n.ids())})
		}
	}
	var refs []string
	for _, c := range parts {
		refs = append(refs, c.BOMRef)
	}
	bom := cdx.NewBOM()
	// A number of its own for what has bytes of its own.
	u := sum[:16]
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80
	bom.SerialNumber = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
	bom.Metadata = &cdx.Metadata{Timestamp: r.when.Format(time.RFC3339), Component: &self}
	bom.Components = &parts
	bom.Dependencies = &[]cdx.Dependency{{Ref: program, Dependencies: &refs}}
	return bom
}

func module(name, version string, ids []string) cdx.Component {
	purl := "pkg:golang/" + name + "@" + strings.ReplaceAll(version, "+", "%2B")
	return cdx.Component{BOMRef: purl, Type: cdx.ComponentTypeLibrary, Name: name, Version: version, PackageURL: purl, Licenses: licences(ids)}
}

func licences(ids []string) *cdx.Licenses {
	if len(ids) == 0 {
		return nil
	}
	var out cdx.Licenses
	for _, id := range ids {
		out = append(out, cdx.LicenseChoice{License: &cdx.License{ID: id}})
	}
	return &out
}

// notice is a licence in what the program prints, and who stands under it.
type notice struct {
	owners []string // modules with their versions, or the name of a work whose data the program has
	data   bool
	text   string
}

var rule = strings.Repeat("=", 80)

// readNotices reads what internal/notices/build wrote: owners between two rules, then the text.
func readNotices(text string) []notice {
	parts := strings.Split(text, rule+"\n")
	var out []notice
	for i := 1; i+1 < len(parts); i += 2 {
		n := notice{owners: strings.Split(strings.TrimSpace(parts[i]), "\n"), text: parts[i+1]}
		if work, ok := strings.CutPrefix(n.owners[0], "Data of "); ok {
			n.data, n.owners = true, []string{strings.TrimSuffix(work, ",")}
		}
		out = append(out, n)
	}
	return out
}

// licencesOf are the ids of what a module stands under, parts of it included.
func licencesOf(notices []notice, module string) []string {
	var out []string
	for _, n := range notices {
		if !n.data && slices.ContainsFunc(n.owners, func(o string) bool {
			name := o
			if i := strings.LastIndex(o, " v"); i > 0 {
				name = o[:i]
			}
			return name == module || strings.HasPrefix(name, module+"/")
		}) {
			out = append(out, n.ids()...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ids are the licences that a text is of, by SPDX's names: none for a notice that is no licence.
func (n notice) ids() []string {
	text := strings.ToLower(strings.Join(strings.Fields(n.text), " "))
	var out []string
	for _, l := range []struct{ id, says string }{
		{"Apache-2.0", "apache license, version 2.0"},
		{"Apache-2.0", "apache license version 2.0"},
		{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy"},
		{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"},
		{"ISC", "permission to use, copy, modify, and distribute this software for any purpose with or without fee"},
		{"FTL", "the freetype license, which is similar to the original bsd license"}, // or the GPL, by choice
		{"CC-BY-4.0", "creative commons attribution 4.0 international"},
		{"OFL-1.1", "sil open font license version 1.1"},
		{"MPL-2.0", "mozilla public license version 2.0"},
		{"Unlicense", "this is free and unencumbered software released into the public domain"},
		{"Zlib", "altered source versions must be plainly marked as such"},
	} {
		if strings.Contains(text, l.says) && !slices.Contains(out, l.id) {
			out = append(out, l.id)
		}
	}
	if strings.Contains(text, "redistribution and use in source and binary forms") {
		if strings.Contains(text, "endorse or promote products") {
			out = append(out, "BSD-3-Clause")
		} else {
			out = append(out, "BSD-2-Clause")
		}
	}
	return out
}
