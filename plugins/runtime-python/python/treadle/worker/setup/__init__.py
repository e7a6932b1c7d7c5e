"""Setups of ``*_setup.py`` and variables of ``*_env.py``; see core/worker/src/setup, which has the same rules."""
