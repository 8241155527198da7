# whyfast: one makefile, no recursion; everything it makes lies under build/.
#
# make builds build/whyfast, make help lists the targets. What this machine has is found once by harness/setup.sh and
# kept in build/config.mk until make clean. Your CC, CFLAGS, NVCCFLAGS, LDFLAGS win and come last.

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all
SHELL := /bin/sh

VERSION := 0.1.0
PREFIX  ?= /usr/local
DATADIR  = $(PREFIX)/share/whyfast
ARCH    ?= native
FUZZ_CC ?= clang
FUZZ_SECONDS ?= 60
GOALS   := $(or $(MAKECMDGOALS),all)

# ---------------------------------------------------------------- configuration
# Included makefiles are remade even under -n and -q, where nobody expects packages to be installed.
# There the file is read as text, and stays an ordinary target.

NO_CONFIG := help clean format uninstall
LETTERS   := $(filter-out --%,$(firstword -$(MAKEFLAGS)))
DRY_RUN   := $(findstring n,$(LETTERS))$(findstring q,$(LETTERS))

ifneq ($(filter-out $(NO_CONFIG),$(GOALS)),)
build/config.mk: harness/setup.sh
	@$(if $(filter command,$(origin CUDA)),WHYFAST_CUDA=$(call quote,$(CUDA))) sh harness/setup.sh $@
all: build/config.mk
ifeq ($(DRY_RUN),)
include build/config.mk
else
$(eval $(file <build/config.mk))
endif
# Look again when the command line names another toolkit than the last time, or when the one found is gone.
ifneq ($(filter command,$(origin CUDA)),)
ifneq ($(or $(CUDA),none),$(CUDA_ASKED))
build/config.mk: again
endif
else ifneq ($(CUDA),)
ifeq ($(wildcard $(NVCC)),)
build/config.mk: again
endif
endif
endif

# ---------------------------------------------------------------- sources

# The modules that need CUDA's headers; without a toolkit no_gpu.c stands in for them all, and for the kernels.
GPU_ROOMS    := gpu measure collect
WITHOUT_GPU  := gpu/nvml gpu/other_profilers gpu/verify measure/ceiling_values collect/kernel_points collect/probe_results collect/instruction_counts collect/collect_lines
GPU_MODULES  := $(filter-out $(WITHOUT_GPU),$(patsubst harness/%.c,%,$(wildcard $(GPU_ROOMS:%=harness/%/*.c)))) \
                run/nvtx check/doctor_cuda check/selftest_measure check/selftest_kernels
MODULES      := $(patsubst harness/%.c,%,$(sort $(wildcard harness/*.c harness/*/*.c)))
MODULES      := $(filter-out $(if $(CUDA),no_cuda,$(GPU_MODULES)),$(MODULES))
FAMILIES     := $(patsubst kernels/%/family.c,%,$(sort $(wildcard kernels/*/family.c)))
VARIANTS     := $(if $(CUDA),$(patsubst kernels/%.cu,%,$(sort $(wildcard kernels/*/*.cu))))
PLANTED      := $(patsubst tests/gpu/kernels/%/family.c,%,$(sort $(wildcard tests/gpu/kernels/*/family.c)))
PLANTED_VARIANTS := $(if $(CUDA),$(patsubst tests/gpu/kernels/%.cu,%,$(sort $(wildcard tests/gpu/kernels/*/*.cu))))
GATES        := $(if $(CUDA),$(patsubst harness/%.cu,%,$(sort $(wildcard harness/*/*.cu))))
unit_test_of  = $(foreach m,$(1),$(dir $(m))test_$(notdir $(m)))
UNIT_TESTS   := $(filter-out $(if $(CUDA),,$(call unit_test_of,$(GPU_MODULES))),$(patsubst tests/unit/%.c,%,$(sort $(wildcard tests/unit/*/test_*.c))))
GPU_PROGRAMS := $(if $(CUDA),$(patsubst tests/gpu/%.c,%,$(sort $(wildcard tests/gpu/*.c))))
# A GPU that there is not: its runtime is linked in place of CUDA's, its CUPTI and NVML are found beside the program.
FAKE_FAMILIES := $(patsubst tests/fake/kernels/%/family.c,%,$(sort $(wildcard tests/fake/kernels/*/family.c)))
FAKE_IN_C     := $(filter-out %/family,$(patsubst tests/fake/kernels/%.c,%,$(sort $(wildcard tests/fake/kernels/*/*.c))))
FAKE_IN_CUDA  := $(if $(CUDA),$(patsubst tests/fake/kernels/%.cu,%,$(sort $(wildcard tests/fake/kernels/*/*.cu))))
FAKE_VARIANTS := $(sort $(FAKE_IN_C) $(FAKE_IN_CUDA))
FAKE_LIBS     := libcupti.so.13 libnvidia-ml.so.1
# What tests load into the program: calls that fail, and a tool that listens to NVTX, whose headers come with the toolkit.
TEST_LIBS    := $(patsubst tests/fault/%.c,tests/fault/lib%.so,$(sort $(wildcard tests/fault/*.c))) $(if $(CUDA),tests/nvtx/librecorder.so)
BENCH_PROGRAMS := $(patsubst tests/bench/%.c,%,$(sort $(wildcard tests/bench/*.c)))
FUZZERS      := $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
SHELL_SCRIPTS := $(sort $(wildcard harness/*.sh tests/*/*.sh .ci/run))
scripts       = $(sort $(wildcard $(1:%=tests/%/*.sh)))

ifneq ($(filter-out $(NO_CONFIG),$(GOALS)),)
ifneq ($(shell sh harness/check_kernels.sh kernels || echo bad),)
$(error mend the files that are named above)
endif
endif

# ---------------------------------------------------------------- flags

BASE_CFLAGS   := -std=c11 -O2 -g -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
                 -Wwrite-strings -Wvla -Wno-overlength-strings -D_GNU_SOURCE
INCLUDES      := -Iharness -Ibuild/gen
# The program reads its own embedded cubins back: they must not be compressed.
# The advice that it keeps silent of: copies to a whole cluster are faster where code is made for one architecture alone (90a, not 90).
BASE_NVCCFLAGS := -std=c++17 -O3 -lineinfo -Xfatbin=-compress=false -Werror all-warnings -Xcompiler -Wall \
                  -Xptxas --suppress-async-bulk-multicast-advisory-warning
ARCHES        := $(patsubst native,$(or $(DEVICE_ARCH),90a),$(ARCH))
BASE_NVCCFLAGS += $(foreach a,$(ARCHES),-gencode arch=compute_$(a),code=sm_$(a))
NVCC_COMMAND   = $(NVCC) -ccbin $(CXX) $(BASE_NVCCFLAGS) $(INCLUDES)
LIBS           = $(CUDA_LIBS) $(SQLITE_LIBS) -lpthread -ldl -lm

ASAN_FLAGS    := -fsanitize=address -fno-omit-frame-pointer
UBSAN_FLAGS   := -fsanitize=undefined -fno-sanitize-recover=all
# What the linker is asked for is for harness/base/beside.c, whose other processes end by _exit.
COVERAGE_FLAGS := --coverage -fprofile-update=atomic -Wl,-u,__gcov_dump
GCOV ?= gcov
VALGRIND ?= valgrind
# Per cent of the lines of harness/*.c that the tests without a GPU must run.
COVERAGE_LEAST ?= 85
FUZZ_FLAGS    := -fsanitize=address,fuzzer-no-link -fno-omit-frame-pointer

# ---------------------------------------------------------------- quiet lines, checksums

Q    := $(if $(filter 1,$(V)),,@)
say   = $(if $(Q),@printf '  %-7s %s\n' '$(1)' '$(2)')
quote = '$(subst ','\'',$(1))'
c_string = "$(subst ",\",$(subst \,\\,$(1)))"
checksum = $(shell printf '%s' $(call quote,$(1)) | cksum | cut -d ' ' -f 1)

# A stamp is an empty file named by the checksum of a text. What depends on it is rebuilt when the text
# changes, also back to an earlier one: making a stamp removes its elders. Looking (make -q) changes nothing.
# $(call stamp,NAME,TEXT) defines the rule and the variable NAME_STAMP.
define stamp_rule
$(1)_STAMP := build/gen/$(1)-$(2).stamp
build/gen/$(1)-$(2).stamp:
	@mkdir -p build/gen; rm -f build/gen/$(1)-*.stamp; : > $$@
endef
stamp = $(eval $(call stamp_rule,$(1),$(call checksum,$(2))))

$(call stamp,sources,$(MODULES) $(GATES) $(FAMILIES) $(VARIANTS))
$(call stamp,planted,$(PLANTED) $(PLANTED_VARIANTS))
$(call stamp,fake,$(FAKE_FAMILIES) $(FAKE_VARIANTS))
$(call stamp,cc,$(CC) $(BASE_CFLAGS) $(CUDA_CFLAGS) $(SQLITE_CFLAGS) $(CMOCKA_CFLAGS) $(CPPFLAGS) $(CFLAGS))
$(call stamp,nvcc,$(NVCC_COMMAND) $(CUDA_VERSION) $(NVCCFLAGS))
$(call stamp,link,$(CC) $(LIBS) $(LDFLAGS) $(LDLIBS) $(CMOCKA_LIBS))

# ---------------------------------------------------------------- generated sources

# The ceiling keeps git from describing some repository that this tree only happens to lie in.
REVISION := $(or $(shell GIT_CEILING_DIRECTORIES=$(call quote,$(dir $(CURDIR))) \
              git describe --always --dirty --abbrev=12 2>/dev/null),unknown)
define VERSION_H
/* Generated by the Makefile. */
#ifndef WHYFAST_VERSION_H
#define WHYFAST_VERSION_H
#define WHYFAST_VERSION $(call c_string,$(VERSION))
#define WHYFAST_REVISION $(call c_string,$(REVISION))
#define WHYFAST_NVCC_FLAGS $(call c_string,$(if $(CUDA),$(strip $(BASE_NVCCFLAGS) $(NVCCFLAGS))))
#define WHYFAST_CC_FLAGS $(call c_string,$(strip $(BASE_CFLAGS) $(CPPFLAGS) $(CFLAGS)))
#define WHYFAST_CUDA_VERSION $(call c_string,$(if $(CUDA),$(CUDA_VERSION)))
#define WHYFAST_CUDA_LIBRARY_DIRS $(call c_string,$(if $(CUDA),$(CUPTI_DIRS)))
#define WHYFAST_DATADIR $(call c_string,$(DATADIR))
#endif
endef
$(call stamp,version,$(VERSION_H))
build/gen/version.h: private export TEXT := $(VERSION_H)
build/gen/version.h: $(version_STAMP)
	@printf '%s\n' "$$TEXT" > $@

symbol = $(subst /,_,$(1))
# $(call registry,FAMILIES,VARIANTS,ROOT): the commands that write the table of the files under ROOT.
registry = { echo '/* Generated by the Makefile from the names of the files under $(3)/. */'; \
	echo '\#include "catalog/variant.h"'; \
	$(foreach f,$(1),echo 'extern const struct family family_$(f);';) \
	$(foreach v,$(2),echo 'extern const struct variant variant_$(call symbol,$(v));';) \
	echo 'extern const struct family *const registry_families[];'; \
	echo 'extern const struct variant *const registry_variants[];'; \
	echo 'const struct family *const registry_families[] = {'; \
	$(foreach f,$(1),echo '    &family_$(f),';) \
	echo '    0};'; \
	echo 'const struct variant *const registry_variants[] = {'; \
	$(foreach v,$(2),echo '    &variant_$(call symbol,$(v)),';) \
	echo '    0};'; }

build/gen/registry_table.c: $(sources_STAMP) Makefile
	$(call say,GEN,$@)
	$(Q)$(call registry,$(FAMILIES),$(VARIANTS),kernels) > $@

build/gen/planted_table.c: $(planted_STAMP) Makefile
	$(call say,GEN,$@)
	$(Q)$(call registry,$(PLANTED),$(PLANTED_VARIANTS),tests/gpu/kernels) > $@

build/gen/fake_table.c: $(fake_STAMP) Makefile
	$(call say,GEN,$@)
	$(Q)$(call registry,$(FAKE_FAMILIES),$(FAKE_VARIANTS),tests/fake/kernels) > $@

# SQL scripts lie beside the C that runs them: harness/explain/ledger.sql becomes the string ledger_sql in explain/ledger.sql.h.
SQL_HEADERS := $(patsubst harness/%.sql,build/gen/%.sql.h,$(sort $(wildcard harness/*/*.sql)))
build/gen/%.sql.h: harness/%.sql Makefile
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q){ echo 'static const char $(basename $(notdir $<))_sql[] ='; sed 's/\\/&&/g; s/"/\\"/g; s/.*/    "&\\n"/' $<; echo '    ;'; } > $@

# ---------------------------------------------------------------- objects of CUDA C (one set, shared by every tree)

CUDA_OBJECTS := $(GATES:%=build/obj/harness/%.cu.o) $(VARIANTS:%=build/obj/kernels/%.cu.o)

build/obj/harness/%.cu.o: harness/%.cu $(nvcc_STAMP) | build/gen/version.h
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(Q)$(NVCC_COMMAND) -MMD -MP -MF $(@:.o=.d) $(NVCCFLAGS) -c -o $@ $<

compile_variant = $(NVCC_COMMAND) -Ikernels -I$(<D) -DVARIANT=variant_$(*D)_$(*F) -DVARIANT_FAMILY='"$(*D)"' \
		-DVARIANT_NAME='"$(*F)"' -DVARIANT_FILE='"$<"' -MMD -MP -MF $(@:.o=.d) $(NVCCFLAGS) -c -o $@ $<

build/obj/kernels/%.cu.o: kernels/%.cu $(nvcc_STAMP) | build/gen/version.h
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(Q)$(compile_variant)

build/obj/fake/%.cu.o: tests/fake/kernels/%.cu $(nvcc_STAMP) | build/gen/version.h
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(Q)$(compile_variant) -Itests/fake

build/obj/planted/%.cu.o: tests/gpu/kernels/%.cu $(nvcc_STAMP) | build/gen/version.h
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(Q)$(compile_variant)

# ---------------------------------------------------------------- trees
# A tree is one way to compile the C. $(call tree_rules,DIR,COMPILER,FLAGS,LABEL) gives DIR/whyfast, DIR/tests/unit/* and what tests load, which is the same for all.
# The rules name every target (no implicit chains), so that nothing counts as intermediate and is thrown away.

C_NAMES   := $(sort $(MODULES:%=harness/%) harness/no_cuda) $(FAMILIES:%=kernels/%/family) $(UNIT_TESTS:%=tests/unit/%) $(if $(CUDA),tests/nvtx/recorder) \
             $(GPU_PROGRAMS:%=tests/gpu/%) $(BENCH_PROGRAMS:%=tests/bench/%) $(FUZZERS:%=tests/fuzz/fuzz_%)
compile_c  = $(BASE_CFLAGS) $(INCLUDES) $(CUDA_CFLAGS) $(SQLITE_CFLAGS)
# CUPTI's host header includes <string> in C, too: harness/collect/shim has an empty one for the files that need it.
flags_for  = $(if $(filter harness/collect/%,$(1)),-Iharness/collect/shim) \
             $(if $(filter tests/%,$(1)),$(CMOCKA_CFLAGS) -Itests/unit) $(if $(filter kernels/%,$(1)),$(call family_flags,$(word 2,$(subst /, ,$(1)))))
# A fused multiply-add is what references live of; products of floats are exact in double either way.
family_flags = -O3 -ffp-contract=fast -Ikernels -Ikernels/$(1) -DFAMILY=family_$(1) -DFAMILY_NAME='"$(1)"'

without_main = $(filter-out %/harness/main.o,$($(1)_OBJECTS))

define tree_rules
$(1)_OBJECTS := $$(MODULES:%=$(1)/obj/harness/%.o) $$(FAMILIES:%=$(1)/obj/kernels/%/family.o) $(1)/obj/gen/registry_table.o \
                $$(CUDA_OBJECTS)
$(1)_TESTS   := $$(UNIT_TESTS:%=$(1)/tests/unit/%)

$$(C_NAMES:%=$(1)/obj/%.o): $(1)/obj/%.o: %.c $$(cc_STAMP) | build/gen/version.h $$(SQL_HEADERS)
	@mkdir -p $$(@D)
	$$(call say,CC,$$<$(4))
	$$(Q)$(2) $$(compile_c) $$(call flags_for,$$<) $(3) -MD -MP -MF $$(@:.o=.d) $$(CPPFLAGS) $$(CFLAGS) -c -o $$@ $$<

$(1)/obj/gen/registry_table.o: build/gen/registry_table.c $$(cc_STAMP)
	@mkdir -p $$(@D)
	$$(call say,CC,$$<$(4))
	$$(Q)$(2) $$(compile_c) $(3) -MD -MP -MF $$(@:.o=.d) $$(CPPFLAGS) $$(CFLAGS) -c -o $$@ $$<

$(1)/whyfast: $$($(1)_OBJECTS) $$(link_STAMP)
	$$(call say,LINK,$$@)
	$$(Q)$(2) $(3) -o $$@ $$(filter %.o,$$^) $$(LIBS) $$(LDFLAGS) $$(LDLIBS)
	@rm -f build/recorded/*.from # this program may compute other tables of the recorded run

$$($(1)_TESTS): $(1)/tests/unit/%: $(1)/obj/tests/unit/%.o $$(call without_main,$(1)) $$(link_STAMP)
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$(Q)$(2) $(3) -o $$@ $$(filter %.o,$$^) $$(CMOCKA_LIBS) $$(LIBS) $$(LDFLAGS) $$(LDLIBS)

# This one listens to itself.
$(if $(CUDA),$(1)/tests/unit/run/test_nvtx: $(1)/obj/tests/nvtx/recorder.o)

$(1)_LIBS := $$(TEST_LIBS:%=$(1)/%)
$$(foreach lib,$$(TEST_LIBS),$$(eval $(1)/$$(lib): $$(subst /lib,/,$$(lib:.so=.c))))
$$($(1)_LIBS): $$(cc_STAMP)
	@mkdir -p $$(@D)
	$$(call say,CC,$$(filter %.c,$$^))
	$$(Q)$$(CC) $$(BASE_CFLAGS) $$(INCLUDES) $$(CUDA_CFLAGS) -shared -fPIC $$(CPPFLAGS) $$(CFLAGS) -o $$@ $$(filter %.c,$$^) -ldl $$(LDFLAGS)

-include $$(C_NAMES:%=$(1)/obj/%.d) $(1)/obj/gen/registry_table.d
endef

$(eval $(call tree_rules,build,$$(CC),))
$(eval $(call tree_rules,build/asan,$$(CC),$(ASAN_FLAGS), (asan)))
$(eval $(call tree_rules,build/ubsan,$$(CC),$(UBSAN_FLAGS), (ubsan)))
$(eval $(call tree_rules,build/coverage,$$(CC),$(COVERAGE_FLAGS), (coverage)))
$(eval $(call tree_rules,build/fuzz,$$(FUZZ_CC),$(FUZZ_FLAGS), (fuzz)))
-include $(CUDA_OBJECTS:.o=.d)

# The program with the kernels of tests/gpu/kernels in place of its own, for tests on a GPU.
PLANTED_OBJECTS := $(PLANTED:%=build/obj/planted/%/family.o) $(PLANTED_VARIANTS:%=build/obj/planted/%.cu.o) build/obj/gen/planted_table.o \
                   $(GATES:%=build/obj/harness/%.cu.o) $(MODULES:%=build/obj/harness/%.o)

$(PLANTED:%=build/obj/planted/%/family.o): build/obj/planted/%/family.o: tests/gpu/kernels/%/family.c $(cc_STAMP)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(compile_c) $(call family_flags,$*) -I$(<D) -MMD -MP -MF $(@:.o=.d) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

build/obj/gen/planted_table.o: build/gen/planted_table.c $(cc_STAMP)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(compile_c) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

build/whyfast-planted: $(PLANTED_OBJECTS) $(link_STAMP)
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $(filter %.o,$^) $(LIBS) $(LDFLAGS) $(LDLIBS)
-include $(PLANTED_OBJECTS:.o=.d)

# The program on a fake GPU (tests/fake/fake.h), with a ladder of its own. $(call fake_rules,TREE,FLAGS,LABEL) gives TREE/fake/whyfast and its libraries.
FAKE_C       := fake kernels $(patsubst tests/fake/%.c,%,$(sort $(wildcard tests/fake/cudart_*.c))) $(FAKE_FAMILIES:%=kernels/%/family) $(FAKE_IN_C:%=kernels/%)
compile_fake  = $(compile_c) -Itests/fake -Iharness/collect/shim

define fake_rules
$(1)_FAKE_OBJECTS := $$(FAKE_C:%=$(1)/obj/fake/%.o) $$(FAKE_IN_CUDA:%=build/obj/fake/%.cu.o) $(1)/obj/gen/fake_table.o $$(GATES:%=build/obj/harness/%.cu.o) $$(MODULES:%=$(1)/obj/harness/%.o)
$(1)_FAKE := $(1)/fake/whyfast $$(FAKE_LIBS:%=$(1)/fake/%)

$$(FAKE_C:%=$(1)/obj/fake/%.o): $(1)/obj/fake/%.o: tests/fake/%.c $$(cc_STAMP)
	@mkdir -p $$(@D)
	$$(call say,CC,$$<$(3))
	$$(Q)$$(CC) $$(compile_fake) -I$$(<D) -DFAMILY=family_$$(notdir $$(<D)) -DFAMILY_NAME='"$$(notdir $$(<D))"' -DVARIANT=variant_$$(notdir $$(<D))_$$(basename $$(<F)) \
		-DVARIANT_FAMILY='"$$(notdir $$(<D))"' -DVARIANT_NAME='"$$(basename $$(<F))"' -DVARIANT_FILE='"$$<"' $(2) -MD -MP -MF $$(@:.o=.d) $$(CPPFLAGS) $$(CFLAGS) -c -o $$@ $$<

$(1)/obj/gen/fake_table.o: build/gen/fake_table.c $$(cc_STAMP)
	@mkdir -p $$(@D)
	$$(call say,CC,$$<$(3))
	$$(Q)$$(CC) $$(compile_c) $(2) $$(CPPFLAGS) $$(CFLAGS) -c -o $$@ $$<

# The libraries lie beside the program, before all others, and call back into it.
$(1)/fake/whyfast: $$($(1)_FAKE_OBJECTS) $$(link_STAMP)
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$(Q)$$(CC) $(2) -rdynamic -Wl,--disable-new-dtags -Wl,-rpath,'$$$$ORIGIN' -o $$@ $$(filter %.o,$$^) $$(SQLITE_LIBS) -lstdc++ -lpthread -ldl -lm $$(LDFLAGS) $$(LDLIBS)

$(1)/fake/libcupti.so.13: $(sort $(wildcard tests/fake/cupti_*.c)) tests/fake/cupti.h tests/fake/fake.h $$(cc_STAMP)
$(1)/fake/libnvidia-ml.so.1: tests/fake/nvml.c tests/fake/fake.h $$(cc_STAMP)
$$(FAKE_LIBS:%=$(1)/fake/%):
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$$(CC) $$(compile_fake) $(2) -shared -fPIC $$(CPPFLAGS) $$(CFLAGS) -o $$@ $$(filter %.c,$$^) -lm $$(LDFLAGS)

-include $$($(1)_FAKE_OBJECTS:.o=.d)
endef

ifneq ($(CUDA),)
$(eval $(call fake_rules,build,))
$(eval $(call fake_rules,build/asan,$(ASAN_FLAGS), (asan)))
$(eval $(call fake_rules,build/ubsan,$(UBSAN_FLAGS), (ubsan)))
$(eval $(call fake_rules,build/coverage,$(COVERAGE_FLAGS), (coverage)))
endif

# Programs of tests on a GPU, with the program's own modules.
$(GPU_PROGRAMS:%=build/tests/gpu/%): build/tests/gpu/%: build/obj/tests/gpu/%.o $(call without_main,build) $(link_STAMP)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $(filter %.o,$^) $(LIBS) $(LDFLAGS) $(LDLIBS)

# Programs of benchmarks, likewise.
$(BENCH_PROGRAMS:%=build/tests/bench/%): build/tests/bench/%: build/obj/tests/bench/%.o $(call without_main,build) $(link_STAMP)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $(filter %.o,$^) $(LIBS) $(LDFLAGS) $(LDLIBS)

build/whyfast.1: build/whyfast
	$(call say,MAN,$@)
	$(Q)$< help --man > $@

# They may run for long, and elsewhere: C++'s libraries, which libFuzzer needs, go in.
FUZZERS_BUILT := $(FUZZERS:%=build/fuzz/fuzz_%)
$(FUZZERS_BUILT): build/fuzz/%: tests/fuzz/%.c $(call without_main,build/fuzz) $(cc_STAMP) $(link_STAMP)
	$(call say,LINK,$@)
	$(Q)$(FUZZ_CC) $(compile_c) $(subst fuzzer-no-link,fuzzer,$(FUZZ_FLAGS)) -MD -MP -MF $@.d -MT $@ $(CPPFLAGS) $(CFLAGS) -o $@ \
		$(filter tests/fuzz/fuzz_%.c %.o,$^) $(patsubst -lstdc++,-l:libstdc++.a,$(LIBS)) -static-libstdc++ -static-libgcc $(LDFLAGS) $(LDLIBS)
-include $(FUZZERS_BUILT:=.d)

# ---------------------------------------------------------------- targets (the text after ## is what make help prints)

.PHONY: all report test check check-gpu bench asan ubsan valgrind coverage lint fuzz install uninstall format clean help \
        lint-shell again recorded

all: build/whyfast build/whyfast.1 ## the program and its manual page (the default)

report: all ## measures this machine's GPU (without one: replays a recorded run) into build/report; REPORT_FLAGS=
	$(Q)build/whyfast report -o build/report $(REPORT_FLAGS)

# $(call in_test,TREE) COMMAND: what a test finds in its environment. One that calls make must not take our job slots and flags.
in_test = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL WHYFAST=$(CURDIR)/$(1)/whyfast ROOT=$(CURDIR) BUILD=$(CURDIR)/$(1) \
	CC=$(call quote,$(CC)) GNUPLOT=$(call quote,$(GNUPLOT)) LC_ALL=C CMOCKA_MESSAGE_OUTPUT=TAP
# $(call prove,TREE,TESTS): scripts by sh, programs by themselves; prove has the last word.
prove = $(if $(strip $(2)),$(Q)$(call in_test,$(1)) $(PROVE) $(PROVEFLAGS) --exec 'sh build/gen/run-test' $(2),@echo '$@: no tests')

# cmocka up to 1.1.5 says "not ok" of a test that was skipped.
build/gen/run-test: Makefile
	@mkdir -p $(@D)
	@printf '%s\n' 'case $$1 in *.sh) exec sh "$$@" ;; esac' 'output=$$("$$@"); status=$$?' \
	'printf "%s\n" "$$output" | sed "s/^not ok \([0-9]* # SKIP\)/ok \1/"; exit $$status' > $@

# $(call needed,TREE) must be there before $(call suite,TREE), everything that needs no GPU.
needed = recorded $(1)/whyfast $($(1)_TESTS) $($(1)_LIBS) $($(1)_FAKE) build/gen/run-test
suite  = $($(1)_TESTS) $(call scripts,golden cli lint fault nvtx fake)

# Fuzzers need a compiler that is not everywhere, and no_gpu.c is for builds without CUDA; that they compile is known by any.
test: all $(call needed,build) $(FUZZERS:%=build/obj/tests/fuzz/fuzz_%.o) build/obj/harness/no_cuda.o ## everything that needs no GPU
	$(call prove,build,$(call suite,build))

check: all recorded lint-shell $(build_TESTS) build/gen/run-test ## unit tests and lint, in seconds
	$(call prove,build,$(build_TESTS) $(call scripts,lint))

lint: all recorded lint-shell build/gen/run-test ## the data files' names, units and rules, and the shell scripts
	$(call prove,build,$(call scripts,lint))

lint-shell:
	@if command -v shellcheck >/dev/null; then shellcheck -S warning $(SHELL_SCRIPTS); \
	else echo 'lint: shellcheck is not installed: the shell scripts were not looked at'; fi

# Unpacks the recorded run once, so that no test finds it half made.
recorded: build/whyfast
	@build/whyfast report --replay --dry-run -q >/dev/null

# $(call sanitized_rules,NAME,FLAGS): the tests against the tree build/NAME, where the compiler has that sanitizer.
define sanitized_rules
ifneq ($$(filter $(1),$$(GOALS)),)
ifeq ($$(shell echo 'int main(void) { return 0; }' | $$(CC) $(2) -x c - -o /dev/null 2>/dev/null && echo yes),yes)
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

# A tree of scripts in place of the programs of build/, which run those under valgrind. What is preloaded (tests/fault) would be valgrind's own burden, too: not here.
MEMCHECKED := $(build_TESTS) build/whyfast $(filter %/whyfast,$(build_FAKE))
MEMCHECKS  := $(MEMCHECKED:build/%=build/valgrind/%)
$(MEMCHECKS): build/valgrind/%: Makefile tests/tools/memcheck.sh tests/tools/memcheck.supp build/%
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nROOT=$(CURDIR) LOGS=$(CURDIR)/build/valgrind/logs VALGRIND=$(VALGRIND) exec /bin/sh $(CURDIR)/tests/tools/memcheck.sh $(CURDIR)/build/$* "$$@"\n' > $@
	@chmod +x $@
build/valgrind/tests/nvtx/librecorder.so: build/valgrind/%: build/%
	@mkdir -p $(@D)
	@cp $< $@
ifneq ($(filter valgrind,$(GOALS)),)
ifeq ($(shell command -v $(VALGRIND)),)
valgrind:
	@echo 'valgrind: $(VALGRIND) is not installed: skipped'
else
# MEMCHECK is for tests of what valgrind does in a way of its own.
valgrind: export MEMCHECK = 1
valgrind: recorded $(MEMCHECKS) $(if $(CUDA),build/valgrind/tests/nvtx/librecorder.so) build/gen/run-test
	@rm -rf build/valgrind/logs; mkdir -p build/valgrind/logs
	$(call prove,build/valgrind,$(build_TESTS:build/%=build/valgrind/%) $(call scripts,golden cli lint nvtx fake))
	$(Q)cd build/valgrind/logs; echo "valgrind: $$(ls | grep -c '\.log$$') processes checked, $$(cat unchecked 2>/dev/null | wc -l) not, as the same was checked before"; \
	find . -name '*.log' -size +0 -exec cat '{}' + | grep . && exit 1 || exit 0
endif
endif
valgrind: ## all of make test but what preloads, under valgrind's memcheck, in build/valgrind

# The device code is not among what is counted: harness/*.cu needs a GPU.
ifneq ($(filter coverage,$(GOALS)),)
ifeq ($(shell place=$$(mktemp -d) && cd $$place && echo 'int main(void) { return 0; }' | $(CC) $(COVERAGE_FLAGS) -x c - -o try 2>/dev/null && command -v $(GCOV) && rm -r $$place),)
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

# check-gpu fails where it could check nothing; a benchmark that cannot run is merely skipped.
GPU_CHECKS := $(filter-out tests/gpu/bench_%,$(call scripts,gpu))
BENCHMARKS := $(filter tests/gpu/bench_%,$(call scripts,gpu))
no_gpu      = $(if $(CUDA),nvidia-smi finds no GPU,the program was built without CUDA)
has_gpu     = [ -n '$(CUDA)' ] && nvidia-smi -L >/dev/null 2>&1
# $(call each,SCRIPTS): a script fails by its exit status or by a TAP line; its output stays in build/NAME.log.
each = failed=; for script in $(1); do log=build/$$(basename $$script .sh).log; echo "== $$script"; \
	{ $(call in_test,build) sh $$script 2>&1 || echo "not ok - $$script: exit status $$?"; } | tee $$log; \
	! grep -q '^not ok' $$log || failed="$$failed $$script"; done; \
	[ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }

check-gpu: all build/whyfast-planted $(build_LIBS) $(GPU_PROGRAMS:%=build/tests/gpu/%) ## everything that needs a GPU, on this machine's
	@$(has_gpu) || { echo '$@: $(no_gpu): nothing was checked'; exit 1; }
	$(Q)$(call each,$(GPU_CHECKS))

bench: all recorded $(BENCH_PROGRAMS:%=build/tests/bench/%) ## benchmarks, those on this machine's GPU too where it has one
	$(Q)$(call each,$(call scripts,bench))
	$(Q)if $(has_gpu); then $(call each,$(BENCHMARKS)); else echo '$@: $(no_gpu): the others were skipped'; fi

ifneq ($(filter fuzz,$(GOALS)),)
FUZZ_WORKS := $(shell echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | \
                $(FUZZ_CC) -fsanitize=fuzzer,address -static-libstdc++ -static-libgcc -x c - -o /dev/null 2>/dev/null && echo yes)
endif
fuzz: $(if $(FUZZ_WORKS),$(FUZZERS_BUILT)) ## fuzzes whatever parses files, FUZZ_SECONDS=60 each (clang)
ifeq ($(FUZZ_WORKS),)
	@echo '$@: $(FUZZ_CC) with libFuzzer is not installed: skipped'
else
	$(Q)for name in $(FUZZERS); do mkdir -p build/fuzz/corpus/$$name; seeds=tests/fuzz/corpus/$$name; [ -d $$seeds ] || seeds=; \
	echo "== fuzz_$$name, $(FUZZ_SECONDS) s"; build/fuzz/fuzz_$$name -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 \
	-artifact_prefix=build/fuzz/$$name- build/fuzz/corpus/$$name $$seeds || exit 1; done
endif

# The kernels are data, too: their lines are shown with what was counted there.
INSTALLED_DATA := $(wildcard metrics plots reports kernels)
install: all ## into PREFIX=/usr/local, under DESTDIR
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 build/whyfast $(DESTDIR)$(PREFIX)/bin/whyfast
	install -m 644 build/whyfast.1 $(DESTDIR)$(PREFIX)/share/man/man1/whyfast.1
	rm -rf $(DESTDIR)$(DATADIR)
	find $(INSTALLED_DATA) -type f -exec install -D -m 644 '{}' '$(DESTDIR)$(DATADIR)/{}' ';'

uninstall: ## removes what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/whyfast $(DESTDIR)$(PREFIX)/share/man/man1/whyfast.1
	rm -rf $(DESTDIR)$(DATADIR)

format: ## clang-format over the sources, by .clang-format
	@if [ ! -e .clang-format ]; then echo '$@: there is no .clang-format: nothing was changed'; \
	elif command -v clang-format >/dev/null; then \
	clang-format -i $(sort $(wildcard harness/*.[ch] harness/*/*.[ch] harness/*/*.cu kernels/*/*.[ch] kernels/*/*.cu kernels/*/*.cuh tests/*/*.[ch] tests/*/*/*.[ch])); \
	else echo '$@: clang-format is not installed: nothing was changed'; fi

# make clean all: the rest still goes by the configuration that make has read.
KEPT := cuda wheels $(if $(filter-out $(NO_CONFIG),$(GOALS)),config.mk)
clean: ## removes build/, but for a fetched toolkit (build/cuda)
	@[ ! -d build ] || find build -mindepth 1 -maxdepth 1 $(KEPT:%=! -name %) -exec rm -rf '{}' +
ifneq ($(filter clean,$(GOALS)),)
.NOTPARALLEL:
endif

help: ## this text
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile
	@printf '%s\n' '' 'Variables: V=1 shows commands; CC CXX CFLAGS CPPFLAGS NVCCFLAGS LDFLAGS LDLIBS are yours and come last;' \
	'  ARCH="75 80 86 89 90a 100 120" builds the kernels for these (native: the GPU at hand, else 90a);' \
	'  CUDA=DIR names the toolkit, CUDA= builds without one, for analysis only (both until make clean);' \
	'  PREFIX=/usr/local DESTDIR= for install; REPORT_FLAGS= PROVEFLAGS= FUZZ_SECONDS= are passed on.'
