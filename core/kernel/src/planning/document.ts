import { dirname, resolve } from 'node:path';
import {
  ENGINE_SCHEMA, interpolate, parseConfig, readConfig, readPreset, readTopLevel, validateConfig, withPreset,
  type EngineSettings, type LocatedMap, type TopLevel, type Validated, type ValidPart,
} from '@treadle/config';
import type { PlanOptions } from '../planned.js';
import type { Issues } from './issues.js';

/** The configuration after stages 1 to 3, with its `engine:` section checked. */
export interface Document {
  readonly top: TopLevel;
  /** Absolute; absent with the default configuration. */
  readonly configFile?: string;
  /** Where relative paths and the look-up of plugins start: the config file's folder, else the working directory. */
  readonly folder: string;
  readonly engine: Validated & Partial<ValidPart>;
  readonly settings: EngineSettings;
}

/** The configuration that the options name, or undefined when it cannot be read as one. */
export function readDocument(options: PlanOptions, issues: Issues): Document | undefined {
  const configFile = options.configFile === undefined ? undefined : resolve(options.cwd, options.configFile);
  const tree = configFile === undefined ? defaultTree() : fileTree(configFile, options.configFile ?? '', issues);
  if (!tree) return undefined;
  const top = issues.take(readTopLevel(issues.take(interpolate(tree, options.env)), tree.at.file));
  const engine = engineSection(top, tree.at.file, options, issues);
  const folder = configFile === undefined ? resolve(options.cwd) : dirname(configFile);
  return {
    top, folder, engine, settings: engine.config as unknown as EngineSettings,
    ...(configFile === undefined ? {} : { configFile }),
  };
}

/** The entries of the default preset, for modules that the file does not name. */
export function presetEntries(options: PlanOptions, issues: Issues): TopLevel['modules'] {
  const tree = defaultTree();
  return issues.take(readTopLevel(issues.take(interpolate(tree, options.env)), tree.at.file)).modules;
}

function fileTree(file: string, shownAs: string, issues: Issues): LocatedMap | undefined {
  const text = issues.take(readConfig(file, shownAs));
  return text === undefined ? undefined : issues.take(parseConfig(text, shownAs));
}

let shippedTree: LocatedMap | undefined;

/** Parsed once: the preset is a part of the program. */
function defaultTree(): LocatedMap {
  if (shippedTree) return shippedTree;
  const { text, file } = readPreset('default');
  const { value, issues } = parseConfig(text, file);
  if (!value) throw issues[0] ?? new Error(`${file} is empty`);
  shippedTree = value;
  return value;
}

function engineSection(top: TopLevel, file: string, options: PlanOptions, issues: Issues): Document['engine'] {
  const input = { schema: ENGINE_SCHEMA, path: 'engine', owner: 'engine', at: { file }, env: options.env, slotKeys: [] };
  const { value, part, issues: found } = validateConfig({ ...input, tree: withPreset(top.engine) });
  issues.add(...found);
  const valid = value ?? part ?? defaultsOf(input);
  if (!options.mode || valid.origins['mode']?.kind === 'file' || valid.origins['mode']?.kind === 'env') return valid;
  const origins = Object.freeze({ ...valid.origins, mode: { kind: 'file', at: { file: '(the command)' } } } as const);
  return { ...valid, origins, config: Object.freeze({ ...valid.config, mode: options.mode }) };
}

/** Planning goes on with what is valid after an error, at the least with the defaults, so that everything wrong is found in one go. */
function defaultsOf(input: Omit<Parameters<typeof validateConfig>[0], 'tree'>): Validated {
  const { value, issues } = validateConfig({ ...input, tree: undefined });
  if (!value) throw issues[0] ?? new Error('the engine section has no defaults');
  return value;
}
