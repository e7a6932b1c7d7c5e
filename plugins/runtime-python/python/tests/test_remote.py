"""How a worker that was started by hand comes back."""

import unittest

from treadle.worker.remote import Backoff, _lost
from treadle.worker.session import ClosedReason


class Backing(unittest.TestCase):
    def test_pauses_two_seconds_at_most_while_there_is_no_engine(self) -> None:
        pauses = Backoff(lambda: 1.0)
        self.assertEqual([pauses.next(False) for _ in range(7)], [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0])
        pauses.reset()
        self.assertEqual(pauses.next(False), 0.1)

    def test_pauses_thirty_seconds_at_most_when_the_engine_refuses(self) -> None:
        pauses = Backoff(lambda: 1.0)
        self.assertEqual([pauses.next(True) for _ in range(10)][-2:], [25.6, 30.0])

    def test_takes_a_broken_connection_and_a_stopping_engine_for_an_absent_one(self) -> None:
        self.assertFalse(_lost(ClosedReason(1006, "refused", None)).refused)
        self.assertFalse(_lost(ClosedReason(1001, "stopping", "draining")).refused)
        self.assertTrue(_lost(ClosedReason(4001, "no", "bad_token")).refused)
        self.assertTrue(_lost(ClosedReason(4002, "no", "protocol_version")).final)


if __name__ == "__main__":
    unittest.main()
