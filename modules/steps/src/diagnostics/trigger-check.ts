import { type DeclaredTriggerKind, nearest, soundKeys, type TriggerIssue, type TriggerRecord } from '@treadle/api';
import { didYouMean, type Finding } from './finding.js';
import { FOREIGN_KINDS } from './foreign-config.js';
import { checkSchema } from './schema-check.js';

/** Classes of this repository that serve a trigger kind, for configurations that do not load them. */
const BUILT_IN: Readonly<Record<string, string>> = {
  http: 'modules::http::HttpModule', queue: 'modules::queue::QueueModule', cron: 'modules::cron::CronModule',
  // Changes of state and streams come through the queue.
  state: 'modules::queue::QueueModule', stream: 'modules::queue::QueueModule',
};

/** Narrows what a worker reported to an object with a `type`. */
export function isTrigger(value: unknown): value is TriggerRecord {
  return typeof value === 'object' && value !== null && typeof (value as TriggerRecord).type === 'string';
}

/** Kinds of stream declarations: no Step can have a trigger of them. */
const isDeclaration = ({ type }: DeclaredTriggerKind): boolean => type === 'stream.declaration' || type === 'stream.authentication';

/** Checks one trigger: its kind, its keys, and what the kind's module says beyond that. */
export function checkTrigger(
  trigger: TriggerRecord, index: number, all: readonly DeclaredTriggerKind[],
): readonly Finding[] {
  const path = `config.triggers[${index}]`;
  const kinds = all.filter((kind) => !isDeclaration(kind));
  const kind = kinds.find((candidate) => candidate.type === trigger.type);
  return kind ? checkByKind(trigger, kind, path) : [unservedKind(path, trigger.type, kinds)];
}

/** Checks a trigger against its kind. `path` is where it is written. */
export function checkByKind(trigger: TriggerRecord, kind: DeclaredTriggerKind, path: string): readonly Finding[] {
  // `condition` belongs to every kind; the worker has put `true` in the place of the function.
  const { type: _type, condition: _condition, ...keys } = trigger;
  const findings = checkSchema(keys, kind.schema, { path, owner: `a trigger of kind "${kind.type}"` });
  return findings.length > 0 ? [...findings, ...partlyValidated(trigger, kind, path)] : validated(trigger, kind, path);
}

/** The trigger without the keys that do not fit their schema; some required ones may be missing. */
function soundPart({ type, condition: _condition, ...keys }: TriggerRecord, kind: DeclaredTriggerKind): TriggerRecord {
  return { ...soundKeys(keys, kind.schema, (value, schema) => checkSchema(value, schema, { path: '', owner: '' }).length === 0), type };
}

/** The trigger as far as it can collide with others; of the kind '' when nothing can be said of it. */
export function collidingPart(trigger: TriggerRecord, kinds: readonly DeclaredTriggerKind[]): TriggerRecord {
  const kind = kinds.find(({ type }) => type === trigger.type);
  if (!kind) return { type: '' };
  try {
    const part = soundPart(trigger, kind);
    const wrong = (kind.validate?.(part) ?? []).filter(({ severity }) => severity !== 'warning').map(({ key }) => headOf(key));
    const right = { ...Object.fromEntries(Object.entries(part).filter(([key]) => !wrong.includes(key))), type: trigger.type };
    kind.exclusiveKey?.(right);
    return kind.schema.required?.some((key) => !Object.hasOwn(right, key)) ? { type: '' } : right;
  } catch {
    return { type: '' };
  }
}

/** The trigger's own key of a place in it. */
const headOf = (key = ''): string => key.split('.', 1)[0] as string;

/** What the kind finds in the sound keys. What is about the others follows from what is known already. */
function partlyValidated(trigger: TriggerRecord, kind: DeclaredTriggerKind, path: string): readonly Finding[] {
  const part = soundPart(trigger, kind);
  try {
    const issues = kind.validate?.(part) ?? [];
    return issues.filter(({ key }) => Object.hasOwn(part, headOf(key))).map((issue) => fromIssue(issue, path));
  } catch {
    // It may rely on a key that is missing.
    return [];
  }
}

/** A third party's check that throws must not take the engine with it. */
function validated(trigger: TriggerRecord, kind: DeclaredTriggerKind, path: string): readonly Finding[] {
  try {
    // Asking for the key here makes sure that it can be asked for without care later.
    kind.exclusiveKey?.(trigger);
    return (kind.validate?.(trigger) ?? []).map((issue) => fromIssue(issue, path));
  } catch (error) {
    return [{
      code: 'STEP_BAD_TRIGGER', message: `${path}: ${kind.owner} could not read it: ${String(error)}`,
      remedy: 'correct the trigger; if it is correct, this is a fault of the module',
    }];
  }
}

function unservedKind(path: string, type: string, kinds: readonly DeclaredTriggerKind[]): Finding {
  const owner = Object.hasOwn(BUILT_IN, type) ? BUILT_IN[type] : undefined;
  if (owner !== undefined) {
    return {
      code: 'STEP_KIND_NOT_LOADED', message: `${path}: trigger kind "${type}" needs ${owner}, which this config does not load`,
      remedy: `add ${owner} to "modules" or remove the trigger`,
      // The rest of the Step works without it, so the same application runs on a smaller engine.
      disables: false,
    };
  }
  const renamed = Object.hasOwn(FOREIGN_KINDS, type) ? FOREIGN_KINDS[type] || undefined : undefined;
  const known = [...new Set([...kinds.map((kind) => kind.type), ...Object.keys(BUILT_IN)])];
  return {
    code: 'STEP_UNKNOWN_KIND', message: `${path}: no loaded module serves trigger kind "${type}"`,
    remedy: renamed === undefined ? didYouMean(nearest(type, known), `known kinds: ${known.join(', ')}`) : `write "${renamed}"`,
  };
}

function fromIssue(issue: TriggerIssue, path: string): Finding {
  const at = issue.key === undefined ? path : `${path}.${issue.key}`;
  return {
    code: issue.code, message: `${at}: ${issue.message}`, remedy: issue.remedy,
    ...(issue.severity && { severity: issue.severity }),
  };
}
