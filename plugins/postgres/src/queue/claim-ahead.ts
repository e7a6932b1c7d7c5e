import { type Clock, markOf, type QueueDelivery, type Timer } from '@treadle/api';
import { Demand } from './demand.js';

/** For who has taken fewer within the last moments nothing is claimed ahead, unless something lies here. */
const LEAST = 50;
/** After so long without being asked, what lies here goes back; milliseconds. */
const KEPT_MS = 50;
/**
 * What was claimed longer ago is not handed out, however often somebody asks: nobody renews its lease, others may have taken this engine for gone meanwhile, and who
 * takes so slowly needs no claims ahead; milliseconds.
 */
const GOOD_MS = 1_000;
/** Of one subscription. */
const MOST = 300;
const MOST_CHARACTERS = 1_000_000;

/** What it works with. */
export interface ClaimAheadParts {
  readonly clock: Clock;
  /** Who claims now; what another one has claimed is void. */
  readonly member: () => number;
  /** Claims up to `most` deliveries of a subscription. */
  readonly claim: (sub: number, most: number) => Promise<readonly QueueDelivery[]>;
  /** Gives deliveries back as they were. */
  readonly giveBack: GiveBack;
  /** More of the subscription can be had. */
  readonly more: (sub: number) => void;
}

/** Resolves when the store has them back. */
export type GiveBack = (deliveries: readonly QueueDelivery[]) => Promise<unknown>;

/** Claimed, and not asked for yet. */
interface Kept {
  readonly delivery: QueueDelivery;
  /** When its claim was asked for. */
  readonly at: number;
}

/** Of one subscription. */
interface Stock {
  /** In the order in which they were claimed. */
  kept: readonly Kept[];
  /** The last one who asked got all that he had asked for. */
  full: boolean;
  readonly demand: Demand;
  /** When somebody last asked. */
  askedAt: number;
  /** Characters of a delivery, by the last ones. */
  characters: number;
  refilling: boolean;
  timer?: Timer | undefined;
}

/**
 * Claims more than was asked for, and the next ones before somebody asks, for consumers that take many: else each would wait for a round trip after what it has
 * room for, which may be few of the many that it handles in that time. What nobody fetches within moments goes back.
 */
export class ClaimAhead {
  private readonly stocks = new Map<number, Stock>();
  /** What is to go back; true: it is on its way. The rest waits for the store, which was away. */
  private readonly back = new Map<QueueDelivery, boolean>();
  private closed = false;

  constructor(private readonly parts: ClaimAheadParts) {}

  /** Something lies here that may be handed out. What may not goes back. */
  has(sub: number): boolean {
    const [oldest] = this.of(sub).kept;
    if (!oldest || this.isGood(oldest)) return oldest !== undefined;
    void this.clear();
    return false;
  }

  /** Up to `max` of what lies here. */
  take(sub: number, max: number): readonly QueueDelivery[] {
    if (max <= 0 || !this.has(sub)) return [];
    const stock = this.of(sub);
    const taken = stock.kept.slice(0, max).map(({ delivery }) => delivery);
    stock.kept = stock.kept.slice(max);
    stock.askedAt = this.now;
    this.answered(stock, taken, max);
    if (taken.length < max) this.parts.more(sub);
    else this.refill(sub, stock);
    return taken;
  }

  /** How many to claim for somebody who asks for `max`. */
  wish(sub: number, max: number): number {
    const stock = this.of(sub);
    stock.askedAt = this.now;
    return max + this.wanted(stock);
  }

  /** The first `max` of what was claimed after a `wish`; the rest is kept. */
  keep(sub: number, max: number, claimed: readonly QueueDelivery[]): readonly QueueDelivery[] {
    const stock = this.of(sub);
    const taken = claimed.slice(0, max);
    this.answered(stock, taken, max);
    this.put(stock, claimed.slice(max), stock.askedAt);
    return taken;
  }

  /** Gives everything back. @param giveBack for who holds up the ordinary way: what is on that way goes with it */
  async clear(giveBack?: GiveBack): Promise<void> {
    for (const stock of this.stocks.values()) this.empty(stock);
    const all = [...this.back].flatMap(([one, underWay]) => (underWay && !giveBack ? [] : [one]));
    if (all.length === 0) return;
    for (const one of all) this.back.set(one, true);
    await (giveBack ?? this.parts.giveBack)(all).then(
      () => all.forEach((one) => this.back.delete(one)),
      () => all.filter((one) => this.back.has(one)).forEach((one) => this.back.set(one, false)));
  }

  /** Gives back what could not be given back before. */
  async retry(): Promise<void> {
    if ([...this.back.values()].includes(false)) await this.clear();
  }

  /** Gives everything back at once, and whatever was asked for and comes later. */
  close(): Promise<void> {
    this.closed = true;
    return this.clear();
  }

  private get now(): number {
    return this.parts.clock.monotonic();
  }

  private isGood({ delivery, at }: Kept): boolean {
    return markOf(delivery)?.member === this.parts.member() && this.now - at <= GOOD_MS;
  }

  private of(sub: number): Stock {
    const known = this.stocks.get(sub);
    if (known) return known;
    const stock: Stock = { kept: [], full: false, demand: new Demand(), askedAt: -Infinity, characters: 0, refilling: false };
    this.stocks.set(sub, stock);
    return stock;
  }

  private answered(stock: Stock, deliveries: readonly QueueDelivery[], max: number): void {
    stock.full = deliveries.length === max;
    stock.demand.add(deliveries.length, this.now);
    if (deliveries.length > 0) stock.characters = deliveries.reduce((sum, { data }) => sum + data.length, 0) / deliveries.length;
  }

  /** How many more than are asked for. */
  private wanted(stock: Stock): number {
    return stock.full && stock.demand.recent(this.now) >= LEAST ? most(stock) : 0;
  }

  /** While somebody handles the last ones. */
  private refill(sub: number, stock: Stock): void {
    const wanted = this.wanted(stock);
    if (this.closed || stock.refilling || wanted === 0 || stock.kept.length > wanted / 2) return;
    const at = this.now;
    stock.refilling = true;
    this.parts.claim(sub, wanted).then((claimed) => {
      if (claimed.length === 0) return;
      this.put(stock, claimed, at);
      this.parts.more(sub);
    }, () => undefined).finally(() => { stock.refilling = false; });
  }

  private put(stock: Stock, deliveries: readonly QueueDelivery[], at: number): void {
    if (deliveries.length === 0) return;
    stock.kept = [...stock.kept, ...deliveries.map((delivery): Kept => ({ delivery, at }))];
    stock.askedAt = this.now;
    if (this.closed) void this.clear();
    else this.watch(stock);
  }

  private empty(stock: Stock): void {
    for (const { delivery } of stock.kept) this.back.set(delivery, false);
    stock.kept = [];
    stock.timer?.cancel();
    stock.timer = undefined;
  }

  private watch(stock: Stock): void {
    stock.timer ??= this.parts.clock.after(KEPT_MS, () => {
      stock.timer = undefined;
      if (stock.kept.length === 0) return;
      if (this.now - stock.askedAt < KEPT_MS) this.watch(stock);
      else void this.clear();
    });
  }
}

function most({ characters }: Stock): number {
  return Math.min(MOST, Math.floor(MOST_CHARACTERS / Math.max(1, characters)));
}
