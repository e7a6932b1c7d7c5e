import type { DeclaredTriggerKind, StepRecord, TriggerRecord } from '@treadle/api';
import type { Finding } from './finding.js';

/** A Step that lost a name or a trigger to another one. */
export interface Collision {
  readonly step: StepRecord;
  readonly finding: Finding;
}

interface Claim {
  readonly key: string;
  readonly finding: (owner: StepRecord) => Finding;
}

/**
 * Lets one of the Steps that collide by name or by an exclusive trigger serve: the one already serving, else the first
 * by path.
 */
export class CollisionRule {
  private readonly owners = new Map<string, StepRecord>();
  private readonly former = new Map<string, string>();

  constructor(private readonly kinds: readonly DeclaredTriggerKind[], serving: readonly StepRecord[]) {
    for (const step of serving) {
      for (const claim of this.claims(step)) this.former.set(claim.key, ownerOf(step));
    }
  }

  /**
   * Steps that may serve, sorted by path, and what each of the others collides with. Those of older builds come last, and after them
   * `disabled`: Steps that take nothing from others, and whose collisions are told with what else is wrong with them.
   */
  settle(steps: readonly StepRecord[], isSuperseded: (step: StepRecord) => boolean, disabled: readonly StepRecord[] = []): { readonly serving: readonly StepRecord[]; readonly lost: readonly Collision[] } {
    const byPath = [...steps].sort((a, b) => compare(a.file, b.file) || (a.line ?? 0) - (b.line ?? 0));
    const unchanged = byPath.filter((step) => this.claims(step).every((claim) => this.former.get(claim.key) === ownerOf(step)));
    const serving = new Set<StepRecord>();
    const lost: Collision[] = [];
    const inTurn = [...unchanged, ...byPath];
    for (const step of new Set([...inTurn.filter((one) => !isSuperseded(one)), ...inTurn])) {
      const finding = this.claim(step);
      if (finding) lost.push({ step, finding });
      else serving.add(step);
    }
    for (const step of disabled) {
      const finding = this.claim(step);
      if (finding) lost.push({ step, finding });
    }
    return { serving: byPath.filter((step) => serving.has(step)), lost };
  }

  private claim(step: StepRecord): Finding | undefined {
    const claims = this.claims(step);
    for (const claim of claims) {
      const owner = this.owners.get(claim.key);
      if (owner && owner !== step) return claim.finding(owner);
    }
    for (const claim of claims) this.owners.set(claim.key, step);
    return undefined;
  }

  private claims(step: StepRecord): readonly Claim[] {
    const name: readonly Claim[] = step.id === '' ? [] : [{ key: `name ${step.id}`, finding: (owner) => duplicateName(step, owner) }];
    const triggers = step.config.triggers.map((trigger, index) => this.triggerClaim(trigger, index));
    return [...name, ...triggers.filter((claim) => claim !== undefined)];
  }

  private triggerClaim(trigger: TriggerRecord, index: number): Claim | undefined {
    const key = exclusiveKey(trigger, this.kinds);
    if (key === undefined) return undefined;
    return { key, finding: (owner) => duplicateTrigger(labelOf(trigger, this.kinds), index, owner) };
  }
}

/** Triggers that repeat an earlier one of the same Step. */
export function ownDuplicates(step: StepRecord, kinds: readonly DeclaredTriggerKind[]): readonly Finding[] {
  const keys = step.config.triggers.map((trigger) => exclusiveKey(trigger, kinds));
  return step.config.triggers.flatMap((trigger, index) => {
    const key = keys[index];
    if (key === undefined || keys.indexOf(key) === index) return [];
    return [duplicateTrigger(labelOf(trigger, kinds), index, step)];
  });
}

function exclusiveKey(trigger: TriggerRecord, kinds: readonly DeclaredTriggerKind[]): string | undefined {
  const kind = kinds.find((candidate) => candidate.type === trigger.type);
  const key = kind?.exclusiveKey?.(trigger);
  return key === undefined ? undefined : `${trigger.type} ${key}`;
}

function labelOf(trigger: TriggerRecord, kinds: readonly DeclaredTriggerKind[]): string {
  return kinds.find((candidate) => candidate.type === trigger.type)?.label?.(trigger) ?? trigger.type;
}

function duplicateName(step: StepRecord, owner: StepRecord): Finding {
  const code = 'STEP_DUPLICATE_NAME';
  if (step.role === 'stream-auth') {
    const message = `clients of streams are authenticated already by ${place(owner)}`;
    return { code, message, remedy: 'an application has one authenticate: remove one of the files' };
  }
  const what = step.role === 'stream' ? `stream "${step.id.slice('stream:'.length)}"` : `Step "${step.id}"`;
  return { code, message: `config.name: ${what} exists already in ${place(owner)}`, remedy: 'give one of them another name' };
}

function duplicateTrigger(label: string, index: number, owner: StepRecord): Finding {
  return {
    code: 'STEP_DUPLICATE_TRIGGER',
    message: `config.triggers[${index}]: ${label} is served already by Step "${owner.id}" in ${place(owner)}`,
    remedy: 'change or remove one of the two triggers',
  };
}

/** Two applications may have files of the same name. */
function ownerOf({ application, file }: StepRecord): string {
  return JSON.stringify([application, file]);
}

function place(step: StepRecord): string {
  return step.line === undefined ? step.file : `${step.file}:${step.line}`;
}

/** By code unit, so that the order is the same on every machine. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
