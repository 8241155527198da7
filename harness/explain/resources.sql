-- reads:
-- makes: resource_unit
-- The unit that each resource of demands.csv belongs to, and its name.
CREATE TABLE resource_unit(resource TEXT PRIMARY KEY, unit, article, title);
INSERT INTO resource_unit VALUES
    ('dram', 'dram', '', 'DRAM'), ('l2', 'l2', 'the ', 'L2 cache'),
    ('l1', 'l1', 'the ', 'L1 cache with shared memory'),
    ('shared', 'l1', 'the ', 'L1 cache with shared memory'),
    ('conflicts', 'l1', 'the ', 'L1 cache with shared memory'),
    ('same_word', 'l1', 'the ', 'L1 cache with shared memory'),
    ('issue', 'issue', '', 'instruction issue'), ('alu', 'alu', '', 'integer arithmetic'),
    ('fma', 'fma', 'the ', 'FMA pipes'), ('tensor', 'tensor', '', 'tensor arithmetic'),
    ('launch', 'launch', 'the ', 'launch');
