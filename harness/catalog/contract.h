/*
 * Checks at start-up that every family and variant declares the fields that the program needs
 * (catalog/variant.h). Nothing is owned.
 */
#ifndef WHYFAST_CONTRACT_H
#define WHYFAST_CONTRACT_H

#include "catalog/variant.h"

/* Both lists are closed by NULL. Reports every fault with its file, its field and the way to mend
 * it; returns 0, or FAIL_INPUT if there is one. */
int contract_check(const struct family *const *families, const struct variant *const *variants);

#endif
