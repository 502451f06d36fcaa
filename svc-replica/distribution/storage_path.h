/*  storage_path - where a storage node keeps a file: in a folder inside its own, under the file's
 *  logical name with "/", "%" and a leading "." as %XX. A longer name than a disk takes becomes
 *  "%-" and the digest of the name. The site knows it, too, because it tells tasks where a copy is.
 */
#ifndef MUSUBI_STORAGE_PATH_H
#define MUSUBI_STORAGE_PATH_H

#define STORAGE_FOLDER_BYTES_MAX 1024
#define STORAGE_PATH_BYTES       4096

/*  inside: "files", "marks". Returns path. */
const char *storage_path (const char *folder, const char *inside, const char *file,
                          char path [STORAGE_PATH_BYTES]);

#endif
