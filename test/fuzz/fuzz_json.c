/*  fuzz_json - any text as JSON, read as each of the larger messages: no crash, no leak, and what
 *  is taken comes back the same after writing and reading it again. And as a request that a user
 *  wrote: what is taken is a message that planners can be sent.
 */
#include "json.h"

#include "fuzzing.h"
#include "message.h"
#include "request_form.h"

#include "gis.pb-c.h"
#include "nis.pb-c.h"
#include "planner.pb-c.h"
#include "transaction.pb-c.h"

static const ProtobufCMessageDescriptor *const descriptors [] = {
  &musubi__reserve_request__descriptor,
  &musubi__hold_request__descriptor,
  &musubi__command_answer__descriptor,
  &musubi__snapshot_answer__descriptor,
  &musubi__list_reservations_answer__descriptor,
  &musubi__entry__descriptor,
  &musubi__paths_request__descriptor};

static void round_trip (const ProtobufCMessageDescriptor *descriptor, json_t *json)
{
    char why [WHY_BYTES] = "";
    ProtobufCMessage *message = json_to_message (descriptor, json, why);
    if (!message) {
        REQUIRE (why [0] != '\0' && strlen (why) < WHY_BYTES);
        return;
    }
    json_t *written = json_from_message (message);
    ProtobufCMessage *back = json_to_message (descriptor, written, why);
    REQUIRE (back);
    size_t size;
    size_t back_size;
    uint8_t *packed = message_pack (message, &size);
    uint8_t *back_packed = message_pack (back, &back_size);
    REQUIRE (size == back_size && memcmp (packed, back_packed, size) == 0);
    free (packed);
    free (back_packed);
    message_free (message);
    message_free (back);
    json_decref (written);
}

/*  Frees form. */
static void sendable (const ProtobufCMessageDescriptor *descriptor, json_t *form,
                      const char form_why [LONG_WHY_BYTES])
{
    if (!form) {
        REQUIRE (form_why [0] != '\0' && memchr (form_why, '\0', LONG_WHY_BYTES));
        return;
    }
    char why [WHY_BYTES] = "";
    ProtobufCMessage *message = json_to_message (descriptor, form, why);
    REQUIRE (message);
    message_free (message);
    json_decref (form);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    char why [WHY_BYTES] = "";
    json_t *json = json_parse ((const char *) data, size, why);
    if (!json) {
        REQUIRE (why [0] != '\0');
        return 0;
    }
    for (size_t i = 0; i < sizeof descriptors / sizeof descriptors [0]; i++)
        round_trip (descriptors [i], json);
    char form_why [LONG_WHY_BYTES] = "";
    sendable (&musubi__request__descriptor, request_form_read (json, form_why), form_why);
    sendable (&musubi__modify_request__descriptor, request_form_patch (json, "r1", form_why),
              form_why);
    json_decref (json);
    return 0;
}
