package session

import (
	"fmt"
	"strings"
)

// LogType selects messages of a Log; they are bits.
type LogType int

// The message types.
const (
	LogNone  LogType = 0
	logError LogType = 1
	logTrace LogType = 4
	logAll   LogType = 7

	logMessage LogType = 2
)

var logTypes = map[string]LogType{
	"": LogNone, "none": LogNone, "error": logError, "message": logMessage, "trace": logTrace, "all": logAll,
}

// ParseLogTypes reads a list such as "error,message", "all" or "none".
func ParseLogTypes(s string) (LogType, error) {
	var out LogType
	for word := range strings.SplitSeq(s, ",") {
		t, known := logTypes[strings.TrimSpace(word)]
		if !known {
			return 0, fmt.Errorf("no message type is called %q; there are error, message, trace, all and none",
				strings.TrimSpace(word))
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

// Log tells of the calls of all contexts that share it, by the names that the guide has for them.
type Log struct {
	types LogType
	to    func(t LogType, text string)
}

// Register has to called with messages of the given types; the last call counts. A function for messages gets one at
// once.
func (l *Log) Register(types LogType, to func(t LogType, text string)) error {
	if to == nil && types != LogNone {
		err := fail(NullPointer, "no function is given")
		l.say(logError, "RegisterLoggingCallback: "+err.Error())
		return err
	}
	l.types, l.to = types, to
	l.say(logMessage, "Logging callback registered successfully.")
	return nil
}

// done tells the outcome of a call.
func (l *Log) done(call string, err *error) {
	if *err != nil {
		l.say(logError, call+": "+(*err).Error())
		return
	}
	l.say(logTrace, call)
}

func (l *Log) say(t LogType, text string) {
	if l.types&t != 0 && l.to != nil {
		l.to(t, strings.ReplaceAll(text, "\n", " "))
	}
}
