#include <stdio.h>
#include <unistd.h>

#include "app/command.h"
#include "base/clock.h"
#include "base/time_left.h"

enum { bar_width = 30 };

static void draw(am_bar *bar, double fraction, double elapsed) {
    char cells[bar_width + 1];
    int filled = (int)(fraction * bar_width);
    for (int i = 0; i < bar_width; i++)
        cells[i] = i < filled ? '#' : ' ';
    cells[bar_width] = '\0';
    fprintf(stderr, "\r%.40s [%s] %3.0f%%", bar->label, cells, 100 * fraction);
    double begun = bar->all > 0 ? (double)bar->found / (double)bar->all : 0.0; /* found, not computed */
    if (bar->all > 0 && bar->done > bar->found)
        fprintf(stderr, "  %zu of %zu points, %.3g/s", bar->done, bar->all, (double)(bar->done - bar->found) / elapsed);
    if (bar->failed > 0)
        fprintf(stderr, ", %zu failed", bar->failed);
    double left = am_time_left(elapsed, fraction, begun);
    if (left >= 0)
        fprintf(stderr, "  %d:%02d left", (int)(left / 60), (int)left % 60);
    fputs(" \033[K", stderr);
    fflush(stderr);
    bar->visible = true;
}

/* Short work shows nothing; long work is drawn ten times a second. */
static bool report(void *context, double fraction) {
    am_bar *bar = context;
    if (bar->terminal) {
        double t = am_clock_seconds();
        if (t - bar->started > 0.5 && t - bar->shown_at > 0.1) {
            draw(bar, fraction, t - bar->started);
            bar->shown_at = t;
        }
    }
    return !am_interrupted();
}

static void count(void *context, size_t done, size_t all, size_t failed) {
    am_bar *bar = context;
    if (bar->all == 0)
        bar->found = done - 1; /* the first call comes after the first point */
    bar->done = done;
    bar->all = all;
    bar->failed = failed;
}

am_progress am_bar_start(am_bar *bar, const char *label, int threads) {
    *bar = (am_bar){.label = label, .started = am_clock_seconds(), .terminal = isatty(STDERR_FILENO) != 0};
    return (am_progress){.report = report, .context = bar, .threads = threads, .count = count};
}

void am_bar_end(am_bar *bar) {
    if (bar->visible)
        fputs("\r\033[K", stderr);
    bar->visible = false;
}
