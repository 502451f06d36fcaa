#!/usr/bin/env bash
# The commit protocol with two participants: whole it holds, and without any one of its rules it breaks.
exec "$(dirname "$0")/run"
