import { type ClaimRequest, type DeliveryClaim, epochOf, markOf, type QueueDelivery, UnknownClaims } from '@treadle/api';
import { bigints, integers } from '../store/binary-arrays.js';
import { ClaimAhead, type GiveBack } from './claim-ahead.js';
import { messageOf, type MessageRow } from './delivery-row.js';
import type { QueueWork } from './queue-work.js';
import type { Subscription } from './subscription-list.js';

const CLAIM = 'SELECT * FROM queue_claim($1, $2, $3, $4, $5, $6, $7)';
/** Gives the places of those that hold, from 1. */
const RENEW = 'SELECT queue_renew($1, $2, $3, $4, $5, $6) AS places';

const FREE = 'UPDATE queue_deliveries SET lease_until = 0 WHERE sub = ANY ($1::integer[]) AND state = 3 AND member = $2 AND seq = $3 AND lease_until > 0 RETURNING sub';

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
  /** With what nobody has asked for yet. */
  readonly most: number;
  readonly total: number | undefined;
}

/** Hands deliveries out. Claims are not synced to the disk: one that a crash of the server takes back is void. */
export class Claimer {
  /** Subscriptions that have a limit over all engines: each settlement may let another engine go on. */
  readonly limited = new Set<number>();
  private seq = 0;
  private readonly unknown = new UnknownClaims();
  private readonly ahead: ClaimAhead;
  private leaseMs = 0;

  /** @param giveBack gives deliveries back as they were */
  constructor(private readonly work: QueueWork, giveBack: GiveBack) {
    this.ahead = new ClaimAhead({
      clock: work.clock, giveBack,
      member: () => work.member,
      claim: (sub, most) => work.claiming.run(() => this.claimAhead(sub, most)),
      more: (sub) => work.wake([sub], false),
    });
  }

  claimMany(requests: readonly ClaimRequest[], leaseMs: number): Promise<readonly QueueDelivery[]> {
    this.leaseMs = leaseMs;
    if (requests.length > 0 && requests.every((request) => this.isAhead(request))) return Promise.resolve(this.takeAhead(requests));
    return this.work.claiming.run(async () => {
      const ahead = new Set(requests.filter((request) => this.isAhead(request)));
      const rest = requests.filter((request) => !ahead.has(request));
      // What lies here is taken last: it may be void after a claim that took long.
      const claimed = rest.length === 0 ? [] : await this.claim(rest, leaseMs);
      return [...this.takeAhead([...ahead]), ...claimed];
    });
  }

  /** Gives back what was claimed before anybody asked. @param giveBack as `ClaimAhead.clear` */
  returnAhead(giveBack?: GiveBack): Promise<void> {
    return this.ahead.clear(giveBack);
  }

  /** Gives the same back, and claims nothing more ahead. */
  close(): Promise<void> {
    return this.ahead.close();
  }

  /** Frees what calls have claimed whose answers were lost with the connection: nobody works on it. */
  freeUnknown(): Promise<void> {
    void this.ahead.retry();
    return this.unknown.free(async (mark, subs) => {
      const freed = await this.work.queries.rows<{ sub: number }>(FREE, [subs, mark.member, mark.seq], 'queue.free');
      this.work.wake(freed.map(({ sub }) => sub), true);
    }, this.work.time.now());
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
      now, now + Math.ceil(leaseMs), integers(known.map(({ sub }) => sub)), bigints(known.map(({ claim }) => claim.deliveryId)),
      bigints(known.map(({ member }) => member)), bigints(known.map(({ seq }) => seq)),
    ], 'queue.renew');
    const renewed = new Set(row?.places.map((place) => known[place - 1]?.claim));
    return claims.map((claim) => renewed.has(claim));
  }

  /** Something was claimed for it before it was asked for. */
  private isAhead(request: ClaimRequest): boolean {
    const subscription = this.work.list.get(request);
    return subscription !== undefined && mayBeAhead(subscription, request.total) && this.ahead.has(subscription.number);
  }

  private takeAhead(requests: readonly ClaimRequest[]): readonly QueueDelivery[] {
    return requests.flatMap((request) => {
      const subscription = this.work.list.get(request);
      return subscription && mayBeAhead(subscription, request.total) ? this.ahead.take(subscription.number, request.max) : [];
    });
  }

  private async claimAhead(sub: number, most: number): Promise<readonly QueueDelivery[]> {
    const { work } = this;
    const subscription = work.list.numbered(sub);
    if (!subscription || !mayBeAhead(subscription, undefined) || work.member === 0) return [];
    return (await this.claimRows([{ subscription, max: most, most, total: undefined }], this.leaseMs)).get(sub) ?? [];
  }

  private async claim(requests: readonly ClaimRequest[], leaseMs: number): Promise<readonly QueueDelivery[]> {
    const { work } = this;
    if (requests.some((request) => !work.list.get(request))) await work.reload();
    const known = requests.flatMap((request): Request[] => {
      const subscription = work.list.get(request);
      const { max, total } = request;
      if (!subscription || max <= 0) return [];
      return [{ subscription, max, total, most: mayBeAhead(subscription, total) ? this.ahead.wish(subscription.number, max) : max }];
    });
    if (known.length === 0 || work.member === 0) return [];
    for (const { subscription, total } of known) if (total !== undefined) this.limited.add(subscription.number);
    return [...await this.claimRows(known, leaseMs)].flatMap(([number, deliveries]) => {
      const asked = known.filter(({ subscription }) => subscription.number === number);
      const [{ subscription, total }] = asked as [Request];
      return mayBeAhead(subscription, total) ? this.ahead.keep(number, asked.reduce((sum, { max }) => sum + max, 0), deliveries) : deliveries;
    });
  }

  /** By subscription, in the order of the requests. */
  private async claimRows(known: readonly Request[], leaseMs: number): Promise<ReadonlyMap<number, readonly QueueDelivery[]>> {
    const { work } = this;
    const mark = { member: work.member, seq: this.seq += 1 };
    const now = work.time.now();
    const until = now + Math.ceil(leaseMs);
    const subs = known.map(({ subscription }) => subscription.number);
    const isSent = !work.store.connections.suspended;
    try {
      const rows = await work.queries.rows<ClaimRow>(CLAIM, [
        mark.member, mark.seq, now, until, integers(subs), integers(known.map(({ most }) => most)), known.map(({ total }) => total ?? null),
      ], 'queue.claim');
      this.unknown.answered();
      return this.deliveriesOf(known, rows, mark);
    } catch (error) {
      if (isSent) this.unknown.add(mark, subs, until);
      throw error;
    }
  }

  private deliveriesOf(known: readonly Request[], rows: readonly ClaimRow[], mark: { readonly member: number; readonly seq: number }): ReadonlyMap<number, readonly QueueDelivery[]> {
    const { due, time } = this.work;
    const bySub = new Map<number, ClaimRow[]>(known.map(({ subscription }) => [subscription.number, []]));
    for (const row of rows) {
      if ((row.id as number | null) !== null) bySub.get(row.sub)?.push(row);
      else {
        if (row.next_due !== null) due.note(row.sub, row.next_due);
        if (row.more) this.work.wakeLater(row.sub);
      }
    }
    return new Map(known.map(({ subscription: { number, stored: { step, topic } } }) => [number, (bySub.get(number) ?? []).sort((a, b) => a.id - b.id).map((row) => (
      { step, topic, deliveryId: row.id, epoch: epochOf(mark, row.id), hops: row.hops, ...messageOf(row, time) }))]));
  }
}

/** Of a group's deliveries the first alone can be claimed, what counts against a total is not to lie about, and of a paused subscription nothing is handed out. */
function mayBeAhead({ stored, retired }: Subscription, total: number | undefined): boolean {
  return !stored.fifo && !stored.paused && !retired && total === undefined;
}
