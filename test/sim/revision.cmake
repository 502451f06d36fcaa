# Writes the header TO with the revision of the tree IN, only when it has changed.
execute_process (
  COMMAND git -C ${IN} describe --always --dirty --abbrev=40 --exclude=*
  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
if (failed)
  set (revision "unknown")
endif ()
set (header "/*  The revision of the source, as it was built. */\n#define MUSUBI_REVISION \"${revision}\"\n")
set (before "")
if (EXISTS ${TO})
  file (READ ${TO} before)
endif ()
if (NOT before STREQUAL header)
  file (WRITE ${TO} "${header}")
endif ()
