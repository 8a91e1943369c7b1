package session

import (
	"errors"
	"fmt"
)

// Status is what a call returned: the guide's name of it without GPA_STATUS_ and ERROR_. Those other than OK are
// errors.
type Status string

// The statuses in the order of the guide's enumeration.
const (
	OK                               Status = "OK"
	NullPointer                      Status = "NULL_POINTER"
	CountersNotOpen                  Status = "COUNTERS_NOT_OPEN"
	CountersAlreadyOpen              Status = "COUNTERS_ALREADY_OPEN"
	IndexOutOfRange                  Status = "INDEX_OUT_OF_RANGE"
	NotFound                         Status = "NOT_FOUND"
	AlreadyEnabled                   Status = "ALREADY_ENABLED"
	NoCountersEnabled                Status = "NO_COUNTERS_ENABLED"
	NotEnabled                       Status = "NOT_ENABLED"
	SamplingNotStarted               Status = "SAMPLING_NOT_STARTED"
	SamplingAlreadyStarted           Status = "SAMPLING_ALREADY_STARTED"
	SamplingNotEnded                 Status = "SAMPLING_NOT_ENDED"
	NotEnoughPasses                  Status = "NOT_ENOUGH_PASSES"
	PassNotEnded                     Status = "PASS_NOT_ENDED"
	PassNotStarted                   Status = "PASS_NOT_STARTED"
	PassAlreadyStarted               Status = "PASS_ALREADY_STARTED"
	SampleNotStarted                 Status = "SAMPLE_NOT_STARTED"
	SampleAlreadyStarted             Status = "SAMPLE_ALREADY_STARTED"
	SampleNotEnded                   Status = "SAMPLE_NOT_ENDED"
	CannotChangeCountersWhenSampling Status = "CANNOT_CHANGE_COUNTERS_WHEN_SAMPLING"
	SessionNotFound                  Status = "SESSION_NOT_FOUND"
	SampleNotFound                   Status = "SAMPLE_NOT_FOUND"
	SampleNotFoundInAllPasses        Status = "SAMPLE_NOT_FOUND_IN_ALL_PASSES"
	CounterNotOfSpecifiedType        Status = "COUNTER_NOT_OF_SPECIFIED_TYPE"
	ReadingCounterResult             Status = "READING_COUNTER_RESULT"
	VariableNumberOfSamplesInPasses  Status = "VARIABLE_NUMBER_OF_SAMPLES_IN_PASSES"
	Failed                           Status = "FAILED"
	HardwareNotSupported             Status = "HARDWARE_NOT_SUPPORTED"
	DriverNotSupported               Status = "DRIVER_NOT_SUPPORTED"
	APINotSupported                  Status = "API_NOT_SUPPORTED"
	LoadFailed                       Status = "LOAD_FAILED"
	LibLoadFailed                    Status = "LIB_LOAD_FAILED"
	LibLoadVersionMismatch           Status = "LIB_LOAD_VERSION_MISMATCH"
)

// Error makes a Status something that errors.Is compares with.
func (s Status) Error() string { return string(s) }

// Error says with which status a call failed, and what to do.
type Error struct {
	Status Status
	Detail string // a sentence part on what is wrong and how to go on; "" where the status says it all
	Cause  error  // what the backend said; nil if nothing
}

func (e *Error) Error() string {
	s := e.Status.Error()
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
	var s Status
	switch {
	case err == nil:
		return OK
	case errors.As(err, &s):
		return s
	}
	return Failed
}

func fail(s Status, format string, args ...any) error {
	return &Error{Status: s, Detail: fmt.Sprintf(format, args...)}
}

// failCause makes an error of what a backend said: its own status, or else the given one.
func failCause(s Status, cause error) error {
	var own *Error
	if errors.As(cause, &own) {
		return own
	}
	errors.As(cause, &s)
	return &Error{Status: s, Cause: cause}
}
