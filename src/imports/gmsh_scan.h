/* The bytes of a .msh file, read one number after the other: text and binary files through the same functions. */
#ifndef AMONTONS_SOLID_GMSH_SCAN_H
#define AMONTONS_SOLID_GMSH_SCAN_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"

/* The first failure is remembered; afterwards every number is 0 and nothing moves, so that a loop need only look at
 * `status` now and then. */
typedef struct am_gmsh_scan {
    const char *path;
    char *bytes; /* the whole file and a zero */
    const char *at, *end;
    size_t line;  /* from 1; text */
    bool binary;  /* numbers inside sections */
    bool swapped; /* written where bytes go the other way */
    am_status status;
    am_error *err;
} am_gmsh_scan;

/* `text`: what the file holds, where it is known already; NULL: it is read. */
am_status am_gmsh_scan_open(am_gmsh_scan *scan, const char *path, const char *text, am_error *err);
void am_gmsh_scan_close(am_gmsh_scan *scan);

/* "file:line: ..." (text) or "file: ..." (binary), unless something failed before. Returns the status. */
am_status am_gmsh_scan_fail(am_gmsh_scan *scan, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Whole numbers (binary: an int of 4 bytes, a size of 8) and numbers, called `what` in messages. */
long long am_gmsh_scan_int(am_gmsh_scan *scan, const char *what);
size_t am_gmsh_scan_size(am_gmsh_scan *scan, const char *what);
double am_gmsh_scan_number(am_gmsh_scan *scan, const char *what);

/* How many of something follow, each of which takes at least `bytes` in a binary file (text: two characters per
 * number): a count that the rest of the file has no room for fails. `wide`: a size, else an int. */
size_t am_gmsh_scan_count(am_gmsh_scan *scan, const char *what, bool wide, size_t numbers, size_t bytes);

/* Text in every file. */
long long am_gmsh_scan_text_int(am_gmsh_scan *scan, const char *what);
void am_gmsh_scan_word(am_gmsh_scan *scan, char *word, size_t size);   /* up to white space; "" at the end */
void am_gmsh_scan_quoted(am_gmsh_scan *scan, char *word, size_t size); /* "between quotes" */
void am_gmsh_scan_end_line(am_gmsh_scan *scan);                        /* past the end of this line */
void am_gmsh_scan_skip_to(am_gmsh_scan *scan, const char *mark);       /* past a line that reads `mark` */

#endif
