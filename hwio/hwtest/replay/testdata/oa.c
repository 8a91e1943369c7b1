// Asks an emulated node of the driver i915 what another program asked of the real one, in C and with the kernel's own
// words: a parameter, the topology in two steps, the GPU's clock, and a stream of reports, which it waits for with poll(2)
// and reads in small pieces. Arguments: the node, how many bytes of reports to read, and the properties of the stream.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct getparam { int32_t param; int *value; };
struct query_item { uint64_t id; int32_t length; uint32_t flags; uint64_t data; };
struct query { uint32_t items, flags; uint64_t at; };
struct reg_read { uint64_t offset, value; };
struct open_param { uint32_t flags, properties; uint64_t at; };

#define GETPARAM _IOWR('d', 0x46, struct getparam)
#define QUERY _IOWR('d', 0x79, struct query)
#define REG_READ _IOWR('d', 0x71, struct reg_read)
#define PERF_OPEN _IOW('d', 0x76, struct open_param)
#define ENABLE _IO('i', 0)

static void hex(const char *name, const void *data, size_t n)
{
	printf("%s ", name);
	for (size_t i = 0; i < n; i++)
		printf("%02x", ((const unsigned char *)data)[i]);
	printf("\n");
}

static int ask(int fd, unsigned long request, void *arg, const char *what)
{
	int r = ioctl(fd, request, arg);
	if (r < 0) {
		perror(what);
		exit(1);
	}
	return r;
}

int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR);
	size_t want = strtoul(argv[2], NULL, 10);
	uint64_t properties[64];
	int value = 0, n = argc - 3;
	if (fd < 0 || n > 64) {
		perror("open");
		return 1;
	}
	struct getparam g;
	memset(&g, 0xff, sizeof g); // what lies between the fields is nobody's
	g.param = 57, g.value = &value;
	ask(fd, GETPARAM, &g, "GETPARAM");
	printf("frequency %d\n", value);
	g.param = 12345;
	if (ioctl(fd, GETPARAM, &g) == 0) {
		printf("a parameter that was never asked for has an answer\n");
		return 1;
	}

	struct query_item item = { .id = 1 };
	struct query q = { .items = 1, .at = (uintptr_t)&item };
	ask(fd, QUERY, &q, "QUERY");
	if (item.length <= 0 || item.length > 4096) {
		printf("topology of %d bytes\n", item.length);
		return 1;
	}
	unsigned char *topology = calloc(1, item.length);
	item.data = (uintptr_t)topology;
	ask(fd, QUERY, &q, "QUERY");
	hex("topology", topology, item.length);

	for (int i = 0; i < n; i++)
		properties[i] = strtoull(argv[3 + i], NULL, 0);
	struct open_param o = { .flags = 4, .properties = n / 2, .at = (uintptr_t)properties };
	int stream = ask(fd, PERF_OPEN, &o, "PERF_OPEN");
	ask(stream, ENABLE, NULL, "ENABLE");
	struct reg_read first = { .offset = 0x2359 }, last = { .offset = 0x2359 };
	ask(fd, REG_READ, &first, "REG_READ");

	unsigned char *reports = malloc(want + 4096);
	size_t got = 0;
	while (got < want) {
		struct pollfd p = { .fd = stream, .events = POLLIN };
		if (poll(&p, 1, 5000) != 1) {
			printf("nothing came for 5 s after %zu bytes\n", got);
			return 1;
		}
		ssize_t r = read(stream, reports + got, 1000); // some records, never all
		if (r <= 0) {
			perror("read");
			return 1;
		}
		got += r;
	}
	hex("reports", reports, got);
	ask(fd, REG_READ, &last, "REG_READ");
	printf("ticks %llu\n", (unsigned long long)(last.value - first.value));
	return 0;
}
