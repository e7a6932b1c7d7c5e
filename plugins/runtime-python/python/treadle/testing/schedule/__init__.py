"""Cron expressions as the engine reads them."""
