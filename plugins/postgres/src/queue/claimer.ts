import { type ClaimRequest, type DeliveryClaim, epochOf, markOf, type QueueDelivery, UnknownClaims } from '@treadle/api';
import { messageOf, type MessageRow } from './delivery-row.js';
import type { QueueWork } from './queue-work.js';
import type { Subscription } from './subscription-list.js';

const CLAIM = 'SELECT * FROM queue_claim($1, $2, $3, $4, $5, $6, $7)';
/** Gives the places of those that hold, from 1. */
const RENEW = 'SELECT queue_renew($1, $2, $3, $4, $5, $6) AS places';

const FREE = 'UPDATE queue_deliveries SET lease_until = 0 WHERE sub = ANY ($1::integer[]) AND state = 3 AND member = $2 AND seq = $3 RETURNING sub';

/** A delivery; with an id of null what is known of its subscription after the claim. */
interface ClaimRow extends MessageRow {
  readonly sub: number;
  readonly hops: number;
  readonly next_due: number | null;
  readonly more: boolean | null;
}

interface Request {
  readonly subscription: Subscription;
  readonly max: number;
  readonly total: number | undefined;
}

/** Hands deliveries out. Claims are not synced to the disk: one that a crash of the server takes back is void. */
export class Claimer {
  /** Subscriptions that have a limit over all engines: each settlement may let another engine go on. */
  readonly limited = new Set<number>();
  private seq = 0;
  private readonly unknown = new UnknownClaims();

  constructor(private readonly work: QueueWork) {}

  claimMany(requests: readonly ClaimRequest[], leaseMs: number): Promise<readonly QueueDelivery[]> {
    return this.work.claiming.run(() => this.claim(requests, leaseMs));
  }

  /** Frees what calls have claimed whose answers were lost with the connection: nobody works on it. */
  freeUnknown(): Promise<void> {
    return this.unknown.free(async (mark, subs) => {
      const freed = await this.work.queries.rows<{ sub: number }>(FREE, [subs, mark.member, mark.seq], 'queue.free');
      this.work.wake(freed.map(({ sub }) => sub), true);
    });
  }

  async renewMany(claims: readonly DeliveryClaim[], leaseMs: number): Promise<readonly boolean[]> {
    const { list, queries, time } = this.work;
    const known = claims.flatMap((claim) => {
      const sub = list.get(claim)?.number;
      const mark = markOf(claim);
      return sub === undefined || mark === undefined ? [] : [{ claim, sub, ...mark }];
    });
    if (known.length === 0) return claims.map(() => false);
    const now = time.now();
    const [row] = await queries.rows<{ places: readonly number[] }>(RENEW, [
      now, now + Math.ceil(leaseMs), known.map(({ sub }) => sub), known.map(({ claim }) => claim.deliveryId), known.map(({ member }) => member),
      known.map(({ seq }) => seq),
    ], 'queue.renew');
    const renewed = new Set(row?.places.map((place) => known[place - 1]?.claim));
    return claims.map((claim) => renewed.has(claim));
  }

  private async claim(requests: readonly ClaimRequest[], leaseMs: number): Promise<readonly QueueDelivery[]> {
    const { work } = this;
    if (requests.some((request) => !work.list.get(request))) await work.reload();
    const known = requests.flatMap((request): Request[] => {
      const subscription = work.list.get(request);
      return subscription && request.max > 0 ? [{ subscription, max: request.max, total: request.total }] : [];
    });
    const { member } = work;
    if (known.length === 0 || member === 0) return [];
    for (const { subscription, total } of known) if (total !== undefined) this.limited.add(subscription.number);
    const mark = { member, seq: this.seq += 1 };
    const now = work.time.now();
    const subs = known.map(({ subscription }) => subscription.number);
    try {
      const rows = await work.queries.rows<ClaimRow>(CLAIM, [
        member, mark.seq, now, now + Math.ceil(leaseMs), subs, known.map(({ max }) => max), known.map(({ total }) => total ?? null),
      ], 'queue.claim');
      this.unknown.answered();
      return this.deliveriesOf(known, rows, mark);
    } catch (error) {
      this.unknown.add(mark, subs);
      throw error;
    }
  }

  private deliveriesOf(known: readonly Request[], rows: readonly ClaimRow[], mark: { readonly member: number; readonly seq: number }): QueueDelivery[] {
    const { due, time } = this.work;
    const bySub = new Map<number, ClaimRow[]>(known.map(({ subscription }) => [subscription.number, []]));
    for (const row of rows) {
      if ((row.id as number | null) !== null) bySub.get(row.sub)?.push(row);
      else {
        if (row.next_due !== null) due.note(row.sub, row.next_due);
        if (row.more) this.work.wakeLater(row.sub);
      }
    }
    return [...new Set(known.map(({ subscription }) => subscription))].flatMap(({ number, stored: { step, topic } }) => (
      (bySub.get(number) ?? []).sort((a, b) => a.id - b.id).map((row) => (
        { step, topic, deliveryId: row.id, epoch: epochOf(mark, row.id), hops: row.hops, ...messageOf(row, time) }))));
  }
}
