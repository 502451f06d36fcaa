/*  chain_fake_names - chain_fake's functions by names of their own, so that a program may have the
 *  real chain beside it. Included before all else where the scene is compiled.
 */
#ifndef MUSUBI_CHAIN_FAKE_NAMES_H
#define MUSUBI_CHAIN_FAKE_NAMES_H

#define chain_begin          fake_chain_begin
#define chain_bytes_files    fake_chain_bytes_files
#define chain_bytes_held     fake_chain_bytes_held
#define chain_cancel         fake_chain_cancel
#define chain_destroy        fake_chain_destroy
#define chain_drop           fake_chain_drop
#define chain_file_after     fake_chain_file_after
#define chain_feeds          fake_chain_feeds
#define chain_file           fake_chain_file
#define chain_forget         fake_chain_forget
#define chain_join           fake_chain_join
#define chain_lend           fake_chain_lend
#define chain_new            fake_chain_new
#define chain_next           fake_chain_next
#define chain_node           fake_chain_node
#define chain_node_at        fake_chain_node_at
#define chain_nodes          fake_chain_nodes
#define chain_observe        fake_chain_observe
#define chain_prove          fake_chain_prove
#define chain_room           fake_chain_room
#define chain_source         fake_chain_source
#define chain_transfer       fake_chain_transfer
#define chain_limits_default fake_chain_limits_default

#endif
