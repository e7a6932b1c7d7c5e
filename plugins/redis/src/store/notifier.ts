/** Texts of one notice; more go with the next. */
const MOST = 500;

/** Tells other engines what has changed, after it was stored. What is told in one turn goes together. */
export class Notifier {
  private readonly waiting = new Map<string, Set<string>>();

  /** @param send gets a channel's name and its texts */
  constructor(private readonly send: (channel: string, texts: readonly string[]) => void) {}

  tell(channel: string, texts: Iterable<string>): void {
    if (this.waiting.size === 0) setImmediate(() => this.flush());
    const known = this.waiting.get(channel) ?? new Set<string>();
    for (const text of texts) known.add(text);
    this.waiting.set(channel, known);
  }

  private flush(): void {
    const all = [...this.waiting];
    this.waiting.clear();
    for (const [channel, texts] of all) {
      const list = [...texts];
      for (let at = 0; at < list.length; at += MOST) this.send(channel, list.slice(at, at + MOST));
    }
  }
}
