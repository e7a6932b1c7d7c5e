"""Threads for handlers that are no coroutines."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue

Task = Callable[[], None]


class ThreadPool:
    """
    Threads that are made when they are needed, up to a limit, and kept. They are daemons: a handler that never returns
    must not keep the process from ending.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._tasks: SimpleQueue[Task] = SimpleQueue()
        #: Threads that have nothing to do, less tasks that no thread has taken.
        self._idle = 0
        self._count = 0
        self._lock = threading.Lock()

    def submit(self, task: Task) -> None:
        """Runs a task, which must not raise; it waits while all threads are busy."""
        with self._lock:
            self._idle -= 1
            self._grow()
        self._tasks.put(task)

    @contextmanager
    def blocked(self) -> Iterator[None]:
        """While a thread waits for what another one has to do it does not count, or all might wait for each other."""
        with self._lock:
            self._limit += 1
            self._grow()
        try:
            yield
        finally:
            with self._lock:
                self._limit -= 1

    def _grow(self) -> None:
        if self._idle < 0 and self._count < self._limit:
            self._count += 1
            self._idle += 1
            threading.Thread(target=self._work, name=f"treadle-{self._count}", daemon=True).start()

    def _work(self) -> None:
        while True:
            task = self._tasks.get()
            task()
            del task
            with self._lock:
                if self._count > self._limit and self._idle >= 0:
                    self._count -= 1
                    return
                self._idle += 1
