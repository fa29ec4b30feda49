/* `amontons lab`: the server (src/lab), and the browser that shows its page. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/command.h"

#ifdef AMONTONS_WITH_LAB
#include "lab/lab.h"

/* What was opened: absolute paths. */
typedef struct opening {
    char *folder;    /* NULL: nothing */
    char name[1100]; /* "folder/NAME" of a study; "": a folder, or nothing */
    char *gallery, *page;
} opening;

static bool open_what(const char *what, opening *o) {
    struct stat info;
    char *path = realpath(what, NULL);
    if (!path || stat(path, &info) != 0) {
        free(path);
        return am_print_error("amontons lab: there is no study or folder '%.200s'", what);
    }
    if (!S_ISDIR(info.st_mode)) {
        char *slash = strrchr(path, '/');
        snprintf(o->name, sizeof o->name, "folder/%.1000s", slash + 1);
        slash[slash == path] = '\0';
    }
    o->folder = path;
    return true;
}

static void close_all(opening *o) {
    free(o->folder);
    free(o->gallery);
    free(o->page);
}

/* ---- The browser ---- */

static bool wants_browser(const am_options *options) {
    const char *browser = getenv("BROWSER"), *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return !options->no_browser && ((browser && *browser) || (x && *x) || (wayland && *wayland));
}

/* In a process that nobody waits for, and in silence. */
static void become_browser(const char *address) {
    const char *chosen = getenv("BROWSER");
    int nothing = open("/dev/null", O_RDWR);
    for (int file = 0; file < 3; file++)
        dup2(nothing, file);
    if (setsid() < 0 || fork() != 0)
        _exit(0);
    execlp(chosen && *chosen ? chosen : "xdg-open", chosen && *chosen ? chosen : "xdg-open", address, (char *)NULL);
    _exit(127);
}

static void print_address(void *context, const char *address, const char *door) {
    printf("%s\n", address);
    fflush(stdout);
    if (!wants_browser(context))
        return;
    pid_t child = fork();
    if (child == 0)
        become_browser(door);
    if (child > 0)
        waitpid(child, NULL, 0);
}

static bool is_wanted(void *context, double fraction) {
    (void)context, (void)fraction;
    return !am_interrupted();
}

am_exit am_command_lab(const am_options *options) {
    opening o = {0};
    am_error err = {0};
    char gallery[4096], page[4096];
    if (options->count > 0 && !open_what(options->names[0], &o))
        return AM_EXIT_INVALID;
    const char *parts = am_lab_page_folder(page, sizeof page);
    o.gallery = realpath(am_gallery_folder(gallery, sizeof gallery), NULL);
    o.page = parts ? realpath(parts, NULL) : NULL;
    const am_lab_options lab = {.folder = o.folder,
                                .opened = *o.name ? o.name : NULL,
                                .gallery = o.gallery,
                                .page = o.page,
                                .port = options->port,
                                .threads = options->threads,
                                .memory = (size_t)options->memory,
                                .seconds = options->seconds,
                                .ready = print_address,
                                .context = (void *)(size_t)options};
    am_status status = am_lab_serve(&lab, &(am_progress){.report = is_wanted}, &err);
    close_all(&o);
    return status == AM_OK ? AM_EXIT_DONE : am_print_failure(&err, AM_EXIT_FAILED);
}
#else
am_exit am_command_lab(const am_options *options) {
    (void)options;
    am_print_error("amontons lab: this command was built without the lab (libmicrohttpd, AMONTONS_LAB)");
    return AM_EXIT_FAILED;
}
#endif
