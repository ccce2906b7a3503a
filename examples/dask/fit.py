"""Fit a model with Dask: the pieces of gram part on the workers of a cluster.

    fit.py WORK MODEL [SCHEDULER] -- the flags of gram part items, except --work

WORK is a folder that all workers share, and gram must be in their path. Without the address
of a scheduler, two workers are started on this machine. Dask starts a piece again when its
worker dies; a piece whose result is there does nothing.
"""
import subprocess
import sys
from contextlib import nullcontext

from dask.distributed import Client, LocalCluster


def part(work, step, *args):
    """Run one step and return what it prints. An error is the line that gram prints."""
    command = ["gram", "part", step, "--work", work, *map(str, args)]
    p = subprocess.run(command, capture_output=True, text=True)
    if p.returncode:
        raise RuntimeError(p.stderr.strip())
    return p.stdout


def main():
    cut = sys.argv.index("--")
    work, model, *scheduler = sys.argv[1:cut]
    part(work, "items", *sys.argv[cut + 1:])
    local = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) if not scheduler else nullcontext(scheduler[0])
    with local as cluster, Client(cluster) as client:
        while (step := part(work, "next").split())[0] != "finish":
            pieces = [client.submit(part, work, step[0], "--item", k, "--workers", 1, pure=False) for k in range(int(step[1]))]
            client.gather(pieces)
        print(part(work, "finish", "-o", model), end="")


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as err:
        sys.exit(str(err))
