package parquet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

// Partition is one level of folders of a partitioned data set, such as device=... .
type Partition struct {
	Key   string
	Value string // of every capture; "" takes it from the capture
	Fixed bool   // Value was given
}

// ParsePartitions reads "device,build" or "device,build=1234".
func ParsePartitions(text string) ([]Partition, error) {
	var out []Partition
	for _, part := range strings.Split(text, ",") {
		key, value, fixed := strings.Cut(part, "=")
		p := Partition{Key: strings.TrimSpace(key), Value: strings.TrimSpace(value), Fixed: fixed}
		switch {
		case p.Key == "" || newNames(nil).take(p.Key) != p.Key || strings.ContainsAny(p.Key, "/\\"):
			return nil, fmt.Errorf("partition %q: give names such as device,build or build=1234", part)
		case slices.ContainsFunc(out, func(o Partition) bool { return strings.EqualFold(o.Key, p.Key) }):
			return nil, fmt.Errorf("partition %q is given twice", p.Key)
		}
		out = append(out, p)
	}
	return out, nil
}

// noValue is what Hive, Spark and DuckDB call the folder of rows without a value.
const noValue = "__HIVE_DEFAULT_PARTITION__"

// WritePartitioned saves c below dir in folders KEY=VALUE, one level for each partition, as files called after the
// capture's own file; it returns their paths. Where another capture's file of that name is there already, both stay:
// the new one gets a hash of its content in its name, see Beside. A value comes from the label of that name, which
// splits the samples; for "device" from the counters' devices, which split the columns, or from the device's name or
// id; for "gpu" and "name" from the capture; else from the property or the device's extra entry of that name. A given
// value becomes a property too. Columns of the files are never called like a partition.
func WritePartitioned(ctx context.Context, dir string, c *capture.Capture,
	parts []Partition) (paths []string, err error) {
	leaves := []part{{capture: c, dir: dir}}
	for _, p := range parts {
		var next []part
		for _, l := range leaves {
			split, err := p.split(l)
			if err != nil {
				return nil, fmt.Errorf("partition by %s: %w", p.Key, err)
			}
			next = append(next, split...)
		}
		leaves = next
	}
	reserved := make([]string, len(parts))
	for i, p := range parts {
		reserved[i] = p.Key
	}
	name, whole := fileName(c), identity(c)
	for _, l := range leaves {
		if err := os.MkdirAll(l.dir, 0o777); err != nil {
			return paths, formats.WriteError(l.dir, err)
		}
		path, err := claim(l.dir, escape(name), func(w io.Writer) error {
			return encode(ctx, w, l.capture, reserved, whole)
		})
		if err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// fileName is the name of c's files: that of the file it came from, because all recordings of one source carry the same
// name and would replace each other in a data set.
func fileName(c *capture.Capture) string {
	if c.Path != "" {
		base := filepath.Base(c.Path)
		if name := strings.TrimSuffix(base, filepath.Ext(base)); name != "" {
			return name
		}
	}
	if c.Name != "" {
		return c.Name
	}
	return "capture"
}

// identity tells the parts of one capture from those of another in a data set. It is the same for the same capture.
func identity(c *capture.Capture) string {
	h := sha256.New()
	start, end := c.Axis.Extent()
	fmt.Fprintln(h, fileName(c), c.Name, c.GPU, c.Device.ID, c.StartTime.UnixNano(), c.Len(), start, end)
	for _, ctr := range c.Counters {
		fmt.Fprintln(h, ctr.Name, len(ctr.Instances))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Beside says which file of other data had the name of c's file already, of a path that WritePartitioned returned; it
// is "" for most.
func Beside(path string, c *capture.Capture) string {
	plain := filepath.Join(filepath.Dir(path), escape(fileName(c))+".parquet")
	if plain == path {
		return ""
	}
	return plain
}

// part is what goes into one folder.
type part struct {
	capture *capture.Capture
	dir     string
}

func (p Partition) below(l part, value string, c *capture.Capture) part {
	return part{c, filepath.Join(l.dir, Folder(p.Key, value))}
}

// Folder is the name KEY=VALUE of a folder of a partitioned data set, with the characters of the value escaped that
// have a meaning in paths. The empty value is that of rows without one. ParseFolder is its inverse.
func Folder(key, value string) string {
	switch value {
	case "":
		value = noValue
	case noValue: // a text that looks so is no missing value
		value = "%5F" + noValue[1:]
	default:
		value = escape(value)
	}
	return key + "=" + value
}

// ParseFolder reads the name of a folder of a partitioned data set; ok is false where it is none.
func ParseFolder(name string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(name, "=")
	if !ok || key == "" {
		return "", "", false
	}
	if value == noValue {
		return key, "", true
	}
	if strings.Contains(value, "%") {
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
	}
	return key, value, true
}

func (p Partition) split(l part) ([]part, error) {
	c := l.capture
	if p.Fixed {
		with, err := c.With(func(cfg *capture.Config) {
			opt := formats.Options{Properties: []capture.Property{{Name: p.Key, Text: p.Value, IsText: true}}}
			opt.Apply(cfg)
		})
		return []part{p.below(l, p.Value, with)}, err
	}
	if label := c.Label(p.Key); label != nil {
		return p.byLabel(l, label)
	}
	if p.Key == "device" {
		if devices := c.Devices(); len(devices) > 0 {
			return p.byDevice(l, devices)
		}
	}
	value, ok := p.value(c)
	if !ok {
		return nil, fmt.Errorf(
			"the capture has no label, property or device entry of that name: give the value as %s=VALUE", p.Key)
	}
	return []part{p.below(l, value, c)}, nil
}

// value is the one value of the whole capture.
func (p Partition) value(c *capture.Capture) (string, bool) {
	switch p.Key {
	case "device":
		for _, v := range []string{c.Device.Name, c.Device.ID, c.GPU} {
			if v != "" {
				return v, true
			}
		}
		return "", true
	case "gpu":
		return c.GPU, true
	case "name":
		return c.Name, true
	}
	if prop, ok := c.Property(p.Key); ok {
		if prop.IsText {
			return prop.Text, true
		}
		return strconv.FormatFloat(prop.Number, 'g', -1, 64), true
	}
	v, ok := c.Device.Extra[p.Key]
	return v, ok
}

func (p Partition) byLabel(l part, label *capture.Label) ([]part, error) {
	var out []part
	for code := -1; code < len(label.Dict); code++ {
		mask := capture.NewMask(l.capture.Axis, func(i int) bool { return int(label.Codes[i]) == code })
		if mask.Count() == 0 {
			continue
		}
		c, err := l.capture.Where(mask)
		if err != nil {
			return nil, err
		}
		value := ""
		if code >= 0 {
			value = label.Dict[code]
		}
		out = append(out, p.below(l, value, c))
	}
	if len(out) == 0 {
		out = append(out, p.below(l, "", l.capture))
	}
	return out, nil
}

// byDevice gives every device the counters that are of it or of its instances. Counters that name no device go to a
// folder of their own.
func (p Partition) byDevice(l part, devices []string) ([]part, error) {
	var out []part
	for _, dev := range append(slices.Clone(devices), "") {
		var counters []*capture.Counter
		for _, ctr := range l.capture.Counters {
			if only := ofDevice(ctr, dev); only != nil {
				counters = append(counters, only)
			}
		}
		if len(counters) == 0 {
			continue
		}
		c, err := l.capture.With(func(cfg *capture.Config) { cfg.Counters = counters })
		if err != nil {
			return nil, err
		}
		out = append(out, p.below(l, dev, c))
	}
	return out, nil
}

func ofDevice(c *capture.Counter, dev string) *capture.Counter {
	if len(c.Instances) == 0 {
		if c.Device == dev {
			return c
		}
		return nil
	}
	var mine []*capture.Counter
	for _, in := range c.Instances {
		if in.Device == dev || in.Device == "" && c.Device == dev {
			mine = append(mine, in)
		}
	}
	switch {
	case len(mine) == len(c.Instances):
		return c
	case len(mine) == 0:
		return nil
	}
	// The sum over all devices belongs to none of them.
	return &capture.Counter{Meta: c.Meta, Axis: c.Axis, Instances: mine, Pass: c.Pass, Warnings: c.Warnings}
}

// escape writes a value as the name of a folder, as Hive does: what has a meaning in paths becomes a percent sign and
// two digits.
func escape(value string) string {
	const special = "\"#%'*/:=?\\{}[]^<>|"
	var b strings.Builder
	for i := range len(value) {
		ch := value[i]
		if ch < ' ' || ch == 0x7f || strings.IndexByte(special, ch) >= 0 || ch == '.' &&
			strings.Trim(value, ".") == "" {
			fmt.Fprintf(&b, "%%%02X", ch)
		} else {
			b.WriteByte(ch)
		}
	}
	return b.String()
}
