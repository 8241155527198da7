# Builds and installs whyfast, and makes its report. All built files lie under build/.
#
# make builds build/whyfast, and make help lists the targets. The targets that test the program are
# in tests/tests.mk, which this file includes.
#
# There are two programs. build/whyfast reads runs and has no CUDA; it alone is built by make report
# on a machine without a GPU, and by make check. build/whyfast-gpu, which it starts, makes runs.
# tools/setup.sh finds this machine's tools and writes build/config.mk. Your CC, CFLAGS, NVCCFLAGS,
# LDFLAGS take precedence and come last.

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all
SHELL := /bin/sh

VERSION := 0.1.0
PREFIX  ?= /usr/local
DATADIR  = $(PREFIX)/share/whyfast
ARCH    ?= native
GOALS   := $(or $(MAKECMDGOALS),all)

# A goal that does not exist is found here, before anything is installed or fetched for it.
GOALS_HELPED := $(shell sed -n 's/^\([a-z-]*\):.*\#\# .*/\1/p' Makefile tests/tests.mk)
BUILT_GOALS  := whyfast whyfast-gpu whyfast.1 libwhyfast_inject.so config.mk browser.mk \
                report/index.html gen/% obj/% tests/% test-data/% record-data/% fake/% planted/% \
                asan/% ubsan/% coverage/% fuzz/% valgrind/% completion/%
UNKNOWN      := $(filter-out $(GOALS_HELPED) lint-shell recorded $(BUILT_GOALS:%=build/%),$(GOALS))
ifneq ($(UNKNOWN),)
$(error there is no goal '$(firstword $(UNKNOWN))'; 'make help' lists them, and nothing was installed)
endif

# Jobs run in parallel; make -jN chooses another number.
JOBS := $(shell nproc 2>/dev/null || echo 1)
ifeq ($(findstring jobserver,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(JOBS)
endif

# ---------------------------------------------------------------- configuration

ifneq ($(filter report,$(GOALS)),)
HAS_GPU := $(shell { nvidia-smi -L || [ -e /dev/nvidia0 ]; } >/dev/null 2>&1 && echo yes)
endif

# NEEDS names the tools to be found: those of a replay, also those of its tests, or all. A
# configuration is made again if it was made for fewer. check-browser takes what there is, and
# install what was built.
NO_CONFIG := help clean format uninstall
KEEPS     := $(if $(HAS_GPU),,report) $(if $(wildcard build/config.mk),install)
CHECKS    := check lint $(if $(wildcard build/config.mk),,check-browser)
NEEDS     := full
ifeq ($(filter-out $(NO_CONFIG) $(CHECKS) $(KEEPS),$(GOALS)),)
NEEDS     := $(if $(filter $(CHECKS),$(GOALS)),check,replay)
endif
B         := build
GEN       := $(B)/gen
CONFIG    := $(B)/config.mk

# make remakes included makefiles even under -n and -q, when nobody expects packages to be
# installed. Then the file is read as text, and stays an ordinary target.
LETTERS   := $(filter-out --%,$(firstword -$(MAKEFLAGS)))
DRY_RUN   := $(findstring n,$(LETTERS))$(findstring q,$(LETTERS))
ASKED     := $(filter command,$(origin CUDA))

ifneq ($(filter-out $(NO_CONFIG),$(GOALS)),)
$(CONFIG): tools/setup.sh
	@$(if $(ASKED),WHYFAST_CUDA=$(call quote,$(CUDA))) sh tools/setup.sh $@ $(NEEDS)
all: $(CONFIG)
ifeq ($(DRY_RUN),)
include $(CONFIG)
else
$(eval $(file <$(CONFIG)))
endif
# Look again for tools that were not needed before, if the command line names another toolkit than
# the last time, or if the one that was found is gone.
ifneq ($(filter $(FOUND_FOR)-$(NEEDS),replay-check replay-full check-full),)
$(CONFIG): again
else ifneq ($(ASKED),)
ifneq ($(or $(CUDA),none),$(CUDA_ASKED))
$(CONFIG): again
endif
else ifneq ($(and $(CUDA),$(filter full,$(NEEDS))),)
ifeq ($(wildcard $(NVCC)),)
$(CONFIG): again
endif
endif
endif

# ---------------------------------------------------------------- sources

# The rooms of whyfast-gpu need CUDA's headers. injected/ is a library for the user's program.
GPU_ROOMS    := gpu cupti measure collect knockout watched_program user_kernels versions \
                selftest_kernels gpu_command
modules_in    = $(patsubst harness/%.c,%,$(sort $(wildcard $(1))))
GPU_MODULES  := $(if $(CUDA),$(call modules_in,$(GPU_ROOMS:%=harness/%/*.c)))
MODULES      := $(filter-out $(GPU_ROOMS:%=%/%) injected/%,$(call modules_in,harness/*/*.c))
FAMILIES     := $(patsubst kernels/%/family.c,%,$(sort $(wildcard kernels/*/family.c)))
files_in      = $(patsubst $(1)/%.cu,%,$(sort $(wildcard $(1)/*/*.cu)))
cuda_files_in = $(if $(CUDA),$(call files_in,$(1)))
VARIANTS     := $(call cuda_files_in,kernels)
# A large variant has further units in the folder of its name. They are linked before it, in order.
UNITS        := $(if $(CUDA),$(patsubst kernels/%.cu,%,$(sort $(wildcard kernels/*/*/*.cu))))
GATES        := $(call cuda_files_in,harness)
# Variants that call cuBLAS or compute on the CPU have no kernels: only the host compiler sees them.
WITHOUT_KERNELS := $(if $(CUDA),$(shell grep -lE '"cublas(lt)?\.h"|\.host = ' kernels/*/*.cu))

ifneq ($(filter-out $(NO_CONFIG),$(GOALS)),)
ifneq ($(shell sh tools/check_kernels.sh kernels || echo bad),)
$(error mend the files that are named above)
endif
endif

# ---------------------------------------------------------------- flags

# The programs wait for the GPU or run SQLite, which is compiled already: -O1 is enough.
BASE_CFLAGS    := -std=c11 -O1 -g -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
                  -Wmissing-prototypes -Wwrite-strings -Wvla -Wno-overlength-strings \
                  -Werror=implicit-function-declaration -D_GNU_SOURCE
INCLUDES       := -Iharness -I$(GEN)
# The program reads its own embedded cubins, so they must not be compressed. The suppressed advice
# says that copies to a whole cluster are faster in code for one architecture alone (90a, not 90).
BASE_NVCCFLAGS := -std=c++17 -lineinfo -Xfatbin=-compress=false -Werror all-warnings \
                  -Xcompiler -Wall -Xptxas --suppress-async-bulk-multicast-advisory-warning
ARCHES         := $(patsubst native,$(or $(DEVICE_ARCH),90a),$(ARCH))
BASE_NVCCFLAGS += $(foreach a,$(ARCHES),-gencode arch=compute_$(a),code=sm_$(a))
# Kernels are optimized in any case: -O is of the code on the CPU, of which a kernel has little. The
# special functions of C++17's <cmath> would be a third of the time for a short kernel. (Macros stay
# tracked: -ftrack-macro-expansion=0 would save time, too, but gives some kernels other lines.)
FOR_THE_CPU     = -O1 -D_GLIBCXX_BITS_SPECFUN_H
# Families outside of the tree are compiled by the program; warnings are no errors there.
OWN_NVCCFLAGS   = -O3 $(filter-out -Werror all-warnings,$(BASE_NVCCFLAGS)) $(NVCCFLAGS)
NVCC_COMMAND    = $(NVCC) -ccbin $(CXX) $(FOR_THE_CPU) $(BASE_NVCCFLAGS) $(INCLUDES)
LIBS            = $(SQLITE_LIBS) -lpthread -ldl -lm
GPU_LIBS        = $(CUDA_LIBS) $(EXPORT_RUNTIME) $(LIBS)
EXPORT_RUNTIME := \
  -Wl,--export-dynamic-symbol='__wrap_cuda*',--export-dynamic-symbol='__wrap___cuda*'

# ---------------------------------------------------------------- quiet lines, checksums

Q    := $(if $(filter 1,$(V)),,@)
say   = $(if $(Q),@printf '  %-7s %s\n' '$(1)' '$(2)')
quote = '$(subst ','\'',$(1))'
c_string = "$(subst ",\",$(subst \,\\,$(1)))"
checksum = $(shell printf '%s' $(call quote,$(1)) | cksum | cut -d ' ' -f 1)

# A stamp is an empty file named by the checksum of a text. Targets that depend on it are rebuilt
# when the text changes, also back to an earlier one, because making a stamp removes older ones.
# make -q changes nothing. $(call stamp,NAME,TEXT) defines the rule and the variable NAME_STAMP.
define stamp_rule
$(1)_STAMP := $(GEN)/$(1)-$(2).stamp
$(GEN)/$(1)-$(2).stamp:
	@mkdir -p $(GEN); rm -f $(GEN)/$(1)-*.stamp; : > $$@
endef
stamp = $(eval $(call stamp_rule,$(1),$(call checksum,$(2))))

$(call stamp,sources,$(MODULES) $(GPU_MODULES) $(GATES) $(FAMILIES) $(UNITS) $(VARIANTS))
$(call stamp,cc,$(CC) $(BASE_CFLAGS) $(SQLITE_CFLAGS) $(CPPFLAGS) $(CFLAGS))
$(call stamp,cuda,$(CUDA_CFLAGS))
$(call stamp,nvcc,$(NVCC_COMMAND) $(CUDA_VERSION) $(NVCCFLAGS))
$(call stamp,link,$(CC) $(GPU_LIBS) $(LDFLAGS) $(LDLIBS))

# ---------------------------------------------------------------- generated sources

# The ceiling keeps git from describing another repository that this tree happens to lie in.
# Uncommitted files, including new ones, make a tree dirty.
git      = $(shell GIT_CEILING_DIRECTORIES=$(call quote,$(dir $(CURDIR))) git $(1) 2>/dev/null)
REVISION := $(call git,rev-parse -q --verify --short=12 HEAD)
REVISION := $(if $(REVISION),$(REVISION)$(if $(call git,status --porcelain),-dirty),unknown)
define VERSION_H
/* Generated by the Makefile. */
#ifndef WHYFAST_VERSION_H
#define WHYFAST_VERSION_H
#define WHYFAST_VERSION $(call c_string,$(VERSION))
#define WHYFAST_REVISION $(call c_string,$(REVISION))
#define WHYFAST_NVCC_FLAGS $(call c_string,$(if $(CUDA),$(strip $(BASE_NVCCFLAGS) $(NVCCFLAGS))))
#define WHYFAST_OWN_NVCC_FLAGS $(call c_string,$(if $(CUDA),$(OWN_NVCCFLAGS)))
#define WHYFAST_NVCC $(call c_string,$(if $(CUDA),$(NVCC)))
#define WHYFAST_NVDISASM $(call c_string,$(NVDISASM))
#define WHYFAST_CXX $(call c_string,$(CXX))
#define WHYFAST_CC_FLAGS $(call c_string,$(strip $(BASE_CFLAGS) $(CPPFLAGS) $(CFLAGS)))
#define WHYFAST_CUDA_VERSION $(call c_string,$(if $(CUDA),$(CUDA_VERSION)))
#define WHYFAST_CUDA_LIBRARY_DIRS $(call c_string,$(if $(CUDA),$(CUPTI_DIRS)))
#define WHYFAST_DATADIR $(call c_string,$(DATADIR))
#endif
endef
$(call stamp,version,$(VERSION_H))
$(GEN)/version.h: private export TEXT := $(VERSION_H)
$(GEN)/version.h: $(version_STAMP)
	@printf '%s\n' "$$TEXT" > $@

# What the unpacked recorded run depends on: it is evaluated again when this changes.
ANALYSIS := $(sort $(wildcard $(foreach room,base catalog run query machine_code evaluate lines \
              explain,harness/$(room)/*.[ch] harness/$(room)/*.sql)))
$(GEN)/analysis.h: $(ANALYSIS)
	@mkdir -p $(@D)
	@{ echo '/* Generated by the Makefile: a checksum of the sources that compute tables. */'; \
	echo "#define WHYFAST_ANALYSIS \"$$(cat $(ANALYSIS) | cksum | tr ' ' -)\""; } > $@

symbol = $(subst /,_,$(1))
# $(call registry,FAMILIES,VARIANTS,ROOT,NAMED) writes the table of the files under ROOT; NAMED are
# the variants of which whyfast, which does not have them, knows the names.
registry = { echo '/* Generated by the Makefile from the names of the files under $(3)/. */'; \
	echo '\#include "catalog/variant.h"'; \
	$(foreach f,$(1),echo 'extern const struct family family_$(f);';) \
	$(foreach v,$(2),echo 'extern const struct variant \
		variant_$(call symbol,$(v))$(if $(filter %/grid,$(v)),[]);';) \
	echo 'extern const struct family *const registry_families[];'; \
	echo 'extern const struct variant *const registry_variants[];'; \
	echo 'const struct family *const registry_families[] = {'; \
	$(foreach f,$(1),echo '    &family_$(f),';) \
	echo '    0};'; \
	echo 'const struct variant *const registry_variants[] = {'; \
	$(foreach v,$(2),$(if $(filter %/grid,$(v)),$(call list_grid,$(3)/$(v).cu,$(call symbol,$(v))),\
		echo '    &variant_$(call symbol,$(v)),');) \
	echo '    0};'; \
	echo 'extern const char *const registry_names[];'; \
	echo 'const char *const registry_names[] = {'; \
	$(foreach v,$(4),$(if $(filter %/grid,$(v)),$(call cells,$(3)/$(v).cu) | \
		sed 's|.*|    "$(dir $(v))&"$(comma)|',echo '    "$(v)",');) \
	echo '    0};'; }
# grid.cu names each of its variants once outside of quotes: "CELL(01_base, ...".
cells = grep -oE '(^ *|[(])[0-9]{2}_[a-z0-9_]+[,)]' $(1) | tr -d ' (),'
list_grid = $(call cells,$(1)) | awk '{ print "    &variant_$(2)[" NR - 1 "]," }'

# whyfast knows the families and the names of their variants; the kernels are in whyfast-gpu.
$(GEN)/registry_table.c: $(sources_STAMP) $(wildcard kernels/*/grid.cu) Makefile
	$(call say,GEN,$@)
	$(Q)$(call registry,$(FAMILIES),$(VARIANTS),kernels,) > $@

$(GEN)/families_table.c: $(sources_STAMP) $(wildcard kernels/*/grid.cu) Makefile
	$(call say,GEN,$@)
	$(Q)$(call registry,$(FAMILIES),,kernels,$(call files_in,kernels)) > $@

# The functions of CUDA's static runtime are hidden in whyfast-gpu. cuda_runtime.c exports each as
# __wrap_<name>, which jumps to it, for the shared objects of families outside of the tree
# (harness/user_kernels/own_compile.c). The fake runtime of the tests has only some: hence .weak.
CUDART := $(firstword $(wildcard $(patsubst -L%,%/libcudart_static.a,$(filter -L%,$(CUDA_LIBS)))))
define CUDA_RUNTIME_C
#ifdef __aarch64__
#define JUMP "b "
#else
#define JUMP "jmp "
#endif
#define EXPORT(name) __asm__(".text\n.weak " #name "\n.globl __wrap_" #name "\n.type __wrap_" \
                             #name ",%function\n__wrap_" #name ":\n\t" JUMP #name "\n");
extern const char cuda_runtime_names[];
endef
$(GEN)/cuda_runtime.c: private export TEXT := $(CUDA_RUNTIME_C)
$(GEN)/cuda_runtime.c: $(CUDART) Makefile
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)nm $(CUDART) | awk ' \
		BEGIN { print ENVIRON["TEXT"] } \
		$$2 ~ /[TW]/ && $$3 ~ /^(__)?cuda[A-Z]/ { \
			print "EXPORT(" $$3 ")"; names = names "\n    \"" $$3 "\\n\"" } \
		END { print "const char cuda_runtime_names[] =" names ";" }' > $@

# SQL scripts lie beside the C that runs them: explain/cycle_ledger.sql becomes the string
# cycle_ledger_sql in explain/cycle_ledger.sql.h. @NAME in a script is the macro NAME of
# catalog/point_key.h or of the C file, @NAME(x) the macro with the argument "x.".
SQL_HEADERS := $(patsubst harness/%.sql,$(GEN)/%.sql.h,$(sort $(wildcard harness/*/*.sql)))
$(GEN)/%.sql.h: harness/%.sql Makefile
	@mkdir -p $(@D)
	$(Q){ echo '#include "catalog/point_key.h"'; \
	echo 'static const char $(basename $(notdir $<))_sql[] ='; \
	sed -e 's/\\/&&/g; s/"/\\"/g; s/@\([A-Z_]*\)(\([a-z_0-9]*\))/" \1("\2.") "/g' \
		-e 's/@\([A-Z][A-Z_]*\)/" \1 "/g; s/.*/    "&\\n"/' $<; echo '    ;'; } > $@

# Texts that a command prints: command/skill.md becomes the string skill_text.
SQL_HEADERS += $(patsubst harness/%.md,$(GEN)/%.md.h,$(sort $(wildcard harness/*/*.md)))
$(GEN)/%.md.h: harness/%.md Makefile
	@mkdir -p $(@D)
	$(Q){ echo 'static const char $(basename $(notdir $<))_text[] ='; \
	sed -e 's/[\\"]/\\&/g; s/.*/    "&\\n"/' $<; echo '    ;'; } > $@

# ---------------------------------------------------------------- objects

# Kernels are compiled once for all builds of the programs.
CUDA_RUNTIME := $(if $(CUDA),build/obj/gen/cuda_runtime.o)
CUDA_OBJECTS := $(GATES:%=build/obj/harness/%.cu.o) \
                $(patsubst %,build/obj/kernels/%.cu.o,$(UNITS) $(VARIANTS)) $(CUDA_RUNTIME)

build/obj/harness/%.cu.o: harness/%.cu $(nvcc_STAMP) | $(GEN)/version.h
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(Q)$(NVCC_COMMAND) -MMD -MP -MF $(@:.o=.d) $(NVCCFLAGS) -c -o $@ $<

compile_variant = $(NVCC_COMMAND) -Ikernels -I$(<D) -I$(patsubst %/,%,$(dir $(<D))) \
		-DVARIANT=variant_$(*D)_$(*F) -DVARIANT_FAMILY='"$(*D)"' -DVARIANT_NAME='"$(*F)"' \
		-DVARIANT_FILE='"$<"' -MMD -MP -MF $(@:.o=.d) $(NVCCFLAGS) -c -o $@ $<

$(WITHOUT_KERNELS:%=build/obj/%.o): FOR_THE_CPU := -x c++ -O3
build/obj/kernels/%.cu.o: kernels/%.cu $(nvcc_STAMP) | $(GEN)/version.h
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(Q)$(compile_variant)

# The rules name every target (no implicit chains), so that make does not remove files as
# intermediate ones.
READING   := $(MODULES:%=harness/%) $(FAMILIES:%=kernels/%/family)
MEASURING := $(GPU_MODULES:%=harness/%)
PROGRAM   := $(READING) $(MEASURING)
# NVTX's headers come with the toolkit.
NEED_CUDA := $(MEASURING) harness/run/nvtx
compile_c  = $(BASE_CFLAGS) $(INCLUDES) $(SQLITE_CFLAGS)
finish_c   = -MD -MP -MF $(@:.o=.d) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
# CUPTI's host header includes <string> in C, too: harness/cupti/shim has an empty one for that.
family_of  = $(word 2,$(subst /, ,$(1)))
uses_shim := harness/cupti/% harness/collect/% harness/injected/% tests/unit/injected/%
flags_for  = $(if $(filter $(NEED_CUDA:%=%.c) tests/%,$(1)),$(CUDA_CFLAGS)) \
             $(if $(filter $(uses_shim),$(1)),-Iharness/cupti/shim) \
             $(if $(filter kernels/%,$(1)),$(call family_flags,$(call family_of,$(1))))
# References are fast only with fused multiply-adds; products of floats are exact in double either
# way.
family_flags = -O3 -ffp-contract=fast -Ikernels -Ikernels/$(1) -DFAMILY=family_$(1) \
               -DFAMILY_NAME='"$(1)"'

# Archives come last, because they give what the objects before them lack.
linked     = $(filter %.o,$^) $(filter %.a,$^)

# $(call program_rules,TREE,COMPILER,FLAGS,LABEL) defines the rules for the objects of a tree, its
# archives of modules and its two programs. Only modules that a program uses are linked.
define program_rules
$$(PROGRAM:%=$(1)/obj/%.o): $(1)/obj/%.o: %.c $$(cc_STAMP) | $$(GEN)/version.h $$(GEN)/analysis.h \
                         $$(SQL_HEADERS)
	@mkdir -p $$(@D)
	$$(call say,CC,$$<$(4))
	$$(Q)$(2) $$(compile_c) $$(call flags_for,$$<) $(3) $$(finish_c)
$$(NEED_CUDA:%=$(1)/obj/%.o): $$(cuda_STAMP)

$(1)/obj/gen/%_table.o: $$(GEN)/%_table.c $$(cc_STAMP)
	@mkdir -p $$(@D)
	$$(call say,CC,$$<$(4))
	$$(Q)$(2) $$(compile_c) $(3) $$(finish_c)

$(1)/obj/reading.a: $$(patsubst %,$(1)/obj/%.o,$$(filter-out %/main,$$(READING)) \
                    harness/command_line/main)
$(1)/obj/measuring.a: $$(patsubst %,$(1)/obj/%.o,$$(filter-out %/main,$$(MEASURING)))
$(1)/obj/reading.a $(1)/obj/measuring.a:
	@rm -f $$@
	$$(Q)ar rcsT $$@ $$^

$(1)/whyfast: $(1)/obj/harness/command/main.o $(1)/obj/gen/families_table.o $(1)/obj/reading.a \
              $$(link_STAMP)
	$$(call say,LINK,$$@)
	$$(Q)$(2) $(3) -o $$@ $$(linked) $$(LIBS) $$(LDFLAGS) $$(LDLIBS)

$(1)/whyfast-gpu: $(1)/obj/harness/gpu_command/main.o $(1)/obj/gen/registry_table.o \
                  $$(CUDA_OBJECTS) $(1)/obj/measuring.a $(1)/obj/reading.a $$(link_STAMP)
	$$(call say,LINK,$$@ for $$(ARCHES:%=sm_%))
	$$(Q)$(2) $(3) -o $$@ $$(linked) $$(GPU_LIBS) $$(LDFLAGS) $$(LDLIBS)

-include $$(PROGRAM:%=$(1)/obj/%.d) $(1)/obj/gen/registry_table.d $(1)/obj/gen/families_table.d
endef
$(eval $(call program_rules,build,$$(CC),,))
-include $(CUDA_OBJECTS:.o=.d)

build/obj/gen/cuda_runtime.o: $(GEN)/cuda_runtime.c $(cc_STAMP)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(compile_c) -Wno-pedantic $(finish_c)

# The library that `whyfast run` loads into a program (harness/injected/). It exports the two
# functions that CUDA and NVTX call, and nothing else that could replace a function of the program.
INJECTED   := $(call modules_in,harness/injected/*.c) $(call modules_in,harness/cupti/*.c) \
              base/csv base/terminal base/text base/message base/stats catalog/knockout \
              knockout/twin_code knockout/twin_rounds machine_code/cubin
LIBRARY    := $(if $(CUDA),build/libwhyfast_inject.so)
comma      := ,
cupti_dirs  = $(subst :, ,$(CUPTI_DIRS))

build/obj/pic/%.o: harness/%.c $(cc_STAMP) $(cuda_STAMP) | $(GEN)/version.h
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(BASE_CFLAGS) $(INCLUDES) $(call flags_for,$<) $(CUDA_CFLAGS) -fPIC \
	-fvisibility=hidden $(finish_c)

build/libwhyfast_inject.so: $(INJECTED:%=build/obj/pic/%.o) $(link_STAMP)
	$(call say,LINK,$@)
	$(Q)$(CC) -shared -Wl,-z,defs -o $@ $(filter %.o,$^) $(cupti_dirs:%=-L%) -lcupti \
	$(cupti_dirs:%=-Wl$(comma)-rpath$(comma)%) -lpthread -ldl -lm $(LDFLAGS) $(LDLIBS)

-include $(INJECTED:%=build/obj/pic/%.d)

build/whyfast.1: build/whyfast
	$(call say,MAN,$@)
	$(Q)$< help --man > $@

# The programs of packages, which zig links for an old glibc; without zig they are the usual ones.
# All but what kernels outside of the tree need is made local first: zig cannot choose exports.
# CUPTI is of NVIDIA's package for the Python into whose environment whyfast is installed, or of the
# toolkit in its usual place.
ifneq ($(filter wheel deb check-install,$(GOALS)),)
$(B)/portable.mk: tools/setup.sh
	@sh tools/setup.sh $@ portable
ifeq ($(DRY_RUN),)
include $(B)/portable.mk
endif
endif
PORTABLE          := $(if $(PORTABLE_CC),build/portable,build)
PORTABLE_PROGRAMS := $(if $(PORTABLE_CC),$(patsubst build/%,build/portable/%,build/whyfast \
                     $(if $(CUDA),build/whyfast-gpu build/libwhyfast_inject.so)))
PORTABLE_RPATHS   := $(foreach v,8 9 10 11 12 13 14,$(foreach p,site dist,\
                     $$ORIGIN/../python3.$(v)/$(p)-packages/nvidia/cu13/lib)) \
                     /usr/local/cuda/lib64 /usr/local/cuda/extras/CUPTI/lib64
CUPTI_PLACES       = $(PORTABLE_RPATHS:%=-Wl$(comma)-rpath$(comma)'%')
portable_link      = ZIG_GLOBAL_CACHE_DIR=$(CURDIR)/build/zig-cache \
                     ZIG_LOCAL_CACHE_DIR=$(CURDIR)/build/zig-cache $(PORTABLE_CC) -s

build/portable/whyfast: build/obj/harness/command/main.o build/obj/gen/families_table.o \
                        build/obj/reading.a $(link_STAMP)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(portable_link) -o $@ $(linked) $(LIBS) $(LDFLAGS) $(LDLIBS)

build/portable/whyfast-gpu: build/obj/harness/gpu_command/main.o build/obj/gen/registry_table.o \
                            $(CUDA_OBJECTS) build/obj/measuring.a build/obj/reading.a $(link_STAMP)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -r -o $@.o $(linked) $(filter -L%,$(CUDA_LIBS)) -lcudart_static \
		$(filter %.a,$(SQLITE_LIBS))
	$(Q)objcopy --wildcard --keep-global-symbol=main --keep-global-symbol='__wrap_cuda*' \
		--keep-global-symbol='__wrap___cuda*' $@.o
	$(Q)$(portable_link) -rdynamic -Wl,--allow-shlib-undefined -o $@ $@.o \
		$(filter-out %.a,$(SQLITE_LIBS)) -ldl -lrt -lpthread -lm $(CUPTI_PLACES) \
		$(foreach l,libstdc++.so libgcc_s.so.1,$(shell $(CXX) -print-file-name=$(l))) \
		$(LDFLAGS) $(LDLIBS)
	@rm $@.o

build/portable/libwhyfast_inject.so: $(INJECTED:%=build/obj/pic/%.o) $(link_STAMP)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(portable_link) -shared -Wl,-z,defs -o $@ $(filter %.o,$^) \
		$(patsubst %,-L%,$(wildcard $(cupti_dirs))) -lcupti $(CUPTI_PLACES) \
		-lpthread -ldl -lm $(LDFLAGS) $(LDLIBS)

SHELLS := bash zsh fish
build/completion/%: build/whyfast
	@mkdir -p $(@D)
	$(Q)$< help --completion $* > $@

# ---------------------------------------------------------------- targets
# make help prints the text after ##.

.PHONY: all report install stage wheel deb release uninstall format clean help again

GPU_PROGRAM := $(if $(CUDA),build/whyfast-gpu)
all: build/whyfast build/whyfast.1 $(SHELLS:%=build/completion/%) $(GPU_PROGRAM) $(LIBRARY) ## the programs and their manual page (the default)

# On a GPU, FULL=1 measures everything. Without one the recorded run is replayed, and again only
# when the program or its data have changed.
report: ## measures this machine's GPU (without one: replays a recorded run) into build/report
ifneq ($(HAS_GPU)$(REPORT_FLAGS),)
report: $(if $(filter full,$(NEEDS)),all,build/whyfast)
	$(Q)build/whyfast report -o build/report $(if $(and $(HAS_GPU),$(FULL)),--full) $(REPORT_FLAGS)
else
report: build/report/index.html
	@$(if $(REPORT_IS_NEW),:,echo $<)

build/report/index.html: build/whyfast $(wildcard plots/* metrics/* metrics/*/* kernels/*/* \
                         reports/pages/* reports/recorded/*/*)
	$(eval REPORT_IS_NEW := yes)$(Q)build/whyfast report -o build/report
endif

# The kernels are data, too: the program shows their lines. With the contract's headers it compiles
# families outside of the tree.
INSTALLED_DATA  := $(wildcard metrics plots reports kernels)
INSTALLED_FILES := tools/check_kernels.sh harness/user_kernels/skeleton $(wildcard harness/catalog/*.h)
COMPLETES_bash  := bash-completion/completions/whyfast
COMPLETES_zsh   := zsh/site-functions/_whyfast
COMPLETES_fish  := fish/vendor_completions.d/whyfast.fish
# $(call install_files,PLACE,DATA,PROGRAMS) installs the programs of that folder.
define install_files
	install -d $(1)/bin $(1)/share/man/man1
	install -m 755 $(3)/whyfast $(1)/bin/whyfast
	install -m 644 build/whyfast.1 $(1)/share/man/man1/whyfast.1
	$(foreach s,$(SHELLS),install -D -m 644 build/completion/$(s) $(1)/share/$(COMPLETES_$(s));)
	$(foreach f,$(notdir $(GPU_PROGRAM) $(LIBRARY)),install -D -m 755 $(3)/$(f) $(1)/lib/whyfast/$(f);)
	install -D -m 644 harness/injected/whyfast.h $(1)/include/whyfast.h
	rm -rf $(2)
	find $(INSTALLED_DATA) $(INSTALLED_FILES) -type f -not -path 'reports/schema/*' -exec install -D -m 644 '{}' '$(2)/{}' ';'
	install -D -m 644 -t $(2)/schema reports/schema/*.json
endef
.SILENT: install stage
install: all ## into PREFIX=/usr/local, under DESTDIR
	$(call install_files,$(DESTDIR)$(PREFIX),$(DESTDIR)$(DATADIR),build)
	echo '  INSTALL $(DESTDIR)$(PREFIX)/bin/whyfast'

# Packages are for systems that are older than this one, too.
STAGE := build/stage
stage: all $(PORTABLE_PROGRAMS)
	rm -rf $(STAGE) $(if $(PORTABLE_CC),,build/portable.mk) # zig is looked for again
	$(call install_files,$(STAGE),$(STAGE)/share/whyfast,$(PORTABLE))

wheel: stage ## a Python wheel in build/: pip install build/whyfast-*.whl
	@rm -f build/whyfast-*.whl
	$(Q)python3 tools/make_wheel.py $(STAGE) $(VERSION) build

deb: stage ## a Debian package in build/: apt install ./build/whyfast_*.deb
	@rm -f build/whyfast_*.deb
	$(Q)sh tools/make_deb.sh $(STAGE) $(VERSION) build

release: all ## tags VERSION, if the tree, the recorded runs and the README's figures are right
	@env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL sh tools/release.sh $(VERSION)

uninstall: ## removes what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/whyfast $(DESTDIR)$(PREFIX)/share/man/man1/whyfast.1 \
	    $(DESTDIR)$(PREFIX)/include/whyfast.h \
	    $(foreach s,$(SHELLS),$(DESTDIR)$(PREFIX)/share/$(COMPLETES_$(s)))
	rm -rf $(DESTDIR)$(PREFIX)/lib/whyfast
	rm -rf $(DESTDIR)$(DATADIR)
	@echo 'each user may also remove ~/.cache/whyfast, where unpacked runs are kept'

FORMATTED := harness/*/*.[ch] harness/*/*.cu kernels/*/*.[ch] kernels/*/*.cu \
             kernels/*/*/*.h kernels/*/*/*.cu tests/*/*.[ch] tests/*/*/*.[ch]
format: ## clang-format over the sources, by .clang-format
	@if [ ! -e .clang-format ]; then echo '$@: there is no .clang-format: nothing was changed'; \
	elif command -v clang-format >/dev/null; then \
	clang-format -i $(sort $(wildcard $(FORMATTED))); \
	else echo '$@: clang-format is not installed: nothing was changed'; fi

# For make clean all: make has already read config.mk, so it stays.
KEPT := cuda nvdisasm wheels zig $(if $(filter-out $(NO_CONFIG),$(GOALS)),config.mk)
clean: ## removes build/, but for what was fetched (build/cuda, build/zig)
	@[ ! -d build ] || find build -mindepth 1 -maxdepth 1 $(KEPT:%=! -name %) -exec rm -rf '{}' +
ifneq ($(filter clean,$(GOALS)),)
.NOTPARALLEL:
endif

help: ## this text
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' \
	Makefile tests/tests.mk
	@printf '%s\n' '' \
	'Variables: V=1 shows commands; CC CXX CFLAGS CPPFLAGS NVCCFLAGS LDFLAGS LDLIBS are yours;' \
	'  ARCH="75 80 86 89 90a 100 120" builds kernels for these (native: the GPU here, else 90a);' \
	'  CUDA=DIR names the toolkit, CUDA= builds without one (both until make clean);' \
	'  SETUP=no installs and fetches nothing, and says what is missing;' \
	'  FULL=1 for a report of everything; PREFIX=/usr/local DESTDIR= for install;' \
	'  REPORT_FLAGS= PROVEFLAGS= FUZZ_SECONDS= FUZZ_SEED= are passed on.'

include tests/tests.mk
