/*  host_options - getopt over its options and questions. */
#include "host_options.h"

#include "must.h"
#include "store.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2

static const setting_t bind_rows [] = {
  SET_TEXT (bind_settings_t, endpoint, "bind/endpoint", "tcp://127.0.0.1:0",
            "address at which requests are received; port 0: any free one"),
  SET_TEXT (bind_settings_t, events, "bind/events", "tcp://127.0.0.1:0",
            "address at which change notices are published; port 0: any free one"),
  SET_TEXT (
    bind_settings_t, host, "bind/host", NULL,
    "name or address under which others reach this machine, if it is not the one in bind/endpoint"),
  SET_FIXED (bind_settings_t, connections_max, "bind/connections_max", 32768),
  SET_FLAG (bind_settings_t, trusted, "bind/trusted", false,
            "true: whoever can reach the bound addresses is believed to be who it says it is; "
            "false: only loopback addresses may be bound"),
};
const setting_table_t bind_table = SETTING_TABLE (bind_settings_t, bind_rows, NULL);

static const setting_t data_rows [] = {
  SET_TEXT (data_settings_t, endpoint, "bind/data", "tcp://127.0.0.1:0",
            "endpoint from which other nodes fetch its files; port 0 = any free one, none = it "
            "feeds nobody"),
};
const setting_table_t data_table = SETTING_TABLE (data_settings_t, data_rows, NULL);

static const setting_t store_rows [] = {
  SET_TEXT (store_settings_t, folder, "store/folder", NULL,
            "folder of the store; created if it does not exist"),
  SET_COUNT (store_settings_t, bytes, "store/bytes", 17179869184, STORE_BYTES_LEAST,
             SETTING_BYTES_MOST,
             "largest size of the store, in bytes; disk is used only for what is stored. From 90 "
             "% on nothing new is begun, but whatever ends running work is still stored"),
  SET_DURATION (store_settings_t, scrub_ms, "store/scrub", 10 * MS_MINUTE, 100, MS_YEAR,
                "how often every record of the store is read and its checksum verified"),
};
const setting_table_t store_table = SETTING_TABLE (store_settings_t, store_rows, NULL);

static const setting_t pool_rows [] = {
  SET_TEXT (pool_settings_t, folder, "store/pool", "",
            "instead of store/folder: a folder of stores, of which the first that no process "
            "serves is taken; if all are served, a new one is created"),
};
const setting_table_t pool_table = SETTING_TABLE (pool_settings_t, pool_rows, NULL);

enum {
    OPTION_SET = 256,
    OPTION_VERSION,
    OPTION_HELP,
    OPTION_STATES,
    OPTION_ADOPT,
    OPTION_CHECK,
    OPTION_BACKUP
};

static const struct option options [] = {
  {"config", required_argument, NULL, 'c'},
  {"set", required_argument, NULL, OPTION_SET},
  {"verbose", no_argument, NULL, 'v'},
  {"version", no_argument, NULL, OPTION_VERSION},
  {"help", no_argument, NULL, OPTION_HELP},
  {"states", no_argument, NULL, OPTION_STATES},
  {"adopt", no_argument, NULL, OPTION_ADOPT},
  {"check", no_argument, NULL, OPTION_CHECK},
  {"backup", required_argument, NULL, OPTION_BACKUP},
  {NULL, 0, NULL, 0},
};

static void print_line (const char *text)
{
    fputs (text, stdout);
}

static void print_state (const char *line)
{
    puts (line);
}

static void host_options_print_help (const host_options_t *self, const host_program_t *program)
{
    printf (
      "usage: %s [-c FILE.zpl] [--set path=value]... [--verbose] [--adopt | --check | --backup "
      "FOLDER]\n"
      "       %s --version | --help | --states\n"
      "\n"
      "  -c FILE.zpl        settings, in the ZeroMQ property language\n"
      "  --set path=value   one setting; it overrides the file's\n"
      "  --verbose          log more (to standard error)\n"
      "  --states           print the state machines, a line a step: \"what from event to\"\n"
      "  --check            say whether it could start with these settings, and end\n"
      "  --backup FOLDER    copy the store to a new folder, while its service goes on, and end\n"
      "  --adopt            once: accept a store that was restored from an old backup; it gets\n"
      "                     a new id, and what it has lost stays lost\n"
      "\n"
      "Once it serves it prints one line, \"ready endpoint=... events=...\". SIGTERM and\n"
      "SIGINT end it cleanly. Exit codes: 0 asked to end, 1 the machine failed, 2 wrong\n"
      "settings.\n"
      "\n"
      "Settings; * stands for any name:\n",
      program->program, program->program);
    settings_describe (self->tables, program->keeps_nothing ? 1 : self->tables_count, print_line);
}

bool host_options_read (host_options_t *self, const host_program_t *program, int argc, char **argv,
                        int *code)
{
    *self = (host_options_t){.tables = {program->settings, &bind_table}, .tables_count = 2};
    if (program->flow)
        self->tables [self->tables_count++] = &data_table;
    self->tables [self->tables_count++] = &store_table;
    if (program->pools)
        self->tables [self->tables_count++] = &pool_table;
    int option;
    optind = 0; /* start anew, also when called twice */
    while ((option = getopt_long (argc, argv, "c:v", options, NULL)) != -1) {
        switch (option) {
        case 'c':
            self->file = optarg;
            break;
        case OPTION_SET:
            if (self->settings_count == HOST_SETTINGS_MAX) {
                fprintf (stderr, "%s: more than %d settings; use a file\n", program->program,
                         HOST_SETTINGS_MAX);
                *code = EXIT_USAGE;
                return false;
            }
            self->settings [self->settings_count++] = optarg;
            break;
        case 'v':
            self->verbose = true;
            break;
        case OPTION_ADOPT:
            self->adopt = true;
            break;
        case OPTION_CHECK:
            self->check = true;
            break;
        case OPTION_BACKUP:
            self->backup = optarg;
            break;
        case OPTION_VERSION:
            printf ("%s %s\n", program->program, MUSUBI_VERSION);
            *code = 0;
            return false;
        case OPTION_HELP:
            host_options_print_help (self, program);
            *code = 0;
            return false;
        case OPTION_STATES:
            for (const state_table_t *const *at = program->states; at && *at; at++)
                states_print (*at, print_state);
            *code = 0;
            return false;
        default: /* getopt has said what is wrong */
            *code = EXIT_USAGE;
            return false;
        }
    }
    if (optind < argc) {
        fprintf (stderr, "%s: '%s' is not an option; --help lists all options\n", program->program,
                 argv [optind]);
        *code = EXIT_USAGE;
        return false;
    }
    return true;
}
