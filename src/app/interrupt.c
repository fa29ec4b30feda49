#include <signal.h>
#include <string.h>

#include "app/command.h"

/* The one thing a signal handler can reach. */
static volatile sig_atomic_t interrupted;

static void note(int number) {
    (void)number;
    interrupted = 1;
}

void am_interrupt_watch(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESETHAND; /* the second time the program ends at once */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool am_interrupted(void) {
    return interrupted != 0;
}
