#!/usr/bin/env bash
# Sets up SLURM with two nodes on this machine, runs a command, and removes the set-up.
#
# usage: examples/slurm/one_machine.sh COMMAND [ARGUMENT...]
#
# Must run as root on Debian, for example in a container. It installs the packages munge, slurm-client, slurmctld and slurmd, and uses the
# ports 6817, 16818 and 16819. It refuses a machine that has a configuration of SLURM, because it could be a node of a real cluster.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$repository/scripts/packages.sh"

refuse() {
    printf 'examples/slurm/one_machine.sh: %s\n' "$1" >&2
    exit 69
}

(($# > 0)) || refuse "name the command to run"
(($(id -u) == 0)) || refuse "starting slurmd needs root; run it in a container as root"
command -v apt-get >/dev/null || refuse "this system has no apt-get; use Debian or one of its containers"
configuration=/etc/slurm/slurm.conf
[[ ! -e $configuration ]] || refuse "$configuration exists; use a machine without SLURM"

VOXCC_PACKAGES=(munge slurm-client slurmctld slurmd)
install_packages

host=$(hostname -s)
state=$(mktemp -d)
started_munge=

# Ends the processes of this script by the numbers that they wrote, and removes the configuration. Keeps the logs if the command failed.
remove_cluster() {
    local status=$? pid process
    if [[ -e $state/slurmctld.pid ]]; then scancel --user=root --wait 2>/dev/null || true; fi
    for pid in "$state"/*.pid ${started_munge:+/run/munge/munged.pid}; do
        if [[ -s $pid ]]; then
            process=$(<"$pid")
            kill "$process" 2>/dev/null || true
            timeout 30 tail --pid "$process" -f /dev/null || true  # slurmctld writes its state before it ends
        fi
    done
    rm -f "$configuration"
    if ((status == 0)); then
        rm -rf "$state"
    else
        echo "the command failed; logs of SLURM: $state" >&2
    fi
}
trap remove_cluster EXIT
trap 'exit 130' INT TERM

say "Starting SLURM with the nodes n1 and n2"
if ! munge --no-input 2>/dev/null | unmunge >/dev/null 2>&1; then
    install -d -o munge -g munge /run/munge
    runuser -u munge -- munged
    started_munge=yes
fi
mkdir "$state/controller" "$state/n1" "$state/n2"
# Without cgroups and accounting, SLURM also runs in containers. Memory limits are not enforced then.
cat >"$configuration" <<END
ClusterName=voxcc
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
MinJobAge=300
SlurmdParameters=config_overrides
StateSaveLocation=$state/controller
SlurmctldPidFile=$state/slurmctld.pid
SlurmctldLogFile=$state/slurmctld.log
SlurmdSpoolDir=$state/%n
SlurmdPidFile=$state/slurmd.%n.pid
SlurmdLogFile=$state/slurmd.%n.log
NodeName=n[1-2] NodeHostname=$host NodeAddr=127.0.0.1 Port=[16818-16819] CPUs=2 RealMemory=4000
PartitionName=main Nodes=n[1-2] Default=YES MaxTime=INFINITE State=UP
END
slurmctld -i
slurmd -N n1
slurmd -N n2
for ((second = 0; second < 60; ++second)); do
    if [[ $(sinfo --noheader --format=%T --nodes=n1,n2 2>/dev/null) == idle ]]; then break; fi
    sleep 1
done
sinfo


"$@"
