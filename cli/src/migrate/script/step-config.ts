import type ts from 'typescript';
import { bare, keyOf, member, objectIn, removeMember, spanOf, textIn, valueOf } from './objects.js';
import { CONFIG_TYPES, CRON_KEYS, HTTP_KEYS, QUEUE_KEYS } from './names.js';
import { findConfigs, type FoundConfig } from './find-configs.js';
import { elementsOf, renameTopics, topicText } from './topics.js';
import { commentStart, deeper, movedPiece, querySchema, queueConfig, triggersText, type Piece } from './trigger-text.js';
import type { ScriptText } from './script-text.js';

const KEYS: Readonly<Record<string, ReadonlySet<string>>> = { http: HTTP_KEYS, queue: QUEUE_KEYS, cron: CRON_KEYS };
const KINDS: Readonly<Record<string, string>> = { api: 'http', http: 'http', event: 'queue', queue: 'queue', cron: 'cron', noop: '' };

/** Pass: configs of Steps, and of streams, in the form of this runtime. */
export function rewriteConfigs(script: ScriptText): void {
  for (const config of findConfigs(script)) {
    if (config.sort === 'stream') rewriteStream(script, config.object);
    else rewriteStep(script, config);
  }
}

function rewriteStep(script: ScriptText, { object, declaration }: FoundConfig): void {
  const { ts } = script;
  const triggers = member(ts, object, 'triggers');
  const kind = triggers ? undefined : kindOf(script, object);
  if (triggers) rewriteTriggers(script, valueOf(ts, triggers));
  else if (kind === '') removeKeys(script, object, ['type']);
  else if (kind !== undefined) gatherTrigger(script, object, kind);
  for (const [old, name] of [['emits', 'enqueues'], ['virtualEmits', 'virtualEnqueues'], ['virtualSubscribes', 'virtualSubscribes']] as const) {
    const one = member(ts, object, old);
    if (one) renameTopics(script, one, name);
  }
  const included = member(ts, object, 'includeFiles');
  if (included) {
    script.note(included, '"includeFiles" is not there: a build does not gather files', 'read the files from the application\'s folder, and deploy them with it');
    removeMember(script, included);
  }
  if (declaration) satisfy(script, declaration);
}

/** Kind of the one trigger that stands beside the name; empty for none, undefined where nothing says one. */
function kindOf(script: ScriptText, object: ts.ObjectLiteralExpression): string | undefined {
  const { ts } = script;
  const type = textIn(ts, object, 'type');
  if (type !== undefined && Object.hasOwn(KINDS, type)) return KINDS[type];
  if (member(ts, object, 'subscribes')) return 'queue';
  if (member(ts, object, 'cron')) return 'cron';
  return member(ts, object, 'path') && member(ts, object, 'method') ? 'http' : undefined;
}

/** Moves what belongs to the trigger into `triggers`, which stands where the first of it stood. */
function gatherTrigger(script: ScriptText, object: ts.ObjectLiteralExpression, kind: string): void {
  const { ts } = script;
  const keys = KEYS[kind] ?? new Set();
  const moved = object.properties.filter((one) => keys.has(keyOf(ts, one) ?? ''));
  const subscribes = member(ts, object, 'subscribes');
  const topics = subscribes && elementsOf(script, valueOf(ts, subscribes));
  if (kind === 'queue' && topics === undefined) {
    script.note(subscribes ?? object, 'the topics that the Step consumes are not written as a list', 'write "triggers" with { type: \'queue\', topic, input } for each');
    return;
  }
  const gone = object.properties.filter((one) => one === subscribes || keyOf(ts, one) === 'type' || moved.includes(one));
  const first = gone.find((one) => keyOf(ts, one) !== 'type') ?? gone[0];
  if (first === undefined) return;
  const indent = script.indentOf(first);
  const flat = !script.textOf(object).includes('\n');
  const pieces = moved.flatMap((one) => pieceOf(script, one, deeper(indent)));
  const triggers = kind === 'queue'
    ? (topics ?? []).map((topic) => [typePiece(kind), { text: `topic: ${topicText(script, topic)}`, tall: false }, ...pieces])
    : [[typePiece(kind), ...pieces]];
  for (const one of gone) {
    const { start, end } = spanOf(script, one);
    const from = moved.includes(one) ? commentStart(script, one) ?? start : start;
    const [beginsLine, endsLine] = [script.text[from - 1] === '\n', script.text[end - 1] === '\n'];
    const written = one === first ? `${triggersText(triggers, indent, flat)},${endsLine ? '\n' : ' '}` : '';
    script.edits.replace(from, end, (beginsLine && (written !== '' || !endsLine) ? indent : '') + written);
  }
}

function typePiece(kind: string): Piece {
  return { text: `type: '${kind}'`, tall: false };
}

/** What a member of the config becomes in a trigger; nothing for one that says nothing. */
function pieceOf(script: ScriptText, one: ts.ObjectLiteralElementLike, more: string): readonly Piece[] {
  const { ts } = script;
  const key = keyOf(ts, one);
  const value = valueOf(ts, one);
  if (key === 'cron' && value) return [{ text: `expression: ${script.textOf(value)}`, tall: false }];
  if (key === 'input' && value?.kind === ts.SyntaxKind.NullKeyword) return [];
  const translated = translation(script, one);
  if (translated !== undefined) return translated === '' ? [] : [{ text: translated, tall: translated.length > 60 }];
  return [movedPiece(script, one, more)];
}

/** A member that has another form here; undefined for any other, with a note where its form cannot be read. */
function translation(script: ScriptText, one: ts.ObjectLiteralElementLike): string | undefined {
  const key = keyOf(script.ts, one);
  if (key !== 'queryParams' && key !== 'infrastructure') return undefined;
  const text = key === 'queryParams' ? querySchema(script, one) : queueConfig(script, one);
  if (text === undefined) script.note(one, `"${key}" is put together elsewhere`, key === 'queryParams' ? 'write a "querySchema"' : 'write "config" of the queue trigger');
  return text;
}

/** Triggers in a list: kinds by their names here, and members that have another form. */
function rewriteTriggers(script: ScriptText, value: ts.Expression | undefined): void {
  const { ts } = script;
  const list = value && bare(ts, value);
  if (!list || !ts.isArrayLiteralExpression(list)) return;
  for (const element of list.elements) {
    const inner = bare(ts, element);
    const object = objectIn(ts, inner) ?? (ts.isCallExpression(inner) ? objectIn(ts, inner.arguments.at(-1)) : undefined);
    if (object === undefined) continue;
    const type = member(ts, object, 'type');
    const kind = textIn(ts, object, 'type');
    const typeValue = valueOf(ts, type);
    if (kind !== undefined && typeValue && KINDS[kind]) script.replace(typeValue, `'${KINDS[kind]}'`);
    for (const one of object.properties) translateMember(script, one);
  }
}

function translateMember(script: ScriptText, one: ts.ObjectLiteralElementLike): void {
  const text = translation(script, one);
  if (text === '') removeMember(script, one);
  else if (text !== undefined) script.replace(one, text);
}

/** `const config: X = {…}` to `const config = {…} as const satisfies StepConfig`, which keeps what is written as a type. */
function satisfy(script: ScriptText, { name, type, initializer }: ts.VariableDeclaration): void {
  const { ts } = script;
  const isConfig = type && ts.isTypeReferenceNode(type) && ts.isIdentifier(type.typeName) && CONFIG_TYPES.has(type.typeName.text);
  if (!isConfig || !initializer || !ts.isObjectLiteralExpression(initializer)) return;
  script.edits.replace(name.end, type.end, '');
  script.edits.insert(initializer.end, ' as const satisfies StepConfig');
}

function rewriteStream(script: ScriptText, object: ts.ObjectLiteralExpression): void {
  const { ts } = script;
  const base = member(ts, object, 'baseConfig');
  if (base) {
    const inner = objectIn(ts, valueOf(ts, base));
    if (inner && textIn(ts, inner, 'storageType') === 'default') removeMember(script, base);
    else script.note(base, 'a stream has no storage of its own', 'remove "baseConfig"; config.yaml says where streams are kept, and a Step may copy to elsewhere');
  }
  for (const hook of ['onJoin', 'onLeave']) {
    const one = member(ts, object, hook);
    const value = valueOf(ts, one) ?? one;
    if (value && (ts.isArrowFunction(value) || ts.isFunctionExpression(value) || ts.isMethodDeclaration(value))) rewriteHook(script, hook, value);
  }
}

/** `(subscription, context, auth)` to `(subscription, auth)`; whom it lets in is another function's to say. */
function rewriteHook(script: ScriptText, hook: string, value: ts.ArrowFunction | ts.FunctionExpression | ts.MethodDeclaration): void {
  const { ts } = script;
  const [, context, auth] = value.parameters;
  if (context && auth) {
    const isUnused = ts.isIdentifier(context.name) && script.references(context.name).length === 0;
    if (isUnused) script.edits.replace(context.getStart(script.source), auth.getStart(script.source), '');
    else script.note(value, `"${hook}" takes (subscription, auth), without a context`, 'leave the second parameter out; getContext() gives the context');
  }
  if (hook === 'onJoin' && /\bunauthorized\b/.test(script.textOf(value))) {
    script.note(value, 'nobody looks at what "onJoin" returns', 'decide who may join in "canAccess": (subscription, auth) => boolean');
  }
}

function removeKeys(script: ScriptText, object: ts.ObjectLiteralExpression, keys: readonly string[]): void {
  for (const one of object.properties) if (keys.includes(keyOf(script.ts, one) ?? '')) removeMember(script, one);
}
