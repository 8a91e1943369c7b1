package table

import (
	"strconv"
	"time"

	"astrolabe/capture"
)

// NumberText is a number of a column as a label, "" where it is missing.
func NumberText(d capture.Data, i int) string {
	switch {
	case d.Missing(i):
		return ""
	case d.U != nil:
		return strconv.FormatUint(d.U[i], 10)
	}
	return strconv.FormatFloat(d.F[i], 'f', -1, 64)
}

// DateText is the day of a time in ns since 1970.
func DateText(ns int64) string { return time.Unix(0, ns).UTC().Format(time.DateOnly) }
