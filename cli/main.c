/*  musubi - the command-line client: all commands and their functions. Those without a text here
 *  are run by musubi-tools.
 */
#include "commands.h"
#include "folder_manifest.h"
#include "process.h"

static const cli_command_t own [] = {
  {"up", "[FEDERATION.zpl] [--planners N] [--dir D]",
   "Start a whole federation as processes of this machine.", run_up},
  {"down", "[--dir D]", "Stop the federation that `up` started.", run_down},
  {"federation", "COMMAND …",
   "Make the description of a federation, or write the files of its members.", run_federation},
  {"reserve",
   "REQUEST.json|- [--algorithm A] [--policy P] [--dry-run] [--wait] [--request-id ID[@HOME]]",
   "Find a plan for a request and commit it, all or nothing.", run_reserve},
  {"modify", "ID PATCH.json|- [--dry-run] [--request-id ID[@HOME]]",
   "Change all parts of a reservation, or leave it as it is.", run_modify},
  {"release", "ID [--request-id ID[@HOME]]", "Give a reservation back.", run_release},
  {"show", "ID [--follow]", "Show what the federation knows of a reservation.", run_show},
  {"list", "[--mine] [--from T] [--until T]", "List the reservations of the federation.", run_list},
  {"watch", "[ID] [--mine] [--every D]",
   "Print a line for each change of one reservation, or of all of them.", run_watch},
  {"explain", "ID | ID@HOME | REQUEST.json|- [--algorithm A] [--policy P]",
   "Say what stands in the way of a request, or what a reservation waits for.\nA request is "
   "planned and not reserved; ID@HOME looks up what became of a request id.",
   run_explain},
  {"provision", "ID [--release]", "Put a reservation's circuits into use, or take them out of use.",
   run_provision},
  {"plus", "COMMAND …",
   "Reserve nodes of one site, in one phase or in two.\nEach command is a program, too: `musubi "
   "plus reserve` is plus_reserve.",
   run_plus},
  {"sites", "", "List the sites, their classes of nodes and their prices.", run_sites},
  {"links", "", "List the links of the network domains, and where domains disagree.", run_links},
  {"free", "SITE|DOMAIN/LINK --need N --for D [--between T T] [--class NAME]",
   "Find when a site has enough CPUs free, or a link enough Mbit/s.", run_free},
  {"submit",
   "[SITE] --limit D [--cpus N] [--count N] [--reservation ID[/NEED]] [--priority P] "
   "[--preemptible]\n"
   "              [--requeue] [--class NAME] [--name NAME] [--folder DIR] [--output FILE] "
   "[--errors FILE]\n"
   "              [--env NAME=VALUE]... [--cpu-limit D] [--shared] [--dry-run] [--request-id ID] "
   "-- PROGRAM "
   "ARG...",
   "Run a program at a site: from its queue, or on the nodes of a reservation.\nPrints the bag's "
   "name, such as ams/12. Without SITE the tasks go to the site of the reservation,\nor to the "
   "only site that runs tasks.",
   run_submit},
  {"queue", "[SITE | SITE/BAG] [--bag N] [--mine] [--over]",
   "List the bags of tasks at the sites, or the tasks of one bag.", run_queue},
  {"cancel", "SITE/BAG[.TASK]", "End a bag of tasks, or one of its tasks.", run_cancel},
  {"output", "SITE/BAG.TASK [--errors] [--follow]", "Print what a task has written.", run_output},
  {"nodes", "[SITE] [--drain NODE | --resume NODE]",
   "List the nodes of sites that run tasks; take one out of service, or back.", run_nodes},
  {"put", "FILE… [NAME|NAME/] [-r] [--site SITE] [--bind tcp://ADDRESS:PORT] [--lifetime D]",
   "Copy files of this machine, or with -r a folder, into the federation, under NAME or below it.",
   run_put},
  {"get",
   "NAME… [-r] [-o FILE] [--site SITE] [--bind tcp://ADDRESS:PORT] [--stage] [--at-nodes all|N] "
   "[--keep] [--salvage]",
   "Fetch files of the federation, or with -r a folder, by way of a site, which keeps a copy.",
   run_get},
  {"replicas", "[NAME] [--site SITE]",
   "List the files of the federation, and where their copies are.", run_replicas},
  {"pin", "NAME [--site SITE]", "Keep a file's copies from being evicted.", run_pin},
  {"unpin", "NAME [--site SITE]", "Let a file's copies be evicted again.", run_unpin},
  {"rule", "NAME --copies N|--nodes all|N [--spread sites|domains] [--site SITE]…",
   "Say at how many sites and storage nodes there shall be copies of a file.", run_rule},
  {"evict", "NAME [--site SITE] [--kept]", "Drop copies of a file.", run_evict},
  {"scrub", "SITE [--mbps N]", "Read all copies of a site again, and tell which are bad.",
   run_scrub},
  {"gantt", "[--from T] [--until T] [--all] [--svg FILE]",
   "Draw the reservations over time, a row for each class of nodes and each link.", run_gantt},
  {"call", "SERVICE METHOD [JSON|-]",
   "Call any method of any service.\n"
   "SERVICE is a name (lis/kyoto), the beginning of a name, a kind (any live lis) or an endpoint;\n"
   "METHOD is Free or Lis.Free; JSON uses the names of proto.",
   run_call},
  {.name = "workload"},
  {.name = "check"},
  {.name = "audit"},
  {"doctor", "[--sizes] [FILE.zpl…]",
   "Check that every service answers and is well.\nWith files: check that the members they "
   "configure can run on this machine.",
   run_doctor},
  {.name = "txn"},
  {.name = "solve"},
  {"balance", "COMMAND …", "Share unreserved work among sites; see who gives and who gains.",
   run_balance},
};

#define COMMANDS (sizeof own / sizeof own [0])

/*  The command line of a program such as plus_reserve, which means "plus reserve …": a new array of
 *  words; NULL when the program has no such name. */
static char **by_other_name (int *argc, char **argv)
{
    static char plus [] = "plus";
    char *name = strrchr (argv [0], '/') ? strrchr (argv [0], '/') + 1 : argv [0];
    if (strncmp (name, "plus_", 5) != 0)
        return NULL;
    char **words = must (calloc ((size_t) *argc + 3, sizeof *words));
    words [0] = argv [0];
    words [1] = plus;
    words [2] = name + 5;
    memcpy (words + 3, argv + 1, (size_t) *argc * sizeof *words);
    *argc += 2;
    return words;
}

int main (int argc, char **argv)
{
    cli_command_t commands [COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++)
        commands [i] = own [i].run ? own [i] : *tools_command (own [i].name);
    memory_auto char **words = by_other_name (&argc, argv);
    folder_interrupted = cli_interrupted;
    return cli_main (argc, words ? words : argv, commands, COMMANDS);
}
