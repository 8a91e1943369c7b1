package values

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"astrolabe/capture/formats"
	"astrolabe/capture/memory"
	"astrolabe/capture/metrics"
	"astrolabe/capture/progress"
	"astrolabe/plots/charts"
	"astrolabe/plots/documents"
)

// hashPause is how long hashing waits before a piece, which takes a fifth of a millisecond, while others have work for
// all processors: it is then slowed to a quarter. Were it to stop, the report would wait for it in the end.
const hashPause = 500 * time.Microsecond

// HashAhead begins to hash the file of the capture beside the work that fills the report, where that leaves a processor
// free: a long capture is hashed in the time in which scripts work alone, and not while formulas need all processors.
func (r *Report) HashAhead(ctx context.Context) {
	if r.cap == nil || r.cap.Capture.Path == "" {
		return
	}
	path := r.cap.Capture.Path
	quiet := progress.With(ctx, nil) // what is told is how far the report is
	r.hash = sync.OnceValues(func() (string, error) {
		return formats.HashBeside(quiet, path, func() {
			if memory.Busy() && !r.hashAwaited.Load() {
				time.Sleep(hashPause)
			}
		})
	})
	go r.hash()
}

// hashed is the hash of the file of the capture.
func (r *Report) hashed(ctx context.Context) (string, error) {
	if r.hash != nil {
		r.hashAwaited.Store(true)
		return r.hash()
	}
	return formats.HashFile(ctx, r.cap.Capture.Path)
}

// provenance says what the report was made from. It names no path beyond the file's own name, so that the same inputs
// give the same report wherever they lie.
func (r *Report) provenance(ctx context.Context) ([]documents.KV, error) {
	var out []documents.KV
	add := func(key, value string) {
		if value != "" {
			out = append(out, documents.KV{Key: key, Value: value})
		}
	}
	if r.cap != nil {
		c := r.cap.Capture
		file := c.Name
		if c.Path != "" {
			hash, err := r.hashed(ctx)
			if err != nil {
				return nil, fmt.Errorf("hash of the capture: %w", err)
			}
			file += " (sha256 " + short(hash) + ")"
		}
		add("Capture", file)
		if !c.StartTime.IsZero() {
			add("Captured", c.StartTime.UTC().Format("2006-01-02 15:04:05 UTC"))
		}
		add("Extent", charts.Extent(c))
		device := c.Device.Name
		if device == "" {
			device = c.GPU
		}
		add("Device", device)
		add("Driver", c.Device.Driver)
		for _, cat := range metrics.For(c) {
			add("Catalogue", cat.ID()+" "+short(cat.Version()))
		}
		add("By force", metrics.ByForce(c))
		if r.shots != nil {
			text, err := r.shots.provenance(c)
			if err != nil {
				return nil, err
			}
			add("Pictures", text)
		}
		if o := c.Options; o.Denom != "" || o.Duration != "" || o.Zero != "" {
			var parts []string
			for _, kv := range [][2]string{{"denom", o.Denom}, {"duration", o.Duration}, {"zero", o.Zero}} {
				if kv[1] != "" {
					parts = append(parts, kv[0]+"="+kv[1])
				}
			}
			add("Options", strings.Join(parts, " "))
		}
	}
	script := r.env.Script.Name
	if r.env.Script.Hash != "" {
		script += " (sha256 " + short(r.env.Script.Hash) + ")"
	}
	add("Script", script)
	all, _ := r.env.Parameters()
	add(parametersKey, strings.Join(all, " "))
	add("astrolabe", r.env.Version)
	return out, nil
}

// parametersKey heads the values of the script's flags, and maxHeadParameters is how many of them stand at the head of
// a report.
const (
	parametersKey     = "Parameters"
	maxHeadParameters = 8
)

// shortenParameters leaves those parameters at the head of a report that were given, where there are many, and lists
// all at its end: findings come first.
func (r *Report) shortenParameters(out *documents.Report) {
	all, given := r.env.Parameters()
	i := slices.IndexFunc(out.Provenance, func(kv documents.KV) bool { return kv.Key == parametersKey })
	if i < 0 || len(all) <= maxHeadParameters {
		return
	}
	head := fmt.Sprintf("%d at their defaults, listed at the end", len(all)-len(given))
	if len(given) > 0 {
		head = strings.Join(given, " ") + "; " + head
	}
	out.Provenance[i].Value = head
	out.Items = append(out.Items,
		documents.Text("## Parameters\n\n`"+strings.ReplaceAll(strings.Join(all, " "), "`", "'")+"`"))
}

// short is the beginning of a hash that tells it from others.
func short(hash string) string {
	return hash[:min(16, len(hash))]
}
