/*  rank - reads an expression into steps for a stack of numbers, operands first, and carries them
 *  out.
 */
#include "rank.h"

#include "must.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES_MAX 24

static const char *const attribute_words [RANK_ATTRIBUTES] = {
  [RANK_MEMORY] = "memory",   [RANK_DISK] = "disk",           [RANK_LOAD] = "load",
  [RANK_CPUS] = "cpus",       [RANK_CPUS_FREE] = "cpus_free", [RANK_PRICE] = "price",
  [RANK_STAGING] = "staging", [RANK_HELD] = "held",
};
#define ATTRIBUTE_WORDS "memory, disk, load, cpus, cpus_free, price, staging or held"

/*  An attribute, or one of these. */
enum { STEP_NUMBER = RANK_ATTRIBUTES, STEP_ADD, STEP_SUBTRACT, STEP_MULTIPLY, STEP_NEGATE };

typedef struct {
    int kind;
    double number;
} rank_step_t;

struct rank {
    size_t count;
    rank_step_t steps [];
};

/*  --- reading --- */

typedef struct {
    const char *text;
    const char *at;
    unsigned depth;
    rank_step_t steps [RANK_STEPS_MAX];
    size_t count;
    char *why;
} rank_reader_t;

static int position (const rank_reader_t *reader)
{
    return (int) (reader->at - reader->text) + 1;
}

static char rank_next (rank_reader_t *reader)
{
    while (*reader->at == ' ')
        reader->at++;
    return *reader->at;
}

static bool step_add (rank_reader_t *reader, int kind, double number)
{
    if (reader->count == RANK_STEPS_MAX)
        return wrong (reader->why, "rank: should have at most %d numbers, attributes and operators",
                      RANK_STEPS_MAX);
    reader->steps [reader->count++] = (rank_step_t){kind, number};
    return true;
}

static bool rank_number_read (rank_reader_t *reader)
{
    char text [NUMBER_BYTES_MAX + 1] = "";
    size_t size = strspn (reader->at, "0123456789.");
    char *end = text;
    if (size <= NUMBER_BYTES_MAX)
        memcpy (text, reader->at, size);
    double number = strtod (text, &end);
    if (end == text || *end != '\0' || number > RANK_NUMBER_MAX)
        return wrong (reader->why,
                      "rank: position %d: should be a number of at most 10^12, such as 2.5, in at "
                      "most %d characters",
                      position (reader), NUMBER_BYTES_MAX);
    reader->at += size;
    return step_add (reader, STEP_NUMBER, number);
}

static bool attribute_read (rank_reader_t *reader)
{
    size_t size = 0;
    while (isalnum ((unsigned char) reader->at [size]) || reader->at [size] == '_')
        size++;
    for (int i = 0; i < RANK_ATTRIBUTES; i++)
        if (strlen (attribute_words [i]) == size &&
            memcmp (attribute_words [i], reader->at, size) == 0) {
            reader->at += size;
            return step_add (reader, i, 0);
        }
    return wrong (reader->why, "rank: position %d: \"%.*s\" should be %s", position (reader),
                  (int) (size < 32 ? size : 32), reader->at, ATTRIBUTE_WORDS);
}

static bool expression_read (rank_reader_t *reader);

static bool inner_read (rank_reader_t *reader)
{
    if (!expression_read (reader))
        return false;
    if (rank_next (reader) != ')')
        return wrong (reader->why, "rank: position %d: should be an operator or \")\"",
                      position (reader));
    reader->at++;
    return true;
}

static bool factor_read (rank_reader_t *reader)
{
    char first = rank_next (reader);
    if (isdigit ((unsigned char) first) || first == '.')
        return rank_number_read (reader);
    if (isalpha ((unsigned char) first))
        return attribute_read (reader);
    if (first != '-' && first != '(')
        return wrong (
          reader->why,
          "rank: position %d: should be a number, \"-\", \"(\", or one of " ATTRIBUTE_WORDS,
          position (reader));
    if (reader->depth == RANK_DEPTH_MAX)
        return wrong (reader->why, "rank: position %d: brackets and signs are more than %d deep",
                      position (reader), RANK_DEPTH_MAX);
    reader->at++;
    reader->depth++;
    bool good = first == '(' ? inner_read (reader)
                             : factor_read (reader) && step_add (reader, STEP_NEGATE, 0);
    reader->depth--;
    return good;
}

static bool term_read (rank_reader_t *reader)
{
    bool good = factor_read (reader);
    while (good && rank_next (reader) == '*') {
        reader->at++;
        good = factor_read (reader) && step_add (reader, STEP_MULTIPLY, 0);
    }
    return good;
}

static bool expression_read (rank_reader_t *reader)
{
    bool good = term_read (reader);
    for (char sign; good && ((sign = rank_next (reader)) == '+' || sign == '-');) {
        reader->at++;
        good = term_read (reader) && step_add (reader, sign == '+' ? STEP_ADD : STEP_SUBTRACT, 0);
    }
    return good;
}

node_rank_t *rank_new (const char *text, char why [WHY_BYTES])
{
    rank_reader_t reader = {.text = text, .at = text, .why = why};
    if (strlen (text) > RANK_BYTES_MAX) {
        wrong (why, "rank: should be at most %d bytes", RANK_BYTES_MAX);
        return NULL;
    }
    if (!expression_read (&reader))
        return NULL;
    if (rank_next (&reader) != '\0') {
        wrong (why, "rank: position %d: should be \"+\", \"-\" or \"*\", or the end",
               position (&reader));
        return NULL;
    }
    node_rank_t *self = must (malloc (sizeof *self + reader.count * sizeof *self->steps));
    self->count = reader.count;
    memcpy (self->steps, reader.steps, reader.count * sizeof *self->steps);
    return self;
}

/*  --- carrying out --- */

static double bounded (double value)
{
    return fmin (fmax (value, -RANK_VALUE_MAX), RANK_VALUE_MAX); /* no number at all: the least */
}

double rank_value (const node_rank_t *self, const rank_values_t *values)
{
    double stack [RANK_STEPS_MAX] = {0};
    size_t top = 0; /* of the numbers that are there */
    for (size_t i = 0; self && i < self->count; i++) {
        const rank_step_t *step = &self->steps [i];
        if (step->kind <= STEP_NUMBER) {
            double value = step->kind == STEP_NUMBER ? step->number : values->of [step->kind];
            stack [top++] = bounded (value);
            continue;
        }
        if (step->kind == STEP_NEGATE) {
            stack [top - 1] = -stack [top - 1];
            continue;
        }
        double right = stack [--top];
        double *left = &stack [top - 1];
        double value = step->kind == STEP_ADD        ? *left + right
                       : step->kind == STEP_SUBTRACT ? *left - right
                                                     : *left * right;
        *left = bounded (value);
    }
    assert (top == (self ? 1 : 0));
    return self ? stack [0] : 0;
}
