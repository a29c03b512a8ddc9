/* A root of the jail's own, for kernels without Landlock: what the command may see, bound into an empty file system in a mount namespace; the old root is let go.

   Theory of operation.  Root needs only a mount namespace; everybody else a user namespace around it, in which the own uid is mapped to itself, so that the command's exec drops all
   rights that come with it.  There is no /proc inside: through it a process outside, and its root, could be reached.  Every step must succeed, or the wall counts as missing. */
#ifndef OWN_ROOT_H
#define OWN_ROOT_H
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

#define ROOT_NAME ".root"              /* in the work folder: where the new root stands until it is entered */

static bool write_text(const char *path, const char *text)
{
	int f = open(path, O_WRONLY | O_CLOEXEC);
	bool done = f >= 0 && write(f, text, strlen(text)) == (ssize_t)strlen(text);
	if (f >= 0) close(f);
	return done;
}
/* Root that may not mount is left as the caller drops it: nobody, who may make a user namespace. */
static bool enter_namespaces(void (*drop_root)(void))
{
	char users[40], groups[40];
	if (!geteuid() && !unshare(CLONE_NEWNS)) return true;
	drop_root();
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);              /* else what maps its uids would still be root's */
	snprintf(users, sizeof users, "%u %u 1\n", geteuid(), geteuid()), snprintf(groups, sizeof groups, "%u %u 1\n", getegid(), getegid());
	return !unshare(CLONE_NEWUSER | CLONE_NEWNS) && write_text("/proc/self/setgroups", "deny") && write_text("/proc/self/uid_map", users) && write_text("/proc/self/gid_map", groups);
}
static void root_of(const char *folder, char path[PATH_MAX]) { snprintf(path, PATH_MAX, "%s/" ROOT_NAME, folder); }
static void remove_root(const char *folder)
{
	char path[PATH_MAX];
	root_of(folder, path);
	rmdir(path);
}
static bool begin_root(const char *folder)
{
	char path[PATH_MAX];
	root_of(folder, path);
	return !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) && (!mkdir(path, 0755) || errno == EEXIST) && !mount("none", path, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755") && !chdir(path);
}
static bool make_parents(char *path)       /* of a relative path */
{
	for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		bool done = !mkdir(path, 0755) || errno == EEXIST;
		*slash = '/';
		if (!done) return false;
	}
	return true;
}
/* What a mount has set already may not be taken away in a user namespace. */
static bool make_read_only(const char *path)
{
	static const struct { unsigned long seen, flag; } kept[] = { { ST_NOSUID, MS_NOSUID }, { ST_NODEV, MS_NODEV }, { ST_NOEXEC, MS_NOEXEC }, { ST_NOATIME, MS_NOATIME }, { ST_NODIRATIME, MS_NODIRATIME }, { ST_RELATIME, MS_RELATIME } };
	struct statvfs s;
	unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY;
	if (statvfs(path, &s)) return false;
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		if (s.f_flag & kept[i].seen) flags |= kept[i].flag;
	return !mount(NULL, path, NULL, flags, NULL);
}
/* An absolute path as it is outside, in the new root, which is the current folder.  What is not there is not needed. */
static bool show(const char *path, bool writable)
{
	char place[PATH_MAX], to[PATH_MAX];
	struct stat s;
	snprintf(place, sizeof place, "%s", path + 1);
	if (lstat(path, &s)) return true;
	if (!make_parents(place)) return false;
	if (S_ISLNK(s.st_mode)) {
		ssize_t n = readlink(path, to, sizeof to - 1);
		if (n < 0) return false;
		to[n] = 0;
		return !symlink(to, place);
	}
	int file = -1;
	if (S_ISDIR(s.st_mode) ? mkdir(place, 0755) && errno != EEXIST : (file = open(place, O_WRONLY | O_CREAT | O_CLOEXEC, 0644)) < 0) return false;
	if (file >= 0) close(file);
	return !mount(path, place, NULL, MS_BIND | (writable ? 0 : MS_REC), NULL) && (writable || make_read_only(place));
}
static bool end_root(void)
{
	if (!make_read_only(".")) return false;
	if (!syscall(SYS_pivot_root, ".", ".")) return !umount2(".", MNT_DETACH) && !chdir("/");
	return !mount(".", "/", NULL, MS_MOVE, NULL) && !chroot(".") && !chdir("/");        /* the first root of a machine that lives in memory cannot be pivoted away */
}
#endif
