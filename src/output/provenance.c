#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "output/provenance.h"

#include <amontons_commit.h> /* made by cmake/commit.cmake */
#include <cblas.h>
#include <cjson/cJSON.h>
#include <dlfcn.h>
#include <libfyaml.h>
#include <netcdf.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif
#ifdef AMONTONS_WITH_CLP
#include <Clp_C_Interface.h>
#endif
#ifdef AMONTONS_WITH_SUNDIALS
#include <sundials/sundials_version.h>
#endif
#ifdef AMONTONS_WITH_SPARSE
#include <dmumps_c.h>
#endif

#include "base/try.h"

static am_status add(am_facts *facts, const char *name, const char *value, am_error *err) {
    facts->facts[facts->count++] = (am_fact){name, value};
    return am_arena_keep(&facts->memory, &facts->facts[facts->count - 1].value, err);
}

void am_facts_clear(am_facts *facts) {
    am_arena_clear(&facts->memory);
    facts->count = 0;
}

/* The system and the processor's kind: "Linux 6.1.0 x86_64". */
static void name_machine(char *machine, size_t size) {
    struct utsname names;
    if (uname(&names) == 0)
        snprintf(machine, size, "%s %s %s", names.sysname, names.release, names.machine);
}

am_status am_facts_of_run(am_facts *facts, const am_provenance *provenance, am_error *err) {
    char machine[300] = "unknown";
    name_machine(machine, sizeof machine);
    const am_provenance none = {0}, *p = provenance ? provenance : &none;
    const char *const all[][2] = {{"version", AMONTONS_VERSION}, {"commit", AMONTONS_COMMIT},
                                  {"command", p->command},       {"date", p->date},
                                  {"machine", machine},          {"seed", p->seed}};
    *facts = (am_facts){0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        AM_TRY(add(facts, all[i][0], all[i][1], err));
    return AM_OK;
}

/* "OpenBLAS 0.3.21 NO_AFFINITY ... Haswell MAX_THREADS=64": its version, and the kernel that it runs on this processor,
 * which decides in which order sums are formed. */
static void name_algebra(char *text, size_t size) {
    const char *config = openblas_get_config(), *core = openblas_get_corename();
    const char *begin = config && strncmp(config, "OpenBLAS ", 9) == 0 ? config + 9 : "unknown";
    snprintf(text, size, "%.*s, kernel %s", (int)strcspn(begin, " "), begin, core ? core : "unknown");
}

/* HDF5's own text, "HDF5 library version: 1.10.8", where NetCDF uses it; to link it for this would ask more of whoever
 * builds this. (Its function would first start all of HDF5, which may crash when memory is refused.) */
static am_status add_hdf5(am_facts *facts, am_error *err) {
    const char *words = dlsym(RTLD_DEFAULT, "H5_lib_vers_info_g"), *space = words ? strrchr(words, ' ') : NULL;
    return space ? add(facts, "HDF5", space + 1, err) : AM_OK;
}

static am_status add_optional(am_facts *facts, am_error *err) {
#ifdef AMONTONS_WITH_CLP
    AM_TRY(add(facts, "CLP", Clp_Version(), err));
#endif
#ifdef AMONTONS_WITH_SUNDIALS
    char version[64] = "unknown";
    SUNDIALSGetVersion(version, sizeof version);
    AM_TRY(add(facts, "SUNDIALS", version, err));
#endif
#ifdef AMONTONS_WITH_SPARSE
    AM_TRY(add(facts, "MUMPS", MUMPS_VERSION, err));
#endif
#ifdef __GLIBC__
    AM_TRY(add(facts, "C library", gnu_get_libc_version(), err));
#endif
#ifdef __VERSION__
    AM_TRY(add(facts, "compiler", __VERSION__, err));
#endif
    return AM_OK;
}

am_status am_facts_of_libraries(am_facts *facts, am_error *err) {
    char algebra[200];
    const char *netcdf = nc_inq_libvers();
    char netcdf_version[64];
    snprintf(netcdf_version, sizeof netcdf_version, "%.*s", (int)strcspn(netcdf, " "), netcdf);
    name_algebra(algebra, sizeof algebra);
    *facts = (am_facts){0};
    AM_TRY(add(facts, "OpenBLAS", algebra, err));
    AM_TRY(add(facts, "NetCDF", netcdf_version, err));
    AM_TRY(add_hdf5(facts, err));
    AM_TRY(add(facts, "libfyaml", fy_library_version(), err));
    AM_TRY(add(facts, "cJSON", cJSON_Version(), err));
    return add_optional(facts, err);
}
