import { treadleError, type Token } from '@treadle/api';
import { isRootToken } from '../root-tokens.js';
import type { Registry } from '../registry.js';
import type { DraftedEntries, DraftEntry, Need } from './draft-entry.js';
import type { Issues } from './issues.js';

/** Stage 8: checks that every port has exactly one provider and puts providers before those who need them. */
export function orderEntries(drafted: DraftedEntries, registry: Registry, issues: Issues): readonly DraftEntry[] {
  const { drafts, promised } = drafted;
  const providers = findProviders(drafts, issues);
  for (const draft of drafts) {
    const missing = draft.needs.filter(({ token, optional }) =>
      !optional && !token.many && !providers.has(token.id) && !promised.has(token.id));
    reportMissing(draft, missing, registry, issues);
  }
  return sorted(drafts, providers, issues);
}

type Providers = ReadonlyMap<string, readonly DraftEntry[]>;

function findProviders(drafts: readonly DraftEntry[], issues: Issues): Providers {
  const providers = new Map<string, DraftEntry[]>();
  for (const draft of drafts) {
    for (const port of draft.spec.provides ?? []) {
      const others = providers.get(port.id) ?? [];
      providers.set(port.id, [...others, draft]);
      if (isRootToken(port)) duplicatePort(port, 'the engine', draft, issues);
      else if (others[0] && !port.many) duplicatePort(port, shown(others[0]), draft, issues);
    }
  }
  return providers;
}

function duplicatePort(port: Token<unknown>, first: string, second: DraftEntry, issues: Issues): void {
  issues.add(treadleError('PORT_DUPLICATE', { token: port.id, first, second: shown(second) }, {
    at: second.entry.classAt, instance: second.instance,
  }));
}

function shown(draft: DraftEntry): string {
  return `${draft.entry.path} ${draft.instance.id}`;
}

function reportMissing(draft: DraftEntry, missing: readonly Need[], registry: Registry, issues: Issues): void {
  const reported = new Set<string>();
  for (const need of missing) {
    const key = `${need.by} ${need.token.id}`;
    if (reported.has(key)) continue;
    reported.add(key);
    const add = possibleProvider(need, registry);
    issues.add(treadleError('PORT_MISSING', { class: need.by, token: need.token.id, ...(add && { add }) }, {
      at: need.at, instance: draft.instance,
    }));
  }
}

/** A class that could be added; the distribution's own first. */
function possibleProvider(need: Need, registry: Registry): string | undefined {
  const fitting = registry.classes().filter((entry) => entry.kind === 'module'
    && entry.spec.provides?.some((port) => port.id === need.token.id));
  return (fitting.find((entry) => entry.builtin) ?? fitting[0])?.spec.id;
}

interface Dependency {
  readonly on: DraftEntry;
  readonly port: string;
}

/** Dependencies first; among those that could come next, the first of the file. */
function sorted(drafts: readonly DraftEntry[], providers: Providers, issues: Issues): readonly DraftEntry[] {
  const dependencies = new Map(drafts.map((draft) => [draft, dependenciesOf(draft, providers)]));
  const open = new Set(drafts);
  const done: DraftEntry[] = [];
  const blocked = (draft: DraftEntry): Dependency | undefined =>
    dependencies.get(draft)?.find((dependency) => open.has(dependency.on));
  while (open.size > 0) {
    const [first] = open as unknown as [DraftEntry];
    const next = [...open].find((draft) => !blocked(draft));
    const batch = next ? [next] : reportCycle(first, blocked, issues);
    for (const draft of batch) open.delete(draft);
    done.push(...batch);
  }
  return done;
}

function dependenciesOf(draft: DraftEntry, providers: Providers): readonly Dependency[] {
  return draft.needs.flatMap(({ token }) => (providers.get(token.id) ?? [])
    // A module that adds to a list may also read it: of the others.
    .filter((provider) => !(token.many && provider === draft))
    .map((on) => ({ on, port: token.id })));
}

/** Follows what is waited for until it comes round; the circle is reported once and taken as settled. */
function reportCycle(
  start: DraftEntry, blocked: (draft: DraftEntry) => Dependency | undefined, issues: Issues,
): readonly DraftEntry[] {
  const path: DraftEntry[] = [];
  const ports: string[] = [];
  let current = start;
  while (!path.includes(current)) {
    const dependency = blocked(current) as Dependency;
    path.push(current);
    ports.push(dependency.port);
    current = dependency.on;
  }
  const from = path.indexOf(current);
  const circle = path.slice(from);
  issues.add(treadleError('MODULE_CYCLE', {
    steps: circle.map((draft, index) => ({ class: draft.instance.id, needs: ports[from + index] as string })),
  }, { at: current.entry.classAt, instance: current.instance }));
  return circle;
}
