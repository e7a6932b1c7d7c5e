import type { SubscriptionChange, SubscriptionKey } from '../blocks/queue-messages.js';

/**
 * The subscriptions that this engine wants, for a store that counts votes by member. An engine that others have taken for gone comes back as another member,
 * for which none of its votes count until they are cast again; else a deployment could retire what it still wants.
 */
export class StandingVotes {
  private readonly keys = new Map<string, SubscriptionKey>();
  /** The member that all of them were cast by; 0 while some may be of another one. */
  private voter = 0;
  private casting: Promise<unknown> = Promise.resolve();
  private changing = 0;

  /**
   * Has changes carried out while no votes are cast: one that is taken back would be cast again. `member`: what the engine is. `carryOut` ends when the subscriptions
   * were read again.
   */
  async change(changes: readonly SubscriptionChange[], member: () => number, carryOut: () => Promise<unknown>): Promise<void> {
    this.changing += 1;
    try {
      await this.casting;
      const by = member();
      await carryOut();
      this.note(changes);
      if (by !== member()) this.voter = 0;
    } finally {
      this.changing -= 1;
    }
  }

  /**
   * Has all of them cast when the engine is another member than before; what fails is tried again the next time, and so is what comes during a change: who keeps them
   * must not wait for one. `member`: 0 while it is none.
   */
  async keep(member: number, cast: (keys: readonly SubscriptionKey[]) => Promise<unknown>): Promise<void> {
    if (member === 0 || member === this.voter || this.changing > 0) return;
    this.voter = member;
    const casting = cast([...this.keys.values()]);
    this.casting = casting.catch(() => undefined);
    try {
      await casting;
    } catch (error) {
      this.voter = 0;
      throw error;
    }
  }

  private note(changes: readonly SubscriptionChange[]): void {
    for (const change of changes) {
      if (change.action === 'put') this.keys.set(nameOf(change.subscription), change.subscription);
      if (change.action === 'retire') this.keys.delete(nameOf(change.key));
    }
  }
}

const nameOf = ({ step, topic }: SubscriptionKey): string => JSON.stringify([step, topic]);
