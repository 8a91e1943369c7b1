package session

import (
	"fmt"
	"slices"
	"strings"
)

// Status is what a call returned, by the numbers of the guide. Values other than OK are errors.
type Status int

// The statuses in the order of the guide's enumeration.
const (
	OK Status = iota
	NullPointer
	CountersNotOpen
	CountersAlreadyOpen
	IndexOutOfRange
	NotFound
	AlreadyEnabled
	NoCountersEnabled
	NotEnabled
	SamplingNotStarted
	SamplingAlreadyStarted
	SamplingNotEnded
	NotEnoughPasses
	PassNotEnded
	PassNotStarted
	PassAlreadyStarted
	SampleNotStarted
	SampleAlreadyStarted
	SampleNotEnded
	CannotChangeCountersWhenSampling
	SessionNotFound
	SampleNotFound
	SampleNotFoundInAllPasses
	CounterNotOfSpecifiedType
	ReadingCounterResult
	VariableNumberOfSamplesInPasses
	Failed
	HardwareNotSupported
	DriverNotSupported
	APINotSupported
	LoadFailed
	LibLoadFailed
	LibLoadVersionMismatch
	statusCount
)

var statusNames = [...]string{
	"OK", "NULL_POINTER", "COUNTERS_NOT_OPEN", "COUNTERS_ALREADY_OPEN", "INDEX_OUT_OF_RANGE", "NOT_FOUND", "ALREADY_ENABLED", "NO_COUNTERS_ENABLED",
	"NOT_ENABLED", "SAMPLING_NOT_STARTED", "SAMPLING_ALREADY_STARTED", "SAMPLING_NOT_ENDED", "NOT_ENOUGH_PASSES", "PASS_NOT_ENDED", "PASS_NOT_STARTED",
	"PASS_ALREADY_STARTED", "SAMPLE_NOT_STARTED", "SAMPLE_ALREADY_STARTED", "SAMPLE_NOT_ENDED", "CANNOT_CHANGE_COUNTERS_WHEN_SAMPLING", "SESSION_NOT_FOUND",
	"SAMPLE_NOT_FOUND", "SAMPLE_NOT_FOUND_IN_ALL_PASSES", "COUNTER_NOT_OF_SPECIFIED_TYPE", "READING_COUNTER_RESULT",
	"VARIABLE_NUMBER_OF_SAMPLES_IN_PASSES", "FAILED", "HARDWARE_NOT_SUPPORTED", "DRIVER_NOT_SUPPORTED", "API_NOT_SUPPORTED", "LOAD_FAILED",
	"LIB_LOAD_FAILED", "LIB_LOAD_VERSION_MISMATCH",
}

// Name is the guide's name of the status without GPA_STATUS_ and ERROR_, such as "SAMPLE_NOT_ENDED".
func (s Status) Name() string {
	if s < 0 || s >= statusCount {
		return "UNKNOWN_ERROR"
	}
	return statusNames[s]
}

// Text is the status in words, as GPA_GetStatusAsStr gives it: "Sample Not Ended". A value that is no status is "Unknown Error".
func (s Status) Text() string {
	switch s {
	case OK:
		return "Ok"
	case CountersAlreadyOpen:
		return "Counters Already Opened"
	}
	words := strings.Split(strings.ToLower(s.Name()), "_")
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

// Error makes a Status something that errors.Is compares with.
func (s Status) Error() string { return s.Name() }

// Error says with which status a call failed, and what to do.
type Error struct {
	Status Status
	Detail string // a sentence part on what is wrong and how to go on; "" where the status says it all
	Cause  error  // what the backend said; nil if nothing
}

func (e *Error) Error() string {
	s := e.Status.Name()
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap gives the status, for errors.Is, and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Status}
	}
	return []error{e.Status, e.Cause}
}

// StatusOf is the status that an error carries: OK of nil, Failed of an error that is none of this package's.
func StatusOf(err error) Status {
	if err == nil {
		return OK
	}
	for _, e := range flatten(err) {
		if s, ok := e.(Status); ok {
			return s
		}
	}
	return Failed
}

// flatten lists an error and everything that it wraps.
func flatten(err error) []error {
	out := []error{err}
	switch w := err.(type) {
	case interface{ Unwrap() error }:
		if inner := w.Unwrap(); inner != nil {
			out = append(out, flatten(inner)...)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range w.Unwrap() {
			out = append(out, flatten(inner)...)
		}
	}
	return out
}

// Type is the data type of a counter's results, by the numbers of the guide.
type Type int

// The data types.
const (
	typeFloat32 Type = iota
	typeFloat64
	typeUint32
	typeUint64
	typeInt32
	typeInt64
)

var typeNames = [...]string{"float32", "float64", "uint32", "uint64", "int32", "int64"}

// Name is the type without GPA's prefix, such as "float64"; "" of a value that is no type.
func (t Type) Name() string {
	if t < 0 || int(t) >= len(typeNames) {
		return ""
	}
	return typeNames[t]
}

// ParseType is the inverse of Name; it takes GPA's spelling too ("gpa_float64").
func ParseType(s string) (Type, bool) {
	i := slices.Index(typeNames[:], strings.TrimPrefix(strings.ToLower(s), "gpa_"))
	return Type(max(i, 0)), i >= 0
}

// Usage is what a counter's results are, by the numbers of the guide.
type Usage int

// The usage types. usageNone is that of a counter whose unit the guide does not have, such as a time in ns.
const (
	usageRatio Usage = iota
	usagePercentage
	usageCycles
	usageMilliseconds
	usageBytes
	usageItems
	usageKilobytes
	usageNone
)

var usageNames = [...]string{"ratio", "percentage", "cycles", "milliseconds", "bytes", "items", "kilobytes"}

// Name is the guide's word for the usage; "" of usageNone and of a value that is no usage.
func (u Usage) Name() string {
	if u < 0 || int(u) >= len(usageNames) {
		return ""
	}
	return usageNames[u]
}

// parseUsage is the inverse of Name; an unknown word is usageNone.
func parseUsage(s string) Usage {
	if i := slices.Index(usageNames[:], s); i >= 0 {
		return Usage(i)
	}
	return usageNone
}

// usageOfUnit is the usage that a unit of this project's stands for.
func usageOfUnit(unit string) Usage {
	switch unit {
	case "percent", "%":
		return usagePercentage
	case "cycles", "clocks", "ticks":
		return usageCycles
	case "ms":
		return usageMilliseconds
	case "bytes", "B":
		return usageBytes
	case "KiB", "kB":
		return usageKilobytes
	case "ratio", "1":
		return usageRatio
	case "", "events", "items", "faults", "switches", "migrations", "instructions", "requests":
		return usageItems
	}
	return usageNone
}

// LogType selects messages for the logging callback; they are bits.
type LogType int

// The message types.
const (
	LogNone    LogType = 0
	LogError   LogType = 1
	LogMessage LogType = 2
	LogTrace   LogType = 4
	LogAll     LogType = 7
)

var logTypes = map[string]LogType{"": LogNone, "none": LogNone, "error": LogError, "message": LogMessage, "trace": LogTrace, "all": LogAll}

// ParseLogTypes reads a list such as "error,message", "all" or "none".
func ParseLogTypes(s string) (LogType, error) {
	var out LogType
	for word := range strings.SplitSeq(s, ",") {
		t, known := logTypes[strings.TrimSpace(word)]
		if !known {
			return 0, fmt.Errorf("no message type is called %q; there are error, message, trace, all and none", strings.TrimSpace(word))
		}
		out |= t
	}
	return out, nil
}

// Name is "error", "message" or "trace".
func (t LogType) Name() string {
	for name, one := range logTypes {
		if name != "" && one == t {
			return name
		}
	}
	return "none"
}

// Flags are the flags of OpenContext.
type Flags uint32

// The flags. The clock modes set a GPU's clocks where a backend can; others ignore them and say so through the logging callback.
const (
	HidePublic     Flags = 1
	HideSoftware   Flags = 2
	HideHardware   Flags = 4
	ClockNone      Flags = 8
	ClockPeak      Flags = 0x10
	ClockMinMemory Flags = 0x20
	ClockMinEngine Flags = 0x40
)
