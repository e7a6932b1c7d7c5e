import { type Catalog, type Invoker, type Logger, rootOrigin, StepFailure, type Telemetry } from '@treadle/api';
import type { Declarations, HookPlace } from './declarations.js';
import { Lane } from './lane.js';

/** What a client wants to follow, as hooks see it. */
export interface HookSubscription {
  readonly subscriptionId: string;
  readonly streamName: string;
  readonly groupId: string;
  readonly id?: string | undefined;
}

/** The upgrade request of a client, as `authenticate` sees it. */
export interface HookRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly url: string;
  readonly ip: string;
}

/** Whether a client is let in. `open`: nothing is declared that would know. */
export type Authentication =
  | { readonly outcome: 'known'; readonly auth: unknown }
  | { readonly outcome: 'open' | 'refused' | 'unavailable' };

/** Whether a join is granted. `undecided`: nothing is declared that would know. */
export type Access = 'granted' | 'undecided' | 'refused' | 'unavailable' | 'unknown_stream';

/** What a hook may take, and how long it may wait for a worker; milliseconds. */
const TIMEOUT_MS = 10_000;
const WAIT_MS = 1_000;
/** Joins and leaves that are told at the same time; those of a whole server that ends are many. */
const NOTICES = 32;
/** Failures that say nothing about the client: nobody answered. */
const NOBODY = new Set(['no_worker', 'overloaded', 'draining', 'worker_lost', 'handler_timeout', 'cancelled']);

export interface HookParts {
  readonly catalog: Catalog;
  readonly invoker: Invoker;
}

/** Calls the functions of stream files as handlers. Whatever goes wrong, nobody is let in. */
export class Hooks {
  private readonly notices = new Lane(NOTICES);

  constructor(
    private readonly parts: HookParts, private readonly declarations: Declarations, private readonly log: () => Logger,
    private readonly telemetry?: Telemetry,
  ) {}

  async authenticate(request: HookRequest): Promise<Authentication> {
    // Before the catalog is whole nobody knows whether there is one.
    if (!this.parts.catalog.settled) return { outcome: 'unavailable' };
    const place = this.declarations.authentication;
    if (!place) return { outcome: 'open' };
    if (this.parts.invoker.servers(place.step) === 0) return { outcome: 'unavailable' };
    try {
      const auth = await this.run(place, { hook: 'authenticate', request });
      return auth === undefined || auth === null ? { outcome: 'refused' } : { outcome: 'known', auth };
    } catch (error) {
      return { outcome: outcomeOf(error) };
    }
  }

  async canAccess(subscription: HookSubscription, auth: unknown): Promise<Access> {
    const declaration = this.declarations.find(subscription.streamName);
    if (!declaration) return this.parts.catalog.settled ? 'unknown_stream' : 'unavailable';
    if (!declaration.canAccess) return 'undecided';
    if (this.parts.invoker.servers(declaration.step) === 0) return 'unavailable';
    try {
      return await this.run(declaration, { hook: 'canAccess', subscription, auth: auth ?? null }) === true ? 'granted' : 'refused';
    } catch (error) {
      return outcomeOf(error);
    }
  }

  /** Tells the stream's file of a join or leave; resolves when it knows, or could not be told, which is logged. */
  async notify(hook: 'onJoin' | 'onLeave', subscription: HookSubscription, auth: unknown): Promise<void> {
    const declaration = this.declarations.find(subscription.streamName);
    if (!declaration?.[hook]) return;
    await this.notices.run(async () => {
      try {
        await this.run(declaration, { hook, subscription, auth: auth ?? null });
      } catch {
        // Logged; nobody waits for an answer.
      }
    });
  }

  /** Rejects as the invoker does, after it was logged in the trace of the call. */
  private async run({ step, trigger }: HookPlace, input: Readonly<Record<string, unknown>> & { readonly hook: string }): Promise<unknown> {
    const origin = rootOrigin(this.telemetry);
    try {
      const { value } = await this.parts.invoker.invoke({
        step, trigger, input, ...origin, timeoutMs: TIMEOUT_MS, waitMs: WAIT_MS, attempt: 1, lane: 'request',
      });
      return value;
    } catch (error) {
      const { traceId, spanId } = origin;
      const stack = error instanceof StepFailure ? error.detail.stack : undefined;
      const reason = error instanceof Error ? error.message : String(error);
      this.log().warn('a function of a stream file failed', { stepName: step, traceId, spanId, hook: input.hook, reason, stack });
      throw error;
    }
  }
}

function outcomeOf(error: unknown): 'refused' | 'unavailable' {
  return error instanceof StepFailure && NOBODY.has(error.code) ? 'unavailable' : 'refused';
}
