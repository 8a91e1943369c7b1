// Package bundle makes one archive of what a machine answered to the readers: enough to judge a recording elsewhere and
// to repeat it without the machine. Package tape, which stands between readers and kernel, decides what may be in it.
// It knows archives, checks and recordings; what a device's answers mean is the readers' alone.
package bundle

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"astrolabe/hwio/internal/tape"
)

// Schema is the version of the archive's form.
const Schema = 1

// Options say what to collect.
type Options struct {
	Program  string   // version of astrolabe
	Sources  []string // to record; none means the best that works here
	Counters []string
	Duration time.Duration
	Period   time.Duration
	Options  map[string]string // of the sources
}

// Phases of a tape.
const (
	phaseDoctor    = "doctor"
	phaseRecording = "recording"
)

// Files of an archive. No others may be in it.
const (
	Manifest    = "bundle.json"
	readmeFile  = "README.txt"
	filesFile   = "files.jsonl"
	devicesFile = "devices.jsonl"
	CaptureFile = "capture.arrow"
	findingFile = "findings.json"
	checksFile  = "checks.json"
	sysfsFile   = "sysfs.umockdev"
)

// order is that in which the files are written.
var order = []string{Manifest, readmeFile, findingFile, checksFile, filesFile, sysfsFile, devicesFile, CaptureFile}

// meanings say what is in the files.
var meanings = map[string]string{
	Manifest: "versions, permissions, the clock, what was left out, and the hashes of the other files", readmeFile: "what this is",
	findingFile: "what doctor said", checksFile: "checks of identities, with a verdict each",
	filesFile:   "what files of /proc and /sys answered, line by line",
	sysfsFile:   "the devices of /sys again, for umockdev-run",
	devicesFile: "device requests and raw samples, line by line", CaptureFile: "the recording",
}

// About is the manifest.
type About struct {
	Schema     int      `json:"schema"`
	Program    string   `json:"program"` // version of astrolabe
	System     string   `json:"system"`  // operating system and processor, as Go calls them
	Kernel     string   `json:"kernel"`  // the release's numbers
	Root       bool     `json:"root"`
	Capability string   `json:"capabilities"` // CapEff of /proc/self/status
	Sources    []Source `json:"sources"`
	Recorded   []string `json:"recorded"`          // sources of the recording
	Refused    string   `json:"refused,omitempty"` // why there is no recording
	Period     int64    `json:"period_ns"`
	Wall       int64    `json:"wall_ns"`   // of the recording, by CLOCK_MONOTONIC
	Offset     int64    `json:"offset_ns"` // CLOCK_MONOTONIC less CLOCK_MONOTONIC_RAW when it began
	Left       []string `json:"left_out"`  // what was asked for and may not be here
	Dropped    int      `json:"dropped"`   // events for which there was no room
	Files      []Entry  `json:"files"`     // all others of the archive
	Began      int64    `json:"began_ns"`  // of the tape, by CLOCK_MONOTONIC
}

// Source is a reader, and whether it works on the machine.
type Source struct {
	Name   string `json:"name"`
	Usable bool   `json:"usable"`
}

// Entry is a file of the archive.
type Entry struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Finding is one of doctor's.
type Finding struct {
	Source string `json:"source"`
	What   string `json:"what"`
	Usable bool   `json:"usable"`
	Reason string `json:"reason,omitempty"`
	Fix    string `json:"fix,omitempty"`
}

// Bundle is an archive in memory.
type Bundle struct {
	About    About
	Findings []Finding
	Checks   []Check
	Events   []tape.Event
	Capture  []byte // a native file; nil where nothing could be recorded
	contents map[string][]byte
}

// pack makes the files' contents and the manifest.
func (b *Bundle) pack() error {
	b.contents = map[string][]byte{readmeFile: []byte(readme)}
	var err error
	if b.contents[findingFile], err = json.MarshalIndent(b.Findings, "", " "); err != nil {
		return err
	}
	if b.contents[checksFile], err = json.MarshalIndent(b.Checks, "", " "); err != nil {
		return err
	}
	for i := range b.Events {
		e := &b.Events[i]
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		line = append(line, '\n')
		if e.OfFiles() {
			b.contents[filesFile] = append(b.contents[filesFile], line...)
		} else {
			b.contents[devicesFile] = append(b.contents[devicesFile], line...)
		}
	}
	if text := umockdev(b.Events); len(text) > 0 {
		b.contents[sysfsFile] = text
	}
	if b.Capture != nil {
		b.contents[CaptureFile] = b.Capture
	}
	b.About.Files = []Entry{}
	for _, name := range order[1:] {
		if data, ok := b.contents[name]; ok {
			sum := sha256.Sum256(data)
			b.About.Files = append(b.About.Files, Entry{name, int64(len(data)), hex.EncodeToString(sum[:])})
		}
	}
	b.contents[Manifest], err = json.MarshalIndent(b.About, "", " ")
	return err
}

// Item is a line of the list of what an archive holds.
type Item struct {
	Name    string
	Bytes   int64
	Meaning string
}

// List is what Write will write.
func (b *Bundle) List() []Item {
	var out []Item
	for _, name := range order {
		if data, ok := b.contents[name]; ok {
			out = append(out, Item{name, int64(len(data)), meanings[name]})
		}
	}
	return out
}

// Write writes the archive. A file that is there already is replaced when all is written.
func (b *Bundle) Write(path string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".bundle-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
			_ = os.Remove(f.Name())
		}
	}()
	if err := b.encode(f); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func (b *Bundle) encode(to io.Writer) error {
	z := zip.NewWriter(to)
	for _, name := range order {
		data, ok := b.contents[name]
		if !ok {
			continue
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate}) // without a time
		if err != nil {
			return err
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	return z.Close()
}

const readme = `This archive was made by astrolabe doctor --bundle. It holds what the kernel answered when astrolabe looked at a
machine and recorded for a moment, and nothing that names the machine or its user: files and fields are on a list of what
may be here (docs/bundle.md). bundle.json says what was left out. Everything but capture.arrow is text.

astrolabe doctor --check FILE judges it.
`
