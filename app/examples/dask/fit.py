"""Fit a model with Dask: the pieces of gram part on the workers of a cluster.

    fit.py WORK MODEL [SCHEDULER] -- the flags of gram part items, except --work

WORK is a folder that all workers share, and gram must be in their path. Without the address
of a scheduler, two workers are started on this machine. Dask starts a piece again when its
worker dies; a piece whose result is there does nothing. A run that fails is continued by the
same command.
"""
import subprocess
import sys
import time
from contextlib import nullcontext

import dask
from dask.distributed import Client, KilledWorker, LocalCluster, TimeoutError, wait

PATIENCE = 120  # seconds without any worker

# A worker that is starting again when this time has passed since an earlier one died is closed
# for good. The default is 15 seconds, so that two deaths can end the cluster.
dask.config.set({"distributed.deploy.lost-worker-timeout": "365 days"})


def part(work, step, *args):
    """Run one step and return what it prints. An error is the line that gram prints."""
    command = ["gram", "part", step, "--work", work, *map(str, args)]
    p = subprocess.run(command, capture_output=True, text=True)
    if p.returncode:
        raise RuntimeError(p.stderr.strip())
    return p.stdout


def done(client, pieces):
    """Wait for the pieces, as long as the cluster has workers or gets some."""
    seen = time.monotonic()
    while True:
        try:
            wait(pieces, timeout=2)
            break
        except TimeoutError:
            now = time.monotonic()
            if client.scheduler_info()["workers"]:
                seen = now
            elif now - seen > PATIENCE:
                raise RuntimeError(f"the cluster has had no workers for {PATIENCE} s; the same command goes on with what is there")
    try:
        client.gather(pieces)
    except KilledWorker as err:
        raise RuntimeError(f"a piece has ended all its workers, perhaps for lack of memory ({err}); the same command goes on with what is there")


def main():
    cut = sys.argv.index("--")
    work, model, *scheduler = sys.argv[1:cut]
    part(work, "items", *sys.argv[cut + 1:])
    local = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) if not scheduler else nullcontext(scheduler[0])
    with local as cluster, Client(cluster) as client:
        while (step := part(work, "next").split())[0] != "finish":
            pieces = [client.submit(part, work, step[0], "--item", k, "--workers", 1, pure=False) for k in range(int(step[1]))]
            done(client, pieces)
        print(part(work, "finish", "-o", model), end="")


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as err:
        sys.exit(str(err))
