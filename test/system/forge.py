"""Writes into the store of a service that is stopped, as no service would.

    forge.py STORE delete|damage|change TABLE [N [WORD]]

The Nth record of that table (0 = the first, the default; -1 = the last), of those that have the word, is deleted; or a
byte of its value - the last one, or the first of that word - is changed, so that its checksum shows it (damage); or
that and its checksum with it, so that nothing shows (change).
"""
import ctypes
import ctypes.util
import os
import struct
import sys

lmdb = ctypes.CDLL(ctypes.util.find_library("lmdb") or "liblmdb.so.0")
sodium = ctypes.CDLL(ctypes.util.find_library("sodium") or "libsodium.so.23")
FIRST, NEXT = 0, 8  # MDB_cursor_op
MAP_BYTES = 16 << 30


class Val(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("data", ctypes.c_void_p)]

    def bytes(self):
        return ctypes.string_at(self.data, self.size)


def val(data):
    kept = ctypes.create_string_buffer(data, len(data))
    made = Val(len(data), ctypes.cast(kept, ctypes.c_void_p))
    made.kept = kept
    return made


def done(code):
    if code != 0:
        lmdb.mdb_strerror.restype = ctypes.c_char_p
        sys.exit(f"forge.py: {lmdb.mdb_strerror(code).decode()}")


def siphash(data, key):
    digest = ctypes.create_string_buffer(8)
    sodium.crypto_shorthash(digest, data, ctypes.c_ulonglong(len(data)), key)
    return digest.raw


def seal(key, value):
    """libcommon/host/disk-format.md, "The environment"."""
    return siphash(value, siphash(key, b"musubi record 2\0") + bytes(8)) + value


store, deed, table = sys.argv[1], sys.argv[2], int(sys.argv[3])
which = int(sys.argv[4]) if len(sys.argv) > 4 else 0
word = sys.argv[5].encode() if len(sys.argv) > 5 else b""
env, txn, cursor, dbi = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint()
done(lmdb.mdb_env_create(ctypes.byref(env)))
done(lmdb.mdb_env_set_mapsize(env, ctypes.c_size_t(MAP_BYTES)))
done(lmdb.mdb_env_open(env, os.path.join(store, "store.mdb").encode(), 0x4000, 0o600))  # MDB_NOSUBDIR
done(lmdb.mdb_txn_begin(env, None, 0, ctypes.byref(txn)))
done(lmdb.mdb_dbi_open(txn, None, 0, ctypes.byref(dbi)))
done(lmdb.mdb_cursor_open(txn, dbi, ctypes.byref(cursor)))
key, value, found = Val(), Val(), []
code = lmdb.mdb_cursor_get(cursor, ctypes.byref(key), ctypes.byref(value), FIRST)
while code == 0:
    if key.bytes()[0] == table and word in value.bytes()[8:]:
        found.append((key.bytes(), value.bytes()))
    code = lmdb.mdb_cursor_get(cursor, ctypes.byref(key), ctypes.byref(value), NEXT)
lmdb.mdb_cursor_close(cursor)
name, sealed = found[which]
body = bytearray(sealed[8:])
body[body.index(word) if word else -1] ^= 1
if deed == "delete":
    done(lmdb.mdb_del(txn, dbi, ctypes.byref(val(name)), None))
else:
    new = seal(name, bytes(body)) if deed == "change" else sealed[:8] + bytes(body)
    assert deed != "change" or seal(name, sealed[8:]) == sealed, "the checksum is not made as it was"
    done(lmdb.mdb_put(txn, dbi, ctypes.byref(val(name)), ctypes.byref(val(new)), 0))
done(lmdb.mdb_txn_commit(txn))
lmdb.mdb_env_close(env)
print(f"{deed}: record {which} of {len(found)} in table {table}")
