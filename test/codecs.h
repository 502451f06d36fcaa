/*  codecs - every table of every library, for test_codec and the fuzzer: new ones at the end. */
#ifndef MUSUBI_TEST_CODECS_H
#define MUSUBI_TEST_CODECS_H

#include "balancer_wire.h"
#include "codec_table.h"
#include "transaction.h"

extern const codecs_t planner_request_codecs;
extern const codecs_t planner_record_codecs;
extern const codecs_t planner_decision_codecs;
extern const codecs_t chain_codecs;
extern const codecs_t storage_codecs;
extern const codecs_t replica_codecs;
extern const codecs_t sharing_codecs;
extern const codecs_t directory_codecs;
extern const codecs_t gis_codecs;
extern const codecs_t nis_codecs;
extern const codecs_t planner_question_codecs;
extern const codecs_t planner_settle_codecs;
extern const codecs_t plus_codecs;
extern const codecs_t openings_codecs;
extern const codecs_t request_codecs;
extern const codecs_t part_record_codecs;
extern const codecs_t participant_codecs;
extern const codecs_t questions_codecs;
extern const codecs_t runs_codecs;
extern const codecs_t nodes_codecs;
extern const codecs_t node_codecs;
extern const codecs_t queue_codecs;
extern const codecs_t site_codecs;
extern const codecs_t replay_codecs;
extern const codecs_t records_codecs;
extern const codecs_t solving_codecs;

static const codecs_t *const all_codecs [] = {
  &transaction_codecs,
  &balancer_codecs,
  &planner_request_codecs,
  &planner_record_codecs,
  &planner_decision_codecs,
  &chain_codecs,
  &storage_codecs,
  &replica_codecs,
  &sharing_codecs,
  &directory_codecs,
  &gis_codecs,
  &nis_codecs,
  &planner_question_codecs,
  &planner_settle_codecs,
  &plus_codecs,
  &openings_codecs,
  &request_codecs,
  &part_record_codecs,
  &participant_codecs,
  &questions_codecs,
  &runs_codecs,
  &nodes_codecs,
  &node_codecs,
  &queue_codecs,
  &site_codecs,
  &replay_codecs,
  &records_codecs,
  &solving_codecs,
};

#define ALL_CODECS (sizeof all_codecs / sizeof *all_codecs)

#endif
