import { type DeadLetterSelection, encodeKey } from '@treadle/api';

const ID_TEXT = /^[1-9]\d{0,14}$/;

/** Conditions on `queue_dead d`, with the values of their parameters. */
export class LetterQuery {
  readonly values: unknown[] = [];
  private readonly conditions: string[] = ['true'];

  constructor({ step, topic, ids, reason }: DeadLetterSelection) {
    if (step !== undefined) this.and((at) => `d.step = ${at}`, encodeKey(step));
    if (topic !== undefined) this.and((at) => `d.topic = ${at}`, encodeKey(topic));
    if (reason !== undefined) this.and((at) => `d.reason = ${at}`, reason);
    if (ids !== undefined) this.and((at) => `d.id = ANY (${at}::bigint[])`, ids.filter(isLetterId));
  }

  and(condition: (parameter: string) => string, value: unknown): this {
    this.conditions.push(condition(this.parameter(value)));
    return this;
  }

  /** Adds a value; gives its place. */
  parameter(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  get where(): string {
    return this.conditions.join(' AND ');
  }
}

export function isLetterId(text: string): boolean {
  return ID_TEXT.test(text);
}
