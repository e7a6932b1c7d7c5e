import {
  EngineInfo, treadleError,
  type Binding, type Ctor, type InstanceId, type Lifecycle, type ModuleSpec, type Token, type TreadleError,
} from '@treadle/api';
import { constructorParameters } from '../constructor-parameters.js';
import type { PlannedAdapter, PlannedEntry } from '../planned.js';
import { isRootToken } from '../root-tokens.js';
import { CONFIG, slotToken, type Scope } from '../scope.js';
import type { EngineFacts } from './engine-facts.js';
import type { HandOvers } from './hand-overs.js';
import type { PortOwner, PortTable } from './port-table.js';
import { Unit, type PhaseLimits, type ReconfigureLimits, type UnitServices } from './unit.js';

/** What an entry is built into. */
export interface EntrySurroundings {
  readonly root: Scope;
  readonly ports: PortTable;
  readonly services: UnitServices;
  readonly facts: EngineFacts;
  readonly handOvers: HandOvers;
}

interface BuiltAdapter {
  readonly planned: PlannedAdapter;
  readonly object: Lifecycle | undefined;
}

/** A module with its adapters: adapters live longer than their module on both ends. */
export class RunningEntry implements PortOwner {
  private readonly scope: Scope;
  private readonly adapters: readonly { readonly planned: PlannedAdapter; readonly unit: Unit }[];
  private readonly module: Unit;

  constructor(
    /** What it runs with: a reload may have given it other settings. */
    public planned: PlannedEntry,
    /** Its place in the start order; a reload may move it. */
    public order: number,
    private readonly surroundings: EntrySurroundings,
  ) {
    const { instance } = planned;
    this.scope = surroundings.root.child();
    this.scope.value(EngineInfo, surroundings.facts.infoFor(this));
    this.module = new Unit(instance, instance.path, surroundings.services, {
      inSlot: (slot) => planned.adapters.find((adapter) => adapter.slot === slot)?.capabilities,
      former: () => surroundings.handOvers.of(instance.id),
    });
    this.adapters = planned.adapters.map((adapter) => ({
      planned: adapter, unit: new Unit(adapter.instance, `adapter of ${instance.path}`, surroundings.services, { own: adapter.capabilities }),
    }));
  }

  get id(): string {
    return this.planned.instance.id;
  }

  /** Stage 9. @throws {TreadleError} what a constructor threw, MODULE_CONSTRUCT_FAILED, MODULE_PORTS_MISMATCH, DI_… */
  construct(): void {
    const built: BuiltAdapter[] = [];
    for (const { planned, unit } of this.adapters) {
      const scope = this.scope.child();
      plugIn(scope, planned.spec.slots, built.filter(({ planned: { within } }) => within === planned.instance.path));
      built.push({ planned, object: this.build(unit, planned, scope, []) });
    }
    plugIn(this.scope, this.planned.spec.slots, built.filter(({ planned: { within } }) => within === undefined));
    this.build(this.module, this.planned, this.scope, this.planned.spec.provides ?? []);
  }

  async init(limits: PhaseLimits): Promise<void> {
    for (const unit of this.units()) await unit.init(limits);
  }

  async start(limits: PhaseLimits): Promise<void> {
    for (const unit of this.units()) await unit.start(limits);
  }

  /** Goes over to another config of the same frame. */
  async reconfigure(planned: PlannedEntry, limits: ReconfigureLimits): Promise<void> {
    await this.module.reconfigure(planned.config, limits);
    this.planned = planned;
  }

  ready(): void {
    for (const unit of this.units()) unit.ready();
  }

  /** All begin at once, the module before its adapters. Returns what went wrong. */
  async drain(deadline: number, signal: AbortSignal, limits: PhaseLimits): Promise<readonly TreadleError[]> {
    const drains = this.units().reverse().map((unit) => unit.drain(deadline, signal, limits));
    return (await Promise.all(drains)).flat();
  }

  /** The module, then its adapters in reverse, every one. Returns what went wrong. */
  async stop(limits: PhaseLimits): Promise<readonly TreadleError[]> {
    const errors: TreadleError[] = [];
    for (const unit of this.units().reverse()) errors.push(...await unit.stop(limits));
    this.surroundings.handOvers.leave(this.id, this.module.handOver());
    this.surroundings.ports.remove(this);
    this.surroundings.facts.forget(this);
    this.scope.dispose();
    return errors;
  }

  private units(): Unit[] {
    return [...this.adapters.map(({ unit }) => unit), this.module];
  }

  private build(
    unit: Unit, planned: PlannedEntry | PlannedAdapter, scope: Scope, provides: readonly Token<unknown>[],
  ): Lifecycle | undefined {
    let built: Lifecycle | undefined;
    unit.construct((keep) => {
      scope.value(CONFIG, planned.config);
      this.connectPorts(planned.target, scope);
      built = scope.build(planned.target);
      keep(built);
      const bindings = built.ports?.() ?? [];
      checkPorts(unit.instance, provides, bindings);
      this.surroundings.ports.add(this, bindings);
    });
    return built;
  }

  /** Only what the class asks for comes into its scope. */
  private connectPorts(target: Ctor<Lifecycle>, scope: Scope): void {
    const { ports } = this.surroundings;
    const wanted = new Map<string, Token<unknown>>();
    for (const parameter of constructorParameters(target)) {
      if (parameter.kind === 'token' && !isRootToken(parameter.token)) wanted.set(parameter.token.id, parameter.token);
    }
    for (const port of wanted.values()) if (ports.has(port)) scope.value(port, ports.get(port));
  }
}

/** Gives a scope what stands in the slots of the class that is built in it. */
export function plugIn(scope: Scope, slots: ModuleSpec['slots'], built: readonly BuiltAdapter[]): void {
  for (const [key, use] of Object.entries(slots ?? {})) {
    const inSlot = built.filter(({ planned: { slot } }) => slot === key || slot.endsWith(`.${key}`)).map(({ object }) => object);
    scope.value(slotToken(key), use.many ? Object.freeze(inSlot) : inSlot[0]);
  }
}

function checkPorts(instance: InstanceId, declared: readonly Token<unknown>[], bindings: readonly Binding[]): void {
  const details = { at: instance.at, instance };
  const mismatch = (port: Token<unknown>, isDeclared: boolean): TreadleError =>
    treadleError('MODULE_PORTS_MISMATCH', { class: instance.id, token: port.id, declared: isDeclared }, details);
  const has = (list: readonly { id: string }[], port: Token<unknown>): boolean => list.some(({ id }) => id === port.id);
  const returned = bindings.map((binding) => binding.token);
  // A module may have nothing to add to a list.
  const missing = declared.find((port) => !port.many && !has(returned, port));
  if (missing) throw mismatch(missing, true);
  const unexpected = returned.find((port) => !has(declared, port));
  if (unexpected) throw mismatch(unexpected, false);
  const repeated = returned.find((port, index) => !port.many && has(returned.slice(0, index), port));
  if (!repeated) return;
  const params = { token: repeated.id, first: instance.id, second: instance.id };
  throw treadleError('DI_DUPLICATE_PROVIDER', params, details);
}
