/** Something that gathers work during a turn of the event loop. */
export interface TurnPart {
  flush(): void;
}

/**
 * Runs what gathered during a turn of the event loop at its end, in one go. The check phase follows the poll phase
 * directly, so this costs no latency.
 */
export class Turn {
  private readonly parts: TurnPart[] = [];
  private planned = false;

  /** Parts run in the order in which they were added. */
  add(part: TurnPart): void {
    this.parts.push(part);
  }

  /** The turn's end is wanted. */
  plan(): void {
    if (this.planned) return;
    this.planned = true;
    setImmediate(this.end);
  }

  private readonly end = (): void => {
    this.planned = false;
    for (const part of this.parts) part.flush();
  };
}
