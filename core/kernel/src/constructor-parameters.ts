import 'reflect-metadata';
import { treadleError, type Ctor, type Injection } from '@treadle/api';

const INJECTIONS = Symbol.for('treadle.injections');
const SIGNATURE = /\bconstructor\s*(\([^)]*\))/;

/**
 * What each constructor parameter is injected with. A class without a constructor of its own has its parent's.
 * @throws {TreadleError} DI_PARAM_WITHOUT_TOKEN when a parameter carries no decorator
 */
export function constructorParameters(target: Ctor<unknown>): readonly Injection[] {
  for (let owner: Ctor<unknown> | null = target; typeof owner === 'function'; owner = Object.getPrototypeOf(owner) as Ctor<unknown> | null) {
    const declared = Reflect.getOwnMetadata(INJECTIONS, owner) as readonly (Injection | undefined)[] | undefined;
    if (declared) return checked(target, owner, declared);
    // `length` is 0 without a constructor of its own: only parameters that it does declare need decorators of its own.
    if (owner.length > 0) return checked(target, owner, []);
  }
  return [];
}

function checked(
  target: Ctor<unknown>, owner: Ctor<unknown>, declared: readonly (Injection | undefined)[],
): readonly Injection[] {
  return Array.from({ length: Math.max(owner.length, declared.length) }, (_, index) => {
    const injection = declared[index];
    if (injection) return injection;
    throw treadleError('DI_PARAM_WITHOUT_TOKEN', { class: target.name, index, signature: signatureOf(owner) });
  });
}

function signatureOf(owner: Ctor<unknown>): string {
  const written = SIGNATURE.exec(Function.prototype.toString.call(owner))?.[1];
  return `constructor${written?.replace(/\s+/g, ' ').replace(/\s*,\s*/g, ', ') ?? ` with ${owner.length} parameters`}`;
}
