#include "pressed_row.h"

#include <math.h>
#include <stdlib.h>

#include "dense_system.h"

am_system *pressed_row(size_t nodes, const double *K) {
    const double full_turn = 6.283185307179586;
    size_t n = 2 * nodes;
    double *rows = calloc(n * n, sizeof *rows), *load = calloc(3 * n, sizeof *load);
    am_contact_def *contacts = calloc(nodes, sizeof *contacts);
    for (size_t c = 0; c < nodes; c++) {
        double s = 2 * ((double)c + 0.5) / (double)nodes - 1;
        contacts[c] = am_contact_def_default();
        contacts[c].friction = 0.5;
        contacts[c].tangent = rows + c * n;
        contacts[c].normal = rows + (nodes + c) * n;
        rows[c * n + c] = rows[(nodes + c) * n + nodes + c] = 1;
        load[nodes + c] = -sqrt(1.02 - s * s);
        load[n + c] = 1;
        load[2 * n + nodes + c] = s;
    }
    am_load_def loads[3] = {{load, am_function_constant(1)},
                            {load + n, am_function_sine(0.4, full_turn, 0)},
                            {load + 2 * n, am_function_sine(0.35, full_turn, 1.2)}};
    am_system_def def = am_system_def_default();
    def.n = n;
    def.contact_count = nodes;
    def.contacts = contacts;
    def.load_count = 3;
    def.loads = loads;
    am_system *system = dense_system(def, NULL, NULL, K);
    free(rows), free(load), free(contacts);
    return system;
}
