package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"astrolabe/builtins/notation"
	"astrolabe/capture/lake"
	"astrolabe/capture/memory"
)

func (a *app) lakeListCommand() *cobra.Command {
	var dir string
	var asJSON, each bool
	cmd := &cobra.Command{
		Use:   "ls --lake FOLDER [flags]",
		Short: "List what a lake holds",
		Long:  "Prints a line for each build and device, or with --captures for each capture.",
		Args:  argCount(0, 0),
		RunE: func(*cobra.Command, []string) error {
			l, err := openLake(dir)
			if err != nil {
				return err
			}
			if each {
				return a.lakeCaptures(l, asJSON)
			}
			parts, err := l.List(a.ctx)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(orEmpty(parts))
			}
			return a.print(lakePartsText(parts))
		},
	}
	lakeFolder(cmd, &dir)
	cmd.Flags().BoolVar(&each, "captures", false, "list each capture")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func lakePartsText(parts []lake.Part) string {
	t := &notation.TextTable{Header: []string{"build", "device", "captures", "metrics", "findings", "files", "size"},
		Right: []bool{false, false, true, true, true, true, true}}
	var all lake.Part
	for _, p := range parts {
		t.Add(orText(notation.VisibleLine(p.Build), "-"), orText(notation.VisibleLine(p.Device), "-"),
			fmt.Sprint(p.Captures), fmt.Sprint(p.Metrics), fmt.Sprint(p.Findings), fmt.Sprint(p.Files),
			memory.Text(uint64(p.Bytes)))
		all.Captures, all.Metrics, all.Findings = all.Captures+p.Captures, all.Metrics+p.Metrics,
			all.Findings+p.Findings
		all.Files, all.Bytes = all.Files+p.Files, all.Bytes+p.Bytes
	}
	text := fmt.Sprintf("%d captures, %d rows of metrics, %d of findings, in %d files of %s\n", all.Captures,
		all.Metrics, all.Findings, all.Files, memory.Text(uint64(all.Bytes)))
	if len(parts) == 0 {
		return text
	}
	return t.String() + text
}

// jsonLakeCapture is a capture of lake ls --captures --json.
type jsonLakeCapture struct {
	Capture   string            `json:"capture"`
	Name      string            `json:"name"`
	Device    string            `json:"device"`
	GPU       *string           `json:"gpu"`
	Start     *time.Time        `json:"start_time"`
	Seconds   *float64          `json:"seconds"`
	Samples   int64             `json:"samples"`
	Metrics   int64             `json:"metrics"`
	Findings  int64             `json:"findings"`
	Labels    map[string]string `json:"labels"`
	Astrolabe string            `json:"astrolabe"`
}

func (a *app) lakeCaptures(l *lake.Lake, asJSON bool) error {
	list := []jsonLakeCapture{}
	t := &notation.TextTable{Header: []string{"capture", "name", "device", "start", "samples", "metrics", "findings",
		"labels"}, Right: []bool{false, false, false, false, true, true, true, false}}
	err := l.Captures(a.ctx, func(c *lake.Capture) bool {
		if asJSON {
			list = append(list, jsonLakeCapture{c.Capture, c.Name, lake.DeviceOf(c), c.GPU, c.StartTime, c.Seconds,
				c.Samples, c.Metrics, c.Findings, c.Labels, c.Astrolabe})
			return true
		}
		start := "-"
		if c.StartTime != nil {
			start = c.StartTime.UTC().Format(time.RFC3339)
		}
		t.Add(c.Capture[:min(12, len(c.Capture))], notation.VisibleLine(c.Name),
			orText(notation.VisibleLine(lake.DeviceOf(c)), "-"), start, fmt.Sprint(c.Samples), fmt.Sprint(c.Metrics),
			fmt.Sprint(c.Findings), notation.VisibleLine(lake.LabelsText(c.Labels)))
		return true
	})
	switch {
	case err != nil:
		return err
	case asJSON:
		return a.printJSON(list)
	case len(t.Rows) == 0:
		return a.print("no captures\n")
	}
	return a.print(t.String())
}

func (a *app) lakeVerifyCommand() *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify --lake FOLDER [flags]",
		Short: "Read every row of a lake and say what is not as it was written",
		Long: "Compares the rows of every file with the sum that was written beside them, and the tables with each " +
			"other: each capture must be there\n" +
			"once, in the folder that its labels say, with all of its rows. What else lies in the folders is named. " +
			"Those who add wait meanwhile.\n\n" +
			"Exit status: 0 all is well; 1 something is not; 2 bad usage, or no lake.",
		Args: argCount(0, 0),
		RunE: func(*cobra.Command, []string) error {
			l, err := openLake(dir)
			if err != nil {
				return err
			}
			ctx, done := a.busy(a.ctx, "verifying "+dir)
			v, err := l.Verify(ctx)
			done()
			if err != nil {
				return err
			}
			var said error
			if asJSON {
				v.Problems = orEmpty(v.Problems)
				said = a.printJSON(v)
			} else {
				said = a.print(lakeVerifiedText(&v))
			}
			if said == nil && len(v.Problems) > 0 {
				return errReported
			}
			return said
		},
	}
	lakeFolder(cmd, &dir)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func lakeVerifiedText(v *lake.Verified) string {
	var out strings.Builder
	for _, p := range v.Problems {
		out.WriteString(p + "\n")
	}
	fmt.Fprintf(&out, "%d captures, %d rows of metrics, %d of findings, in %d files: ", v.Captures, v.Metrics,
		v.Findings, v.Files)
	if n := len(v.Problems); n > 0 {
		fmt.Fprintf(&out, "%d %s\n", n, notation.Plural(n, "problem"))
	} else {
		out.WriteString("all as they were written\n")
	}
	if v.Abandoned > 0 {
		fmt.Fprintf(&out, "%d writers ended before they were done: lake compact removes what they left\n", v.Abandoned)
	}
	return out.String()
}

func (a *app) lakeCompactCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "compact --lake FOLDER",
		Short: "Make one file of all files of a build and device",
		Long: "Engines read few large files faster than many small ones. The folder of a build and device changes " +
			"in one step, so that whoever reads\n" +
			"it sees each capture once, also where this is interrupted; a query that lists files before that step and " +
			"opens them behind it fails\n" +
			"and can be repeated. What writers left that ended before they were done is removed.",
		Args: argCount(0, 0),
		RunE: func(*cobra.Command, []string) error {
			l, err := openLake(dir)
			if err != nil {
				return err
			}
			ctx, done := a.busy(a.ctx, "compacting "+dir)
			c, err := l.Compact(ctx)
			done()
			if err != nil {
				return err
			}
			text := fmt.Sprintf("%d files became %d", c.Files, c.Folders)
			if c.Abandoned > 0 {
				text += fmt.Sprintf("; removed what %d writers left", c.Abandoned)
			}
			return a.print(text + "\n")
		},
	}
	lakeFolder(cmd, &dir)
	return cmd
}
