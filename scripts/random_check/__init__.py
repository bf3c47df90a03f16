"""The parts of scripts/random_runs.py. They share no code with linchpin."""
