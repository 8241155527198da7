#!/bin/sh
# Runs a script of this folder as a job of Slurm; start.sh submits it. Options of start.sh, and
# Slurm's variables such as SBATCH_PARTITION, take precedence over these:
#SBATCH --ntasks=1
#SBATCH --time=01:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
exec srun sh "$@"
