import type { ClassId } from './class-id.js';
import type { ConfigSchema } from './config-schema.js';

/** What `"treadle": { "console": "./lib/console.json" }` of a plugin's package.json names: the views that it adds to the console. */
export interface ConsoleManifest {
  readonly apiVersion: 1;
  /** First part of the views' addresses, `/x/<id>/<view>`; lower case. */
  readonly id: string;
  readonly views: readonly ConsoleView[];
}

/** A view, which is there while an engine has its module. */
export type ConsoleView = DeclaredView | CodeView;

interface ViewHead {
  /** Last part of its address; lower case. */
  readonly id: string;
  readonly title: string;
  /** A class of the same package: the view sees its admin routes. */
  readonly module: ClassId;
}

/** Tier 0: drawn by the console itself from an answer of the module. */
export interface DeclaredView extends ViewHead {
  readonly tier: 'declarative';
  /** A GET route of the module, e.g. `/outbox`. */
  readonly source: string;
  /** An event route of the module: whenever it sends, the source is asked again. */
  readonly live?: string;
  /** Single values above the table. */
  readonly figures?: readonly ViewField[];
  readonly table?: ViewTable;
  /** What can be done with the selected row. */
  readonly actions?: readonly ViewAction[];
}

/** Tier 1: a file of the package, an ES module that exports a `ViewModule` by default. */
export interface CodeView extends ViewHead {
  readonly tier: 'module';
  /** Relative to the manifest, e.g. `./page/meter.js`. All files of its folder are served to the page, and none besides. */
  readonly entry: string;
}

/** A value of an answer or a row, by the path of its field, e.g. `customer.name`. */
export interface ViewField {
  readonly field: string;
  /** Default: the field. */
  readonly title?: string;
  /** How it is shown; by default as it is. */
  readonly as?: ViewFormat;
}

/** `time`: ISO 8601 or milliseconds since the epoch; `duration`: milliseconds; `trace`, `step`, `topic`: links to those views. */
export type ViewFormat = 'text' | 'number' | 'bytes' | 'duration' | 'time' | 'status' | 'json' | 'trace' | 'step' | 'topic';

export interface ViewTable {
  /** Field of the answer that holds the rows; default `items`. Further rows are asked for with `cursor`, as the answer gives it. */
  readonly items?: string;
  /** Field that tells rows apart. */
  readonly key: string;
  readonly columns: readonly ViewField[];
}

export interface ViewAction {
  readonly id: string;
  readonly label: string;
  readonly method: 'POST' | 'PUT' | 'DELETE';
  /** A route of the module; `{field}` stands for that field of the row, e.g. `/outbox/{id}/resend`. */
  readonly route: string;
  /** Asks before it is done. */
  readonly confirm?: boolean;
}

/** The views of one package. */
export interface PluginViews {
  readonly package: string;
  readonly version: string;
  /** Absolute path of the manifest's folder. */
  readonly folder: string;
  readonly manifest: ConsoleManifest;
}

const NAME: ConfigSchema = { type: 'string', pattern: '^[a-z][a-z0-9-]{0,31}$', description: 'Part of an address.' };
const TITLE: ConfigSchema = { type: 'string', minLength: 1, maxLength: 60, description: 'What people read.' };
const FIELD: ConfigSchema = { type: 'string', minLength: 1, description: 'Path of a field, with dots.' };
/** No part of a route begins with a dot: it stays below its module. */
const ROUTE: ConfigSchema = { type: 'string', pattern: '^(/[A-Za-z0-9_{}-][A-Za-z0-9_.{}-]*)+$', description: 'An admin route of the module.' };
const FIELDS: ConfigSchema = {
  type: 'array', minItems: 1, description: 'Values of an answer or a row.',
  items: {
    type: 'object', additionalProperties: false, required: ['field'], description: 'A value and how it is shown.',
    properties: {
      field: FIELD, title: TITLE,
      as: { type: 'string', enum: ['text', 'number', 'bytes', 'duration', 'time', 'status', 'json', 'trace', 'step', 'topic'], description: 'How it is shown.' },
    },
  },
};
const TABLE: ConfigSchema = {
  type: 'object', additionalProperties: false, required: ['key', 'columns'], description: 'Rows of an answer.',
  properties: { items: FIELD, key: FIELD, columns: FIELDS },
};
const ACTION: ConfigSchema = {
  type: 'object', additionalProperties: false, required: ['id', 'label', 'method', 'route'], description: 'Something to do with a row.',
  properties: {
    id: NAME, label: TITLE, method: { type: 'string', enum: ['POST', 'PUT', 'DELETE'], description: 'Method of the route.' }, route: ROUTE,
    confirm: { type: 'boolean', description: 'Asks before it is done.' },
  },
};

/** JSON schema of a `ConsoleManifest`. */
export const ConsoleManifest: ConfigSchema<ConsoleManifest> = {
  type: 'object', additionalProperties: false, required: ['apiVersion', 'id', 'views'],
  properties: {
    apiVersion: { const: 1, description: 'Version of this format.' },
    id: NAME,
    views: {
      type: 'array', minItems: 1, description: 'In the order of the navigation.',
      items: {
        type: 'object', additionalProperties: false, required: ['id', 'title', 'module', 'tier'], description: 'A view.',
        properties: {
          id: NAME, title: TITLE, module: { type: 'string', minLength: 1, description: 'A class of this package.' },
          tier: { type: 'string', enum: ['declarative', 'module'], description: 'Drawn by the console, or by code of the package.' },
          source: ROUTE, live: ROUTE, figures: FIELDS, table: TABLE, actions: { type: 'array', items: ACTION, description: 'What can be done with the selected row.' },
          entry: { type: 'string', pattern: '^\\./([A-Za-z0-9_-][A-Za-z0-9_.-]*/)+[A-Za-z0-9_-][A-Za-z0-9_.-]*\\.m?js$', description: 'A file in a folder beside the manifest.' },
        },
        allOf: [
          { if: { properties: { tier: { const: 'declarative' } }, required: ['tier'] }, then: { required: ['source'] } },
          { if: { properties: { tier: { const: 'module' } }, required: ['tier'] }, then: { required: ['entry'] } },
        ],
      },
    },
  },
};
