/* same_results A.nc B.nc: do two results hold the same bits? Everything is compared, groups, dimensions, variables and
 * attributes, but those that tell two runs apart: `command`, `date`, and `history`, which is made of both. */
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void end(const char *what, const char *name) {
    fprintf(stderr, "same_results: %s %s differs\n", what, name);
    exit(1);
}

static void need(int code, const char *what) {
    if (code == NC_NOERR)
        return;
    fprintf(stderr, "same_results: %s: %s\n", what, nc_strerror(code));
    exit(2);
}

static void *room(size_t count, size_t size) {
    void *place = calloc(count + 1, size);
    if (!place)
        exit(2);
    return place;
}

static int tells_runs_apart(const char *name) {
    return strcmp(name, "command") == 0 || strcmp(name, "date") == 0 || strcmp(name, "history") == 0;
}

static void compare_attributes(const int ids[2], int variable, int count) {
    for (int i = 0; i < count; i++) {
        char name[NC_MAX_NAME + 1];
        nc_type type[2];
        size_t length[2], size;
        need(nc_inq_attname(ids[0], variable, i, name), "an attribute");
        if (variable == NC_GLOBAL && tells_runs_apart(name))
            continue;
        for (int k = 0; k < 2; k++)
            if (nc_inq_att(ids[k], variable, name, &type[k], &length[k]) != NC_NOERR)
                end("attribute", name);
        if (type[0] != type[1] || length[0] != length[1])
            end("attribute", name);
        need(nc_inq_type(ids[0], type[0], NULL, &size), name);
        char *bytes[2] = {room(length[0], size), room(length[0], size)};
        for (int k = 0; k < 2; k++)
            need(nc_get_att(ids[k], variable, name, bytes[k]), name);
        if (memcmp(bytes[0], bytes[1], length[0] * size) != 0)
            end("attribute", name);
        free(bytes[0]);
        free(bytes[1]);
    }
}

static void compare_variables(const int ids[2], int count) {
    for (int i = 0; i < count; i++) {
        char name[2][NC_MAX_NAME + 1];
        nc_type type[2];
        int dimensions[2], dimension[2][NC_MAX_VAR_DIMS], attributes[2];
        size_t cells = 1, size;
        for (int k = 0; k < 2; k++)
            need(nc_inq_var(ids[k], i, name[k], &type[k], &dimensions[k], dimension[k], &attributes[k]), "a variable");
        if (strcmp(name[0], name[1]) != 0 || type[0] != type[1] || dimensions[0] != dimensions[1] ||
            attributes[0] != attributes[1])
            end("variable", name[0]);
        for (int d = 0; d < dimensions[0]; d++) {
            size_t length[2];
            for (int k = 0; k < 2; k++)
                need(nc_inq_dimlen(ids[k], dimension[k][d], &length[k]), name[0]);
            if (length[0] != length[1])
                end("variable", name[0]);
            cells *= length[0];
        }
        compare_attributes(ids, i, attributes[0]);
        need(nc_inq_type(ids[0], type[0], NULL, &size), name[0]);
        char *bytes[2] = {room(cells, size), room(cells, size)};
        for (int k = 0; k < 2; k++)
            need(nc_get_var(ids[k], i, bytes[k]), name[0]);
        if (memcmp(bytes[0], bytes[1], cells * size) != 0)
            end("variable", name[0]);
        free(bytes[0]);
        free(bytes[1]);
    }
}

static void compare_groups(const int ids[2]) {
    int variables[2], attributes[2], groups[2];
    for (int k = 0; k < 2; k++) {
        need(nc_inq(ids[k], NULL, &variables[k], &attributes[k], NULL), "a group");
        need(nc_inq_grps(ids[k], &groups[k], NULL), "groups");
    }
    if (variables[0] != variables[1] || attributes[0] != attributes[1] || groups[0] != groups[1])
        end("the size of", "a group");
    compare_attributes(ids, NC_GLOBAL, attributes[0]);
    compare_variables(ids, variables[0]);
    int *inner[2] = {room((size_t)groups[0], sizeof(int)), room((size_t)groups[0], sizeof(int))};
    for (int k = 0; k < 2; k++)
        need(nc_inq_grps(ids[k], NULL, inner[k]), "groups");
    for (int i = 0; i < groups[0]; i++) {
        char name[2][NC_MAX_NAME + 1];
        const int both[2] = {inner[0][i], inner[1][i]};
        for (int k = 0; k < 2; k++)
            need(nc_inq_grpname(both[k], name[k]), "a group");
        if (strcmp(name[0], name[1]) != 0)
            end("group", name[0]);
        compare_groups(both);
    }
    free(inner[0]);
    free(inner[1]);
}

int main(int argc, char **argv) {
    int ids[2];
    if (argc != 3)
        return 2;
    for (int k = 0; k < 2; k++)
        need(nc_open(argv[k + 1], NC_NOWRITE, &ids[k]), argv[k + 1]);
    compare_groups(ids);
    return 0;
}
