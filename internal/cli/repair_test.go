package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
	"astrolabe/capture/formats/arrow"
)

// killedRecording is the file of a recorder that was killed after some batches of 10 samples.
func killedRecording(t *testing.T, batches int, properties ...capture.Property) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.arrow")
	schema := capture.Schema{Columns: []capture.ColumnSpec{{Meta: capture.Meta{Name: "n"}, Integer: true}}}
	schema.Config.Properties = properties
	w, err := arrow.Create(path, schema)
	if err != nil {
		t.Fatal(err)
	}
	b := capture.NewBatch(&schema, 10)
	for k := range batches {
		b.Reset()
		for i := range 10 {
			b.Start, b.End = append(b.Start, int64(10*k+i)), append(b.End, int64(10*k+i+1))
			b.AppendInt(0, 1)
		}
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	killed := filepath.Join(t.TempDir(), "killed.arrow")
	if err := os.WriteFile(killed, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return killed
}

// repairing runs repair and returns what it says.
func repairing(t *testing.T, args ...string) (string, error) {
	t.Helper()
	talk, err := os.Create(filepath.Join(t.TempDir(), "talk"))
	if err != nil {
		t.Fatal(err)
	}
	defer talk.Close()
	a := &app{ctx: t.Context(), out: &output{}, talk: newTalk(talk)}
	cmd := a.repairCommand()
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.Execute()
	said, _ := os.ReadFile(talk.Name())
	return string(said), err
}

func TestRepairSaysHowLongSamplesWaited(t *testing.T) {
	for _, held := range []string{"", "2s"} {
		var properties []capture.Property
		if held != "" {
			properties = append(properties, capture.Property{Name: capture.HeldBack, IsText: true, Text: held})
		}
		path := killedRecording(t, 3, properties...)
		want := "a recorder that was killed lost up to " + held
		c, err := all.Registry().Open(t.Context(), path, formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(strings.Join(c.Warnings, "\n"), want); told != (held != "") {
			t.Errorf("held back %q: opening it says %q", held, c.Warnings)
		}
		said, err := repairing(t, path)
		if told := strings.Contains(said, want); err != nil || told != (held != "") || !strings.Contains(said, "30 samples") {
			t.Errorf("held back %q: %v, and it says %q", held, err, said)
		}
	}
}

func TestRepairSaysWhatIsLostBeforeItIsCutOff(t *testing.T) {
	path := killedRecording(t, 3)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:len(data)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := repairing(t, path)
	if err != nil || !strings.Contains(said, "are no whole batch") || !strings.Contains(said, "are cut off") ||
		!strings.Contains(said, path+" gets its footer: 20 samples in 2 batches") {
		t.Errorf("%v, and it says %q", err, said)
	}
	said, err = repairing(t, path)
	if err != nil || said != path+" is whole: 20 samples in 2 batches\n" {
		t.Errorf("a second time: %v, and it says %q", err, said)
	}
}

func TestRepairKeepsBatchesBehindDamageUnlessTold(t *testing.T) {
	path := killedRecording(t, 4)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// The second batch loses its length.
	second := bytes.Index(data, []byte{0xff, 0xff, 0xff, 0xff})
	for range 2 {
		second += 8 + bytes.Index(data[second+8:], []byte{0xff, 0xff, 0xff, 0xff})
	}
	data[second+7] = 0x7f
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = repairing(t, path)
	if err == nil || !strings.Contains(err.Error(), fmt.Sprint("byte ", second)) ||
		!strings.Contains(err.Error(), "up to 2 batches behind it") || !strings.Contains(err.Error(), "--cut") {
		t.Errorf("error %v", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(after, data) {
		t.Error("a repair that refuses changed the file")
	}
	if said, err := repairing(t, "--cut", path); err != nil || !strings.Contains(said, "10 samples in 1 batches") {
		t.Errorf("with --cut: %v, and it says %q", err, said)
	}
}
