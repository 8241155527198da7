#include "catalog/rung_colours.h"

#include "catalog/registry.h"

uint32_t rung_colour_colour(int rung)
{
    static const uint32_t palette[] = {0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7,
                                       0x56b4e9, 0xd55e00, 0x4d4d4d, 0xf0e442};
    if (rung == PALETTE_LIBRARY) return 0xa0a0a0;
    return rung < 0 ? 0xcccccc : palette[(unsigned)(rung - 1) % (sizeof palette / sizeof *palette)];
}

uint32_t rung_colour_variant(const struct variant *variant)
{
    switch (variant_kind(variant)) {
    case KIND_CPU: return rung_colour_colour(PALETTE_CPU);
    case KIND_LIBRARY: return rung_colour_colour(PALETTE_LIBRARY);
    case KIND_KERNEL: break;
    }
    return rung_colour_colour(variant_rung(variant->name));
}
