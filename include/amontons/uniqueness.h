/* Is the quasi-static rate problem uniquely solvable for all load rates (Condition 3.1 of Andersson, Barber and Ahn)?
 * See docs/uniqueness.md.
 *
 * With all contacts closed it is exactly when every matrix A + mu E B (E: any diagonal of signs) is a P-matrix, A and B
 * being blocks of the stiffness reduced to the contacts. Held contacts have no B. */
#ifndef AMONTONS_UNIQUENESS_H
#define AMONTONS_UNIQUENESS_H
#include <stdbool.h>

#include "amontons/progress.h"
#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum am_uniqueness_verdict { AM_UNIQUE, AM_NOT_UNIQUE, AM_UNIQUENESS_UNDECIDED } am_uniqueness_verdict;

typedef struct am_uniqueness {
    am_uniqueness_verdict verdict;
    bool at_rounding; /* undecided because a minor is zero but for rounding (the witness), not for want of budget */
    double margin;    /* smallest relative pivot met, or margin of the certificate: > 0 when unique */
    size_t examined;  /* principal minors looked at */
    size_t contacts;  /* m */
    int *witness; /* m, owned; not unique: the signs of the contacts in the minor that is not positive; 0: not in it */
    double minor; /* the witness' determinant; NaN without one */
    /* Evidence, when not unique (m each, owned): with the witness' contacts at their friction limits (sign +: forward)
     * and all others stuck, these rates of the tangential weld forces (normal ones constant) leave two answers. */
    double *rates;
    double *first, *second;   /* the two different sets of slip rates */
    double evidence_residual; /* largest violation of the rate problem by either, relative */
} am_uniqueness;

/* `budget`: how many minors to look at before the verdict is "undecided"; 0: the default (about a second). All contacts
 * of a structure with up to 16 are decided. AM_ERR_UNSUPPORTED when the stiffness cannot be reduced to the contacts. */
AM_API am_status am_uniqueness_test(const am_system *system, size_t budget, am_uniqueness *uniqueness, am_error *err);
AM_API void am_uniqueness_clear(am_uniqueness *uniqueness);

/* The same while some contacts are apart (open: m flags; NULL: none): they carry no force, the support of the others is
 * softer, and what is unique with all closed need not be so now. Open contacts are never in the witness. */
AM_API am_status am_uniqueness_test_open(const am_system *system, const bool *open, size_t budget,
                                         am_uniqueness *uniqueness, am_error *err);

/* The factor on all coefficients of friction at which uniqueness is lost lies between factor[0], where it is certain,
 * and factor[1], where a witness shows that it is lost. They agree to 1e-11 or better when all tests were decided
 * within the budget. Both INFINITY when uniqueness is not lost up to the factor `most`. */
AM_API am_status am_uniqueness_critical(const am_system *system, double most, size_t budget, double factor[2],
                                        am_error *err);

/* "unique", "not unique", "undecided". */
AM_API const char *am_uniqueness_name(am_uniqueness_verdict verdict);

#ifdef __cplusplus
}
#endif
#endif
