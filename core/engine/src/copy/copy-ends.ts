import { type StoreTransfer, TRANSFER_ROWS, type TransferableAdapter, type TransferContext, treadleError } from '@treadle/api';
import { buildLoneAdapter, type EnginePlan, type PlannedAdapter } from '@treadle/kernel';

/** What of one slot is copied from where to where. */
export interface SlotEnds {
  readonly slot: string;
  readonly from: StoreTransfer;
  readonly to: StoreTransfer;
}

/** Which slots are copied, between which configurations. */
export interface CopyRequest {
  readonly from: EnginePlan;
  readonly to: EnginePlan;
  /** Default: all that both configurations have. */
  readonly slots?: readonly string[] | undefined;
}

/** Slots that can be copied, in this order. */
export const COPIED_SLOTS: readonly string[] = Object.keys(TRANSFER_ROWS);

/**
 * Opens both ends of every slot. `contextOf`: for an adapter of a plan; resources that it shares are closed by the caller.
 * @throws {COPY_NOT_POSSIBLE} when an adapter cannot be copied, and what opening them throws
 */
export async function openEnds({ from, to, slots = COPIED_SLOTS }: CopyRequest, contextOf: (adapter: PlannedAdapter) => TransferContext): Promise<readonly SlotEnds[]> {
  const ends: SlotEnds[] = [];
  for (const slot of COPIED_SLOTS.filter((name) => slots.includes(name))) {
    const [source, target] = [adapterOf(from, slot), adapterOf(to, slot)];
    if (!source) continue;
    if (!target) throw notPossible(`what ${source.spec.id} keeps`, 'the other configuration has no adapter for it', slot);
    const opened = [await open(from, source, contextOf(source)), await open(to, target, contextOf(target))] as const;
    ends.push({ slot, from: opened[0], to: opened[1] });
  }
  return ends;
}

function adapterOf({ entries }: EnginePlan, slot: string): PlannedAdapter | undefined {
  const found = entries.flatMap(({ adapters }) => adapters).filter(({ spec, within }) => spec.slot.id === slot && within === undefined);
  const [first, second] = found;
  if (first && second) throw notPossible(slot, `${first.instance.path} and ${second.instance.path} both are adapters of it`, slot);
  return first;
}

async function open(plan: EnginePlan, planned: PlannedAdapter, context: TransferContext): Promise<StoreTransfer> {
  const { spec: { id, slot }, capabilities } = planned;
  if ((capabilities as { readonly durable?: boolean }).durable === false) throw notPossible(`what ${id} keeps`, 'it is in memory, and ends with the engine', slot.id);
  const adapter = buildLoneAdapter(plan, planned) as TransferableAdapter;
  if (!adapter.openTransfer) throw notPossible(`what ${id} keeps`, 'this adapter does not offer it (openTransfer)', slot.id);
  return adapter.openTransfer(context);
}

function notPossible(what: string, reason: string, slot: string): Error {
  const others = COPIED_SLOTS.filter((name) => name !== slot).map((name) => `--slot ${name}`).join(' ');
  return treadleError('COPY_NOT_POSSIBLE', { what, reason, hint: `name the slots to be copied, for example ${others}` });
}
