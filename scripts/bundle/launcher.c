/* Starts the Python of the folder in which this program lies, whatever the path, the current folder and the environment. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define PYTHON "/python/bin/python3.13"

int main(int count, char **words) {
    static char folder[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (length < 0) { /* there is no /proc */
        const char *name = (const char *)getauxval(AT_EXECFN);
        length = name && realpath(name, folder) ? (ssize_t)strlen(folder) : -1;
    }
    char *last = length < 0 ? NULL : strrchr(folder, '/');
    char **all = calloc((size_t)count + 4, sizeof *all);
    if (!last || !all || (size_t)(last - folder) + sizeof PYTHON > sizeof folder) {
        fputs("logdump: the path of this program is not known or too long\n", stderr);
        return 1;
    }
    strcpy(last, PYTHON);
    all[0] = folder;
    all[1] = "-I";
    all[2] = "-m";
    all[3] = "logdump";
    for (int i = 1; i < count; i++) all[i + 3] = words[i];
    unsetenv("PYTHONHOME"); /* of another Python; its processes would inherit them */
    unsetenv("PYTHONPATH");
    execv(folder, all);
    fprintf(stderr, "logdump: %s: ", folder);
    perror(NULL);
    return 1;
}
