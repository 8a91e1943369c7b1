package lake

import (
	"math"
	"strings"
	"time"
)

// Capture is a row of the table captures. A pointer that is nil is a missing value.
type Capture struct {
	Capture      string            `parquet:"capture,dict"` // SHA-256 of the content, in hexadecimal
	Name         string            `parquet:"name,dict"`    // of its file or folder
	Format       string            `parquet:"format,dict"`
	GPU          *string           `parquet:"gpu,optional,dict"` // the catalogue's id
	DeviceName   *string           `parquet:"device_name,optional,dict"`
	DeviceVendor *string           `parquet:"device_vendor,optional,dict"`
	DeviceID     *string           `parquet:"device_id,optional,dict"`
	Driver       *string           `parquet:"driver,optional,dict"`
	StartTime    *time.Time        `parquet:"start_time,optional,timestamp(microsecond)"`
	Seconds      *float64          `parquet:"seconds,optional"` // that were measured
	Samples      int64             `parquet:"samples"`
	Counters     int64             `parquet:"counters"`
	Metrics      int64             `parquet:"metrics"`  // rows that it has in metrics
	Findings     int64             `parquet:"findings"` // rows that it has in findings
	Judged       *bool             `parquet:"judged,optional"`
	NotJudged    *string           `parquet:"not_judged,optional,dict"` // subjects that could not be judged, and why
	Warnings     *string           `parquet:"warnings,optional,dict"`
	Labels       map[string]string `parquet:"labels"`
	Options      *string           `parquet:"options,optional,dict"` // of reading it
	Catalogues   *string           `parquet:"catalogues,optional,dict"`
	Astrolabe    string            `parquet:"astrolabe,dict"`
}

// Metric is a row of the table metrics.
type Metric struct {
	Capture   string   `parquet:"capture,dict"`
	Scope     string   `parquet:"scope,dict"`
	Key       *string  `parquet:"key,optional,dict"` // of the scope: a kernel's, region's, frame's or phase's name
	Metric    string   `parquet:"metric,dict"`
	Title     *string  `parquet:"title,optional,dict"`
	Kind      string   `parquet:"kind,dict"`
	Basis     string   `parquet:"basis,dict"`
	Unit      *string  `parquet:"unit,optional,dict"`
	Better    *string  `parquet:"better,optional,dict"` // more or less
	Value     *float64 `parquet:"value,optional"`
	Reason    *string  `parquet:"reason,optional,dict"` // why Value is missing
	Error     *float64 `parquet:"error,optional"`       // standard error of Value within the capture
	Blocks    *int64   `parquet:"blocks,optional"`      // independent stretches behind it
	Total     *float64 `parquet:"total,optional"`
	TotalUnit *string  `parquet:"total_unit,optional,dict"`
	Missing   *float64 `parquet:"missing,optional"` // fraction of the samples without a value
	Seconds   *float64 `parquet:"seconds,optional"` // measured of the scope
}

// Finding is a row of the table findings.
type Finding struct {
	Capture    string   `parquet:"capture,dict"`
	Finding    string   `parquet:"finding,dict"`
	Severity   string   `parquet:"severity,dict"`
	Title      string   `parquet:"title,dict"`
	Metric     *string  `parquet:"metric,optional,dict"`
	Value      *float64 `parquet:"value,optional"`
	Limit      *float64 `parquet:"limit,optional"`
	Unit       *string  `parquet:"unit,optional,dict"`
	ValueText  *string  `parquet:"value_text,optional,dict"`
	LimitText  *string  `parquet:"limit_text,optional,dict"`
	Confidence *string  `parquet:"confidence,optional,dict"`
	Advice     *string  `parquet:"advice,optional,dict"`
	Share      *float64 `parquet:"share,optional"`
	GainLeast  *float64 `parquet:"gain_least,optional"`
	GainMost   *float64 `parquet:"gain_most,optional"`
	Hint       bool     `parquet:"hint"`
	InsteadOf  *string  `parquet:"instead_of,optional,dict"`
}

// Text is a column of a text, missing where it is empty. What is no UTF-8 is made such, because readers refuse it.
func Text(s string) *string {
	if s == "" {
		return nil
	}
	s = valid(s)
	return &s
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// Number is a column of a number, missing where it is NaN.
func Number(f float64) *float64 {
	if math.IsNaN(f) {
		return nil
	}
	return &f
}
