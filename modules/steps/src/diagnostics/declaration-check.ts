import type { ConfigSchema, DeclaredTriggerKind, LoadedStep, StepConfigRecord, StepRecord, TriggerRecord } from '@treadle/api';
import type { CheckedConfig } from './config-check.js';
import type { Finding } from './finding.js';
import { badValue, checkSchema, unknownKey } from './schema-check.js';
import { stepRecord } from './step-record.js';
import { checkByKind } from './trigger-check.js';

/** Id of the one declaration that says how clients of streams are authenticated. */
const AUTHENTICATION = 'stream-auth';

/** Keys of a stream's config. */
const STREAM: ConfigSchema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 200 }, description: { type: 'string' }, schema: { type: ['object', 'boolean'] },
  },
};

/** Which keys a declaration has, and which of them are functions. */
interface Form {
  readonly owner: string;
  readonly schema: ConfigSchema;
  readonly functions: readonly string[];
}

const STREAM_FORM: Form = { owner: 'a stream config', schema: STREAM, functions: ['canAccess', 'onJoin', 'onLeave'] };
const AUTHENTICATION_FORM: Form = { owner: 'a stream-auth config', schema: { type: 'object' }, functions: ['authenticate'] };

/** Name under which something that a file declares is in the catalog; empty when it has none. */
export function declaredName({ role, config }: LoadedStep): string {
  if (role === 'stream-auth') return AUTHENTICATION;
  const name = (config as { name?: unknown } | null)?.name;
  if (typeof name !== 'string' || name === '') return '';
  return role === 'stream' ? `stream:${name}` : name;
}

/** Checks the config of a stream or of its authentication and makes of it the catalog's form: one trigger. */
export function checkDeclaration({ role, config }: LoadedStep, kinds: readonly DeclaredTriggerKind[]): CheckedConfig {
  const value = (config ?? {}) as Readonly<Record<string, unknown>>;
  const { owner, schema, functions } = role === 'stream' ? STREAM_FORM : AUTHENTICATION_FORM;
  const subject = { path: 'config', owner };
  const findings = [...checkSchema(config, schema, subject)];
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return { findings };
  const known = [...Object.keys(schema.properties ?? {}), ...functions];
  for (const key of Object.keys(value)) if (!known.includes(key)) findings.push(unknownKey(subject, key, known));
  findings.push(...notFunctions(value, functions));
  const record = toRecord(role, value);
  if (findings.length > 0 || record.name === '') return { findings };
  return { config: record, findings: record.triggers.flatMap((trigger) => checkKind(trigger, kinds)) };
}

/** A function has arrived as `true`. */
function notFunctions(value: Readonly<Record<string, unknown>>, hooks: readonly string[]): readonly Finding[] {
  return hooks.filter((hook) => value[hook] !== undefined && value[hook] !== true)
    .map((hook) => badValue({ path: `config.${hook}`, owner: '' }, 'is no function', 'write a function'));
}

function toRecord(role: LoadedStep['role'], value: Readonly<Record<string, unknown>>): StepConfigRecord {
  if (role === 'stream-auth') return { name: AUTHENTICATION, triggers: [{ type: 'stream.authentication' }] };
  const { name, description, ...keys } = value;
  const trigger: TriggerRecord = { type: 'stream.declaration', streamName: name, ...keys };
  const described = typeof description === 'string' ? { description } : {};
  return { name: declaredName({ role, config: value }), ...described, triggers: [trigger] };
}

/** The catalog's entry for an authentication of which only the file is known. */
export function authenticationOf(file: string, application: string | undefined): StepRecord {
  return stepRecord(toRecord('stream-auth', {}), { file, role: 'stream-auth', application });
}

/** What a worker reported, from the catalog's form of it. */
export function fromRecord(role: LoadedStep['role'], config: StepConfigRecord): unknown {
  if (role === 'stream-auth') return { authenticate: true };
  if (role !== 'stream') return config;
  const { type: _type, streamName, ...keys } = config.triggers[0] ?? { type: '' };
  return { name: streamName, ...(config.description !== undefined && { description: config.description }), ...keys };
}

function checkKind(trigger: TriggerRecord, kinds: readonly DeclaredTriggerKind[]): readonly Finding[] {
  const kind = kinds.find((candidate) => candidate.type === trigger.type);
  if (kind) return checkByKind(trigger, kind, 'config');
  const what = trigger.type === 'stream.declaration' ? 'a stream' : 'authentication of streams';
  return [{
    code: 'STEP_KIND_NOT_LOADED', message: `${what} needs modules::stream::StreamModule, which this config does not load`,
    remedy: 'add modules::stream::StreamModule to "modules" or remove the file',
    // Nothing else depends on it, so the same application runs on a smaller engine.
    disables: false,
  }];
}
