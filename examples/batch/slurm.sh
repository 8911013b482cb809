#!/bin/sh
# A Slurm job array: each job does its part of the tasks, and a job that is started again goes on where it was.
#
#   sbatch --array=1-16 slurm.sh tasks.toml results
#
#SBATCH --cpus-per-task=2
#SBATCH --mem=8G
#SBATCH --time=04:00:00
set -u
tasks=$1
results=$2
part=${SLURM_ARRAY_TASK_ID:?this is a job of an array}
mkdir -p "$results"
puch batch "$tasks" --shard "$part/${SLURM_ARRAY_TASK_COUNT:?}" --jobs "${SLURM_CPUS_PER_TASK:-1}" \
  --results "$results/$part.jsonl" --quiet
# 0, 1 and 3 are answers; only 2 says that something is wrong.
code=$?
[ "$code" -ne 2 ]
