import { TreadleError, treadleError, type InstanceId, type SourceLocation } from '@treadle/api';
import { validateConfig, type ModuleEntry } from '@treadle/config';
import { constructorParameters } from '../constructor-parameters.js';
import type { RegisteredModule } from '../registry.js';
import { isRootToken } from '../root-tokens.js';
import { checkCapabilities, checkConfigConflicts } from './capabilities.js';
import type { Candidate } from './composition.js';
import type { PlanContext } from './context.js';
import type { DraftedEntries, DraftEntry, Need } from './draft-entry.js';
import { checkExclusives } from './exclusives.js';
import { planSlots, type DraftAdapter } from './slots.js';

/** Stages 5 to 7 for all entries; faulty ones are reported, and left out only when nothing else can be said of them. */
export function planEntries(context: PlanContext, candidates: readonly Candidate[]): DraftedEntries {
  const drafts = new Map<string, DraftEntry>();
  const promised = new Set<string>();
  for (const candidate of candidates) {
    const found = context.module(candidate.entry);
    const draft = found && planEntry(context, found, candidate);
    if (!draft) {
      for (const port of found?.spec.provides ?? []) promised.add(port.id);
      continue;
    }
    const other = drafts.get(draft.instance.id);
    if (other) duplicate(context, draft, other);
    else drafts.set(draft.instance.id, draft);
  }
  return { drafts: [...drafts.values()], promised };
}

function planEntry(context: PlanContext, found: RegisteredModule, candidate: Candidate): DraftEntry | undefined {
  const { entry, implicit } = candidate;
  const { spec } = found;
  const path = `${entry.path}.config`;
  const outcome = validateConfig({
    tree: entry.config, schema: spec.config, path, owner: spec.id, at: entry.at, env: context.env,
    slotKeys: Object.keys(spec.slots ?? {}),
  });
  context.issues.add(...outcome.issues);
  const adapters = planSlots(context, { spec, path, at: entry.at, config: entry.config });
  const validated = outcome.value ?? outcome.part;
  if (!validated) return undefined;
  const draft = {
    instance: instanceOf(found, entry), found, spec, entry, implicit, validated, config: validated.config, adapters,
    needs: needsOf(context, found, entry, adapters), ...(outcome.part && { faulty: outcome.part.faulty }),
  };
  if (!draft.faulty) checkCapabilities(context, draft);
  checkExclusives(context, draft);
  checkConfigConflicts(context, draft);
  return draft;
}

function instanceOf(found: RegisteredModule, entry: ModuleEntry): InstanceId {
  const { id } = found.spec;
  return {
    id: entry.name === undefined ? id : `${id}#${entry.name}`, classId: id, path: entry.path,
    package: found.package.name, version: found.package.version, at: entry.at,
    ...(entry.name === undefined ? {} : { name: entry.name }),
  };
}

function needsOf(
  context: PlanContext, found: RegisteredModule, entry: ModuleEntry, adapters: readonly DraftAdapter[],
): readonly Need[] {
  const classes = [
    { target: found.target, by: found.spec.id, at: entry.classAt },
    ...adapters.map(({ planned, classAt }) => ({ target: planned.target, by: planned.spec.id, at: classAt })),
  ];
  return classes.flatMap(({ target, by, at }) => injections(context, target, at)
    .flatMap((injection) => (injection.kind === 'token' && !isRootToken(injection.token)
      ? [{ token: injection.token, optional: injection.optional, by, at }] : [])));
}

/** A class with an undecorated parameter is reported here, before anything is built. */
function injections(
  context: PlanContext, target: Parameters<typeof constructorParameters>[0], at: SourceLocation,
): ReturnType<typeof constructorParameters> {
  try {
    return constructorParameters(target);
  } catch (error) {
    const { code, message, hint } = error as TreadleError;
    context.issues.add(new TreadleError(code, message, hint, { at, cause: error }));
    return [];
  }
}

function duplicate(context: PlanContext, draft: DraftEntry, other: DraftEntry): void {
  context.issues.add(treadleError('CONFIG_DUPLICATE_INSTANCE', {
    path: draft.entry.path, id: draft.instance.id, other: other.entry.path, single: (draft.spec.provides ?? []).length > 0,
  }, { at: draft.entry.at }));
}
