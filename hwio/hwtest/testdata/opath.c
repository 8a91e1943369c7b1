/* A client of the toy device that names files without opening them (O_PATH), as libudev does, and asks which file system they are on.
 * It prints what is wrong and exits with 1. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define COUNT 0xc0087401

static int failures;
#define CHECK(x)                                                     \
	do {                                                         \
		errno = 0;                                           \
		if (!(x)) {                                          \
			printf("line %d: %s (errno %d)\n", __LINE__, #x, errno); \
			failures = 1;                                \
		}                                                    \
	} while (0)

static int kind(int fd)
{
	struct stat st;
	return fstat(fd, &st) ? -1 : (int)(st.st_mode & S_IFMT);
}

int main(void)
{
	struct stat st;
	struct statfs fs;
	uint64_t v = 0;
	char b[256], proc[64];
	int fd, sub, n;

	/* A folder, and what lies below it. */
	CHECK((fd = open("/sys/devices/toybus/toy0", O_PATH | O_CLOEXEC)) >= 0);
	CHECK(kind(fd) == S_IFDIR);
	CHECK((fcntl(fd, F_GETFL) & O_PATH) && (fcntl(fd, F_GETFD) & FD_CLOEXEC));
	CHECK(fstatfs(fd, &fs) == 0 && fs.f_type == SYSFS_MAGIC);
	CHECK(read(fd, b, sizeof b) == -1 && errno == EBADF);
	CHECK(faccessat(fd, "vendor", R_OK, 0) == 0);
	CHECK(faccessat(fd, "none", F_OK, 0) == -1 && errno == ENOENT);
	CHECK((sub = openat(fd, "vendor", O_RDONLY)) >= 0 && read(sub, b, sizeof b) == 7 && memcmp(b, "0x8086\n", 7) == 0);
	CHECK(fstatfs(sub, &fs) == 0 && fs.f_type == SYSFS_MAGIC);
	close(sub);
	CHECK((sub = openat(fd, "deep", O_PATH | O_DIRECTORY)) >= 0 && (fcntl(sub, F_GETFL) & O_DIRECTORY));
	CHECK(faccessat(sub, "file", F_OK, 0) == 0);
	close(sub);
	/* Listing takes a descriptor that is open: this one, opened again by way of /proc. */
	CHECK(syscall(SYS_getdents64, fd, b, sizeof b) == -1 && errno == EBADF);
	snprintf(proc, sizeof proc, "/proc/self/fd/%d", fd);
	n = readlink(proc, b, sizeof b);
	CHECK(n == 24 && memcmp(b, "/sys/devices/toybus/toy0", 24) == 0);
	CHECK((sub = open(proc, O_RDONLY | O_DIRECTORY)) >= 0);
	DIR *d = fdopendir(sub);
	int names = 0;
	for (struct dirent *e; d && (e = readdir(d));)
		names += e->d_name[0] != '.';
	CHECK(names == 3);
	if (d)
		closedir(d);
	CHECK((n = dup(fd)) >= 0 && kind(n) == S_IFDIR && close(n) == 0);
	CHECK((n = fcntl(fd, F_DUPFD_CLOEXEC, 3)) >= 0 && faccessat(n, "vendor", F_OK, 0) == 0 && close(n) == 0);
	CHECK(close(fd) == 0 && kind(fd) == -1 && errno == EBADF);

	/* A text, which can be opened for reading by way of /proc. */
	CHECK((fd = open("/sys/class/toy/toy0/vendor", O_PATH)) >= 0 && kind(fd) == S_IFREG);
	snprintf(proc, sizeof proc, "/proc/self/fd/%d", fd);
	CHECK((sub = open(proc, O_RDONLY)) >= 0 && read(sub, b, sizeof b) == 7);
	close(sub);
	CHECK(openat(fd, "x", O_RDONLY) == -1 && errno == ENOTDIR);
	close(fd);

	/* A link itself, and what it leads to. */
	CHECK((fd = open("/sys/class/toy/toy0", O_PATH | O_NOFOLLOW)) >= 0 && kind(fd) == S_IFLNK);
	CHECK((n = readlinkat(fd, "", b, sizeof b)) == 25 && memcmp(b, "../../devices/toybus/toy0", 25) == 0);
	CHECK(fstatat(fd, "", &st, AT_EMPTY_PATH) == 0 && S_ISLNK(st.st_mode));
	close(fd);
	CHECK((fd = open("/sys/class/toy/toy0", O_PATH)) >= 0 && kind(fd) == S_IFDIR && close(fd) == 0);
	CHECK(open("/sys/class/toy/toy0/vendor", O_PATH | O_DIRECTORY) == -1 && errno == ENOTDIR);
	CHECK(open("/sys/class/toy/none", O_PATH) == -1 && errno == ENOENT);

	/* A device node: naming it asks nothing of the driver, not even of one that cannot be opened. */
	CHECK((fd = open("/dev/toy0", O_PATH)) >= 0);
	CHECK(fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(240, 7));
	CHECK(ioctl(fd, COUNT, &v) == -1 && errno == EBADF);
	snprintf(proc, sizeof proc, "/proc/self/fd/%d", fd);
	CHECK(stat(proc, &st) == 0 && S_ISCHR(st.st_mode));
	CHECK((sub = open(proc, O_RDWR)) >= 0 && ioctl(sub, COUNT, &v) == 0 && v > 0);
	close(sub);
	close(fd);
	CHECK((fd = open("/dev/toys/broken", O_PATH)) >= 0 && close(fd) == 0);

	/* From the machine's own folders into the tree, step by step, and back. */
	CHECK((fd = open("/", O_PATH | O_DIRECTORY)) >= 0);
	for (const char *p[] = {"sys", "class", "toy", NULL}, **at = p; *at; at++) {
		CHECK((sub = openat(fd, *at, O_PATH | O_NOFOLLOW | O_CLOEXEC)) >= 0 && kind(sub) == S_IFDIR);
		close(fd);
		fd = sub;
	}
	CHECK(fstatat(fd, "toy0/vendor", &st, 0) == 0 && S_ISREG(st.st_mode));
	CHECK(fstatat(fd, "../../../dev/null", &st, 0) == 0 && S_ISCHR(st.st_mode));
	close(fd);
	CHECK((fd = open("/dev", O_PATH)) >= 0);
	CHECK((sub = openat(fd, "null", O_WRONLY)) >= 0 && write(sub, "x", 1) == 1 && close(sub) == 0);
	CHECK(fstatat(fd, "toys/a", &st, 0) == 0 && S_ISCHR(st.st_mode));
	close(fd);

	CHECK(statfs("/sys/class/toy/toy0", &fs) == 0 && fs.f_type == SYSFS_MAGIC);
	CHECK(statfs("/proc/sys/dev/toy_paranoid", &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC);
	CHECK(statfs("/sys/class/toy/none", &fs) == -1 && errno == ENOENT);
	return failures;
}
