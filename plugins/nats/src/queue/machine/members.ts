/** What is known of a living member. */
export interface Member {
  /** Its last entry. */
  readonly seq: number;
  /** Its number. */
  readonly number: number;
  /** When that was stored. */
  readonly at: number;
}

/** The engines that use the queue, each under a name that it never has again once it has ended. */
export class Members {
  readonly living = new Map<string, Member>();

  saw(member: string, last: Member): void {
    this.living.set(member, last);
  }

  /** The time has gone back: nobody was heard of later than now. */
  turnBack(now: number): void {
    for (const [member, last] of this.living) if (last.at > now) this.living.set(member, { ...last, at: now });
  }

  has(member: string): boolean {
    return this.living.has(member);
  }

  /** True when nothing has come of it since. */
  isSilentSince(member: string, seq: number): boolean {
    return this.living.get(member)?.seq === seq;
  }

  end(member: string): boolean {
    return this.living.delete(member);
  }
}
