#include "output/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/input_file.h"
#include "base/local.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "output/file.h"
#include "output/xml.h"

enum { LARGEST_DRAWING = 1 << 30 }; /* bytes */

/* ---- Finding it ---- */

static bool is_program(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* The first gnuplot on PATH, as an absolute path; NULL: none. The caller's. */
static char *find_program(void) {
    const char *search = getenv("PATH");
    for (const char *start = search; start; start = strchr(start, ':')) {
        if (*start == ':')
            start++;
        size_t length = strcspn(start, ":");
        if (length == 0 || start[0] != '/')
            continue; /* never a program that happens to lie in the present folder */
        am_text path = {0};
        am_text_add_bytes(&path, start, length);
        am_text_add(&path, "/gnuplot");
        if (path.status == AM_OK && is_program(path.data))
            return am_text_take(&path, NULL);
        am_text_free(&path);
    }
    return NULL;
}

bool am_gnuplot_installed(void) {
    char *program = find_program();
    am_memory_free(program);
    return program != NULL;
}

/* ---- Running it ---- */

/* In the child: only calls that are safe after fork in a program with threads. Never returns. */
static void become_gnuplot(const char *program, const char *folder, char *script, int output) {
    char *arguments[] = {(char *)"gnuplot", (char *)"-d", script, NULL}; /* -d: no settings of the user */
    int input = open("/dev/null", O_RDONLY);
    if (input >= 0 && chdir(folder) == 0 && dup2(input, 0) == 0 && dup2(output, 1) == 1 && dup2(output, 2) == 2)
        execv(program, arguments);
    _exit(127);
}

/* What the child prints, up to the size; the rest is read and dropped so that it can go on. */
static void read_messages(int input, char *message, size_t size) {
    size_t length = 0;
    char chunk[512];
    for (;;) {
        ssize_t count = read(input, chunk, sizeof chunk);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        size_t free_bytes = size - 1 - length;
        size_t taken = (size_t)count < free_bytes ? (size_t)count : free_bytes;
        memcpy(message + length, chunk, taken);
        length += taken;
    }
    message[length] = '\0';
}

/* Gnuplot frames its messages with blank lines and a caret: one line is enough. */
static void fold_lines(char *message) {
    size_t to = 0;
    for (size_t from = 0; message[from]; from++) {
        char c = message[from] == '\n' || message[from] == '\t' || message[from] == '\r' ? ' ' : message[from];
        if (c == ' ' && (to == 0 || message[to - 1] == ' '))
            continue;
        message[to++] = c;
    }
    while (to > 0 && message[to - 1] == ' ')
        to--;
    message[to] = '\0';
}

static am_status judge(int outcome, char *message, const char *shown, am_error *err) {
    if (WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0)
        return AM_OK;
    fold_lines(message);
    if (WIFSIGNALED(outcome))
        return am_fail(err, AM_ERR_FILE, "the figure in %s was not drawn: gnuplot was ended by signal %d", shown,
                       WTERMSIG(outcome));
    if (message[0] == '\0')
        return am_fail(err, AM_ERR_FILE, "the figure in %s was not drawn: gnuplot could not be run", shown);
    return am_fail(err, AM_ERR_FILE, "the figure in %s was not drawn: gnuplot says: %s", shown, message);
}

static am_status run_program(const char *program, const char *folder, char *script, const char *shown, am_error *err) {
    int ends[2];
    if (pipe(ends) != 0)
        return am_fail(err, AM_ERR_FILE, "gnuplot could not be run: %s", strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pid_t child = fork();
    if (child == 0)
        become_gnuplot(program, folder, script, ends[1]);
    int reason = errno;
    close(ends[1]);
    char message[700] = "";
    if (child > 0)
        read_messages(ends[0], message, sizeof message);
    close(ends[0]);
    if (child < 0)
        return am_fail(err, AM_ERR_FILE, "gnuplot could not be run: %s", strerror(reason));
    int outcome = 0;
    while (waitpid(child, &outcome, 0) < 0)
        if (errno != EINTR)
            return am_fail(err, AM_ERR_FILE, "gnuplot could not be waited for: %s", strerror(errno));
    return judge(outcome, message, shown, err);
}

/* ---- Checking what it left ---- */

/* Does the file hold `mark` among its last bytes? Gnuplot does not notice a full disk, so a cut figure must be. */
static bool ends_whole(const char *folder, const char *name, const char *mark) {
    FILE *stream = fopen(AM_OUTPUT_PATH(folder, name), "rb");
    if (!stream)
        return false;
    char tail[64] = "";
    size_t length = 0, mark_length = strlen(mark);
    if (fseek(stream, -(long)(sizeof tail - 1), SEEK_END) == 0)
        length = fread(tail, 1, sizeof tail - 1, stream);
    fclose(stream);
    for (size_t i = 0; i + mark_length <= length; i++)
        if (memcmp(tail + i, mark, mark_length) == 0)
            return true;
    return false;
}

/* Browsers blur images that they enlarge; the cells of a map have edges. */
static am_status sharpen_images(const char *path, const char *shown, am_text *drawing, am_error *err) {
    static const char image[] = "<image ";
    AM_LOCAL(am_text_free) am_text sharp = {0};
    const char *from = am_text_view(drawing);
    if (!strstr(from, image))
        return AM_OK;
    for (const char *at; (at = strstr(from, image)) != NULL; from = at + strlen(image)) {
        am_text_add_bytes(&sharp, from, (size_t)(at - from));
        am_text_add(&sharp, "<image style='image-rendering:pixelated' ");
    }
    am_text_add(&sharp, from);
    AM_TRY(am_text_status(&sharp, err));
    am_output_file file;
    AM_TRY(am_output_file_open(&file, path, shown, err));
    am_output_file_write(&file, sharp.data, sharp.length);
    AM_TRY(am_output_file_close(&file, err));
    am_text swap = *drawing;
    *drawing = sharp;
    sharp = swap;
    return AM_OK;
}

/* Browsers open the drawing, and they run scripts and fetch files: it must only draw. */
static am_status check_drawing(const char *folder, const char *shown, am_error *err) {
    am_text drawing = {0};
    am_error own = {0};
    const char *path = AM_OUTPUT_PATH(folder, "figure.svg");
    am_status status = am_input_read(path, "a drawing", LARGEST_DRAWING, &drawing, &own);
    if (status == AM_OK)
        status = sharpen_images(path, path, &drawing, &own);
    if (status == AM_OK)
        status = am_svg_check(drawing.data, drawing.length, &own);
    if (status != AM_OK)
        am_fail(err, status, "%s/figure.svg is not the drawing that was asked for: %s", shown, own.message);
    am_text_free(&drawing);
    return status;
}

static am_status check_figures(const char *folder, const char *shown, am_error *err) {
    if (!ends_whole(folder, "figure.svg", "</svg>"))
        return am_fail(err, AM_ERR_FILE, "%s/figure.svg was not written completely: is the disk full?", shown);
    if (!ends_whole(folder, "figure.png", "IEND"))
        return am_fail(err, AM_ERR_FILE, "%s/figure.png was not written completely: is the disk full?", shown);
    return check_drawing(folder, shown, err);
}

am_status am_gnuplot_run(const char *folder, const char *script, const char *drawn, const char *shown, am_error *err) {
    char *program = find_program();
    if (!program)
        return am_fail(err, AM_ERR_FILE, "the figure in %s was not drawn: gnuplot is not installed", shown);
    char *name = am_memory_text(script, err);
    am_status status = name ? run_program(program, folder, name, shown, err) : AM_ERR_MEMORY;
    am_memory_free(program);
    am_memory_free(name);
    return status == AM_OK ? check_figures(drawn, shown, err) : status;
}
