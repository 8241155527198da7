/*
 * Counts the wavefronts of one execution of an access, with and without conflicts.
 */
#ifndef WHYFAST_BANK_COUNTS_H
#define WHYFAST_BANK_COUNTS_H

#include "catalog/bank_model.h"

static inline int bank_model_wavefronts(const struct shared_access *access)
{
    struct bank_service service;
    bank_model_serve(access, &service);
    return service.wavefronts;
}

static inline int bank_model_ideal(const struct shared_access *access)
{
    struct bank_service service;
    bank_model_serve(access, &service);
    return service.turns;
}

#endif
