/* How many cases a property test tries. The sanitizers look for misuse of memory, which a part of the cases shows as
 * well as all of them, at a tenth of the speed. */
#ifndef AMONTONS_TESTS_CASES_H
#define AMONTONS_TESTS_CASES_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CASES(all, part) (part)
#else
#define CASES(all, part) (all)
#endif

#endif
