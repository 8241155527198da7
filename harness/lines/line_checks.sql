-- reads: lines
-- makes: impossible_lines suspect_lines negative_lines
-- Empties the counts of an instruction that contradict each other, and notes how many instructions
-- of a kernel they were emptied at, and the first of these. An absent count contradicts nothing.

CREATE TABLE impossible_lines(kernel INTEGER, holds TEXT, because TEXT, instructions INTEGER,
    first TEXT, first_pc INTEGER);

-- Few instructions are looked at closely: those that fail one of the checks below.
CREATE TABLE suspect_lines AS
SELECT rowid AS id FROM lines
WHERE threads > 32 * executed OR threads_on > threads OR not_issued > samples
    OR branches_uniform + branches_divergent > executed
    OR branches_uniform + branches_divergent > threads
    OR executed < 0 OR threads < 0 OR threads_on < 0 OR branches_uniform < 0
    OR branches_divergent < 0 OR shared_wavefronts < 0 OR shared_ideal < 0 OR global_sectors < 0
    OR global_ideal < 0 OR local_sectors < 0 OR samples < 0 OR not_issued < 0;

INSERT INTO impossible_lines
SELECT kernel, 'threads <= 32 * executed', 'A warp has 32 lanes.', count(*), sass, min(pc)
FROM lines WHERE rowid IN suspect_lines AND threads > 32 * executed GROUP BY kernel;
UPDATE lines SET executed = NULL, threads = NULL, threads_on = NULL
WHERE rowid IN suspect_lines AND threads > 32 * executed;

INSERT INTO impossible_lines
SELECT kernel, 'threads_on <= threads', 'The lanes not predicated off are among the active ones.',
    count(*), sass, min(pc)
FROM lines WHERE rowid IN suspect_lines AND threads_on > threads GROUP BY kernel;
UPDATE lines SET threads = NULL, threads_on = NULL
WHERE rowid IN suspect_lines AND threads_on > threads;

INSERT INTO impossible_lines
SELECT kernel, 'not_issued <= samples',
    'The samples in which the scheduler issued nothing are among all samples.', count(*), sass,
    min(pc)
FROM lines WHERE rowid IN suspect_lines AND not_issued > samples GROUP BY kernel;
UPDATE lines SET samples = NULL, not_issued = NULL, stalls = NULL
WHERE rowid IN suspect_lines AND not_issued > samples;

-- The inserted code counts executions and branch targets one after the other, and diverged lanes
-- of a warp pass it each for itself. So where lanes were missing, there may be more targets than
-- executions (435 and 303 in a loop in which four lanes of a warp of cuBLAS wait, on an H200), but
-- no more than lanes.
INSERT INTO impossible_lines
SELECT kernel, 'branches_uniform + branches_divergent <= executed',
    'An instruction has one branch target each time that it is executed.', count(*), sass, min(pc)
FROM lines WHERE rowid IN suspect_lines
    AND branches_uniform + branches_divergent > executed
    AND coalesce(threads >= 32 * executed, 1) GROUP BY kernel;
UPDATE lines SET executed = NULL, branches_uniform = NULL, branches_divergent = NULL
WHERE rowid IN suspect_lines AND branches_uniform + branches_divergent > executed
    AND coalesce(threads >= 32 * executed, 1);

INSERT INTO impossible_lines
SELECT kernel, 'branches_uniform + branches_divergent <= threads',
    'At least one lane goes to each branch target.', count(*), sass, min(pc)
FROM lines WHERE rowid IN suspect_lines
    AND branches_uniform + branches_divergent > threads GROUP BY kernel;
UPDATE lines SET threads = NULL, threads_on = NULL, branches_uniform = NULL,
    branches_divergent = NULL
WHERE rowid IN suspect_lines AND branches_uniform + branches_divergent > threads;

CREATE TABLE negative_lines AS
SELECT rowid AS id, kernel, pc, sass FROM lines
WHERE rowid IN suspect_lines AND (
    executed < 0 OR threads < 0 OR threads_on < 0 OR branches_uniform < 0
    OR branches_divergent < 0 OR shared_wavefronts < 0 OR shared_ideal < 0 OR global_sectors < 0
    OR global_ideal < 0 OR local_sectors < 0 OR samples < 0 OR not_issued < 0);
INSERT INTO impossible_lines
SELECT kernel, 'every count >= 0', 'No count is below 0.', count(*), sass, min(pc)
FROM negative_lines GROUP BY kernel;
UPDATE lines SET executed = NULL, threads = NULL, threads_on = NULL, branches_uniform = NULL,
    branches_divergent = NULL, shared_wavefronts = NULL, shared_ideal = NULL,
    global_sectors = NULL, global_ideal = NULL, local_sectors = NULL, samples = NULL,
    not_issued = NULL, stalls = NULL
WHERE rowid IN (SELECT id FROM negative_lines);
DROP TABLE negative_lines;
DROP TABLE suspect_lines;
