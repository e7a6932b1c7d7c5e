"""Tests of Python Steps without an engine: ``create_test_engine`` runs them in the test's own process."""

from .application import ApplicationError
from .blocks.messages import Message
from .blocks.queue import DeadLetter
from .clients import Clock, CronRun, Log
from .engine import TestEngine, create_test_engine
from .requests.answer import Answer

__all__ = ["Answer", "ApplicationError", "Clock", "CronRun", "DeadLetter", "Log", "Message", "TestEngine", "create_test_engine"]
