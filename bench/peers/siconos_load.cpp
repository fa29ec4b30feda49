// The load F = C t as a Siconos plug-in. C is set by the caller before the simulation starts.
extern "C" {
double load_rate[2] = {0.0, 0.0};

void ramp(double t, unsigned int, double *force, unsigned int, double *) {
    force[0] = load_rate[0] * t;
    force[1] = load_rate[1] * t;
}
}
