import type { WrittenJson } from '@treadle/api';
import { CheckThread, type CheckVerdict, SMALL_JSON_BYTES, type SchemaRefusal } from '@treadle/json';
import { invalidItem, streamError } from '../stream-errors.js';
import type { StreamDeclaration } from './declarations.js';

/** Holds items to the schemas of their streams: small ones at once, large ones outside of the event loop. */
export class ItemCheck {
  /** The last large item of each stream that is being checked. */
  private readonly last = new WeakMap<StreamDeclaration, Promise<unknown>>();

  constructor(private readonly thread: Pick<CheckThread, 'judge'> = CheckThread.shared) {}

  /** Whether `check` would give a promise. */
  takesTime(declaration: StreamDeclaration, item: WrittenJson): boolean {
    return declaration.schema !== undefined && (isLarge(item) || this.last.has(declaration));
  }

  /**
   * True when the library of the schema is to be asked about the item as well. Items that are offered one after the other are judged in that order.
   * @throws OperationError `InvalidItem`; the promise rejects with it
   */
  check(declaration: StreamDeclaration, item: WrittenJson): boolean | Promise<boolean> {
    const { name, schema, exact } = declaration;
    if (schema === undefined) return false;
    if (!this.takesTime(declaration, item)) {
      const refusal = schema.check(item.value, item.text.length);
      if (refusal && (schema.library === undefined || refusal.exhausted)) throw invalidItem(name, refusal.issues);
      return refusal !== undefined || !exact;
    }
    return this.inTurn(declaration, () => this.judge(declaration, item));
  }

  private inTurn<T>(declaration: StreamDeclaration, work: () => Promise<T>): Promise<T> {
    const made = (this.last.get(declaration) ?? Promise.resolve()).then(work, work);
    this.last.set(declaration, made);
    const over = (): void => {
      if (this.last.get(declaration) === made) this.last.delete(declaration);
    };
    made.then(over, over);
    return made;
  }

  private async judge({ name, schema }: StreamDeclaration, { text }: WrittenJson): Promise<boolean> {
    const verdict = await new Promise<CheckVerdict>((resolve) => {
      this.thread.judge({ bytes: text, as: 'trusted-json', check: schema }, resolve);
    });
    const refusal = refusalOf(verdict);
    if (refusal) throw invalidItem(name, refusal.issues);
    // The thread refuses only what the engine decides about; what a library has the last word on it leaves alone.
    return schema?.library !== undefined;
  }
}

function refusalOf(verdict: CheckVerdict): SchemaRefusal | undefined {
  if ('refusal' in verdict) return verdict.refusal;
  if ('tooLarge' in verdict) return { valid: false, issues: [{ in: 'item', path: '', message: 'takes more memory than its check may have', code: 'too_complex' }], exhausted: true };
  throw streamError('StreamUnavailable', `nothing was written: the item could not be checked: ${'error' in verdict ? verdict.error : verdict.fault}`);
}

const isLarge = ({ text }: WrittenJson): boolean => text.length > SMALL_JSON_BYTES;
