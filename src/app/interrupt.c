#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "app/command.h"

/* What the signal handler uses. */
static volatile sig_atomic_t interrupted, writing;

/* Seconds that work may take to stop: loops take milliseconds, a large factorisation in a library
 * that cannot be stopped may take minutes. */
enum { GRACE = 1 };

static void note(int number) {
    (void)number;
    interrupted = 1;
    if (!writing)
        alarm(GRACE);
}

static void end_at_once(int number) {
    static const char words[] = "interrupted in the midst of a step that cannot be stopped; nothing more was written\n";
    (void)number;
    if (writing)
        return;
    if (write(STDERR_FILENO, words, sizeof words - 1) < 0)
        _exit(AM_EXIT_INTERRUPTED);
    _exit(AM_EXIT_INTERRUPTED);
}

void am_interrupt_watch(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESETHAND; /* the second time the program ends at once */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = end_at_once;
    sigaction(SIGALRM, &action, NULL);
}

void am_interrupt_writing(bool begins) {
    writing = begins;
    if (begins)
        alarm(0);
}

bool am_interrupted(void) {
    return interrupted != 0;
}
