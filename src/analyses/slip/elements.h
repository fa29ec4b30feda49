/* Parts of `slip` by boundary elements that its files share. */
#ifndef AMONTONS_ANALYSES_SLIP_ELEMENTS_H
#define AMONTONS_ANALYSES_SLIP_ELEMENTS_H
#include "analyses/slip/load_path.h"
#include "engines/boundary/bem.h"

enum { AM_SLIP_MOST_ZONES = 64 };

/* P of the contact, Q, and the moment of Q where it acts above the interface. */
am_bem_load am_slip_elements_load(const am_slip_contact *contact, double Q);

/* Nodes a/nodes apart, on a strip somewhat wider than the contact. */
am_status am_slip_elements_define(const am_slip_contact *contact, size_t nodes, am_bem_def *def, am_error *err);

/* The same for a profile whose contact is found by pressing it: strip, nodes and reference. */
am_status am_slip_find_strip(const am_slip_contact *contact, size_t nodes, double margin, am_bem_def *def,
                             am_error *err);

/* Griffith's friction, from loads to tables. */
am_status am_slip_run_griffith(const am_slip_contact *contact, const am_slip_options *options, am_result *result,
                               const am_progress *progress, am_error *err);

/* The table `tractions`, a row for a node, and the map of stresses. */
void am_slip_elements_nodes(const am_slip_contact *contact, const am_bem *bem, double a, am_result *result);
am_status am_slip_elements_stress(const am_slip_contact *contact, const am_slip_options *options, const am_bem *bem,
                                  double a, am_result *result, am_error *err);

/* What a state looks like from far away. */
typedef struct am_slip_found {
    double a, from, to;
    am_slip_point point;
    double slip;
} am_slip_found;

am_slip_found am_slip_elements_found(const am_slip_contact *contact, const am_bem *bem, const am_bem_zone *zones,
                                     size_t count);

/* Are the zones wide enough for the nodes to tell where they end? */
typedef struct am_slip_resolution {
    bool stick, slip;
} am_slip_resolution;

/* path: loads came in another order than P and then Q, and nothing need slip. */
am_slip_resolution am_slip_resolve(const am_slip_contact *contact, const am_bem_view *view, bool path,
                                   const am_bem_zone *zones, size_t count);
/* spacing: of the nodes, over a. */
void am_slip_resolution_summary(am_result *result, const am_slip_resolution *found, double spacing);

/* Q over f P at which slip begins; NaN: not known. */
am_status am_slip_elements_onset(const am_slip_contact *contact, const am_bem_def *def, double *onset, am_error *err);

/* Friction that weakens, similar bodies: all equilibria, stable or not, in the table `branch`, and the limits that they
 * show. */
bool am_slip_elements_followed(const am_slip_contact *contact);
am_status am_slip_elements_follow(const am_slip_contact *contact, const am_slip_options *options, const am_bem_def *def,
                                  am_slip_limits *limits, am_result *result, am_error *err);

/* Why no equilibrium was found under Q: the contact slides, or its nodes are too few for the law. */
am_status am_slip_report_sliding(const am_slip_contact *contact, const am_bem_def *def, size_t nodes, double Q,
                                 am_error *err);

/* By how much the mean of a periodic surface moves per unit of load. Displacements of waves are relative to it. */
double am_slip_elements_mean(const am_bem_view *view);

/* The path of the options; the state of `bem` is then that at its end. */
am_status am_slip_path_elements(am_bem *bem, const am_slip_contact *contact, const am_slip_options *options,
                                am_result *result, const am_progress *progress, am_error *err);

/* Q to and fro at constant P: the table `loop`. */
am_status am_slip_loop_elements(const am_slip_contact *contact, const am_slip_options *options, const am_bem_def *def,
                                am_result *result, am_error *err);

#endif
