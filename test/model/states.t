#!/usr/bin/env bash
# The programs and the model have the same states and steps.
exec "$(dirname "$0")/states"
