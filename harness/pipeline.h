/*
 * Lists the stages of whyfast in the order in which data flow; a header for each says what it reads
 * and writes. Only the hall (harness/ itself) includes this file: it decides which stage runs when.
 * Every stage after `collect` reads only files of the run directory and writes more of them. A
 * stage borrows the struct run during the call. It returns 0, or after a message a failure of
 * base/message.h.
 *
 *   registry, selection      the points to run
 *     describe, measure      points, launches, accesses, series, samples,   GPU, never profiled
 *                            power
 *     ceilings               ceilings                                       GPU
 *     collect                counters                                       GPU and CUPTI
 *     lines                  sources, source_files, kernels, lines          GPU and CUPTI, probes
 *     traces                 traces, activities, trace_samples              GPU and CUPTI
 *   raw tables, metrics/     from here on no GPU is needed
 *     evaluate               metrics, noise, kernel_counters, impossible
 *     explain                steps, verdicts, findings, ledger, sides, causes, ...
 *     plot                   charts/<name>.svg, .png
 *     report                 index.html and the other pages
 */
#ifndef WHYFAST_PIPELINE_H
#define WHYFAST_PIPELINE_H

#include "collect/collect_counters.h"
#include "evaluate/evaluate.h"
#include "explain/explain.h"
#include "gpu/device_identity.h"
#include "measure/measure_run.h"
#include "report/report.h"
#include "run/table_rows.h"

#endif
