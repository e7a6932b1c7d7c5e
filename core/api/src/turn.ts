/**
 * The phases of a turn of the event loop, in the order in which an engine runs them at the turn's end:
 *
 * | phase | who | what |
 * |---|---|---|
 * | `enqueue` | publishers | messages that were published go to the store |
 * | `settle` | consumers | the ends of deliveries go to the store |
 * | `claim` | consumers | deliveries are taken for slots that are free |
 * | `frames` | connections | what was gathered for each peer is written |
 * | `commit` | stores | what was written is made durable, all of it together; may block the event loop |
 *
 * `frames` comes before `commit`, and once more after it when what is awaited of the commit has arrived: so peers work while the engine
 * waits for the disk. Measured on requests whose message is consumed at once, this is worth 12 to 24 %.
 */
export const TURN_PHASES = ['enqueue', 'settle', 'claim', 'frames', 'commit'] as const;

export type TurnPhase = (typeof TURN_PHASES)[number];

/** All that does not wait for the end of the turn. */
export const EARLY = {
  /**
   * Deliveries are claimed as soon as no microtask is left: quick handlers end within the turn in which they began, and their slots need not stay
   * empty until the next one. After so many milliseconds of it what else there is to claim waits for its phase, so that others have their turn.
   */
  claimMs: 2,
  /**
   * Messages for a Step process after which it gets them at once. Measured with 64 connections: at 24 a worker does 4 to 8 % more
   * GET requests, 7 % more POST requests and 15 % more orders than with one frame a turn; at 16 and 32 about the same.
   */
  frameMessages: 24,
} as const;

/**
 * The turns of the event loop, as one engine counts them. Modules and adapters gather what comes during a turn and do it at the turn's end in one
 * go: one frame, one transaction, one claim for many messages. Whoever takes part says in which phase; whoever writes as it comes needs no turn.
 */
export interface Turn {
  /**
   * Takes part: the returned function asks for `run` at the end of this turn. `run` is called once however often it was asked for, with those of its phase in the
   * order in which they asked. Asked for in a phase that is over or under way, it is called at the end of the next turn; for `frames` see `TURN_PHASES`. What it throws is
   * an uncaught exception, and keeps nobody else from running.
   */
  at(phase: TurnPhase, run: () => void): () => void;
}
