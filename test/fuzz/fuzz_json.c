/*  fuzz_json - any text as JSON, read as each of the larger messages: no crash, no leak, and what
 * is taken comes back the same after writing and reading it again.
 */
#include "json.h"

#include "message.h"

#include "gis.pb-c.h"
#include "planner.pb-c.h"
#include "transaction.pb-c.h"

#include <stdlib.h>
#include <string.h>

static const ProtobufCMessageDescriptor *const descriptors [] = {
  &musubi__reserve_request__descriptor, &musubi__hold_request__descriptor,
  &musubi__command_answer__descriptor, &musubi__snapshot_answer__descriptor,
  &musubi__list_reservations_answer__descriptor};

static void require (bool promise)
{
    if (!promise)
        abort ();
}

static void round_trip (const ProtobufCMessageDescriptor *descriptor, json_t *json)
{
    char why [JSON_WHY_BYTES] = "";
    ProtobufCMessage *message = json_to_message (descriptor, json, why);
    if (!message) {
        require (why [0] != '\0' && strlen (why) < JSON_WHY_BYTES);
        return;
    }
    json_t *written = json_from_message (message);
    ProtobufCMessage *back = json_to_message (descriptor, written, why);
    require (back);
    size_t size;
    size_t back_size;
    uint8_t *packed = message_pack (message, &size);
    uint8_t *back_packed = message_pack (back, &back_size);
    require (size == back_size && memcmp (packed, back_packed, size) == 0);
    free (packed);
    free (back_packed);
    message_free (message);
    message_free (back);
    json_decref (written);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    char why [JSON_WHY_BYTES] = "";
    json_t *json = json_parse ((const char *) data, size, why);
    if (!json) {
        require (why [0] != '\0');
        return 0;
    }
    for (size_t i = 0; i < sizeof descriptors / sizeof descriptors [0]; i++)
        round_trip (descriptors [i], json);
    json_decref (json);
    return 0;
}
