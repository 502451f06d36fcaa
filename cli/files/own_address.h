/*  own_address - by which of its addresses this machine reaches a service; so others near that
 *  service reach this machine by it, too, unless addresses are translated in between.
 */
#ifndef MUSUBI_OWN_ADDRESS_H
#define MUSUBI_OWN_ADDRESS_H

/*  The endpoint to listen at, malloc'ed: "tcp://10.0.0.7:0", "tcp://[fd00::7]:0"; loopback for a
 *  service that is reached so. NULL when no way leads there. No byte is sent. */
char *own_address (const char *service);

#endif
