package mali

// Device is an open device, or a descriptor that one of its requests returned. Errors are values of syscall.Errno.
type Device interface {
	// Request issues a request whose argument is a structure that the kernel reads and writes, and returns its result.
	Request(number uint32, arg []byte) (int, error)
	// RequestWith is Request where the structure holds, at an offset, the address of a further buffer that the kernel
	// reads or writes.
	RequestWith(number uint32, arg []byte, at int, buf []byte) (int, error)
	// RequestValue issues a request whose argument is the number itself.
	RequestValue(number uint32, value uint32) (int, error)
	// Adopt makes a Device of a descriptor that a request returned.
	Adopt(fd int, name string) Device
	// Ready says, without waiting, whether there is something to fetch, and whether the device is gone.
	Ready() (ready, gone bool, err error)
	// Map maps the first size bytes for reading. Unmap takes that back.
	Map(size int) ([]byte, error)
	Unmap(mapping []byte) error
	Close() error
}

// Kernel opens devices.
type Kernel interface {
	// Character says whether the path exists and is a character device.
	Character(path string) (exists, character bool)
	// Open opens a device for reading, and for writing too where its driver asks for that.
	Open(path string, write bool) (Device, error)
}
