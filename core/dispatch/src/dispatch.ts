import {
  bind, type Binding, Catalog, CatalogWriter, type DeclaredTriggerKind, Invoker, Operations, type OperationSpec, Sessions, type StepRecord,
  type Token, type TriggerRecord, Triggers, wallTime,
} from '@treadle/api';
import { Dispatcher } from './calls/dispatcher.js';
import { EngineCatalog } from './catalog/engine-catalog.js';
import { type ArgumentCheck, BoundOperations, OperationGuard } from './catalog/bound-operations.js';
import type { TriggerKinds } from './catalog/trigger-kinds.js';
import { AttachedSessions } from './sessions/attached-sessions.js';
import { HandlerLog, type HandlerLogOptions } from './sessions/handler-log.js';

/** What the modules of a plan declare. */
export interface Declared {
  readonly kinds: readonly DeclaredTriggerKind[];
  readonly operations: readonly OperationSpec[];
}

export interface DispatchOptions extends HandlerLogOptions, Declared {
  /** Default: arguments of operations are not checked. */
  readonly checkArguments?: ArgumentCheck;
}

/** What modules are given of it. */
export const DISPATCH_TOKENS: readonly Token<unknown>[] = [Catalog, CatalogWriter, Triggers, Operations, Invoker, Sessions];

/** What stands between the modules of an engine and its Step processes: one object for each audience. */
export class Dispatch {
  readonly catalog: EngineCatalog;
  readonly triggers: TriggerKinds;
  readonly operations: BoundOperations;
  readonly invoker: Dispatcher;
  readonly sessions: AttachedSessions;

  constructor(options: DispatchOptions) {
    const { clock, kinds, operations, checkArguments } = options;
    const log = new HandlerLog(options);
    this.catalog = new EngineCatalog(kinds, (step, trigger, error) => log.write({ time: wallTime(clock), ...unbound(step, trigger, error) }));
    this.triggers = this.catalog.triggers;
    this.invoker = new Dispatcher(clock, (message, steps) => log.tell('warn', message, steps));
    const guard = new OperationGuard({ clock, checkArguments, watcher: () => this.invoker.watcher });
    this.operations = new BoundOperations(operations, clock, guard);
    this.sessions = new AttachedSessions({ dispatcher: this.invoker, catalog: this.catalog, operations: this.operations, log });
  }

  /** Each of them under its token. */
  bindings(): readonly Binding[] {
    const { catalog, triggers, operations, invoker, sessions } = this;
    return [
      bind(Catalog, catalog), bind(CatalogWriter, catalog), bind(Triggers, triggers), bind(Operations, operations), bind(Invoker, invoker),
      bind(Sessions, sessions),
    ];
  }

  /** What the modules declare has changed with a reload. */
  declare({ kinds, operations }: Declared): void {
    this.triggers.declared = kinds;
    this.operations.declared = operations;
  }
}

function unbound(step: StepRecord, { type }: TriggerRecord, error: unknown) {
  const reason = error instanceof Error ? error.message : String(error);
  return { level: 'error', message: 'a trigger could not be bound', stepName: step.id, fields: { trigger: type, file: step.file, error: reason } } as const;
}
