/* What the lab is opened with. */
#ifndef AMONTONS_LAB_OPTIONS_H
#define AMONTONS_LAB_OPTIONS_H
#include <stddef.h>

typedef struct am_lab_options {
    const char *folder;  /* that was opened: studies in it are read and saved; NULL: none */
    const char *opened;  /* the name of the study that was opened ("folder/belt.yaml"); NULL: none */
    const char *gallery; /* its studies are read; NULL: none */
    const char *page;    /* the folder of the page's files; NULL: there is no page */
    int port;            /* 0: one that is free */
    int threads;         /* of a run; 0: as many as the machine has */
    size_t memory;       /* megabytes that a worker may take; 0: half of the machine's */
    double seconds;      /* of processor time that a run may take, not a job; 0: 60 */
    double patience;     /* seconds that a request may take to come; 0: 20 */
    /* Called once, when the server listens. `door`: an address that leads to the first one, for whoever comes there first
     * and soon: others of this machine may see how a browser was started. */
    void (*ready)(void *context, const char *address, const char *door);
    void *context;
} am_lab_options;

#endif
