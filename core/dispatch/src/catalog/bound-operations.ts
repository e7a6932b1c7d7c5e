import { nearest, OperationError, type Clock, type Operation, type Operations, type OperationSpec, type Unsubscribe } from '@treadle/api';
import type { OperationGuard } from './guarded-operation.js';

/** Modules of this repository by the first part of their operations' names, for the text of a missing one. */
const OWNERS: Readonly<Record<string, string>> = {
  queue: 'modules::queue::QueueModule',
  state: 'modules::state::StateModule',
  stream: 'modules::stream::StreamModule',
};
/** How long a call waits for a module that is still starting, or starting again; milliseconds. */
const READY_MS = 10_000;

/** What handlers can call through `ctx`. A declared operation is waited for, so the order of modules never matters. */
export class BoundOperations implements Operations {
  private readonly bound = new Map<string, Operation>();
  private readonly waiting = new Map<string, Set<(operation: Operation) => void>>();

  /** @param declared operations of the plan that runs; a reload has others */
  constructor(public declared: readonly OperationSpec[], private readonly clock: Clock, private readonly guard: OperationGuard) {}

  bind(name: string, operation: Operation): Unsubscribe {
    const guarded = this.guard.around(name, operation, () => this.declared.find((spec) => spec.name === name));
    this.bound.set(name, guarded);
    for (const resolve of this.waiting.get(name) ?? []) resolve(guarded);
    this.waiting.delete(name);
    return () => {
      if (this.bound.get(name) === guarded) this.bound.delete(name);
    };
  }

  /** Rejects with OPERATION_UNAVAILABLE when no loaded module serves the name, or none does within 10 s. */
  get(name: string): Operation | Promise<Operation> {
    const operation = this.bound.get(name);
    if (operation) return operation;
    return this.declared.some((spec) => spec.name === name) ? this.wait(name) : Promise.reject(unavailable(this.missing(name)));
  }

  private missing(name: string): string {
    const owner = OWNERS[name.split('.')[0] ?? ''];
    if (owner) return `operation "${name}" needs ${owner}, which this config does not load`;
    const near = nearest(name, this.declared.filter(({ bare }) => !bare).map((spec) => spec.name));
    return `no loaded module serves operation "${name}"${near === undefined ? '' : `; did you mean "${near}"?`}`;
  }

  private wait(name: string): Promise<Operation> {
    const waiters = this.waiting.get(name) ?? new Set();
    this.waiting.set(name, waiters);
    return new Promise((resolve, reject) => {
      const timer = this.clock.after(READY_MS, () => {
        waiters.delete(found);
        reject(unavailable(`operation "${name}" is not ready: its module has not started`));
      });
      const found = (operation: Operation): void => {
        timer.cancel();
        resolve(operation);
      };
      waiters.add(found);
    });
  }
}

const unavailable = (message: string): OperationError => new OperationError('OPERATION_UNAVAILABLE', message);
