#!/usr/bin/env bash
# A few rules broken, each found, those of networks, of tasks and their files and of chains too. All of them: test/mutants/run
exec "$(dirname "$0")/run" vote-not-stored resolve-no-tombstone circuit-without-its-last-link \
  second-domain-forgotten silent-node-counts-as-lost digest-not-checked token-not-checked circuit-active-unseen \
  suspended-and-forgotten output-over-the-limit
