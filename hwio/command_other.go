//go:build !unix

package hwio

import "os"

var terminateSignal = os.Kill

var passed = []os.Signal{os.Interrupt}

func fromTerminal(os.Signal) bool { return true }

func exitOf(_ error, st *os.ProcessState) *Exit {
	if st == nil {
		return &Exit{Code: 125}
	}
	return &Exit{Code: st.ExitCode()}
}
