"""Tests of Python Steps: ``create_test_engine`` starts an engine in memory, and the Steps run in the test's own process."""

from .application import ApplicationError
from .engine import TestEngine, create_test_engine
from .records import Answer, Clock, CronRun, DeadLetter, Log, Message

__all__ = ["Answer", "ApplicationError", "Clock", "CronRun", "DeadLetter", "Log", "Message", "TestEngine", "create_test_engine"]
