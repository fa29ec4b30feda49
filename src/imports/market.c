/* Matrix Market: what the library reads anywhere, and as strictly as other lists. Terms that come twice would add up, and one
 * that was cut off would count as it stands. */
#include "base/local.h"
#include "imports/import_internal.h"
#include "math/matrix_market.h"

typedef struct listing {
    am_market_head head;
    am_terms terms;
    am_import_digits digits;
} listing;

static am_status take(void *context, const am_market_entry *entry, am_error *err) {
    listing *l = context;
    am_import_count_digits(&l->digits, entry->number, l->terms.count == 0);
    return !l->head.coordinate ? AM_OK
                               : am_terms_add(&l->terms, entry->row, entry->column, entry->value, entry->line, err);
}

static void clear(listing *l) {
    am_terms_clear(&l->terms);
}

/* Arrays have a value for each place, and skew-symmetric matrices are none of a structure at rest. */
static am_status add_whole(am_import *import, am_error *err) {
    am_matrix *matrix = am_matrix_read(import->path, err);
    return matrix ? am_import_add_matrix(import, "", am_import_role_of_file(import->path), matrix, err)
                  : am_error_status(err);
}

am_status am_import_matrix_market(am_import *import, am_error *err) {
    AM_LOCAL(clear) listing l = {0};
    AM_TRY(am_matrix_market_entries(import->path, &l.head, take, &l, err));
    const am_market_head head = l.head;
    import->lines = head.lines;
    if (l.digits.cut)
        return am_fail(err, AM_ERR_INPUT,
                       "%s:%zu: the last value has fewer digits than all others: the file was cut off", import->path,
                       head.lines);
    if (!head.coordinate || head.skew || head.rows != head.columns)
        return add_whole(import, err);
    am_terms_order order = {
        .path = import->path, .n = head.rows, .one_triangle = head.symmetric, .both_triangles = !head.symmetric};
    return am_import_add(import, "", am_import_role_of_file(import->path), &l.terms, &order, err);
}
