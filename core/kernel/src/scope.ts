import 'reflect-metadata';
import { container, inject, injectable, type DependencyContainer } from 'tsyringe';
import { token, treadleError, type Ctor, type Injection, type Token } from '@treadle/api';
import { constructorParameters } from './constructor-parameters.js';

/** Under which a scope holds the config of the instance that it builds. */
export const CONFIG = token<Readonly<Record<string, unknown>>>('kernel.Config');

/** Under which a scope holds the adapter of a slot, or the list of them. */
export function slotToken(path: string): Token<unknown> {
  return token(`kernel.slot.${path}`);
}

/**
 * A container of tsyringe, and the one place that knows it: the engine has one, each entry a child of that, each adapter a child of its
 * entry's. Modules and adapters are built here, and nowhere else; what they need of each other is there before, because entries are
 * ordered by their ports when they are planned, and a circle is refused there (`MODULE_CYCLE`).
 */
export class Scope {
  private constructor(private readonly container: DependencyContainer) {}

  static root(): Scope {
    return new Scope(container.createChildContainer());
  }

  /** Sees what its parents hold, and goes before them with what it holds itself. */
  child(): Scope {
    return new Scope(this.container.createChildContainer());
  }

  value<T>(to: Token<T>, value: T): void {
    // A factory, because tsyringe takes a value of undefined for no provider at all.
    this.container.register(to.key, { useFactory: () => value });
  }

  /**
   * A new instance with what its constructor asks for. An error of the constructor arrives as it was thrown.
   * @throws {TreadleError} DI_UNKNOWN_TOKEN without a provider, DI_PARAM_WITHOUT_TOKEN for a parameter without decorator
   */
  build<T>(target: Ctor<T>): T {
    for (const { token: wanted, optional } of declareParameters(target)) {
      if (!optional && !this.container.isRegistered(wanted.key, true)) {
        throw treadleError('DI_UNKNOWN_TOKEN', { token: wanted.id, path: [target.name] });
      }
    }
    return this.container.resolve(target);
  }

  /** Forgets everything that it holds; stopping the instances is the supervisor's. */
  dispose(): void {
    this.container.reset();
  }
}

interface Wanted {
  readonly token: Token<unknown>;
  readonly optional: boolean;
}

/** Tells tsyringe what the decorators of `@treadle/api` have said, which do not know it. Gives what the constructor wants. */
function declareParameters(target: Ctor<unknown>): readonly Wanted[] {
  const wanted = constructorParameters(target).map(wantedBy);
  for (const [index, { token: { key }, optional }] of wanted.entries()) inject(key, { isOptional: optional })(target, undefined, index);
  injectable()(target);
  return wanted;
}

function wantedBy(parameter: Injection): Wanted {
  switch (parameter.kind) {
    case 'config': return { token: CONFIG, optional: false };
    case 'token': return parameter;
    default: return { token: slotToken(parameter.path), optional: false };
  }
}
