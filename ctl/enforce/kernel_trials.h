/* SPDX-License-Identifier: GPL-2.0 */
/* The acts by which the self-check tries the hooks on the kernel's own surface. */
#ifndef AGENTCTL_KERNEL_TRIALS_H
#define AGENTCTL_KERNEL_TRIALS_H

#include "ctl/enforce/trials.h"

bool refused_mount(const struct stage *stage);
bool refused_move_mount(const struct stage *stage);
bool refused_umount(const struct stage *stage);
bool refused_pivot(const struct stage *stage);
bool refused_chroot(const struct stage *stage);
bool refused_userns(const struct stage *stage);
bool refused_open_tree(const struct stage *stage);
bool refused_bpf(const struct stage *stage);
bool refused_perf(const struct stage *stage);
bool refused_module_file(const struct stage *stage);
bool refused_module(const struct stage *stage);
bool refused_module_request(const struct stage *stage);
bool refused_own_map(const struct stage *stage);
bool refused_key(const struct stage *stage);
bool refused_clone_into(const struct stage *stage);
bool refused_cgroup(const struct stage *stage);
bool refused_hardware(const struct stage *stage);
bool refused_polling(const struct stage *stage);

/* Is the act refused whoever tries it? For struct trial's is_moot. */
bool moot_anyway(const struct trial *trial, const struct stage *stage);
bool moot_module_request(const struct trial *trial, const struct stage *stage);

#endif
