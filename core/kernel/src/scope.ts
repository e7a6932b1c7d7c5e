import 'reflect-metadata';
import { container, instanceCachingFactory, type DependencyContainer } from 'tsyringe';
import { token, treadleError, type Ctor, type Injection, type Token } from '@treadle/api';
import { constructorParameters } from './constructor-parameters.js';

/** Under which a scope holds the config of the instance that it builds. */
export const CONFIG = token<Readonly<Record<string, unknown>>>('kernel.Config');

/** Under which a scope holds the adapter of a slot, or the list of them. */
export function slotToken(path: string): Token<unknown> {
  return token(`kernel.slot.${path}`);
}

interface Provider {
  /** Who provides it, for messages. */
  readonly by: string;
}

/**
 * Values and instances by token: the one place that knows tsyringe. A child sees what its parents hold; an instance is
 * built by the scope that it was registered with, whoever asks first. Tokens only: no class is built by its type.
 */
export class Scope {
  private readonly providers = new Map<symbol, Provider>();
  private readonly container: DependencyContainer;

  private constructor(
    readonly name: string,
    private readonly parent: Scope | undefined,
    /** What is being built right now, outermost first; shared by the whole tree. */
    private readonly building: Ctor<unknown>[],
  ) {
    this.container = (parent?.container ?? container).createChildContainer();
  }

  static root(name: string): Scope {
    return new Scope(name, undefined, []);
  }

  child(name: string): Scope {
    return new Scope(name, this, this.building);
  }

  /** @throws {TreadleError} DI_DUPLICATE_PROVIDER when this scope already has one */
  value<T>(to: Token<T>, value: T): void {
    this.claim(to, this.name);
    // A factory, because tsyringe takes a value of undefined for no provider at all.
    this.container.register(to.key, { useFactory: () => value });
  }

  /**
   * One instance, built at the first `get`. An error of the constructor arrives as it was thrown.
   * @throws {TreadleError} DI_DUPLICATE_PROVIDER when this scope already has a provider
   */
  class<T>(to: Token<T>, target: Ctor<T>): void {
    this.claim(to, target.name);
    const build = instanceCachingFactory(() => this.build(target));
    this.container.register(to.key, { useFactory: () => build(this.container) });
  }

  /**
   * @throws {TreadleError} DI_UNKNOWN_TOKEN without a provider, DI_CYCLE when construction needs what is being built,
   * DI_PARAM_WITHOUT_TOKEN for a parameter without decorator; else whatever a constructor throws
   */
  get<T>(wanted: Token<T>): T {
    if (!this.has(wanted)) throw treadleError('DI_UNKNOWN_TOKEN', { token: wanted.id, path: names(this.building) });
    return this.container.resolve<T>(wanted.key);
  }

  has(wanted: Token<unknown>): boolean {
    return this.providers.has(wanted.key) || (this.parent?.has(wanted) ?? false);
  }

  /** Forgets everything that it holds; stopping the instances is the supervisor's. */
  dispose(): void {
    this.providers.clear();
    this.container.clearInstances();
    this.container.reset();
  }

  private claim(to: Token<unknown>, by: string): void {
    const other = this.providers.get(to.key);
    if (other) throw treadleError('DI_DUPLICATE_PROVIDER', { token: to.id, first: other.by, second: by });
    this.providers.set(to.key, { by });
  }

  private build<T>(target: Ctor<T>): T {
    const circle = this.building.indexOf(target);
    if (circle >= 0) throw treadleError('DI_CYCLE', { path: names([...this.building.slice(circle), target]) });
    this.building.push(target);
    try {
      return new target(...constructorParameters(target).map((parameter) => this.argument(parameter)));
    } finally {
      this.building.pop();
    }
  }

  private argument(parameter: Injection): unknown {
    switch (parameter.kind) {
      case 'config': return this.get(CONFIG);
      case 'token': return parameter.optional && !this.has(parameter.token) ? undefined : this.get(parameter.token);
      default: return this.get(slotToken(parameter.path));
    }
  }
}

function names(classes: readonly Ctor<unknown>[]): string[] {
  return classes.map((target) => target.name);
}
