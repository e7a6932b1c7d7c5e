import {
  type ChangeFeed, type Clock, type Json, OperationRunner, type Origin, originText, type StateEntry, type StateGroupPage, type StateListOptions,
  type StreamAdapter, type StreamEvent, type StreamGroup, type StreamItem, type StreamPort, type StreamPosition,
  type StreamWrite, type StreamWriteResult, setTo, type Telemetry, type Unsubscribe, type UpdateOperation, type WrittenJson,
} from '@treadle/api';
import { applyUpdate, checkOperations, writeJson } from '@treadle/json';
import type { Declarations, StreamDeclaration } from './access/declarations.js';
import { ItemCheck } from './access/item-check.js';
import type { ItemJudge } from './access/item-judge.js';
import { checkEvent, checkGroup, checkListOptions, checkName } from './stream-arguments.js';
import { streamError } from './stream-errors.js';

/** Verbs of the stream operations. */
export type StreamVerb = Exclude<keyof StreamPort, 'watch'> | 'snapshot';

/** How often an update is judged anew because another engine changed the item meanwhile. */
const MAX_JUDGEMENTS = 20;

interface ItemPlace {
  readonly group: StreamGroup;
  readonly id: string;
  readonly origin: Origin | undefined;
}

interface Update extends ItemPlace {
  readonly declaration: StreamDeclaration;
  readonly operations: ReturnType<typeof checkOperations>;
}

/** An item that is to be judged outside of the write. */
interface Question {
  readonly item: WrittenJson;
}

const isQuestion = (found: StateEntry | Question): found is Question => 'item' in found;

/** What may be stored and sent and how items change; where they are kept is the adapter's. */
export class StreamService implements StreamPort {
  /** Set while a queue delivers changes to Steps. */
  feed: ChangeFeed | undefined;
  private readonly check = new ItemCheck();
  private readonly runner = new OperationRunner<StreamVerb>('stream', 'StreamUnavailable');

  constructor(
    private readonly adapter: StreamAdapter, private readonly declarations: Declarations, private readonly judge: ItemJudge,
    private readonly telemetry?: Telemetry,
  ) {}

  /** The same over what an atomic run sees: its changes are stored with its commit, so nothing is told of them before. */
  over(adapter: StreamAdapter): StreamService {
    const service = new StreamService(adapter, this.declarations, this.judge, this.telemetry);
    const { feed } = this;
    service.feed = feed && { wants: (subject) => feed.wants(subject), recorded: () => undefined, close: () => Promise.resolve() };
    return service;
  }

  /** Serves from now on; before it everything is refused with `StreamUnavailable`. */
  open(clock: Clock): void {
    this.runner.open(clock);
  }

  /** From now on everything is refused with `StreamUnavailable`; what has begun goes on. */
  close(): void {
    this.runner.close();
  }

  async get(group: StreamGroup, id: string): Promise<Json> {
    const entry = await this.entry(group, id);
    return entry ? entry.value : null;
  }

  /** An item with its revision. */
  entry(group: StreamGroup, id: string): Promise<StateEntry | undefined> {
    return this.runner.run('get', () => this.adapter.get(this.declared(group), checkName('id', id)));
  }

  async set(group: StreamGroup, id: string, item: Json, origin?: Origin): Promise<Json> {
    return (await this.put(group, id, item, origin)).value;
  }

  /** `set` for whoever sends on what was stored. */
  put(group: StreamGroup, id: string, item: Json, origin?: Origin): Promise<WrittenJson> {
    return this.runner.run('set', async () => {
      const stored = await this.accepted(group, item);
      await this.write({ group, id, origin }, () => setTo(stored));
      return stored;
    });
  }

  /** Writes an item only over this revision; 0: only where there is none. Else nothing is written, and the answer says which one is there. */
  replace(group: StreamGroup, id: string, item: Json, over: number): Promise<{ readonly revision: number; readonly written?: Json }> {
    return this.runner.run('set', async () => {
      const stored = await this.accepted(group, item);
      let found = 0;
      const { after } = await this.write({ group, id, origin: undefined }, (current) => {
        found = current?.revision ?? 0;
        return found === over ? setTo(stored) : { action: 'keep' };
      });
      return found === over && after ? { revision: after.revision, written: after.value } : { revision: found };
    });
  }

  /** The item as it is to be stored. @throws OperationError `InvalidItem` */
  private async accepted(group: StreamGroup, item: Json): Promise<WrittenJson> {
    const stored = writeJson(item);
    const declaration = this.declarations.get(checkName('stream', group.stream));
    const verdict = this.check.check(declaration, stored);
    const asks = typeof verdict === 'boolean' ? verdict : await verdict;
    if (asks) await this.judge.judge(declaration, stored);
    return stored;
  }

  delete(group: StreamGroup, id: string, origin?: Origin): Promise<void> {
    return this.runner.run('delete', async () => {
      await this.write({ group, id, origin }, (current) => ({ action: current ? 'delete' : 'keep' }));
    });
  }

  /** Atomic per item. An update that removes the whole item deletes it and gives `null` with the last revision. */
  update(group: StreamGroup, id: string, operations: readonly UpdateOperation[], origin?: Origin): Promise<StateEntry> {
    return this.runner.run('update', async () => {
      const place = { group, id, origin, operations: checkOperations(operations), declaration: this.declarations.get(checkName('stream', group.stream)) };
      const asked = await this.tryUpdate(place);
      if (!isQuestion(asked)) return asked;
      return this.judge.inTurn(place.declaration, () => this.updateJudged(place, asked.item));
    });
  }

  /** Judges what the update makes of the item, until the item that was judged is the one that is written. */
  private async updateJudged(place: Update, first: WrittenJson): Promise<StateEntry> {
    for (let item = first, attempt = 0; attempt < MAX_JUDGEMENTS; attempt++) {
      if (await this.check.check(place.declaration, item)) await this.judge.judge(place.declaration, item);
      const asked = await this.tryUpdate(place, item.text);
      if (!isQuestion(asked)) return asked;
      item = asked.item;
    }
    throw streamError('StreamUnavailable', `nothing was written: the item changed ${MAX_JUDGEMENTS} times while the schema of stream "${place.declaration.name}" was asked about it`);
  }

  /** Writes, unless an item whose JSON is not `judged` is to be checked elsewhere first. */
  private async tryUpdate({ declaration, operations, ...place }: Update, judged?: string): Promise<StateEntry | Question> {
    let question: Question | undefined;
    const { before, after } = await this.write(place, (current) => {
      question = undefined;
      if (operations.length === 0) return { action: 'keep' };
      const made = applyUpdate(current?.value, operations);
      if (made === undefined) return { action: current ? 'delete' : 'keep' };
      if (made.text === judged || (!this.check.takesTime(declaration, made) && this.check.check(declaration, made) === false)) return setTo(made);
      question = { item: made };
      return { action: 'keep' };
    });
    return question ?? after ?? { value: null, revision: before?.revision ?? 0 };
  }

  async list(group: StreamGroup): Promise<readonly Json[]> {
    const { items } = await this.runner.run('list', () => this.adapter.snapshot(this.declared(group)));
    return items.map(({ value }) => value);
  }

  /** Items with their ids, and where the group is. */
  snapshot(group: StreamGroup): Promise<{ readonly items: readonly StreamItem[]; readonly position: StreamPosition }> {
    return this.runner.run('snapshot', () => this.adapter.snapshot(this.declared(group)));
  }

  listGroups(stream: string, options?: StateListOptions): Promise<StateGroupPage> {
    return this.runner.run('listGroups', () => {
      const { name } = this.declarations.get(checkName('stream', stream));
      return this.adapter.listGroups(name, checkListOptions(options));
    });
  }

  send(group: StreamGroup, { id, ...event }: { readonly id?: string | undefined; readonly type: string; readonly data: Json }): Promise<void> {
    return this.runner.run('send', async () => {
      const checked = checkEvent(event);
      const to = id === undefined || id === null ? {} : { id: checkName('id', id) };
      await this.adapter.send(this.declared(group), { ...to, ...checked });
    });
  }

  watch(listener: (event: StreamEvent) => void): Unsubscribe {
    return this.adapter.watch(listener);
  }

  private async write({ group, id, origin }: ItemPlace, next: StreamWrite['next']): Promise<StreamWriteResult> {
    const { stream, groupId } = this.declared(group);
    const item = checkName('id', id);
    const { feed } = this;
    if (!feed) return this.adapter.write({ stream, groupId, id: item, next });
    let recorded = false;
    const change = (event: 'create' | 'update' | 'delete'): { origin: string } | undefined => {
      recorded = feed.wants({ kind: 'stream', streamName: stream, groupId, id: item, event });
      return recorded ? { origin: originText(origin, this.telemetry) } : undefined;
    };
    try {
      return await this.adapter.write({ stream, groupId, id: item, next, change });
    } finally {
      // Also when it failed: whether the change was stored may not be known.
      if (recorded) feed.recorded();
    }
  }

  private declared(group: StreamGroup): StreamGroup {
    const checked = checkGroup(group);
    this.declarations.get(checked.stream);
    return checked;
  }
}
