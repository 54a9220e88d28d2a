#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs commands one after another and sums what they counted.
#
#   tools/run_steps.sh NAME=COMMAND...
#
# A command's last line `N passed, N failed, N skipped` counts; one that prints none, or ends badly
# without a failure in it, is a failure more. All of them run; the closing line is the sum.
set -u
passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for step in "$@"; do
    name=${step%%=*}
    echo "=== $name: ${step#*=}"
    start=$SECONDS
    bash -c "${step#*=}" </dev/null 2>&1 | tee "$log" | sed -u 's/^/    /'
    status=${PIPESTATUS[0]}
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -n 1)
    read -r p _ f _ s _ <<<"${line//,/}"
    if [ -z "$line" ] || { [ "$status" != 0 ] && [ "${f:-0}" = 0 ]; }; then
        f=$((${f:-0} + 1))
    fi
    echo "=== $name: ${p:-0} passed, $f failed, ${s:-0} skipped; $((SECONDS - start)) s"
    passed=$((passed + ${p:-0})) failed=$((failed + f)) skipped=$((skipped + ${s:-0}))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
