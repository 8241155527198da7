#!/bin/sh
# Drives 'whyfast mcp' by the client of the protocol's own Python package. tests/cli/mcp.sh sends it
# what no client would.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/cli/mcp.inc"

if ! "${PYTHON:-python3}" -c 'import mcp' 2>/dev/null; then
    skip 'no Python has the package mcp'
    finish
fi
"${PYTHON:-python3}" -B "$ROOT/tests/clients/mcp_tools.py" bin/whyfast run
