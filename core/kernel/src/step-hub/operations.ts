import { OperationError, type Operation, type OperationSpec, type Unsubscribe } from '@treadle/api';

/** Modules of this repository by the first part of their operations' names, for the text of a missing one. */
const OWNERS: Readonly<Record<string, string>> = {
  queue: 'modules::queue::QueueModule',
  state: 'modules::state::StateModule',
  stream: 'modules::stream::StreamModule',
};

/** What handlers can call through `ctx`. */
export class Operations {
  private readonly bound = new Map<string, Operation>();

  constructor(public declared: readonly OperationSpec[]) {}

  bind(name: string, operation: Operation): Unsubscribe {
    this.bound.set(name, operation);
    return () => {
      if (this.bound.get(name) === operation) this.bound.delete(name);
    };
  }

  /** @throws {OperationError} OPERATION_UNAVAILABLE when no loaded module serves the name. */
  get(name: string): Operation {
    const operation = this.bound.get(name);
    if (operation) return operation;
    throw new OperationError('OPERATION_UNAVAILABLE', this.reason(name));
  }

  private reason(name: string): string {
    if (this.declared.some((spec) => spec.name === name)) return `operation "${name}" is not ready yet`;
    const owner = OWNERS[name.split('.')[0] ?? ''];
    if (owner) return `operation "${name}" needs ${owner}, which this config does not load`;
    return `no loaded module serves operation "${name}"`;
  }
}
