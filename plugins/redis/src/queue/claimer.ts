import { type ClaimRequest, type DeliveryClaim, epochOf, markOf, type QueueDelivery, UnknownClaims } from '@treadle/api';
import { messageOf, progressOf } from './message-text.js';
import type { QueueWork } from './queue-work.js';
import type { Subscription } from './subscription-list.js';
import { CLAIM, RENEW, VOID } from './work-scripts.js';

/** Claims that one call renews. */
const RENEW_PORTION = 1_000;

/** Of a request: subscription, whether more can be had, when the next is due or '', then id, message and progress of each delivery. */
type ClaimReply = readonly [sub: string, more: number, due: string, ...deliveries: string[]];

/** Of the claims of this process: a queue that is opened again may be the same member, and none of its claims is to have the mark of a former one. */
let lastSeq = 0;

/** Hands deliveries out, and keeps claims alive. */
export class Claimer {
  /** Subscriptions that have a limit over all engines: each settlement may let another engine go on. */
  readonly limited = new Set<number>();
  private readonly unknown = new UnknownClaims();

  constructor(private readonly work: QueueWork) {}

  async claimMany(requests: readonly ClaimRequest[], leaseMs: number): Promise<readonly QueueDelivery[]> {
    const { work } = this;
    if (requests.some((request) => !work.list.get(request))) await work.reload();
    const args = requests.flatMap((request) => {
      const number = work.list.get(request)?.number;
      if (number === undefined || request.max <= 0) return [];
      if (request.total !== undefined) this.limited.add(number);
      return [number, request.max, request.total ?? ''];
    });
    const { member } = work;
    if (args.length === 0 || member === 0) return [];
    lastSeq += 1;
    const mark = { member, seq: lastSeq };
    try {
      const replies = await work.run<readonly ClaimReply[] | null>(CLAIM, [mark.member, mark.seq, Math.ceil(leaseMs), ...args]);
      this.unknown.answered();
      return (replies ?? []).flatMap((reply) => this.deliveriesOf(reply, mark));
    } catch (error) {
      this.unknown.add(mark, requests.flatMap((request) => work.list.get(request)?.number ?? []));
      throw error;
    }
  }

  /** Frees what calls have claimed whose answers were lost with the connection: nobody works on it. */
  freeUnknown(): Promise<void> {
    return this.unknown.free(async (mark, subs) => {
      for (const sub of subs) if (await this.work.run<number>(VOID, [sub, `${mark.member}.${mark.seq}.`]) > 0) this.work.wake([sub], true);
    });
  }

  async renewMany(claims: readonly DeliveryClaim[], leaseMs: number): Promise<readonly boolean[]> {
    const renewed: boolean[] = [];
    for (let at = 0; at < claims.length; at += RENEW_PORTION) renewed.push(...await this.renew(claims.slice(at, at + RENEW_PORTION), leaseMs));
    return renewed;
  }

  private async renew(claims: readonly DeliveryClaim[], leaseMs: number): Promise<readonly boolean[]> {
    const { list } = this.work;
    const known = claims.map((claim) => {
      const mark = markOf(claim);
      const sub = list.get(claim)?.number;
      return mark && sub !== undefined ? [sub, claim.deliveryId, `${mark.member}.${mark.seq}`] : undefined;
    });
    const results = [...await this.work.run<readonly number[]>(RENEW, [Math.ceil(leaseMs), ...known.flatMap((one) => one ?? [])])];
    return known.map((one) => one !== undefined && results.shift() === 1);
  }

  private deliveriesOf([sub, more, due, ...rows]: ClaimReply, mark: { readonly member: number; readonly seq: number }): QueueDelivery[] {
    const { work } = this;
    const number = Number(sub);
    work.noteDue(number, due);
    if (more === 1) work.wakeLater(number);
    const { step = '', topic = '' } = (work.list.numbered(number) as Subscription | undefined)?.stored ?? {};
    return Array.from({ length: rows.length / 3 }, (_, index) => {
      const [id, message = '', progress = ''] = rows.slice(3 * index, 3 * index + 3);
      const deliveryId = Number(id);
      return { step, topic, deliveryId, epoch: epochOf(mark, deliveryId), ...messageOf(message, work.time), progress: progressOf(progress) };
    });
  }
}
