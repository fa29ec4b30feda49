#include "belt_chain.h"
#include "dense_system.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "random_system.h"

am_system *belt_chain_create(size_t n, const chain_link *links) {
    double mass[16] = {0}, stiffness[16] = {0}, damping[16] = {0}, identity[16] = {0};
    am_contact_def contacts[4];
    for (size_t i = 0; i < n; i++) {
        mass[i * n + i] = links[i].mass;
        damping[i * n + i] = links[i].damping;
        stiffness[i * n + i] += links[i].spring;
        identity[i * n + i] = 1;
        if (i > 0) {
            stiffness[(i - 1) * n + i - 1] += links[i].spring;
            stiffness[i * n + i - 1] -= links[i].spring;
            stiffness[(i - 1) * n + i] -= links[i].spring;
        }
        contacts[i] = am_contact_def_default();
        contacts[i].tangent = identity + i * n;
        contacts[i].normal_law = AM_HELD;
        contacts[i].hold = am_function_constant(links[i].weight);
        contacts[i].friction = links[i].friction;
        contacts[i].static_friction = links[i].static_friction;
        contacts[i].surface_velocity = links[i].belt;
    }
    am_system_def def = am_system_def_default();
    def.n = n;
    def.contact_count = n;
    def.contacts = contacts;
    return dense_system(def, mass, damping, stiffness);
}

am_system *belt_chain_random(uint64_t seed) {
    random_source source = random_seed(seed);
    chain_link links[4];
    size_t n = 2 + random_index(&source, 2);
    for (size_t i = 0; i < n; i++) {
        links[i] = (chain_link){.mass = random_between(&source, 0.5, 2),
                                .damping = random_between(&source, 0.02, 0.06),
                                .spring = random_between(&source, 0.5, 2),
                                .weight = random_between(&source, 0.5, 1.5),
                                .friction = random_between(&source, 0.2, 0.5),
                                .belt = random_between(&source, 0.15, 0.3)};
        links[i].static_friction = links[i].friction * random_between(&source, 1.5, 3);
    }
    return belt_chain_create(n, links);
}
