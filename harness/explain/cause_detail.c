#include "explain/cause_detail.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "explain/account_names.h"
#include "query/number_texts.h"

/* Appends a number of both sides, if it moved: a count, or KiB of whole bytes. */
static void append_moved(struct text *words, const char *name, const double *number,
                         const char *unit)
{
    const double before = round(number[0] * 1024) / 1024, after = round(number[1] * 1024) / 1024;
    if (!isfinite(before) || !isfinite(after) || before == after) return;
    text_format(words, "%s%s ", words->length ? ", " : "", name);
    number_text_append(words, before);
    text_append(words, " \xE2\x86\x92 ");
    number_text_append(words, after);
    text_append(words, unit);
}

/* Appends what moved the occupancy: of the side with fewer warps, what leaves no room for more.
 * That is the number of blocks if they do not fill the SMs and moved further than their threads,
 * else what a block needs. All are of the longest launch. */
static void append_needs(const struct account *account, struct text *words)
{
    double blocks[2], threads[2], resident[2], warps[2], registers[2], shared[2], pct[2];
    int is_filled[2];
    for (int i = 0; i < 2; i++) {
        const struct account_side *side = account->side[i];
        const double room = account_number(side, "blocks_per_sm"),
                     bytes = account_number(side, "static_shared_bytes") +
                             account_number(side, "dynamic_shared_bytes");
        blocks[i] = account_number(side, "grid_blocks");
        threads[i] = account_number(side, "block_threads");
        registers[i] = account_number(side, "registers");
        shared[i] = bytes / 1024;
        pct[i] = account_number(side, "theoretical_occupancy_pct");
        const double each = blocks[i] / account_number(side, "sm_count");
        is_filled[i] = !(each < (1 - ACCOUNT_TENTH) * room);
        resident[i] = is_filled[i] ? room : each;
        warps[i] = threads[i] * resident[i];
    }
    const int is_same = !(warps[0] < warps[1] || warps[0] > warps[1]),
              fewer = is_same ? pct[1] < pct[0] : warps[1] < warps[0],
              is_short = !is_same && !is_filled[fewer];
    const char *limit = account_word_after(account->side[fewer], "limited by ");
    if (is_short && resident[!fewer] / resident[fewer] >= threads[!fewer] / threads[fewer])
        append_moved(words, "blocks", blocks, "");
    if (!is_short && limit && strstr(limit, "registers") && registers[fewer] > registers[!fewer])
        append_moved(words, "registers per thread", registers, "");
    if (!is_short && limit && strstr(limit, "shared memory") && shared[fewer] > shared[!fewer])
        append_moved(words, "shared memory per block", shared, " KiB");
    if (!words->length && !is_same) append_moved(words, "threads per block", threads, "");
}

/* Appends how near device memory came to the peak of its bus. */
static void append_rate(const struct account *account, struct text *words)
{
    const double *const fact[] = {account->before.fact, account->after.fact};
    double pct[2];
    for (int i = 0; i < 2; i++)
        pct[i] =
            100 * fact[i][FACT_dram_bytes] / fact[i][FACT_time_ns] / fact[i][FACT_dram_peak_gbs];
    if (isfinite(pct[0]) && isfinite(pct[1]))
        text_format(words, "%sDRAM at %.1f \xE2\x86\x92 %.1f %% of its peak",
                    words->length ? ", " : "", pct[0], pct[1]);
}

char *cause_detail(const struct account *account, const char *cause)
{
    const int slower = account_number(account->side[0], "sm_clock_mhz") >=
                       account_number(account->side[1], "sm_clock_mhz");
    const char *reason =
        !strcmp(cause, "clock") ? account_word_after(account->side[slower], "slowed by ") : NULL;
    struct text words = {0};
    text_append(&words, reason ? reason : "");
    if (!strcmp(cause, "residency")) append_needs(account, &words);
    if (account->term[TERM_DRAM_RATE] != 0 && account_rate_word(account) &&
        !strcmp(cause, account_cause_id(account_rate_word(account))))
        append_rate(account, &words);
    char *detail = words.length ? text_new("%s", text_string(&words)) : NULL;
    text_free(&words);
    return detail;
}
