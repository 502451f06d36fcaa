#!/usr/bin/env bash
# The commit protocol with two participants: with all its rules it holds, and without any one of them it breaks.
exec "$(dirname "$0")/run"
