#!/usr/bin/env bash
# Three rules broken, three times found. All of them: test/mutants/run
exec "$(dirname "$0")/run" vote-not-stored resolve-no-tombstone base-version-not-checked
