# Defines the targets that test whyfast, and the files that they build: other trees of objects
# (sanitizers, coverage, fuzzers), programs with the tests' own kernels, a fake GPU. The Makefile
# includes this file.

FUZZ_CC  ?= clang
comma := ,
GCOV     ?= gcov
VALGRIND ?= valgrind
FUZZ_SECONDS ?= 60
# Another seed for each call: 0. With any other seed and an empty corpus the inputs are the same at
# each call, as far as the time lasts.
FUZZ_SEED ?= 0
# The tests without a GPU must run this percentage of the lines of harness/*.c.
COVERAGE_LEAST ?= 85

ASAN_FLAGS     := -fsanitize=address -fno-omit-frame-pointer
UBSAN_FLAGS    := -fsanitize=undefined -fno-sanitize-recover=all
COVERAGE_FLAGS := --coverage -fprofile-update=atomic
FUZZ_FLAGS     := -fsanitize=address -fsanitize=fuzzer-no-link -fno-omit-frame-pointer

# ---------------------------------------------------------------- sources

UNIT_TESTS   := $(patsubst tests/unit/%.c,%,$(sort $(wildcard tests/unit/*/test_*.c)))
# Tests of rooms that need CUDA's headers, and those that look at the kernels.
KERNEL_TESTS := $(patsubst tests/unit/%.c,%,$(shell grep -lE \
                  '(registry|all)_variants?\b|"planned[.]h"' tests/unit/*/test_*.c))
GPU_TESTS    := $(filter $(GPU_ROOMS:%=%/%) injected/% run/test_nvtx,$(UNIT_TESTS)) $(KERNEL_TESTS)
UNIT_TESTS   := $(filter-out $(if $(CUDA),,$(GPU_TESTS)),$(UNIT_TESTS))
# The modules of the injected library, which two tests link with a driver of their own.
INJECTED_C   := $(if $(CUDA),$(filter-out harness/injected/driver,\
                  $(patsubst %.c,%,$(sort $(wildcard harness/injected/*.c)))))
names_in      = $(patsubst $(1)/%.c,%,$(sort $(wildcard $(1)/$(2).c)))
GPU_PROGRAMS := $(if $(CUDA),$(call names_in,tests/gpu,*))
FUZZERS      := $(patsubst fuzz_%,%,$(call names_in,tests/fuzz,fuzz_*))
PLANTED      := $(patsubst %/family,%,$(call names_in,tests/gpu/kernels,*/family))
PLANTED_VARIANTS := $(call cuda_files_in,tests/gpu/kernels)
# The fake GPU: its runtime is linked instead of CUDA's; its CUPTI and NVML lie beside the program.
FAKE_FAMILIES := $(patsubst %/family,%,$(call names_in,tests/fake/kernels,*/family))
FAKE_IN_C     := $(call names_in,tests/fake/kernels,*/[0-9]*)
FAKE_IN_CUDA  := $(call cuda_files_in,tests/fake/kernels)
FAKE_VARIANTS := $(sort $(FAKE_IN_C) $(FAKE_IN_CUDA))
FAKE_LIBS     := libcupti.so.13 libnvidia-ml.so.1
# Tests load these libraries into the program: one makes calls fail, the other is a tool that
# listens to NVTX, whose headers come with the toolkit.
TEST_LIBS     := $(patsubst %,tests/fault/lib%.so,$(call names_in,tests/fault,*)) \
                 $(if $(CUDA),tests/nvtx/librecorder.so)
SHELL_SCRIPTS := $(sort $(wildcard tools/*.sh reports/*/*.sh tests/*/*.sh .ci/run))
scripts        = $(sort $(wildcard $(1:%=tests/%/*.sh)))

$(call stamp,planted,$(PLANTED) $(PLANTED_VARIANTS))
$(call stamp,fake,$(FAKE_FAMILIES) $(FAKE_VARIANTS))
$(call stamp,cmocka,$(CMOCKA_CFLAGS) $(CMOCKA_LIBS))

# Of the whole registry and, for whyfast, of the families alone.
$(GEN)/planted_table.c $(GEN)/planted_families_table.c: $(planted_STAMP) Makefile
	$(call say,GEN,$@)
	$(Q)$(call registry,$(PLANTED),$(if $(findstring families,$@),,$(PLANTED_VARIANTS)),tests/gpu/kernels,$(PLANTED_VARIANTS)) > $@

$(GEN)/fake_table.c $(GEN)/fake_families_table.c: $(fake_STAMP) Makefile
	$(call say,GEN,$@)
	$(Q)$(call registry,$(FAKE_FAMILIES),$(if $(findstring families,$@),,$(FAKE_VARIANTS)),tests/fake/kernels,$(FAKE_VARIANTS)) > $@

build/obj/fake/%.cu.o: tests/fake/kernels/%.cu $(nvcc_STAMP) | $(GEN)/version.h
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(Q)$(compile_variant) -Itests/fake

build/obj/planted/%.cu.o: tests/gpu/kernels/%.cu $(nvcc_STAMP) | $(GEN)/version.h
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(Q)$(compile_variant)

# ---------------------------------------------------------------- trees
# A tree is one way to compile the C. $(call tree_rules,DIR,COMPILER,FLAGS,LABEL) defines the rules
# for DIR/tests/unit/* and the libraries that tests load; program_rules of the Makefile those for the
# programs.

TEST_C    := $(UNIT_TESTS:%=tests/unit/%) $(if $(CUDA),tests/nvtx/recorder) \
             $(GPU_PROGRAMS:%=tests/gpu/%) $(FUZZERS:%=tests/fuzz/fuzz_%) $(INJECTED_C)
# The tests themselves are compiled quickly, not to be fast. What stands in for a function need not
# use all of its parameters.
STANDS_IN  := -Wno-unused-parameter
test_flags = $(call flags_for,$<) $(if $(filter tests/%,$<),$(CMOCKA_CFLAGS) -Itests/unit \
             $(STANDS_IN) $(if $(filter tests/unit/%,$<),-O0)) $(if $(filter harness/injected/%,$<),$(CUDA_CFLAGS))
# $(call archives,TREE) gives a program the modules that it uses, and $(call whole,TREE) the kernels,
# too.
archives   = $(if $(CUDA),$(1)/obj/measuring.a) $(1)/obj/reading.a
whole      = $(if $(CUDA),$(1)/obj/gen/registry_table.o $(CUDA_OBJECTS)) $(call archives,$(1))
link_all   = $(linked) $(if $(CUDA),$(GPU_LIBS),$(LIBS)) $(LDFLAGS) $(LDLIBS)

define tree_rules
$(1)_TESTS   := $$(UNIT_TESTS:%=$(1)/tests/unit/%)
$(1)_C       := $$(TEST_C:%=$(1)/obj/%.o)

$$($(1)_C): $(1)/obj/%.o: %.c $$(cc_STAMP) $$(cmocka_STAMP) $$(cuda_STAMP) | $$(GEN)/version.h \
            $$(SQL_HEADERS)
	@mkdir -p $$(@D)
	$$(call say,CC,$$<$(4))
	$$(Q)$(2) $$(compile_c) $$(test_flags) $(3) $$(finish_c)

$$(if $$(filter-out $$(B),$(1)),$$(eval $$(call program_rules,$(1),$(2),$(3),$(4))))

$$(filter-out $$(GPU_TESTS:%=$(1)/tests/unit/%),$$($(1)_TESTS)): $(1)/tests/unit/%: \
    $(1)/obj/tests/unit/%.o $(1)/obj/gen/families_table.o $(1)/obj/reading.a $$(link_STAMP)
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$(Q)$(2) $(3) -o $$@ $$(linked) $$(CMOCKA_LIBS) $$(LIBS) $$(LDFLAGS) $$(LDLIBS)

$$(filter $$(GPU_TESTS:%=$(1)/tests/unit/%),$$($(1)_TESTS)): $(1)/tests/unit/%: \
    $(1)/obj/tests/unit/%.o $$(GATES:%=build/obj/harness/%.cu.o) $$(CUDA_RUNTIME) \
    $$(call archives,$(1)) $$(link_STAMP)
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$(Q)$(2) $(3) -o $$@ $$(linked) $$(CMOCKA_LIBS) $$(GPU_LIBS) $$(LDFLAGS) $$(LDLIBS)

$$(filter-out $$(KERNEL_TESTS:%=$(1)/tests/unit/%),$$(filter $$(GPU_TESTS:%=$(1)/tests/unit/%),\
    $$($(1)_TESTS))): $(1)/obj/gen/families_table.o
$$(filter $$(KERNEL_TESTS:%=$(1)/tests/unit/%),$$($(1)_TESTS)): $(1)/obj/gen/registry_table.o \
    $$(CUDA_OBJECTS)

# This test listens to its own announcements.
$(if $(CUDA),$(1)/tests/unit/run/test_nvtx: $(1)/obj/tests/nvtx/recorder.o)

$(if $(CUDA),$(1)/tests/unit/injected/test_injection \
             $(1)/tests/unit/injected/test_launch_counters: $(INJECTED_C:%=$(1)/obj/%.o))
$(if $(CUDA),$(1)/tests/unit/injected/test_launch_knockouts: \
    $(addprefix $(1)/obj/harness/injected/,watch_plan.o part_files.o))

$(1)_LIBS := $$(TEST_LIBS:%=$(1)/%)
$$(foreach lib,$$(TEST_LIBS),$$(eval $(1)/$$(lib): $$(subst /lib,/,$$(lib:.so=.c))))
$$($(1)_LIBS): $$(cc_STAMP)
	@mkdir -p $$(@D)
	$$(call say,CC,$$(filter %.c,$$^))
	$$(Q)$$(CC) $$(BASE_CFLAGS) $$(INCLUDES) $$(CUDA_CFLAGS) -shared -fPIC $$(CPPFLAGS) $$(CFLAGS) \
		-o $$@ $$(filter %.c,$$^) -ldl $$(LDFLAGS)

-include $$($(1)_C:.o=.d)
endef

$(eval $(call tree_rules,build,$$(CC),))
ifeq ($(NEEDS),full)
$(eval $(call tree_rules,build/asan,$$(CC),$(ASAN_FLAGS), (asan)))
$(eval $(call tree_rules,build/ubsan,$$(CC),$(UBSAN_FLAGS), (ubsan)))
$(eval $(call tree_rules,build/coverage,$$(CC),$(COVERAGE_FLAGS), (coverage)))
$(eval $(call tree_rules,build/fuzz,$$(FUZZ_CC),$(FUZZ_FLAGS), (fuzz)))
endif

# The programs with the kernels of tests/gpu/kernels instead of their own, for tests on a GPU.
PLANTED_FAMILIES := $(PLANTED:%=build/obj/planted/%/family.o)
PLANTED_KERNELS  := $(PLANTED_VARIANTS:%=build/obj/planted/%.cu.o) \
                    $(GATES:%=build/obj/harness/%.cu.o) $(CUDA_RUNTIME)

$(PLANTED_FAMILIES): build/obj/planted/%.o: tests/gpu/kernels/%.c $(cc_STAMP) | $(GEN)/version.h
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(compile_c) $(call family_flags,$(*D)) -I$(<D) $(finish_c)

build/planted/whyfast: build/obj/harness/command/main.o $(PLANTED_FAMILIES) \
    build/obj/gen/planted_families_table.o build/obj/reading.a $(link_STAMP)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $(linked) $(LIBS) $(LDFLAGS) $(LDLIBS)

build/planted/whyfast-gpu: build/obj/harness/gpu_command/main.o $(PLANTED_FAMILIES) \
    $(PLANTED_KERNELS) build/obj/gen/planted_table.o build/obj/measuring.a build/obj/reading.a \
    $(link_STAMP)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $(linked) $(GPU_LIBS) $(LDFLAGS) $(LDLIBS)
PLANTED_PROGRAMS := build/planted/whyfast build/planted/whyfast-gpu
-include $(PLANTED_FAMILIES:.o=.d) $(PLANTED_KERNELS:.o=.d)

# The programs on a fake GPU (tests/fake/fake.h), with a ladder of its own.
# $(call fake_rules,TREE,FLAGS,LABEL) defines the rules for TREE/fake/whyfast, TREE/fake/whyfast-gpu
# and their libraries.
FAKE_C        := fake kernels $(call names_in,tests/fake,cudart_*) \
                 $(FAKE_FAMILIES:%=kernels/%/family) \
                 $(filter-out %/family,$(call names_in,tests/fake,kernels/*/[a-z]*)) $(FAKE_IN_C:%=kernels/%)
FAKE_CUPTI    := $(sort $(wildcard tests/fake/cupti_*.c))
compile_fake   = $(compile_c) $(STANDS_IN) $(CUDA_CFLAGS) -Itests/fake -Iharness/cupti/shim
fake_family    = $(notdir $(<D))
fake_variant   = $(basename $(<F))
fake_names     = -I$(<D) -DFAMILY=family_$(fake_family) -DFAMILY_NAME='"$(fake_family)"' \
                 -DVARIANT=variant_$(fake_family)_$(fake_variant) \
                 -DVARIANT_FAMILY='"$(fake_family)"' -DVARIANT_NAME='"$(fake_variant)"' \
                 -DVARIANT_FILE='"$<"'
fake_link      = $(linked) $(SQLITE_LIBS) -lstdc++ -lpthread -ldl -lm $(LDFLAGS) $(LDLIBS)

define fake_rules
$(1)_FAKE_FAMILIES := $$(FAKE_FAMILIES:%=$(1)/obj/fake/kernels/%/family.o)
$(1)_FAKE_OBJECTS := $$(FAKE_C:%=$(1)/obj/fake/%.o) $$(FAKE_IN_CUDA:%=build/obj/fake/%.cu.o) \
                     $(1)/obj/gen/fake_table.o $$(GATES:%=build/obj/harness/%.cu.o) $(CUDA_RUNTIME)
$(1)_FAKE := $(1)/fake/whyfast $(1)/fake/whyfast-gpu $(1)/fake/watched \
             $(1)/fake/libwhyfast_inject.so $$(FAKE_LIBS:%=$(1)/fake/%)

$$(FAKE_C:%=$(1)/obj/fake/%.o): $(1)/obj/fake/%.o: tests/fake/%.c $$(cc_STAMP) | $$(GEN)/version.h
	@mkdir -p $$(@D)
	$$(call say,CC,$$<$(3))
	$$(Q)$$(CC) $$(compile_fake) $$(fake_names) $(2) $$(finish_c)

$(1)/fake/whyfast: $(1)/obj/harness/command/main.o $$($(1)_FAKE_FAMILIES) \
                   $(1)/obj/gen/fake_families_table.o $(1)/obj/reading.a $$(link_STAMP)
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$(Q)$$(CC) $(2) -o $$@ $$(linked) $$(LIBS) $$(LDFLAGS) $$(LDLIBS)

# The program finds the libraries beside it before all others, and they call back into it.
$(1)/fake/whyfast-gpu: $(1)/obj/harness/gpu_command/main.o $$($(1)_FAKE_OBJECTS) \
                       $(1)/obj/measuring.a $(1)/obj/reading.a $$(link_STAMP)
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$(Q)$$(CC) $(2) -rdynamic -Wl,--disable-new-dtags -Wl,-rpath,'$$$$ORIGIN' -o $$@ $$(fake_link)

$(1)/fake/libcupti.so.13: $$(FAKE_CUPTI) tests/fake/cupti.h tests/fake/fake.h $$(cc_STAMP)
$(1)/fake/libnvidia-ml.so.1: tests/fake/nvml.c tests/fake/fake.h $$(cc_STAMP)
$$(FAKE_LIBS:%=$(1)/fake/%):
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$$(CC) $$(compile_fake) $(2) -shared -fPIC $$(CPPFLAGS) $$(CFLAGS) -o $$@ \
		$$(filter %.c,$$^) -lm $$(LDFLAGS)

# A program for 'whyfast run', and a library for it to find: the program writes what it would.
$(1)/fake/watched: tests/fake/watched.c $$(cc_STAMP)
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$$(CC) $$(BASE_CFLAGS) $(2) $$(CPPFLAGS) $$(CFLAGS) -o $$@ $$< $$(LDFLAGS) $$(LDLIBS)

$(1)/fake/libwhyfast_inject.so:
	@mkdir -p $$(@D)
	@: > $$@

-include $$($(1)_FAKE_OBJECTS:.o=.d)
endef

ifneq ($(CUDA),)
$(eval $(call fake_rules,build,))
$(eval $(call fake_rules,build/asan,$(ASAN_FLAGS), (asan)))
$(eval $(call fake_rules,build/ubsan,$(UBSAN_FLAGS), (ubsan)))
$(eval $(call fake_rules,build/coverage,$(COVERAGE_FLAGS), (coverage)))
endif

# Programs for tests on a GPU, linked with the program's own modules.
OTHER_PROGRAMS := $(GPU_PROGRAMS:%=build/tests/gpu/%)
$(OTHER_PROGRAMS): build/%: build/obj/%.o $(call whole,build) $(link_STAMP)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $(link_all)

# Fuzzers may run on other machines, so libFuzzer's C++ libraries are linked statically.
FUZZERS_BUILT := $(FUZZERS:%=build/fuzz/fuzz_%)
$(FUZZERS_BUILT): build/fuzz/%: tests/fuzz/%.c build/fuzz/obj/gen/families_table.o \
                  $(call archives,build/fuzz) $(cc_STAMP) $(link_STAMP) | $(SQL_HEADERS)
	$(call say,LINK,$@)
	$(Q)$(FUZZ_CC) $(compile_c) $(STANDS_IN) $(CUDA_CFLAGS) $(subst fuzzer-no-link,fuzzer,$(FUZZ_FLAGS)) -MD -MP -MF $@.d \
		-MT $@ $(CPPFLAGS) $(CFLAGS) -o $@ $(filter tests/fuzz/fuzz_%.c %.o %.a,$^) \
		$(patsubst -lstdc++,-l:libstdc++.a,$(GPU_LIBS)) -static-libstdc++ -static-libgcc \
		$(LDFLAGS) $(LDLIBS)
-include $(FUZZERS_BUILT:=.d)

# ---------------------------------------------------------------- targets
# make help prints the text after ##.

.PHONY: test test-deep check check-browser check-gpu check-record check-install bench asan ubsan valgrind coverage \
        lint fuzz lint-shell recorded figures

# $(call in_test,TREE) COMMAND runs it in the environment of a test. A test that calls make must not
# inherit our job slots and flags.
in_test = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL WHYFAST=$(CURDIR)/$(1)/whyfast ROOT=$(CURDIR) \
	BUILD=$(CURDIR)/$(1) TEST_DATA=$(CURDIR)/$(TEST_DATA) CC=$(call quote,$(CC)) GNUPLOT=$(call quote,$(GNUPLOT)) LC_ALL=C WHYFAST_ASCII=0 \
	CMOCKA_MESSAGE_OUTPUT=TAP
# $(call prove,TREE,TESTS) runs the tests by prove, in parallel: scripts by sh, programs directly.
# The slow ones start first.
SLOW_FIRST := %/report.sh %/hostile.sh %/replay.sh %/outputs.sh %/data.sh %/sweep.sh %/measure.sh \
              %/untied.sh %/inputs.sh %/new.sh %/selftest.sh %/test_query_load
prove = $(if $(strip $(2)),$(Q)$(call in_test,$(1)) $(PROVE) -j$(JOBS) $(PROVEFLAGS) \
	--exec 'sh $(GEN)/run-test' $(filter $(SLOW_FIRST),$(2)) $(filter-out $(SLOW_FIRST),$(2)),\
	@echo '$@: no tests')

# What the modules say while their tests pass is left out, so that nobody takes it for a fault. cmocka
# up to 1.1.5 prints "not ok" for a skipped test.
$(GEN)/run-test: tests/tests.mk
	@mkdir -p $(@D)
	@printf '%s\n' 'case $$1 in *.sh) exec sh "$$@" ;; esac' \
	'errors=$$(mktemp) || exit 1; output=$$("$$@" 2>"$$errors"); status=$$?' \
	'[ $$status -eq 0 ] || cat "$$errors" >&2; rm -f "$$errors"' \
	'printf "%s\n" "$$output" | sed "s/^not ok \([0-9]* # SKIP\)/ok \1/"; exit $$status' > $@

# $(call data_rules,DIR,RUN) defines the rule for DIR/made, a data directory whose recorded run is RUN.
# The tests have one with a small run that is kept for them, check-record one for each recorded run.
TEST_DATA := build/test-data
RECORDED  := $(patsubst reports/recorded/%/run.txt,%,$(wildcard reports/recorded/*/run.txt))
NEWEST    := $(shell awk '/^date: / { print $$2, FILENAME }' reports/recorded/*/run.txt | sort | \
               sed -n '$$s|.*/\(.*\)/run\.txt|\1|p')
define data_rules
$(1)/made: $(B)/whyfast $(wildcard $(2)/* metrics/* metrics/*/*) tests/tools/test_data.sh
	$$(call say,RUN,$(1))
	$$(Q)sh tests/tools/test_data.sh $(B)/whyfast $(2) $(1)
endef
$(eval $(call data_rules,$(TEST_DATA),$(patsubst %/run.txt,%,$(wildcard tests/fixture/*/run.txt))))
$(foreach run,$(RECORDED),$(eval $(call data_rules,build/record-data/$(run),reports/recorded/$(run))))

# $(call suite,TREE) lists all tests that need no GPU, $(call needed,TREE) the files that they need.
# The tests of rooms record/ compare the recorded runs with the program: check-record alone runs them.
tests_of = $(filter-out $(1)/tests/unit/record/%,$($(1)_TESTS))
needed   = $(TEST_DATA)/made $(1)/whyfast $(if $(CUDA),$(1)/whyfast-gpu) $($(1)_TESTS) $($(1)_LIBS) $($(1)_FAKE) $(GEN)/run-test
suite    = $(call tests_of,$(1)) $(call scripts,golden cli lint fault nvtx fake)

# This script installs under another prefix: that relinks the program, so no other test runs beside
# it.
ALONE := tests/cli/install.sh

FUZZERS_COMPILED := $(FUZZERS:%=build/obj/tests/fuzz/fuzz_%.o)

test: ## all tests that need no GPU, except the slow ones
test: all lint-shell $(call needed,build) $(FUZZERS_COMPILED)
	$(call prove,build,$(filter-out $(ALONE),$(call suite,build)))
	$(call prove,build,$(ALONE))

# Programs that need a GPU are built here, but not run.
COMPILED_ONLY := $(OTHER_PROGRAMS) $(if $(CUDA),$(PLANTED_PROGRAMS)) $(FUZZERS_COMPILED)

# With DEEP=1 these tests try all cases; in make test they try some.
DEEP_TESTS := $(shell grep -l 'some [0-9][0-9]* [0-9]' $(call scripts,golden cli fault nvtx fake)) \
              $(patsubst %.c,build/%,$(shell grep -l 'getenv("DEEP")' tests/unit/*/*.c))
test-deep: ## the slow tests: every failing call, 200 kills, a fleet on Slurm, valgrind, fuzzing
test-deep: export DEEP = 1
test-deep: all $(call needed,build) $(COMPILED_ONLY) valgrind fuzz
	$(call prove,build,$(DEEP_TESTS) $(call scripts,slurm))

check: ## unit tests and lint of the data and sources, without CUDA
CHECKED_TESTS = $(filter-out $(GPU_TESTS:%=build/tests/unit/%),$(call tests_of,build))
check: $(TEST_DATA)/made $(CHECKED_TESTS) $(GEN)/run-test
	$(call prove,build,$(CHECKED_TESTS) $(call scripts,lint))

# Chromium, Python, Playwright and mcp are looked for, and installed, for this target alone.
ifneq ($(filter check-browser,$(GOALS)),)
$(B)/browser.mk: tools/setup.sh
	@sh tools/setup.sh $@ browser
ifeq ($(DRY_RUN),)
include $(B)/browser.mk
ifeq ($(shell command -v $(CHROMIUM)),)
$(B)/browser.mk: again
endif
endif
endif
check-browser: ## every page of the report in headless Chromium, and mcp by the protocol's own client
check-browser: export CHROMIUM := $(CHROMIUM)
check-browser: export PYTHON := $(PYTHON)
check-browser: export PYTHONPATH := $(PLAYWRIGHT)
check-browser: export JOBS := $(JOBS)
check-browser: $(TEST_DATA)/made $(GEN)/run-test
	$(call prove,$(B),$(call scripts,browser clients))

lint: ## the data files' names, units and rules, and the shell scripts
lint: $(TEST_DATA)/made lint-shell $(GEN)/run-test
	$(call prove,$(B),$(call scripts,lint))

lint-shell:
	@if command -v shellcheck >/dev/null; then shellcheck -S warning $(SHELL_SCRIPTS); \
	else echo 'lint: shellcheck is not installed: the shell scripts were not looked at'; fi

# On each recorded run, that all places say the same of it; on the newest one, which is whole, what a
# whole run must have, and what differs between it, the program and the pages.
RUN_TESTS    = tests/golden/pictures.sh tests/record/private.sh \
               build/tests/unit/explain/test_recorded_witnesses
NEWEST_TESTS = $(filter build/tests/unit/record/%,$(build_TESTS)) $(filter-out \
                 $(RUN_TESTS),$(filter $(build_TESTS),$(foreach t,$(UNIT_TESTS),$(if $(filter \
                 test_recorded_%,$(notdir $(t))),build/tests/unit/$(t))))) \
               $(addprefix tests/,golden/replay.sh golden/pages.sh record/pages.sh)
check-record: ## where the recorded runs are stale: what differs between them, the program and the pages
check-record: all $(build_TESTS) $(RECORDED:%=build/record-data/%/made) $(GEN)/run-test
	$(Q)failed=; for run in $(RECORDED); do echo "== $$run"; \
	tests='$(RUN_TESTS)'; [ $$run != $(NEWEST) ] || tests="$$tests $(NEWEST_TESTS)"; \
	$(call in_test,build) TEST_DATA=$(CURDIR)/build/record-data/$$run $(PROVE) -j$(JOBS) \
	$(PROVEFLAGS) --exec 'sh $(GEN)/run-test' $$tests || failed="$$failed $$run"; done; \
	[ -z "$$failed" ] || { echo "stale:$$failed"; exit 1; }

figures: ## reports/figures.md, from the newest recorded run
figures: build/record-data/$(NEWEST)/made
	$(Q)sh tests/tools/figures.sh $(<D)/reports/recorded/$(NEWEST) >reports/figures.md

# Unpacks the newest recorded run, for the benchmarks.
recorded: $(B)/whyfast
	@$(B)/whyfast report --replay --dry-run -q >/dev/null

# $(call links,COMPILER AND FLAGS,SOURCE) is yes if that program can be linked.
links = $(shell echo '$(2)' | $(1) -x c - -o /dev/null 2>/dev/null && echo yes)
MAIN  = int main(void) { return 0; }

# $(call sanitized_rules,NAME,FLAGS) runs the tests on the tree build/NAME, if the compiler has that
# sanitizer.
define sanitized_rules
ifneq ($$(filter $(1),$$(GOALS)),)
ifeq ($$(call links,$$(CC) $(2),$$(MAIN)),yes)
$(1): $$(call needed,build/$(1))
	$$(call prove,build/$(1),$$(call suite,build/$(1)))
else
$(1):
	@echo '$(1): $$(CC) cannot link with $(2) here: skipped'
endif
endif
endef
asan: ## all of make test under the address sanitizer, in build/asan
ubsan: ## all of make test under the undefined behaviour sanitizer, in build/ubsan
$(eval $(call sanitized_rules,asan,$(ASAN_FLAGS)))
$(eval $(call sanitized_rules,ubsan,$(UBSAN_FLAGS)))

# A tree of scripts, each of which runs the program of that name in build/ under valgrind. Tests
# that preload libraries (tests/fault) are left out: valgrind would check the libraries, too. So are
# the tests of whole runs, which repeat what others do with much more data.
LARGE_RUNS       := test_query_load $(filter test_recorded_%,$(notdir $(build_TESTS)))
MEMCHECKED_TESTS := $(filter-out $(addprefix %/,$(LARGE_RUNS)),$(call tests_of,build))
MEMCHECKED := $(MEMCHECKED_TESTS) build/whyfast $(filter %/whyfast %/whyfast-gpu,$(build_FAKE)) \
              $(if $(CUDA),build/whyfast-gpu)
MEMCHECKS  := $(MEMCHECKED:build/%=build/valgrind/%)
MEMCHECKED_ROOMS   = $(if $(filter test-deep,$(GOALS)),lint,golden cli lint nvtx fake)
MEMCHECKED_SCRIPTS = $(call scripts,$(MEMCHECKED_ROOMS))
$(MEMCHECKS): build/valgrind/%: tests/tests.mk tests/tools/memcheck.sh tests/tools/memcheck.supp \
              build/%
	@mkdir -p $(@D)
	@printf '%s\n' '#!/bin/sh' 'ROOT=$(CURDIR) LOGS=$(CURDIR)/build/valgrind/logs' \
	'VALGRIND=$(VALGRIND)' 'export ROOT LOGS VALGRIND' \
	'exec /bin/sh $(CURDIR)/tests/tools/memcheck.sh $(CURDIR)/build/$* "$$@"' > $@
	@chmod +x $@
build/valgrind/tests/nvtx/librecorder.so: build/valgrind/%: build/%
	@mkdir -p $(@D)
	@cp $< $@
ifneq ($(filter valgrind test-deep,$(GOALS)),)
ifeq ($(shell command -v $(VALGRIND)),)
valgrind:
	@echo 'valgrind: $(VALGRIND) is not installed: skipped'
else
# Tests use MEMCHECK if they depend on something that valgrind does differently.
valgrind: export MEMCHECK = 1
valgrind: $(TEST_DATA)/made $(MEMCHECKS) $(if $(CUDA),build/valgrind/tests/nvtx/librecorder.so) \
          $(GEN)/run-test
	@rm -rf build/valgrind/logs; mkdir -p build/valgrind/logs
	$(call prove,build/valgrind,$(MEMCHECKED_TESTS:build/%=build/valgrind/%) $(MEMCHECKED_SCRIPTS))
	$(Q)cd build/valgrind/logs; echo "valgrind: $$(ls | grep -c '\.log$$') processes checked," \
	"$$(cat unchecked 2>/dev/null | wc -l) not, as the same was checked before"; \
	find . -name '*.log' -size +0 -exec cat '{}' + | grep . && exit 1 || exit 0
endif
endif
valgrind: ## make test under valgrind's memcheck, without the largest runs and preloaded libraries

# Device code is not counted: harness/*.cu needs a GPU.
ifneq ($(filter coverage,$(GOALS)),)
ifeq ($(shell place=$$(mktemp -d) && cd $$place && echo '$(MAIN)' | \
        $(CC) $(COVERAGE_FLAGS) -x c - -o try 2>/dev/null && command -v $(GCOV) && rm -r $$place),)
coverage:
	@echo 'coverage: $$(CC) with $(COVERAGE_FLAGS), or $(GCOV), is not there: skipped'
else
coverage: $(call needed,build/coverage)
	@find build/coverage -name '*.gcda' -delete
	$(call prove,build/coverage,$(call suite,build/coverage))
	$(Q)GCOV=$(GCOV) sh tests/tools/coverage.sh build/coverage $(COVERAGE_LEAST)
endif
endif
coverage: ## lines of harness/*.c that make test runs; fails below COVERAGE_LEAST=85 %

# check-gpu fails if it could check nothing; a benchmark that cannot run is merely skipped.
GPU_CHECKS := $(filter-out tests/gpu/bench_%,$(call scripts,gpu))
BENCHMARKS := $(filter tests/gpu/bench_%,$(call scripts,gpu))
no_gpu      = $(if $(CUDA),nvidia-smi finds no GPU,whyfast-gpu was not built: there is no CUDA)
has_gpu     = [ -n '$(CUDA)' ] && nvidia-smi -L >/dev/null 2>&1
# $(call each,SCRIPTS) runs the scripts: one fails by its exit status or by a TAP line; its output
# is kept in build/NAME.log.
each = failed=; for script in $(1); do log=build/$$(basename $$script .sh).log; \
	echo "== $$script"; { $(call in_test,build) sh $$script 2>&1 || \
	echo "not ok - $$script: exit status $$?"; } | tee $$log; \
	! grep -q '^not ok' $$log || failed="$$failed $$script"; done; \
	[ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }

check-gpu: ## all tests that need a GPU, on this machine's
check-gpu: all $(PLANTED_PROGRAMS) $(build_LIBS) $(GPU_PROGRAMS:%=build/tests/gpu/%) \
           $(filter %/test_recorded_lines %/test_recorded_timeline,$(build_TESTS))
	@$(has_gpu) || { echo '$@: $(no_gpu): nothing was checked'; exit 1; }
	$(Q)$(call each,$(GPU_CHECKS))

check-install: wheel deb ## the packages on bare systems (needs root, debootstrap and the network)
	$(Q)$(call in_test,build) sh tests/install/bare_systems.sh

bench: ## benchmarks, those on this machine's GPU too if it has one
bench: all recorded
	$(Q)$(call each,$(call scripts,bench))
	$(Q)if $(has_gpu); then $(call each,$(BENCHMARKS)); \
	else echo '$@: $(no_gpu): the others were skipped'; fi

ifneq ($(filter fuzz test-deep,$(GOALS)),)
FUZZ_MAIN  := int LLVMFuzzerTestOneInput(void) { return 0; }
FUZZ_WORKS := $(call links,$(FUZZ_CC) -fsanitize=fuzzer$(comma)address -static-libstdc++ \
                -static-libgcc,$(FUZZ_MAIN))
endif
fuzz: ## fuzzes the code that parses files, FUZZ_SECONDS=60 each (clang)
fuzz: $(if $(FUZZ_WORKS),$(FUZZERS_BUILT)) $(if $(filter valgrind test-deep,$(GOALS)),valgrind)
ifeq ($(FUZZ_WORKS),)
	@echo '$@: $(FUZZ_CC) with libFuzzer is not installed: skipped'
else
	$(Q)printf '%s\n' $(FUZZERS) | xargs -P $(JOBS) -I NAME \
	sh tests/tools/fuzz.sh build/fuzz NAME $(FUZZ_SECONDS) $(FUZZ_SEED)
endif
