import type { Catalog, StepId, StepRecord, TriggerRecord, TriggerRef, Triggers, Unsubscribe } from '@treadle/api';
import { isExact, SchemaCheck } from '@treadle/json';
import { streamError } from '../stream-errors.js';
import { AUTHENTICATION_KIND, DECLARATION_KIND } from './stream-kinds.js';

/** Where the functions of a declaration are run. */
export interface HookPlace {
  readonly step: StepId;
  readonly trigger: TriggerRef;
}

/** A declared stream. */
export interface StreamDeclaration extends HookPlace {
  readonly name: string;
  /** Relative to the application's root. */
  readonly file: string;
  readonly canAccess: boolean;
  readonly onJoin: boolean;
  readonly onLeave: boolean;
  readonly schema: SchemaCheck | undefined;
  /** Whatever fits the schema, its library takes as well. */
  readonly exact: boolean;
}

/** The streams of the catalog, and who authenticates their clients. */
export class Declarations {
  /** Told when there is an authentication where there was none. */
  onAuthentication: (() => void) | undefined;
  /** Told when a stream is declared or who authenticates is another one. */
  onChange: (() => void) | undefined;
  private readonly streams = new Map<string, StreamDeclaration>();
  private authenticator: HookPlace | undefined;
  private bound: readonly Unsubscribe[] = [];

  constructor(private readonly triggers: Triggers, private readonly catalog: Pick<Catalog, 'settled'>) {}

  /** Follows the catalog from now on. */
  open(): void {
    const { type: authentication } = AUTHENTICATION_KIND;
    this.bound = [
      this.triggers.bind(DECLARATION_KIND.type, { bind: this.add, unbind: this.remove }),
      this.triggers.bind(authentication, { bind: this.authenticate, unbind: this.forgetAuthentication }),
    ];
  }

  close(): void {
    for (const unbind of this.bound) unbind();
    this.bound = [];
  }

  get authentication(): HookPlace | undefined {
    return this.authenticator;
  }

  all(): readonly StreamDeclaration[] {
    return [...this.streams.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  find(name: string): StreamDeclaration | undefined {
    return this.streams.get(name);
  }

  /** @throws OperationError `StreamNotDeclared`; `StreamUnavailable` while Steps are being loaded, and perhaps the file that declares it */
  get(name: string): StreamDeclaration {
    const found = this.streams.get(name);
    if (found) return found;
    if (!this.catalog.settled) throw streamError('StreamUnavailable', `there is no stream "${name}" yet: Steps are being loaded; try again in a moment`);
    const known = [...this.streams.keys()].slice(0, 10).join(', ') || 'none';
    throw streamError('StreamNotDeclared', `there is no stream "${name}" (declared: ${known}); declare it in a *.stream file`);
  }

  private readonly add = (step: StepRecord, trigger: TriggerRecord, ref: TriggerRef): void => {
    const { streamName: name, schema, canAccess, onJoin, onLeave } = trigger as TriggerRecord & { streamName: string; schema?: object | boolean };
    const holder = this.streams.get(name);
    if (holder) throw new Error(`stream "${name}" is already declared in ${holder.file}`);
    this.streams.set(name, {
      name, step: step.id, trigger: ref, file: step.file, canAccess: canAccess === true, onJoin: onJoin === true, onLeave: onLeave === true,
      schema: schema === undefined ? undefined : new SchemaCheck(schema, 'item'), exact: schema === undefined || isExact(schema),
    });
    this.onChange?.();
  };

  private readonly remove = (step: StepRecord, trigger: TriggerRecord): void => {
    const name = trigger['streamName'] as string;
    if (this.streams.get(name)?.step === step.id) this.streams.delete(name);
  };

  private readonly authenticate = (step: StepRecord, _trigger: TriggerRecord, ref: TriggerRef): void => {
    this.authenticator = { step: step.id, trigger: ref };
    this.onAuthentication?.();
    this.onChange?.();
  };

  private readonly forgetAuthentication = (): void => {
    this.authenticator = undefined;
    this.onChange?.();
  };
}
