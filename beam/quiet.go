package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

// hush takes what Beam says, which is much, to a file or to nowhere.
type hush struct {
	mu   sync.Mutex
	file *os.File // nil where nobody reads it
}

// quiet readies Beam, and takes over the logs of this process.
func quiet(path string) (*hush, error) {
	h := &hush{}
	if err := flag.CommandLine.Parse(nil); err != nil {
		return nil, err
	}
	beam.Init() // sets up logs of its own
	if path != "" {
		f, err := os.Create(path)
		if err != nil {
			return nil, err
		}
		h.file = f
	}
	beamlog.SetLogger(h)
	log.SetOutput(h)
	slog.SetDefault(slog.New(slog.NewTextHandler(h, nil)))
	return h, nil
}

// Write keeps a line.
func (h *hush) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file == nil {
		return len(p), nil
	}
	return h.file.Write(p)
}

// Log keeps a message of Beam.
func (h *hush) Log(_ context.Context, severity beamlog.Severity, _ int, text string) {
	if severity >= beamlog.SevInfo {
		io.WriteString(h, time.Now().UTC().Format(time.RFC3339)+" "+strings.TrimSuffix(text, "\n")+"\n")
	}
}

// close gives up the file. What is said later goes nowhere.
func (h *hush) close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file == nil {
		return nil
	}
	f := h.file
	h.file = nil
	return f.Close()
}

// maxReason is how much of the reason of a failed job is shown, in bytes.
const maxReason = 600

// explain shortens the error of a job: runners put the stacks of several programs in it.
func (h *hush) explain(err error) error {
	if errors.As(err, new(unreachableError)) {
		return err
	}
	text := err.Error()
	for _, mark := range []string{"caused by:", "Caused by: "} {
		if i := strings.LastIndex(text, mark); i >= 0 {
			text = text[i+len(mark):]
		}
	}
	text = strings.Join(strings.Fields(text), " ")
	if i := strings.Index(text, " at org.apache."); i > 0 {
		text = text[:i]
	}
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	more := "--log=FILE keeps all that Beam says"
	if h.file != nil {
		more = h.file.Name() + " has all that Beam says"
	}
	return fmt.Errorf("the job failed: %s (%s)", text, more)
}
