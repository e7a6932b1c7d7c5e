import type { Clock, SharedChanges } from '@treadle/api';

/** What is wrong with the lead. */
export type LeadFlaw = 'two_leads' | 'endless_lead' | 'silent_changes' | 'lead_once' | 'lead_kept';
/** Flaws of the lead, as flaws of an adapter. */
export const LEAD_FLAWS = ['shared_two_leads', 'shared_endless_lead', 'shared_silent_changes', 'shared_lead_once', 'shared_lead_kept'] as const;
/** Which test has to find which. */
export const LEAD_FINDERS = {
  shared_two_leads: ['lets one of two engines lead'], shared_endless_lead: ['lets another engine lead when'], shared_silent_changes: ['tells an engine of the changes'],
  shared_lead_once: ['lets one of two engines lead', 'lets another engine lead when'], shared_lead_kept: ['lets another engine lead as soon as'],
} as const;

/** Who takes the changes of a store, and who is told of them. Goes by the clock of who opened the store first. */
export class SharedLead {
  private leader: { readonly user: object; readonly until: number } | undefined;
  private readonly listeners = new Map<() => void, object>();

  constructor(private readonly clock: Clock) {}

  /** For one engine. */
  of(user: object, has: (flaw: LeadFlaw) => boolean): SharedChanges {
    return {
      lead: async (leaseMs) => {
        const { leader, clock } = this;
        const own = leader?.user === user && !has('lead_once');
        const leads = !leader || own || has('two_leads') || (leader.until <= clock.now() && !has('endless_lead'));
        if (leads) this.leader = { user, until: clock.now() + leaseMs };
        return leads;
      },
      onChanges: (listener) => {
        if (!has('silent_changes')) this.listeners.set(listener, user);
        return () => this.listeners.delete(listener);
      },
    };
  }

  /** An engine has stopped. */
  leave(user: object): void {
    if (this.leader?.user === user) this.leader = undefined;
  }

  /** A change was stored by one of the engines. */
  stored(by: object): void {
    for (const [listener, user] of this.listeners) if (user !== by) setImmediate(listener);
  }
}
