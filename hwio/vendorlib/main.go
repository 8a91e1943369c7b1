// Command astrolabe-vendorlib loads vendors' shared libraries for astrolabe: rocprofiler-sdk and GPUPerfAPI. It is a
// program of its own because what can load libraries is dynamically linked, and because a library may crash, hang,
// print, or allow only one set-up per process. It is started by astrolabe, answers its requests on standard input and
// output, and ends when its input does. The protocol is in hwio/internal/vendorproc; nothing else of astrolabe is
// needed here.
package main

import (
	"fmt"
	"os"

	"astrolabe/hwio/internal/vendorproc"
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, vendorproc.Program+":", err)
		os.Exit(1)
	}
}

func serve() error {
	if st, err := os.Stdin.Stat(); err == nil && st.Mode()&os.ModeCharDevice != 0 {
		return fmt.Errorf("this program is started by astrolabe: try astrolabe doctor, or astrolabe record --source rocprofiler")
	}
	out, err := takeStdout()
	if err != nil {
		return fmt.Errorf("keep standard output for the protocol: %w", err)
	}
	s, err := vendorproc.NewServer(out)
	if err != nil {
		return err
	}
	return s.Serve(os.Stdin, handlers(s))
}
