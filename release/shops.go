package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"text/template"
)

// shops writes what Homebrew and Scoop install from: both name addresses, so that they are made where one was given.
func (r *release) shops(archives []made) error {
	if r.url == "" {
		fmt.Fprintln(r.talk, "  no formula for Homebrew and no manifest for Scoop: they need the address of the files (--url)")
		return nil
	}
	by := map[string]made{}
	for _, a := range archives {
		by[a.target.String()] = a
	}
	var missing []string
	for _, t := range []string{"darwin/arm64", "darwin/amd64", "linux/arm64", "linux/amd64"} {
		if _, ok := by[t]; !ok {
			missing = append(missing, t)
		}
	}
	if len(missing) > 0 {
		fmt.Fprintf(r.talk, "  no formula for Homebrew: it needs %v too\n", missing)
	} else if err := r.formula(by); err != nil {
		return err
	}
	return r.manifest(by)
}

// formula names the archive of each system that Homebrew runs on.
func (r *release) formula(by map[string]made) error {
	text, err := template.New("").Parse(string(mustRead("files/astrolabe.rb")))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := text.Execute(&out, map[string]any{"Version": r.version.String(), "URL": r.url, "Name": func(t string) string { return by[t].name },
		"Sum": func(t string) string { return by[t].sha256 }}); err != nil {
		return err
	}
	return r.write("astrolabe.rb", out.Bytes())
}

// manifest is what Scoop knows of a program, in its own field names.
type manifest struct {
	Version      string                  `json:"version"`
	Description  string                  `json:"description"`
	Homepage     string                  `json:"homepage"`
	License      string                  `json:"license"`
	Architecture map[string]architecture `json:"architecture"`
	Bin          string                  `json:"bin"`
}

type architecture struct {
	URL        string `json:"url"`
	Hash       string `json:"hash"`
	ExtractDir string `json:"extract_dir"`
}

func (r *release) manifest(by map[string]made) error {
	m := manifest{Version: r.version.String(), Description: "A " + summary, Homepage: r.url, License: "Apache-2.0",
		Architecture: map[string]architecture{}, Bin: "astrolabe.exe"}
	for name, t := range map[string]string{"64bit": "windows/amd64", "arm64": "windows/arm64"} {
		if a, ok := by[t]; ok {
			m.Architecture[name] = architecture{URL: r.url + "/" + a.name, Hash: a.sha256, ExtractDir: a.folder}
		}
	}
	if len(m.Architecture) == 0 {
		fmt.Fprintln(r.talk, "  no manifest for Scoop: it needs windows/amd64 or windows/arm64")
		return nil
	}
	out, err := json.MarshalIndent(m, "", "    ")
	if err != nil {
		return err
	}
	return r.write("astrolabe.json", append(out, '\n'))
}
