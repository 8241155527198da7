/*
 * Reads an access to shared memory as in a row of accesses.csv: the kind in the first byte, the
 * width in the second, then the addresses. It is refused, or its turns and wavefronts are possible
 * ones.
 */
#include "fuzz.h"

#include "catalog/bank_model.h"
#include "base/message.h"

FUZZ_INPUT("", "input")

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const kinds[] = {"load", "store", "", "loads"};
    struct shared_access access;
    struct bank_service service;
    if (size < 2) return 0;
    char *text = malloc(size - 1);
    if (!text) abort();
    memcpy(text, data + 2, size - 2);
    text[size - 2] = 0;
    const int width = data[1] & 1 ? 4 << (data[1] >> 1 & 3) : (signed char)data[1];
    const int result = shared_accesses_parse(text, kinds[data[0] & 3], width, &access);
    if (result && result != FAIL_INPUT) abort();
    if (!result) {
        for (int lane = 0; lane < BANKS_LANES; lane++)
            if (access.address[lane] != LANE_IDLE &&
                (access.address[lane] < 0 || access.address[lane] % width))
                abort();
        bank_model_serve(&access, &service);
        for (int lane = 0; lane < BANKS_LANES; lane++) {
            const int idle = access.address[lane] == LANE_IDLE;
            if (idle ? service.turn[lane] >= 0
                     : service.turn[lane] < 0 || service.turn[lane] >= BANKS_LANES)
                abort();
            for (int word = 0; word < BANKS_LANE_WORDS; word++)
                if (service.delay[lane][word] > service.wavefront[lane][word]) abort();
        }
    }
    free(text);
    return 0;
}
