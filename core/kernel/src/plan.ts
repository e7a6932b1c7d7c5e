import { resolve } from 'node:path';
import type { CheckedSurroundings } from '@treadle/api';
import { assemble } from './planning/assemble.js';
import { compose, composeDefault, type Candidate } from './planning/composition.js';
import { checkConflicts } from './planning/conflicts.js';
import { PlanContext } from './planning/context.js';
import { presetEntries, readDocument, type Document } from './planning/document.js';
import type { DraftEntry } from './planning/draft-entry.js';
import { planEntries } from './planning/entries.js';
import { withGivenSettings } from './planning/given-settings.js';
import { Issues } from './planning/issues.js';
import { orderEntries } from './planning/order.js';
import { checkSharedUses } from './planning/shared-use.js';
import { checkSurroundings } from './planning/surroundings-check.js';
import type { EnginePlan, PlanOptions, PlanResult } from './planned.js';
import { loadPlugins } from './loader.js';
import { InstalledClasses } from './plugins/installed-classes.js';
import { Registry } from './registry.js';

/**
 * Stages 1 to 8: from the configuration to a checked plan. Constructs nothing, opens no socket, throws nothing for a
 * faulty configuration: everything that is wrong is in the result.
 */
export async function planEngine(options: PlanOptions): Promise<PlanResult> {
  const issues = new Issues();
  const document = readDocument(options, issues);
  if (!document) return result(issues, undefined, []);
  const registry = await loadRegistry(document, options, issues);
  const context = new PlanContext(registry, issues, options.env, new InstalledClasses(document.folder));
  const drafted = planEntries(context, withGivenSettings(candidates(document, registry, options, issues), options.given ?? [], registry));
  const { drafts } = drafted;
  checkConflicts(drafts, issues);
  checkSharedUses(context, drafts, resolve(document.folder, document.settings.data_dir));
  const ordered = orderEntries(drafted, registry, issues);
  const isPlaced = ['root', 'data_dir'].every((key) => !document.engine.faulty?.includes(key));
  if (isPlaced) await checkSurroundings(context, drafts, surroundingsOf(document, options));
  const plan = issues.failed ? undefined : assemble(document, context, drafts, ordered);
  return result(issues, plan, drafts, document.engine.envCount);
}

function surroundingsOf({ folder, settings }: Document, { env }: PlanOptions): CheckedSurroundings {
  return { root: resolve(folder, settings.root ?? '.'), dataDir: resolve(folder, settings.data_dir), mode: settings.mode, env };
}

async function loadRegistry(document: Document, options: PlanOptions, issues: Issues): Promise<Registry> {
  const builtins = options.builtins.map((plugin) => ({ plugin, builtin: true }));
  const loaded = await loadPlugins(document.top.plugins, {
    folder: document.folder, timeoutMs: options.pluginTimeoutMs ?? 10_000, builtins: options.builtins, issues,
  });
  const { registry, errors } = Registry.build([...builtins, ...loaded]);
  issues.add(...errors);
  return registry;
}

function candidates(document: Document, registry: Registry, options: PlanOptions, issues: Issues): readonly Candidate[] {
  const listed = document.top.modules;
  if (document.configFile === undefined) return composeDefault(listed, registry);
  const preset = document.settings.implicit_modules ? presetEntries(options, issues) : [];
  return compose(listed, preset, registry);
}

function result(issues: Issues, plan: EnginePlan | undefined, drafts: readonly DraftEntry[], engineEnv = 0): PlanResult {
  const sections = drafts.flatMap((draft) => [draft.validated, ...draft.adapters.map((adapter) => adapter.validated)]);
  return {
    errors: issues.of('error'), warnings: issues.of('warning'),
    counts: {
      modules: drafts.length, adapters: sections.length - drafts.length,
      env: sections.reduce((sum, section) => sum + section.envCount, engineEnv),
    },
    ...(plan ? { plan } : {}),
  };
}
