import { rootOrigin, StepFailure, type Invoker, type Telemetry, type WrittenJson } from '@treadle/api';
import { invalidItem, streamError } from '../stream-errors.js';
import type { StreamDeclaration } from './declarations.js';
import { Lane } from './lane.js';

/** How long the library of a schema may take, and how long to wait for a Step process; milliseconds. */
const TIMEOUT_MS = 10_000;
const WAIT_MS = 5_000;

/** Asks the library of a stream's schema about items, in the process that has the stream's file. */
export class ItemJudge {
  private readonly lanes = new WeakMap<StreamDeclaration, Lane>();

  constructor(private readonly invoker: Invoker, private readonly telemetry?: Telemetry) {}

  /**
   * Resolves when the library takes the item.
   * @throws OperationError `InvalidItem` with the library's issues, `StreamUnavailable` when it could not be asked
   */
  async judge({ name, step, trigger }: StreamDeclaration, item: WrittenJson): Promise<void> {
    try {
      await this.invoker.invoke({
        step, trigger, ...questionOf(item), ...rootOrigin(this.telemetry), timeoutMs: TIMEOUT_MS, waitMs: WAIT_MS, attempt: 1, lane: 'request',
      });
    } catch (error) {
      if (error instanceof StepFailure && error.code === 'validation_failed') throw invalidItem(name, error.detail.issues ?? []);
      const reason = error instanceof Error ? error.message : String(error);
      throw streamError('StreamUnavailable', `nothing was written: the schema of stream "${name}" could not be asked: ${reason}`);
    }
  }

  /** Runs updates of a stream one after the other, so that none is overtaken while its item is judged. */
  inTurn<T>(declaration: StreamDeclaration, work: () => Promise<T>): Promise<T> {
    const lane = this.lanes.get(declaration) ?? new Lane(1);
    this.lanes.set(declaration, lane);
    return lane.run(work);
  }
}

/** The value is read only for a handler in this process. */
function questionOf(item: WrittenJson): { readonly input: unknown; readonly inputText: string } {
  return {
    get input() {
      return { hook: 'schema', item: item.value };
    },
    inputText: `{"hook":"schema","item":${item.text}}`,
  };
}
