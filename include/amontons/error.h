/* Errors: every function that can fail returns an am_status and, when given an am_error, says what went wrong.
 *
 * Conventions of the whole library
 *   - Names: am_<room>_<verb>. Types end without _t. Opaque objects come from *_create and go with *_free
 *     (NULL is fine).
 *   - Return values: am_status, AM_OK = 0. Constructors return NULL on failure. `err` is always the last
 *     parameter; it may be NULL.
 *   - Parameter order: object, input, output, progress, err.
 *   - Matrices: row-major double arrays, or am_matrix. Vectors: plain double arrays of the stated length.
 *   - Ownership: what a function returns by pointer to non-const belongs to the caller; const pointers are
 *     borrowed and live as long as the object they came from. Definition structs are copied; the caller keeps
 *     what they point to.
 *   - Units: any consistent set. Angles are radians unless a name says _deg; frequencies are radians per unit time.
 *   - Options and definitions come from their *_default(), which sets `cookie`: a struct that was never filled is
 *     AM_ERR_INPUT. What is left as it came is the default.
 *   - Counts are size_t and stand beside their array (`axes`, `axis_count`); numbers of things count from 0, and
 *     SIZE_MAX is none. An array whose length the structure gives (n coordinates, m contacts) has no count.
 *   - An array that may be left out is NULL then, and its comment says what that means; with a count of 0 it is not
 *     read. `progress` may be NULL: nobody listens.
 *   - NULL where something is required, objects of another kind and freed ones are AM_ERR_INPUT (or NULL, 0, NAN,
 *     false), not a crash.
 *   - The library never prints, never exits, keeps no global state.
 */
#ifndef AMONTONS_ERROR_H
#define AMONTONS_ERROR_H

/* Marks what the shared library shows: every function of these headers, and nothing else. */
#if defined(__GNUC__)
#define AM_API __attribute__((visibility("default")))
#else
#define AM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* One row per status: name, value, text. */
#define AM_STATUS_TABLE(X)                                                                                             \
    X(AM_OK, 0, "done")                                                                                                \
    X(AM_ERR_INPUT, 1, "invalid input")                                                                                \
    X(AM_ERR_FILE, 2, "a file could not be read or written")                                                           \
    X(AM_ERR_MEMORY, 3, "out of memory")                                                                               \
    X(AM_ERR_UNSUPPORTED, 4, "this system cannot answer that question")                                                \
    X(AM_ERR_NO_STATE, 5, "no contact state is consistent")                                                            \
    X(AM_ERR_SEVERAL_STATES, 6, "several contact states are consistent")                                               \
    X(AM_ERR_EVIDENCE, 7, "the result does not pass its own check")                                                    \
    X(AM_ERR_LIMIT, 8, "a stated limit was reached")                                                                   \
    X(AM_ERR_INTERRUPTED, 9, "interrupted")

typedef enum am_status {
#define AM_STATUS_ENUM(name, value, text) name = value,
    AM_STATUS_TABLE(AM_STATUS_ENUM)
#undef AM_STATUS_ENUM
} am_status;

/* What went wrong, in the user's words. Plain data, no ownership. */
typedef struct am_error {
    am_status status;
    char field[128];    /* which input is at fault, as a path ("model.stiffness", "contacts[2].friction"); "" if none */
    char message[1024]; /* one or two sentences without a trailing newline */
} am_error;

/* The fixed text of a status; never NULL. */
AM_API const char *am_status_text(am_status status);

/* Fill err (if not NULL) and return status, so that `return am_fail(err, ...)` is the one way out. */
AM_API am_status am_fail(am_error *err, am_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* The same, naming the input at fault. */
AM_API am_status am_fail_field(am_error *err, am_status status, const char *field, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

#ifdef __cplusplus
}
#endif
#endif
