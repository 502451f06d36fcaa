/*  own_address - asks the kernel which address it would send from: a datagram socket that is
 *  connected has one, and connecting it sends nothing.
 */
#include "own_address.h"

#include "must.h"

#include <netdb.h>
#include <stdbool.h>
#include <sys/socket.h>

#define HOST_BYTES 256
#define PORT_BYTES 16

/*  The address in digits from which that one is reached. */
static bool own_address_towards (int family, const char *host, const char *port,
                                 char own [HOST_BYTES])
{
    struct addrinfo *to = NULL, wish = {.ai_family = family, .ai_socktype = SOCK_DGRAM};
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    if (getaddrinfo (host, port, &wish, &to) != 0)
        return false;
    descriptor_auto_t file = socket (family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool good =
      file >= 0 && connect (file, to->ai_addr, to->ai_addrlen) == 0 &&
      getsockname (file, (struct sockaddr *) &bound, &size) == 0 &&
      getnameinfo ((struct sockaddr *) &bound, size, own, HOST_BYTES, NULL, 0, NI_NUMERICHOST) == 0;
    freeaddrinfo (to);
    return good;
}

char *own_address (const char *service)
{
    char host [HOST_BYTES], port [PORT_BYTES], own [HOST_BYTES];
    if (sscanf (service, "tcp://[%255[^]]]:%15s", host, port) != 2 &&
        sscanf (service, "tcp://%255[^:]:%15s", host, port) != 2)
        return must_print ("tcp://127.0.0.1:0");        /* ipc: on this machine */
    if (own_address_towards (AF_INET, host, port, own)) /* as services are called */
        return must_print ("tcp://%s:0", own);
    if (own_address_towards (AF_INET6, host, port, own))
        return must_print ("tcp://[%s]:0", own);
    return NULL;
}
