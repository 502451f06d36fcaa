/*  musubi - the command-line client: all commands, and who runs them. Those without a text here are
 *  musubi-tools'.
 */
#include "federation_commands.h"
#include "files_commands.h"
#include "must.h"
#include "reserve_commands.h"
#include "services_commands.h"
#include "sharing_commands.h"
#include "sites_commands.h"
#include "tasks_commands.h"
#include "tools.h"

#include <stdlib.h>
#include <string.h>

static const cli_command_t listed [] = {
  {"up", "[FEDERATION.zpl] [--planners N] [--dir D]",
   "Start a whole federation as processes of this machine.", run_up},
  {"down", "[--dir D]", "Stop the federation that `up` started.", run_down},
  {"federation", "COMMAND …", "Prepare federations: `musubi federation --help`.", run_federation},
  {"reserve",
   "REQUEST.json|- [--algorithm A] [--policy P] [--dry-run] [--wait] [--request-id ID[@HOME]]",
   "Find a plan and commit it, all or nothing.", run_reserve},
  {"modify", "ID PATCH.json|- [--dry-run] [--request-id ID[@HOME]]",
   "Change a reservation in all its parts, or leave it as it is.", run_modify},
  {"release", "ID [--request-id ID[@HOME]]", "Give a reservation back.", run_release},
  {"show", "ID [--follow]", "What the federation knows of a reservation.", run_show},
  {"list", "[--mine] [--from T] [--until T]", "The reservations of the federation.", run_list},
  {"watch", "[ID] [--mine] [--every D]",
   "A line for each change of a reservation, to its end, or of all reservations.", run_watch},
  {"explain", "ID | ID@HOME | REQUEST.json|- [--algorithm A] [--policy P]",
   "What stands in the way of a request, or what a reservation waits for.\n"
   "A request is planned and not reserved; ID@HOME looks up what became of a request id.",
   run_explain},
  {"provision", "ID [--release]", "Take up the use of a reservation's circuits, or give it up.",
   run_provision},
  {"plus", "COMMAND …",
   "S3's two-phase commands at one site, also plus_reserve … by name: `musubi plus --help`.",
   run_plus},
  {"sites", "", "The sites, their classes of nodes and prices.", run_sites},
  {"links", "", "The links of the network domains, and where domains disagree.", run_links},
  {"free", "SITE|DOMAIN/LINK --need N --for D [--between T T] [--class NAME]",
   "When a site has so many CPUs free for so long, or a link so many Mbit/s.", run_free},
  {"submit",
   "[SITE] --limit D [--cpus N] [--count N] [--reservation ID[/NEED]] [--priority P] "
   "[--preemptible]\n"
   "              [--requeue] [--class NAME] [--name NAME] [--folder DIR] [--output FILE] "
   "[--errors FILE]\n"
   "              [--env NAME=VALUE]... [--cpu-limit D] [--shared] [--dry-run] [--request-id ID] "
   "-- PROGRAM "
   "ARG...",
   "Run a program at a site: in its queue, or on the nodes of a reservation.\n"
   "Prints the bag's name, such as ams/12. Without SITE: where the reservation is, else the only\n"
   "site that runs tasks.",
   run_submit},
  {"queue", "[SITE | SITE/BAG] [--bag N] [--mine] [--over]",
   "Bags of tasks at the sites, or the tasks of one bag.", run_queue},
  {"cancel", "SITE/BAG[.TASK]", "End a bag, or one of its tasks.", run_cancel},
  {"output", "SITE/BAG.TASK [--errors] [--follow]", "What a task has written.", run_output},
  {"nodes", "[SITE] [--drain NODE | --resume NODE]",
   "The nodes of sites that run tasks; takes one out, or back.", run_nodes},
  {"put", "FILE [NAME] [--site SITE] [--bind tcp://ADDRESS:PORT] [--lifetime D]",
   "A file of this machine becomes one of the federation, under NAME.", run_put},
  {"get", "NAME [-o FILE] [--site SITE] [--stage] [--keep]",
   "A file of the federation comes here by way of a site, and stays there.", run_get},
  {"replicas", "[NAME] [--site SITE]", "Which files there are, and where their copies lie.",
   run_replicas},
  {"pin", "NAME [--site SITE]", "A file's copies are not evicted.", run_pin},
  {"unpin", "NAME [--site SITE]", "They may be again.", run_unpin},
  {"rule", "NAME --copies N [--spread sites|domains] [--site SITE]",
   "A file is to have so many copies, apart.", run_rule},
  {"evict", "NAME [--site SITE] [--kept]", "Copies are dropped.", run_evict},
  {"gantt", "[--from T] [--until T] [--all] [--svg FILE]",
   "Reservations over time, a row for each class and link.", run_gantt},
  {"call", "SERVICE METHOD [JSON|-]",
   "Any request of any service, as it stands in proto.\n"
   "SERVICE is a name (lis/kyoto), the beginning of one, a kind (any live lis) or an endpoint;\n"
   "METHOD is Free or Lis.Free; JSON uses the names of proto.",
   run_call},
  {.name = "workload"},
  {.name = "check"},
  {.name = "audit"},
  {"doctor", "[FILE.zpl…]",
   "Is everybody there, and well? With files: can these members run on this machine?", run_doctor},
  {.name = "txn"},
  {.name = "solve"},
  {"balance", "COMMAND …",
   "Sharing of unreserved work among sites, who gives and who gains: `musubi balance --help`.",
   run_balance},
};

#define COMMANDS (sizeof listed / sizeof listed [0])

/*  plus_reserve … is "plus reserve …". What was asked for by another name is put into words, in a
 *  new array that lives to the end; NULL: by no other name. */
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
        commands [i] = listed [i].run ? listed [i] : *tools_command (listed [i].name);
    char **words = by_other_name (&argc, argv);
    int code = cli_main (argc, words ? words : argv, commands, COMMANDS);
    free (words);
    return code;
}
